package config

import (
	"strings"
	"testing"
)

func TestTheLongestNames(t *testing.T) {
	long := strings.Repeat("a.", 126) + "a"
	tests := map[string]struct {
		check func(string) error
		name  string
		right bool
	}{
		"a name of 253 characters":     {CheckName, long, true},
		"a name of 254 characters":     {CheckName, long + "a", false},
		"a namespace of 63 characters": {CheckNamespace, strings.Repeat("a", 63), true},
		"a namespace of 64 characters": {CheckNamespace, strings.Repeat("a", 64), false},
	}
	for what, test := range tests {
		if err := test.check(test.name); (err == nil) != test.right {
			t.Errorf("%s: got %v, want it to be right: %v", what, err, test.right)
		}
	}
}
