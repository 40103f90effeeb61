package lint

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// An inventory says whether anything was given that rules look at.
type inventory struct {
	known bool
	// others counts the documents that no rule looks at, by what they are.
	others map[string]int
}

// noObject is what a document is that is no mapping.
const noObject = "that is no object"

func (v *inventory) foreign(what string) {
	if v.others == nil {
		v.others = map[string]int{}
	}
	v.others[what]++
}

// Nothing returns an error that says what the files hold if that is nothing that Check looks
// at: a wrong path must not pass for a right manifest. Files that cannot be read say nothing.
func Nothing(files []File) error {
	w := &world{}
	for _, f := range files {
		if w.read(f) != nil {
			return nil // that is what there is to say
		}
	}
	return w.seen.nothing()
}

func (v *inventory) nothing() error {
	switch {
	case v.known:
		return nil
	case len(v.others) == 0:
		return errors.New("nothing to look at: no document")
	}
	var list []string
	for _, what := range slices.Sorted(maps.Keys(v.others)) {
		n := v.others[what]
		word := "documents"
		if n == 1 {
			word = "document"
		}
		list = append(list, fmt.Sprintf("%d %s %s", n, word, what))
	}
	text := "nothing to look at: " + strings.Join(list, ", ")
	if v.others["of kind Kustomization"] > 0 {
		text += "; give what kubectl kustomize prints of it"
	}
	return errors.New(text)
}
