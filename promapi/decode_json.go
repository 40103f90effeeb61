package promapi

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// maxDepth bounds how deep a skipped value may nest. The API's own values nest
// six deep.
const maxDepth = 64

// A scanner walks over JSON text. Its first failure sticks: from then on every
// method returns at once, so that callers check once at the end.
type scanner struct {
	data []byte
	pos  int
	err  error
}

// fail records what is wrong and where. A text that ended early is named as
// such, whatever was expected next.
func (s *scanner) fail(format string, args ...any) {
	if s.err != nil {
		return
	}
	what := fmt.Sprintf(format, args...)
	if s.pos >= len(s.data) {
		what = fmt.Sprintf("the text ends here, %s", what)
	}
	s.err = fmt.Errorf("byte %d: %s", s.pos, what)
}

// peek skips white space and returns the next byte, or 0 at the end.
func (s *scanner) peek() byte {
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; c {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// open reads the bracket c that starts what is called so in messages.
func (s *scanner) open(c byte, what string) {
	if s.err != nil {
		return
	}
	if s.peek() != c {
		s.fail("want %s, got %s", what, s.found())
		return
	}
	s.pos++
}

// found names the kind of value at the position.
func (s *scanner) found() string {
	switch c := s.peek(); {
	case c == '{':
		return "an object"
	case c == '[':
		return "an array"
	case c == '"':
		return "a string"
	case c == 't' || c == 'f':
		return "a boolean"
	case c == 'n':
		return "null"
	case c == '-' || isDigit(c):
		return "a number"
	case s.pos >= len(s.data):
		return "nothing"
	default:
		return fmt.Sprintf("%q", c)
	}
}

// more reports whether the array or object that ends with closing has another
// element, and moves to it.
func (s *scanner) more(first bool, closing byte) bool {
	if s.err != nil {
		return false
	}
	switch c := s.peek(); {
	case c == closing:
		s.pos++
		return false
	case first:
		return true
	case c == ',':
		s.pos++
		return true
	default:
		s.fail("want ',' or %q, got %s", closing, s.found())
		return false
	}
}

// key moves to the next key of an object and its value; ok is false at the end.
func (s *scanner) key(first bool) (key []byte, ok bool) {
	if !s.more(first, '}') {
		return nil, false
	}
	key = s.str("a key")
	s.open(':', "':'")
	return key, s.err == nil
}

// str reads a string. The bytes are valid until the text is reused.
func (s *scanner) str(what string) []byte {
	s.open('"', what)
	if s.err != nil {
		return nil
	}
	start := s.pos
	for i, c := range s.data[start:] {
		if c == '"' {
			s.pos = start + i + 1
			return s.data[start : start+i]
		}
		if c == '\\' || c < ' ' || c >= utf8.RuneSelf {
			break
		}
	}
	return s.slowStr(start)
}

// slowStr reads a string that has escapes or bytes beyond ASCII, or is wrong.
func (s *scanner) slowStr(start int) []byte {
	end, escaped := start, false
	for end < len(s.data) && s.data[end] != '"' {
		if s.data[end] == '\\' {
			escaped = true
			end++
		}
		end++
	}
	if end >= len(s.data) {
		s.pos = len(s.data)
		s.fail("in the string that starts at byte %d", start-1)
		return nil
	}
	raw := s.data[start:end]
	if escaped || hasControl(raw) || !utf8.Valid(raw) {
		var text string
		if err := json.Unmarshal(s.data[start-1:end+1], &text); err != nil {
			s.pos = start - 1
			s.fail("malformed string: %v", err)
			return nil
		}
		raw = []byte(text)
	}
	s.pos = end + 1
	return raw
}

func hasControl(b []byte) bool {
	for _, c := range b {
		if c < ' ' {
			return true
		}
	}
	return false
}

// text reads a string that is kept.
func (s *scanner) text(what string) string { return string(s.str(what)) }

// number reads a number and returns its text.
func (s *scanner) number(what string) []byte {
	if s.err != nil {
		return nil
	}
	if c := s.peek(); c != '-' && !isDigit(c) {
		s.fail("want %s, got %s", what, s.found())
		return nil
	}
	start := s.pos
	if s.at('-') {
		s.pos++
	}
	if s.at('0') {
		s.pos++
	} else {
		s.digits()
	}
	if s.at('.') {
		s.pos++
		s.digits()
	}
	if s.at('e') || s.at('E') {
		s.pos++
		if s.at('+') || s.at('-') {
			s.pos++
		}
		s.digits()
	}
	return s.data[start:s.pos]
}

func (s *scanner) at(c byte) bool { return s.pos < len(s.data) && s.data[s.pos] == c }

// digits reads one or more digits.
func (s *scanner) digits() {
	start := s.pos
	for s.pos < len(s.data) && isDigit(s.data[s.pos]) {
		s.pos++
	}
	if s.pos == start {
		s.fail("want a digit")
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// null reads a null if there is one.
func (s *scanner) null() bool {
	if s.err != nil || s.peek() != 'n' {
		return false
	}
	s.literal("null")
	return true
}

// boolean reads true or false.
func (s *scanner) boolean(what string) bool {
	if s.err != nil {
		return false
	}
	switch s.peek() {
	case 't':
		s.literal("true")
		return s.err == nil
	case 'f':
		s.literal("false")
	default:
		s.fail("want %s, got %s", what, s.found())
	}
	return false
}

func (s *scanner) literal(word string) {
	for i := range len(word) {
		if !s.at(word[i]) {
			s.fail("want %s", word)
			return
		}
		s.pos++
	}
}

// skip reads any value and forgets it.
func (s *scanner) skip(depth int) {
	if s.err != nil {
		return
	}
	if depth == 0 {
		s.fail("nested more than %d deep", maxDepth)
		return
	}
	switch s.peek() {
	case '{':
		s.pos++
		for first := true; ; first = false {
			if _, ok := s.key(first); !ok {
				return
			}
			s.skip(depth - 1)
		}
	case '[':
		s.pos++
		for first := true; s.more(first, ']'); first = false {
			s.skip(depth - 1)
		}
	case '"':
		s.str("a string")
	case 't', 'f':
		s.boolean("a boolean")
	case 'n':
		s.null()
	default:
		s.number("a value")
	}
}

// end checks that nothing but white space is left.
func (s *scanner) end() {
	if s.err == nil && (s.peek() != 0 || s.pos < len(s.data)) {
		s.fail("want the end, got %s", s.found())
	}
}
