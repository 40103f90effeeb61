package promapi

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// minPart is how much of the start of a long secret is hidden too, in bytes: what comes
	// after may have been cut off. It also bounds the work at any place of a text.
	minPart = 20
	// maxPlaces bounds how many ways to read a text are followed side by side.
	maxPlaces = 32
)

// A wanted is a secret that is looked for, and the end of where it was found last.
type wanted struct {
	secret string
	until  int
}

// hide returns a text without secrets, however their characters are escaped: each may be
// escaped in another way.
func hide(text string, secrets []string) string {
	var byFirst [256][]*wanted
	for _, secret := range secrets {
		if len(secret) >= minSecret {
			byFirst[secret[0]] = append(byFirst[secret[0]], &wanted{secret: secret})
		}
	}
	u := &unescaper{text: text}
	var b strings.Builder
	shown, until := 0, 0 // what is written of the text, and where the last secret ends
	for at := range len(text) {
		end := u.longest(&byFirst, at)
		if end < 0 {
			continue
		}
		if at >= until { // else it overlaps the last one
			b.WriteString(text[shown:at])
			b.WriteString(hidden)
		}
		until = max(until, end)
		shown = until
	}
	b.WriteString(text[shown:])
	return b.String()
}

// longest returns the end of the longest secret that begins at a place, or -1.
func (u *unescaper) longest(byFirst *[256][]*wanted, at int) int {
	end := -1
	look := func(first byte) {
		for _, w := range byFirst[first] {
			if at < w.until {
				continue
			}
			if e := u.match(w.secret, at); e >= 0 {
				w.until = e
				end = max(end, e)
			}
		}
	}
	if b := u.text[at]; !mayEscape(b) {
		look(b)
		return end
	}
	var seen []byte
	for _, r := range u.senses(at, maxEscaped) {
		if first := r.text[0]; !slices.Contains(seen, first) {
			seen = append(seen, first)
			look(first)
		}
	}
	return end
}

// match returns where a secret ends that begins at a place, or so much of it as is there,
// or -1.
func (u *unescaper) match(secret string, at int) int {
	// The places that may be reached with so much of the secret, modulo the longest step.
	var room [utf8.UTFMax + 1][4]int
	var places [utf8.UTFMax + 1][]int
	for i := range places {
		places[i] = room[i][:0]
	}
	places[0] = append(places[0], at)
	end := -1
	for n, reached := 0, 0; n <= reached; n++ {
		here := places[n%len(places)]
		if len(here) > 0 && n >= min(len(secret), minPart) {
			end = slices.Max(here)
		}
		for _, at := range here {
			for step := range u.steps(secret[n:], at) {
				next := &places[(n+len(step.text))%len(places)]
				if len(*next) < maxPlaces && !slices.Contains(*next, step.end) {
					*next = append(*next, step.end)
					reached = max(reached, n+len(step.text))
				}
			}
		}
		places[n%len(places)] = here[:0]
	}
	return end
}

// steps yields the senses of a place with which a secret goes on.
func (u *unescaper) steps(secret string, at int) func(yield func(sense) bool) {
	return func(yield func(sense) bool) {
		if secret == "" || at >= len(u.text) {
			return
		}
		if b := u.text[at]; !mayEscape(b) {
			if b == secret[0] {
				yield(sense{u.text[at : at+1], at + 1})
			}
			return
		}
		for _, r := range u.senses(at, maxEscaped) {
			if strings.HasPrefix(secret, r.text) && !yield(r) {
				return
			}
		}
	}
}

// base64Forms returns a secret and, where it is base64, what it would be in the alphabet for
// addresses and without padding.
func base64Forms(secret string) []string {
	bare := strings.TrimRight(secret, "=")
	return []string{secret, bare, urlAlphabet.Replace(secret), urlAlphabet.Replace(bare)}
}

var (
	urlAlphabet = strings.NewReplacer("+", "-", "/", "_")
	stdAlphabet = strings.NewReplacer("-", "+", "_", "/")
)

// hideBasic hides the credentials of basic authentication, such as those of a proxy or of the
// token endpoint.
func hideBasic(text string) string {
	const scheme = "basic"
	u := &unescaper{text: text}
	var b strings.Builder
	shown := 0
	for at := 0; at+len(scheme) <= len(text); at++ {
		if text[at]|0x20 != scheme[0] || !strings.EqualFold(text[at:at+len(scheme)], scheme) {
			continue
		}
		start, end := u.credentials(at + len(scheme))
		if end < 0 {
			continue
		}
		b.WriteString(text[shown:start])
		b.WriteString(hidden)
		shown, at = end, end-1
	}
	b.WriteString(text[shown:])
	return b.String()
}

// maxPair is in how much base64 the colon after a user name is looked for.
const maxPair = 1024

// credentials returns where credentials of basic authentication start and end after the
// scheme; end is -1 if there are none.
func (u *unescaper) credentials(at int) (start, end int) {
	start = at
	for next := at; next >= 0; next = u.after(start, " ", maxEscaped) {
		start = next
	}
	if start == at {
		return start, -1
	}
	var encoded []byte
	for end = start; len(encoded) < maxPair; {
		b, next := u.base64At(end)
		if next < 0 {
			break
		}
		encoded, end = append(encoded, b), next
	}
	if !isPair(string(encoded)) {
		return start, -1
	}
	for next := end; next >= 0; _, next = u.base64At(end) {
		end = next
	}
	return start, end
}

// base64At returns the character of base64 at a place and where it ends, or -1.
func (u *unescaper) base64At(at int) (b byte, end int) {
	if at < len(u.text) {
		for _, s := range u.senses(at, maxEscaped) {
			if isBase64(s.text[0]) {
				return s.text[0], s.end
			}
		}
	}
	return 0, -1
}

// isPair reports whether base64 is of a user name, a colon and a password. A cut may have left
// a part that no longer ends where a byte does.
func isPair(encoded string) bool {
	plain := strings.TrimRight(stdAlphabet.Replace(encoded), "=")
	pair, err := base64.RawStdEncoding.DecodeString(plain[:len(plain)-len(plain)%4])
	return err == nil && strings.Contains(string(pair), ":")
}

func isBase64(b byte) bool { return isAlphanumeric(b) || strings.IndexByte("+/-_=", b) >= 0 }
