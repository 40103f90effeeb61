package promapi

import (
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A sense is what a part of a text may stand for, and where the part ends.
type sense struct {
	text string // of 1 to 4 bytes
	end  int
}

// An unescaper reads a text as what it says and as what it was before it was escaped: for
// an address (%2F, +, %u00e9), for JSON or a program (\/, \x2f, \u00e9), or for a page
// (&amp;, &#47;, &#x2F;).
type unescaper struct {
	text  string
	known [maxEscaped + 1]map[int][]sense
}

// maxEscaped is how often a text may have been escaped: an address that is quoted in an
// address in a page.
const maxEscaped = 3

// mayEscape reports whether an escape can begin with a byte.
func mayEscape(b byte) bool { return b == '%' || b == '\\' || b == '&' || b == '+' }

// senses returns what the text at a place may stand for, if it was escaped so many times
// at most. The first is what it says.
func (u *unescaper) senses(at, times int) []sense {
	plain := sense{u.text[at : at+1], at + 1}
	switch b := u.text[at]; {
	case b == '+':
		return []sense{plain, {" ", at + 1}}
	case times == 0 || !mayEscape(b):
		return []sense{plain}
	}
	if list, ok := u.known[times][at]; ok {
		return list
	}
	list := slices.Clone(u.senses(at, times-1))
	for _, sign := range slices.Clone(list) {
		for _, r := range u.escape(sign, times-1) {
			if !slices.Contains(list, r) {
				list = append(list, r)
			}
		}
	}
	if u.known[times] == nil {
		u.known[times] = map[int][]sense{}
	}
	u.known[times][at] = list
	return list
}

// escape returns what an escape stands for that begins with a sign.
func (u *unescaper) escape(sign sense, times int) []sense {
	switch sign.text {
	case "%":
		if u.is(sign.end, "u", 0) {
			return u.code(sign.end+1, 4, times)
		}
		return u.octet(sign.end)
	case `\`:
		return u.backslash(sign.end, times)
	case "&":
		return u.entity(sign.end, times)
	default:
		return nil
	}
}

// is reports whether a text is one of the senses at a place.
func (u *unescaper) is(at int, text string, times int) bool { return u.after(at, text, times) >= 0 }

// after returns where a text ends that is one of the senses at a place, or -1.
func (u *unescaper) after(at int, text string, times int) int {
	if at < len(u.text) {
		for _, r := range u.senses(at, times) {
			if r.text == text {
				return r.end
			}
		}
	}
	return -1
}

// number reads digits, exactly so many.
func (u *unescaper) number(at, digits, base int) (n uint64, ok bool) {
	if at+digits > len(u.text) {
		return 0, false
	}
	n, err := strconv.ParseUint(u.text[at:at+digits], base, 32)
	return n, err == nil
}

// octet reads a byte in hexadecimal, which may be one of a rune in UTF-8, or a rune of
// Latin-1.
func (u *unescaper) octet(at int) []sense {
	n, ok := u.number(at, 2, 16)
	if !ok {
		return nil
	}
	list := []sense{{string([]byte{byte(n)}), at + 2}}
	if n >= utf8.RuneSelf {
		list = append(list, sense{string(rune(n)), at + 2})
	}
	return list
}

// code reads a code point in hexadecimal, or two that are one in UTF-16.
func (u *unescaper) code(at, digits, times int) []sense {
	n, ok := u.number(at, digits, 16)
	if !ok || n > utf8.MaxRune {
		return nil
	}
	at += digits
	if !utf16.IsSurrogate(rune(n)) {
		return []sense{{string(rune(n)), at}}
	}
	for _, sign := range []string{`\`, "%"} {
		next := u.after(at, sign, times)
		if next < 0 || !u.is(next, "u", 0) {
			continue
		}
		if low, ok := u.number(next+1, 4, 16); ok {
			if r := utf16.DecodeRune(rune(n), rune(low)); r != utf8.RuneError {
				return []sense{{string(r), next + 5}}
			}
		}
	}
	return nil
}

// controls are what letters stand for after a backslash.
var controls = map[byte]string{'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v"}

// backslash reads what comes after one.
func (u *unescaper) backslash(at, times int) []sense {
	if at >= len(u.text) {
		return nil
	}
	switch b := u.text[at]; {
	case b == 'u':
		return u.code(at+1, 4, times)
	case b == 'U':
		return u.code(at+1, 8, times)
	case b == 'x':
		return u.octet(at + 1)
	case controls[b] != "":
		return []sense{{controls[b], at + 1}}
	case isDigit(b):
		if n, ok := u.number(at, 3, 8); ok && n <= 0xff {
			return []sense{{string([]byte{byte(n)}), at + 3}}
		}
		return nil
	default:
		return u.senses(at, times)
	}
}

// The longest names and numbers of entities that are looked at.
const (
	maxEntityName   = 32
	maxEntityDigits = 16
)

// entity reads what comes after the ampersand of an HTML entity.
func (u *unescaper) entity(at, times int) []sense {
	if next := u.after(at, "#", times); next >= 0 {
		return u.numericEntity(next, times)
	}
	name := u.text[at:u.span(at, maxEntityName, func(b byte) bool { return isAlphanumeric(b) })]
	end := u.after(at+len(name), ";", times)
	if name == "" || end < 0 {
		return nil
	}
	text := html.UnescapeString("&" + name + ";")
	if len(text) > utf8.UTFMax || strings.HasPrefix(text, "&"+name) {
		return nil // two runes, or no name
	}
	return []sense{{text, end}}
}

func (u *unescaper) numericEntity(at, times int) []sense {
	base := 10
	if at < len(u.text) && u.text[at]|0x20 == 'x' {
		base, at = 16, at+1
	}
	end := u.span(at, maxEntityDigits, func(b byte) bool { return isDigit(b) || base == 16 && isHexLetter(b) })
	n, ok := u.number(at, end-at, base)
	if !ok || n > utf8.MaxRune {
		return nil
	}
	// Browsers do without the semicolon.
	return []sense{{string(rune(n)), max(end, u.after(end, ";", times))}}
}

// span returns where bytes end that are of a kind, at most so many.
func (u *unescaper) span(at, most int, kind func(byte) bool) int {
	end := at
	for end < min(len(u.text), at+most) && kind(u.text[end]) {
		end++
	}
	return end
}

func isHexLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'f' }

func isAlphanumeric(b byte) bool { return isDigit(b) || 'a' <= b|0x20 && b|0x20 <= 'z' }
