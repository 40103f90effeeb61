package trace_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/infscale/infscale/recommender/trace"
)

const header = "timestamp_s,prompt_tokens,output_tokens\n"

// readAll reads a reader to its end or first error, and checks that it stays there.
func readAll(t testing.TB, r trace.Reader) ([]trace.Request, error) {
	t.Helper()
	var all []trace.Request
	for {
		q, err := r.Next()
		if err == nil {
			all = append(all, q)
			continue
		}
		if _, again := r.Next(); !errors.Is(again, err) {
			t.Errorf("got %v after %v, want it to stay", again, err)
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return all, err
	}
}

func compressed(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCSVSpellings(t *testing.T) {
	want := []trace.Request{{At: 0.5, Prompt: 10, Output: 20}, {At: 0.5, Prompt: 1, Output: 10_000_000}, {At: 2, Prompt: 3, Output: 4}}
	const plain = header + "0.5,10,20\n0.5,1,10000000\n2,3,4\n"
	tests := map[string]string{
		"plain":                      plain,
		"no end of the last line":    strings.TrimSuffix(plain, "\n"),
		"a blank last line":          plain + "\n",
		"a blank last line of CR":    plain + "\r\n",
		"CRLF":                       strings.ReplaceAll(plain, "\n", "\r\n"),
		"a byte order mark":          "\xef\xbb\xbf" + plain,
		"columns in another order":   "output_tokens,timestamp_s,prompt_tokens\n20,0.5,10\n10000000,0.5,1\n4,2,3\n",
		"a prefix of nothing":        "timestamp_s,prompt_tokens,shared_prefix_tokens,output_tokens\n0.5,10,0,20\n.5,1,0,10000000\n2.,3,0,4",
		"exponents and zeros":        header + "5e-1,010,20\n0.0000000000000000005e18,1,10000000\n0.2E+1,3,00000004\n",
		"gzip":                       compressed(t, plain),
		"gzip in two members":        compressed(t, plain[:50]) + compressed(t, plain[50:]),
		"gzip of a byte order mark":  compressed(t, "\xef\xbb\xbf"+plain),
		"gzip without an end of it":  compressed(t, strings.TrimSuffix(plain, "\n")),
		"gzip of CRLF and a blank":   compressed(t, strings.ReplaceAll(plain+"\n", "\n", "\r\n")),
		"more decimals than matter":  header + "0.500000000000000000000000,10,20\n0.5,1,10000000\n2.0000,3,4\n",
		"numbers of unusual lengths": header + "000000000.5,00000010,20\n0.5,1,10000000\n2,3,4\n",
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := readAll(t, trace.NewCSV("x.csv", strings.NewReader(text)))
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("got %v, %v, want %v", got, err, want)
			}
		})
	}
}

