package promapi

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// HeldLabels returns what the match of a preset can name, sorted: the labels of its
// series, and the short words that stand for them in all of its series. It returns
// nothing if there is no such preset.
func HeldLabels(preset string) []string {
	var names []string
	for _, metric := range heldPresets[preset] {
		names = slices.AppendSeq(names, maps.Keys(metric.labels))
		names = slices.AppendSeq(names, maps.Values(metric.labels))
	}
	return distinct(names)
}

// CheckMatch returns why the match can find no series of the preset, or nil.
func (h *HeldSource) CheckMatch() error {
	if len(h.Match) == 0 {
		return nil
	}
	words := slices.Sorted(maps.Keys(h.Match))
	known := HeldLabels(h.Preset)
	for _, word := range words {
		switch {
		case !slices.Contains(known, word):
			return fmt.Errorf("%s: is no label of %s, must be one of %s", word, h.Preset, strings.Join(known, ", "))
		case h.Match[word] == "":
			return errors.New(word + ": must not be empty")
		}
	}
	for _, metric := range heldPresets[h.Preset] {
		if !slices.ContainsFunc(words, func(word string) bool { return !metric.says(word) }) {
			return nil
		}
	}
	return fmt.Errorf("no series of %s has all of %s", h.Preset, strings.Join(words, ", "))
}

// revisionOf is how Knative names the revisions of a service.
var revisionOf = regexp.MustCompile(`^(.+)-[0-9]{5}$`)

// heldMatch returns what rows of the series say that are about the workload. The words of
// a match are those of the preset, or labels of the series themselves.
func (t *target) heldMatch(n int, metric *heldMetric) map[string]string {
	if match := t.Held[n].Match; len(match) > 0 {
		return match
	}
	return t.defaultMatch(metric)
}

// defaultMatch are the workload's namespace and name, in the words of the preset.
func (t *target) defaultMatch(metric *heldMetric) map[string]string {
	match := map[string]string{}
	if metric.labels[heldNamespace] != "" {
		match[heldNamespace] = t.Namespace
	}
	switch {
	case metric.labels[heldRevision] != "":
		match[heldService] = t.object
	case metric.labels[heldRoute] != "":
		match[heldRoute] = t.Name
	default:
		match[heldHost] = t.Name
	}
	return match
}

// matches reports whether a row says all of the match.
func (h *heldMetric) matches(match map[string]string, ls Labels) bool {
	for word, want := range match {
		if h.read(ls, word) != want {
			return false
		}
	}
	return true
}

// says reports whether rows of the series say anything of a word.
func (h *heldMetric) says(word string) bool {
	if h.labels[word] != "" || (isService(word) && h.labels[heldRevision] != "") {
		return true
	}
	return slices.Contains(slices.Collect(maps.Values(h.labels)), word)
}

// read returns what a row says of a word. A service is also in the name of its revision.
func (h *heldMetric) read(ls Labels, word string) string {
	if name := h.labels[word]; name != "" {
		return ls.Get(name)
	}
	if v := ls.Get(word); v != "" || !isService(word) {
		return v
	}
	if parts := revisionOf.FindStringSubmatch(ls.Get(h.labels[heldRevision])); parts != nil {
		return parts[1]
	}
	return ""
}

// isService reports whether a word is a service, or the label of one in some series of a
// preset.
func isService(word string) bool {
	if word == heldService {
		return true
	}
	for _, list := range heldPresets {
		for i := range list {
			if list[i].labels[heldService] == word {
				return true
			}
		}
	}
	return false
}
