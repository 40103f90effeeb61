package trace

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// The columns of a file.
const (
	columnSeconds = iota
	columnPrompt
	columnOutput
	columnPrefix // optional
)

var columnNames = [...]string{"timestamp_s", "prompt_tokens", "output_tokens", "shared_prefix_tokens"}

const (
	readBuffer = 64 << 10
	maxLine    = 1000 // bytes; the longest valid one is a tenth of that
)

var (
	comma     = []byte{','}
	byteOrder = []byte("\xef\xbb\xbf")
	gzipMagic = []byte{0x1f, 0x8b}
)

// An end that comes too soon. These do not wrap io.EOF, which is the end that is none.
var (
	errNoHeader   = errors.New("must name the columns, got the end of the file")
	errNoRequests = errors.New("must hold at least one request, got the end of the file")
	errCutOff     = errors.New("gzip data must not end early, got the end of the file")
)

// NewCSV returns a reader of requests in CSV, plain or compressed with gzip. It can be read
// once, so it is for what can be opened once, such as standard input. The name is for
// errors, all of which say NAME:LINE. Close leaves r open.
//
// The first line names the columns, in any order: timestamp_s, seconds since the trace began
// and never decreasing; prompt_tokens and output_tokens; and perhaps shared_prefix_tokens,
// which is at most prompt_tokens. A request of no prompt or no output tokens is refused:
// servers refuse the one, and the other never has the first token that users wait for.
// Nothing is skipped or repaired, but a byte order mark, CRLF and a blank last line are fine.
func NewCSV(name string, r io.Reader) Reader {
	return &csvReader{name: name, raw: r}
}

type csvReader struct {
	name string
	raw  io.Reader
	// lines is nil until the header was read.
	lines   *bufio.Reader
	columns []int
	line    int // the number of the line last read, from 1
	last    float64
	err     error // once it failed, it keeps failing
}

func (c *csvReader) Close() error {
	c.err = fmt.Errorf("%s: %w", c.name, fs.ErrClosed)
	return nil
}

func (c *csvReader) Next() (Request, error) {
	if c.lines == nil && c.err == nil {
		c.err = c.placed(c.start())
	}
	if c.err != nil {
		return Request{}, c.err
	}
	q, err := c.next()
	if err != nil {
		c.err = c.placed(err)
		return Request{}, c.err
	}
	return q, nil
}

// placed says where an error was found.
func (c *csvReader) placed(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	return fmt.Errorf("%s:%d: %w", c.name, c.line, err)
}

func (c *csvReader) next() (Request, error) {
	first := c.line == 1
	line, err := c.readLine()
	if err == nil && len(line) == 0 && c.atEnd() {
		err = io.EOF
	}
	switch {
	case errors.Is(err, io.EOF) && first:
		return Request{}, errNoRequests
	case err != nil:
		return Request{}, err
	}
	return c.parse(line)
}

// start reads up to and including the header.
func (c *csvReader) start() error {
	c.line = 1
	lines := bufio.NewReaderSize(c.raw, readBuffer)
	if magic, _ := lines.Peek(len(gzipMagic)); bytes.Equal(magic, gzipMagic) {
		plain, err := gzip.NewReader(lines)
		if err != nil {
			return describe(err)
		}
		lines = bufio.NewReaderSize(plain, readBuffer)
	}
	c.lines, c.line = lines, 0
	header, err := c.readLine()
	switch {
	case errors.Is(err, io.EOF):
		return errNoHeader
	case err != nil:
		return err
	}
	c.columns, err = parseHeader(string(bytes.TrimPrefix(header, byteOrder)))
	return err
}

// readLine returns the next line without its end, valid until the next call.
func (c *csvReader) readLine() ([]byte, error) {
	c.line++
	line, err := c.lines.ReadSlice('\n')
	switch {
	case len(line) > maxLine:
		return nil, refuse(fmt.Sprintf("line must be at most %d bytes", maxLine), line)
	case err == nil:
		line = line[:len(line)-1]
	case !errors.Is(err, io.EOF):
		return nil, describe(err)
	case len(line) == 0:
		return nil, io.EOF
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line, nil
}

// atEnd reports whether nothing follows.
func (c *csvReader) atEnd() bool {
	_, err := c.lines.Peek(1)
	return errors.Is(err, io.EOF)
}

// describe says what an error of the decompressor means.
func describe(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errCutOff
	}
	return err
}

func refuse(what string, got []byte) error {
	const most = 40
	if len(got) > most {
		return fmt.Errorf("%s, got %q and more", what, got[:most])
	}
	return fmt.Errorf("%s, got %q", what, got)
}

// parseHeader returns which columns stand in a line, in their order.
func parseHeader(header string) ([]int, error) {
	var columns []int
	for name := range strings.SplitSeq(header, ",") {
		column := slices.Index(columnNames[:], name)
		switch {
		case column < 0:
			return nil, refuse("column must be one of "+strings.Join(columnNames[:], ", "), []byte(name))
		case slices.Contains(columns, column):
			return nil, refuse("column must be named once", []byte(name))
		}
		columns = append(columns, column)
	}
	for column, name := range columnNames[:columnPrefix] {
		if !slices.Contains(columns, column) {
			return nil, refuse("column "+name+" is missing", []byte(header))
		}
	}
	return columns, nil
}

// parse reads a request.
func (c *csvReader) parse(line []byte) (Request, error) {
	var q Request
	rest, more := line, true
	for _, column := range c.columns {
		var field []byte
		field, rest, more = bytes.Cut(rest, comma)
		if !q.set(column, field) {
			return q, c.refuseLine(line)
		}
	}
	if more || q.At < c.last || q.Prefix > q.Prompt {
		return q, c.refuseLine(line)
	}
	c.last = q.At
	return q, nil
}

// set sets what a column says, if its field is valid for itself.
func (q *Request) set(column int, field []byte) (ok bool) {
	switch column {
	case columnSeconds:
		q.At, ok = parseDecimal(field)
		return ok && q.At <= maxSeconds
	case columnPrompt:
		q.Prompt, ok = parseTokens(field)
		return ok && q.Prompt > 0
	case columnOutput:
		q.Output, ok = parseTokens(field)
		return ok && q.Output > 0
	default:
		q.Prefix, ok = parseTokens(field)
		return ok
	}
}

// refuseLine says what is wrong with a line that [csvReader.parse] refused.
func (c *csvReader) refuseLine(line []byte) error {
	fields := bytes.Split(line, comma)
	if len(fields) != len(c.columns) {
		return refuse(fmt.Sprintf("must have %d fields", len(c.columns)), line)
	}
	var q Request
	for i, column := range c.columns {
		if !q.set(column, fields[i]) {
			return refuse(columnNames[column]+" must be "+allowed(column), fields[i])
		}
	}
	if q.At < c.last {
		what := fmt.Sprintf("%s must not be before %v of the line above", columnNames[columnSeconds], c.last)
		return refuse(what, fields[slices.Index(c.columns, columnSeconds)])
	}
	what := fmt.Sprintf("%s must be at most the %d %s", columnNames[columnPrefix], q.Prompt, columnNames[columnPrompt])
	return refuse(what, fields[slices.Index(c.columns, columnPrefix)])
}

// allowed describes the values of a column.
func allowed(column int) string {
	switch column {
	case columnSeconds:
		return fmt.Sprintf("seconds since the trace began, from 0 to %d", maxSeconds)
	case columnPrefix:
		return fmt.Sprintf("a whole number from 0 to %d", maxTokens)
	default:
		return fmt.Sprintf("a whole number from 1 to %d", maxTokens)
	}
}
