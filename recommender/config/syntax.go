package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// document returns the root of the only document in data, nil if it is empty.
func document(data []byte) (*yaml.Node, error) {
	d := yaml.NewDecoder(bytes.NewReader(data))
	var root, second yaml.Node
	switch err := d.Decode(&root); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, err
	}
	switch err := d.Decode(&second); {
	case err == nil:
		return nil, fmt.Errorf("line %d: a second document", second.Line)
	case !errors.Is(err, io.EOF):
		return nil, err
	}
	return root.Content[0], nil
}

// syntax turns an error of the YAML parser into a mistake.
func (m *mistakes) syntax(data []byte, err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	var line int
	if _, err := fmt.Sscanf(text, "line %d:", &line); err == nil {
		_, text, _ = strings.Cut(text, ": ")
	} else {
		line = lineOf(data, text)
	}
	if strings.HasSuffix(text, "cannot start any token") {
		text += ", is it a tab? Indent with spaces"
	}
	return errors.New(m.place(line) + "not YAML: " + withoutValues(text))
}

// unknownAnchor is the only error of the parser that never has a line.
var unknownAnchor = regexp.MustCompile("^unknown anchor '(.*)' referenced$")

// lineOf finds the line that the parser leaves out: it has none for bytes that are not
// text, for anchors, and for what begins on the first line.
func lineOf(data []byte, text string) int {
	at := 0
	if match := unknownAnchor.FindStringSubmatch(text); match != nil {
		at = max(0, bytes.Index(data, []byte("*"+match[1])))
	} else if i := notText(data); i >= 0 {
		at = i
	}
	return 1 + bytes.Count(data[:at], []byte("\n"))
}

// notText returns the index of the first byte that cannot be in a text, or -1.
func notText(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		invalid := r == utf8.RuneError && size == 1
		if invalid || r == 0x7f || r < ' ' && r != '\t' && r != '\n' && r != '\r' {
			return i
		}
		i += size
	}
	return -1
}
