package generate

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// A File is one rendered document with the name under which it is kept.
type File struct {
	Name string
	Data []byte
	// Aside says that it is no object of Kubernetes while the others are. In one stream with
	// them it is a comment, so that the stream can be applied.
	Aside bool
}

// Print writes files as one stream. Those that are YAML are documents of it.
func Print(w io.Writer, files []File) error {
	for i, f := range files {
		text := f.Data
		switch {
		case f.Aside:
			text = append([]byte("\n"), comment(f.Data)...)
		case i > 0 && isYAML(f.Name):
			text = append([]byte("---\n"), f.Data...)
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// comment makes comments of the lines that are none.
func comment(text []byte) []byte {
	var b bytes.Buffer
	for line := range bytes.Lines(text) {
		if !bytes.HasPrefix(line, []byte("#")) {
			b.WriteString("# ")
		}
		b.Write(line)
	}
	return b.Bytes()
}

func isYAML(name string) bool { return strings.HasSuffix(name, ".yaml") }

// indent puts spaces before every line that has something in it.
func indent(text []byte, by int) []byte {
	var b bytes.Buffer
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) > 0 {
			fmt.Fprintf(&b, "%*s", by, "")
		}
		b.Write(line)
	}
	return b.Bytes()
}
