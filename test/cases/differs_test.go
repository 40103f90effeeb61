package cases

import "maps"

// A difference is an answer of ours that is another one on purpose. It is asserted as what the
// case expects is.
type difference struct {
	why string
	// ours replaces what the case expects, key by key; nil is nothing.
	ours map[string]any
}

// differs are all differences, by the case.
var differs = map[string]difference{
	"G18": {
		"the risk needs a model of a replica, which the case does not give; that the maximum is too small is what would be recommended without it",
		map[string]any{"slo_risk": nil, "unbounded": 16.0}, // 20 in the next step: a step is limited
	},
	"H03": {
		"twins have no leader and decide alike, so two exporters are no fault; they are one if they disagree, and these agree",
		map[string]any{"alert": nil, "twins_alert": "no alert"},
	},
	"H05": {
		"without a fallback an error makes the HPA hold what it has, which is right once no answer is an error; a fallback can only shrink it",
		map[string]any{"rules": []any{"ignoreNullValues missing"}},
	},
}

// wanted is what a case has to come to, here.
func (f *fault) wanted() map[string]any {
	want := maps.Clone(f.Expected)
	for key, value := range differs[f.ID].ours {
		if delete(want, key); value != nil {
			want[key] = value
		}
	}
	return want
}
