package lint

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A source is a file as it was given.
type source struct {
	name  string
	lines []string
}

func newSource(f File) *source {
	return &source{name: f.Name, lines: strings.Split(string(f.Data), "\n")}
}

// at returns the place of a node.
func (s *source) at(n *yaml.Node) place {
	if n == nil {
		return place{s, 1, 1}
	}
	return place{s, max(n.Line, 1), max(n.Column, 1)}
}

// allow is the comment that silences a rule at the line after it, or at its own line:
//
//	# lint:allow cpu-of-model-server: this one runs on CPUs
const allow = "lint:allow "

// allows reports whether a comment at the line, or directly above it, silences the rule. A
// comment without a reason does not.
func (s *source) allows(line int, id string) bool {
	for n := line; n >= 1 && n <= len(s.lines); n-- {
		text := strings.TrimSpace(s.lines[n-1])
		if n < line && !strings.HasPrefix(text, "#") {
			return false
		}
		_, comment, _ := strings.Cut(text, "#")
		rest, ok := strings.CutPrefix(strings.TrimSpace(comment), allow)
		name, reason, _ := strings.Cut(rest, ":")
		if ok && strings.TrimSpace(name) == id && strings.TrimSpace(reason) != "" {
			return true
		}
	}
	return false
}

// read adds what is in a file to the world.
func (w *world) read(f File) error {
	src := newSource(f)
	w.sources = append(w.sources, src)
	if strings.HasSuffix(f.Name, ".promql") {
		w.seen.known = true
		w.addQuery(&query{place: place{src, 1, 1}, text: string(f.Data), use: useScaler, target: averageValue})
		return nil
	}
	d := yaml.NewDecoder(bytes.NewReader(f.Data))
	for {
		var doc yaml.Node
		err := d.Decode(&doc)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && bytes.Contains(f.Data, []byte("{{")):
			return fmt.Errorf("%s: %w: render a template first, as helm template does", f.Name, plain(err))
		case err != nil:
			return fmt.Errorf("%s: %w", f.Name, plain(err))
		}
		if len(doc.Content) > 0 && doc.Content[0].ShortTag() != "!!null" {
			w.addDocument(src, doc.Content[0])
		}
	}
}

// plain is the error without the name of the library.
func plain(err error) error { return errors.New(strings.TrimPrefix(err.Error(), "yaml: ")) }

// locate returns the place of an offset in the text of a scalar. Folding changes only white
// space, so the other characters are counted off in the file.
func (s *source) locate(n *yaml.Node, text string, offset int) place {
	if n == nil {
		line := 1 + strings.Count(text[:offset], "\n")
		return place{s, line, offset - strings.LastIndexByte(text[:offset], '\n')}
	}
	line, column := n.Line, n.Column // from 1
	switch {
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		line, column = line+1, 1
	case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		column++
	}
	solid := len(strings.Join(strings.Fields(text[:offset]), ""))
	for ; line <= len(s.lines); line, column = line+1, 1 {
		row := s.lines[line-1]
		for i := column - 1; i < len(row); i++ {
			switch {
			case row[i] == ' ' || row[i] == '\t' || row[i] == '\r':
			case row[i] == '\\' && n.Style&yaml.DoubleQuotedStyle != 0:
			case solid == 0:
				return place{s, line, i + 1}
			default:
				solid--
			}
		}
	}
	return s.at(n)
}