func TestCSVReadsThePrefix(t *testing.T) {
	got, err := readAll(t, trace.NewCSV("x.csv", strings.NewReader(
		"timestamp_s,prompt_tokens,output_tokens,shared_prefix_tokens\n0,6758,500,0\n0,7322,490,512\n3,512,1,512\n")))
	want := []trace.Request{
		{Prompt: 6758, Output: 500},
		{Prompt: 7322, Output: 490, Prefix: 512},
		{At: 3, Prompt: 512, Output: 1, Prefix: 512}, // all of it
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestCSVErrors(t *testing.T) {
	const (
		seconds = "timestamp_s must be seconds since the trace began, from 0 to 315360000, got "
		prompt  = "prompt_tokens must be a whole number from 1 to 10000000, got "
		output  = "output_tokens must be a whole number from 1 to 10000000, got "
		column  = "column must be one of timestamp_s, prompt_tokens, output_tokens, shared_prefix_tokens, got "
		prefix  = "timestamp_s,prompt_tokens,output_tokens,shared_prefix_tokens\n"
		good    = header + "1,10,20\n"
	)
	gz := compressed(t, good)
	damaged := []byte(gz)
	damaged[len(damaged)-6] ^= 1 // in the checksum
	tests := map[string]struct{ text, want string }{
		"an empty file":               {"", "1: must name the columns, got the end of the file"},
		"an empty file in gzip":       {compressed(t, ""), "1: must name the columns, got the end of the file"},
		"a header only":               {header, "2: must hold at least one request, got the end of the file"},
		"a header without an end":     {strings.TrimSuffix(header, "\n"), "2: must hold at least one request, got the end of the file"},
		"a header and a blank line":   {header + "\n", "2: must hold at least one request, got the end of the file"},
		"a byte order mark only":      {"\xef\xbb\xbf", "1: " + column + `""`},
		"a blank first line":          {"\n" + good, "1: " + column + `""`},
		"no header":                   {"1,10,20\n", "1: " + column + `"1"`},
		"an unknown column":           {"timestamp_s,prompt_tokens,output_tokens,model\n", "1: " + column + `"model"`},
		"a column in capitals":        {"TIMESTAMP_S,prompt_tokens,output_tokens\n", "1: " + column + `"TIMESTAMP_S"`},
		"a column after a space":      {"timestamp_s, prompt_tokens,output_tokens\n", "1: " + column + `" prompt_tokens"`},
		"a column twice":              {"timestamp_s,prompt_tokens,prompt_tokens,output_tokens\n", `1: column must be named once, got "prompt_tokens"`},
		"a missing column":            {"timestamp_s,output_tokens\n", `1: column prompt_tokens is missing, got "timestamp_s,output_tokens"`},
		"UTF-16":                      {"\xff\xfet\x00i\x00m\x00", "1: " + column + `"\xff\xfet\x00i\x00m\x00"`},
		"no line at all":              {strings.Repeat("x", 70_000), `1: line must be at most 1000 bytes, got "` + strings.Repeat("x", 40) + `" and more`},
		"a line too long":             {good + "2," + strings.Repeat("0", 1000) + "1,1\n", `3: line must be at most 1000 bytes, got "2,` + strings.Repeat("0", 38) + `" and more`},
		"binary junk":                 {good + "\x7fELF\x02\x01\x01", `3: must have 3 fields, got "\x7fELF\x02\x01\x01"`},
		"NUL in a number":             {header + "1\x00,10,20\n", "2: " + seconds + `"1\x00"`},
		"NUL bytes at the end":        {good + "\x00\x00", `3: must have 3 fields, got "\x00\x00"`},
		"a blank line in the middle":  {good + "\n2,1,1\n", `3: must have 3 fields, got ""`},
		"two blank lines at the end":  {good + "\n\n", `3: must have 3 fields, got ""`},
		"too few fields":              {header + "1,10\n", `2: must have 3 fields, got "1,10"`},
		"too many fields":             {header + "1,10,20,0\n", `2: must have 3 fields, got "1,10,20,0"`},
		"the separator of some":       {header + "1;10;20\n", `2: must have 3 fields, got "1;10;20"`},
		"a decimal comma":             {header + "1,5,10,20\n", `2: must have 3 fields, got "1,5,10,20"`},
		"unsorted":                    {good + "0.999,10,20\n", `3: timestamp_s must not be before 1 of the line above, got "0.999"`},
		"a negative time":             {header + "-1,10,20\n", "2: " + seconds + `"-1"`},
		"negative zero":               {header + "-0,10,20\n", "2: " + seconds + `"-0"`},
		"NaN":                         {header + "NaN,10,20\n", "2: " + seconds + `"NaN"`},
		"Inf":                         {header + "Inf,10,20\n", "2: " + seconds + `"Inf"`},
		"infinity by its exponent":    {header + "1e400,10,20\n", "2: " + seconds + `"1e400"`},
		"hexadecimal":                 {header + "0x1p4,10,20\n", "2: " + seconds + `"0x1p4"`},
		"underscores":                 {header + "1_000,10,20\n", "2: " + seconds + `"1_000"`},
		"a date":                      {header + "2023-11-16 18:15:46.6805900,374,44\n", "2: " + seconds + `"2023-11-16 18:15:46.6805900"`},
		"seconds since 1970":          {header + "1700158546.68,374,44\n", "2: " + seconds + `"1700158546.68"`},
		"no time":                     {header + ",10,20\n", "2: " + seconds + `""`},
		"a point for a time":          {header + ".,10,20\n", "2: " + seconds + `"."`},
		"two points":                  {header + "1.2.3,10,20\n", "2: " + seconds + `"1.2.3"`},
		"a space":                     {header + "1, 10,20\n", "2: " + prompt + `" 10"`},
		"quotes":                      {header + "1,\"10\",20\n", "2: " + prompt + `"\"10\""`},
		"no prompt":                   {header + "1,0,20\n", "2: " + prompt + `"0"`},
		"an empty prompt":             {header + "1,,20\n", "2: " + prompt + `""`},
		"a negative prompt":           {header + "1,-5,20\n", "2: " + prompt + `"-5"`},
		"a fraction of a token":       {header + "1,10.0,20\n", "2: " + prompt + `"10.0"`},
		"a prompt too long":           {header + "1,10000001,20\n", "2: " + prompt + `"10000001"`},
		"a prompt beyond any integer": {header + "1,99999999999999999999999999,20\n", "2: " + prompt + `"99999999999999999999999999"`},
		"no output":                   {header + "1,10,0\n", "2: " + output + `"0"`},
		"output that is no number":    {header + "1,10,many\n", "2: " + output + `"many"`},
		"a prefix beyond its prompt":  {prefix + "1,10,20,11\n", `2: shared_prefix_tokens must be at most the 10 prompt_tokens, got "11"`},
		"a negative prefix":           {prefix + "1,10,20,-1\n", `2: shared_prefix_tokens must be a whole number from 0 to 10000000, got "-1"`},
		"gzip without its end":        {gz[:len(gz)-9], "3: gzip data must not end early, got the end of the file"},
		"gzip without its checksum":   {gz[:len(gz)-8], "3: gzip data must not end early, got the end of the file"},
		"gzip cut in its header":      {gz[:5], "1: gzip data must not end early, got the end of the file"},
		"two bytes of gzip":           {gz[:2], "1: gzip data must not end early, got the end of the file"},
		"a wrong checksum":            {string(damaged), "3: gzip: invalid checksum"},
		"junk behind gzip":            {gz + "junk and more junk", "3: gzip: invalid header"},
		"gzip of another method":      {"\x1f\x8b\x07" + gz[3:], "1: gzip: invalid header"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := readAll(t, trace.NewCSV("x.csv", strings.NewReader(test.text)))
			if want := "x.csv:" + test.want; err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

func TestCSVKeepsWhatCameBeforeAnError(t *testing.T) {
	got, err := readAll(t, trace.NewCSV("x.csv", strings.NewReader(header+"1,10,20\n2,30,40\n1,1,1\n")))
	if len(got) != 2 || err == nil {
		t.Errorf("got %d requests and %v, want 2 and an error", len(got), err)
	}
}

func TestCSVErrorOfTheSource(t *testing.T) {
	broken := errors.New("broken pipe")
	source := io.MultiReader(strings.NewReader(header+"1,10,20\n2,3"), iotest.ErrReader(broken))
	_, err := readAll(t, trace.NewCSV("standard input", source))
	if !errors.Is(err, broken) || err.Error() != "standard input:3: broken pipe" {
		t.Errorf("got %v, want %v in line 3", err, broken)
	}
}

func TestCSVInSmallReads(t *testing.T) {
	text := compressed(t, header+"1,10,20\n2,30,40\n")
	got, err := readAll(t, trace.NewCSV("x.csv", iotest.OneByteReader(strings.NewReader(text))))
	if len(got) != 2 || err != nil {
		t.Errorf("got %v, %v, want 2 requests", got, err)
	}
}

func TestCSVAfterClose(t *testing.T) {
	r := trace.NewCSV("x.csv", strings.NewReader(header+"1,10,20\n2,30,40\n"))
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("got %v, want %v", err, fs.ErrClosed)
	}
}
