package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// reads are the keys that KEDA reads in the metadata of a trigger, beside those of the clouds.
// KEDA tells upper from lower case in them.
var reads = map[string][]string{
	"prometheus": {
		"serverAddress", "query", "queryParameters", "threshold", "activationThreshold", "namespace", "customHeaders",
		"ignoreNullValues", "unsafeSsl", "awsRegion", "timeout", "identityOwner", "authModes", "authMode",
	},
	"cron":   {"timezone", "start", "end", "desiredReplicas"},
	"cpu":    {"value", "containerName"},
	"memory": {"value", "containerName"},
}

// misspelt finds keys in the metadata of a trigger that are almost one that KEDA reads. Others
// that are not known here are left alone: the clouds have keys of their own.
func misspelt(w *world) []hit {
	return eachTrigger(w, func(s *scaler, t *trigger) []hit {
		var hits []hit
		for _, key := range slices.Sorted(maps.Keys(t.Metadata)) {
			if meant := almost(key, reads[t.Type.v]); meant != "" {
				hits = append(hits, hit{
					place: s.at(t.meta(key).node),
					what:  fmt.Sprintf("the %s trigger reads no %s: did you mean %s?", t.Type.v, key, meant),
					fix:   "Write " + meant + ".",
				})
			}
		}
		return hits
	})
}

// almost returns the word that a text is but for its case and a slip: up to a third of the
// letters, two at most. It is empty if the text is one of the words, or like none.
func almost(text string, words []string) string {
	if slices.Contains(words, text) {
		return ""
	}
	best, least := "", 3
	for _, word := range words {
		d := edits(strings.ToLower(text), strings.ToLower(word))
		if d < least && d <= len(word)/3 {
			best, least = word, d
		}
	}
	return best
}

// edits is the number of letters to add, drop or change to make one text of another.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := diagonal
			if a[i] != b[j] {
				changed++
			}
			diagonal = row[j+1]
			row[j+1] = min(changed, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
