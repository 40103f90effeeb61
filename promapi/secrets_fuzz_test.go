package promapi

import (
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// escapes are the ways in which a server may write one rune.
var escapes = []func(r rune) string{
	func(r rune) string { return string(r) },
	func(r rune) string { return octets(r, "%%%02X") },
	func(r rune) string { return octets(r, "%%%02x") },
	func(r rune) string { return octets(r, `\x%02x`) },
	func(r rune) string { return octets(r, `\%03o`) },
	func(r rune) string { return units(r, `\u%04x`) },
	func(r rune) string { return units(r, `\u%04X`) },
	func(r rune) string { return units(r, "%%u%04X") },
	func(r rune) string { return fmt.Sprintf(`\U%08x`, r) },
	func(r rune) string { return fmt.Sprintf("&#%d;", r) },
	func(r rune) string { return fmt.Sprintf("&#x%x;", r) },
	func(r rune) string { return fmt.Sprintf("&#X%08X;", r) },
	func(r rune) string { return html.EscapeString(string(r)) },
	func(r rune) string { return url.QueryEscape(string(r)) },
	func(r rune) string { return url.PathEscape(url.QueryEscape(string(r))) },
	func(r rune) string { return strings.Trim(inJSON(html.EscapeString(string(r))), `"`) },
	func(r rune) string { return url.QueryEscape(fmt.Sprintf("&#x%X;", r)) },
	func(r rune) string {
		if strings.ContainsRune("/\\\"'`&<>;:=?!@ ", r) {
			return `\` + string(r)
		}
		return string(r)
	},
}

// octets writes the bytes of a rune.
func octets(r rune, format string) string {
	var b strings.Builder
	for _, c := range []byte(string(r)) {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

// units writes the code units of a rune.
func units(r rune, format string) string {
	var b strings.Builder
	for _, c := range utf16.Encode([]rune{r}) {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

func inJSON(s string) string {
	b, _ := json.Marshal(s) // a string can be encoded
	return string(b)
}

// However the runes of a secret are escaped, it is hidden, and nothing beside it is.
func FuzzCensor(f *testing.F) {
	f.Add("abcd/efgh+ijkl=", []byte{2}, "a body")
	f.Add("s3cret +/&\"<=é\U0001F600", []byte{0, 5, 7, 14, 16}, `%25%u12\u&#&amp;#x;%2`)
	f.Add(`a\\b%25c&amp;d`, []byte{17, 3, 12, 4}, "Basic "+strings.Repeat(`\`, 50))
	f.Fuzz(func(t *testing.T, secret string, how []byte, text string) {
		z := &censor{}
		z.add(secret)
		z.clean(text)
		if !utf8.ValidString(secret) || strings.ContainsAny(secret, "\x00") || len(secret) < minSecret || len(how) == 0 {
			return
		}
		var b strings.Builder
		i := 0
		for _, r := range secret {
			b.WriteString(escapes[int(how[i%len(how)])%len(escapes)](r))
			i++
		}
		if got, want := z.clean("«"+b.String()+"»"), "«"+hidden+"»"; got != want {
			t.Errorf("%q as %q: got %q, want %q", secret, b.String(), got, want)
		}
	})
}
