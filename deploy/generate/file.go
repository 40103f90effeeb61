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
}

// Print writes files as one stream. Those that are YAML are documents of it.
func Print(w io.Writer, files []File) error {
	for i, f := range files {
		if i > 0 && isYAML(f.Name) {
			if _, err := io.WriteString(w, "---\n"); err != nil {
				return err
			}
		}
		if _, err := w.Write(f.Data); err != nil {
			return err
		}
	}
	return nil
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
