package config

import (
	"maps"
	"slices"

	"github.com/prometheus/common/model"

	"github.com/infscale/infscale/promapi"
)

// checkMatch notes labels that no series of the preset has: a match by them finds nothing,
// as if nothing were ever held.
func (h *Held) checkMatch(m *mistakes, path string) {
	known := promapi.HeldLabels(h.Preset)
	wrong := false
	for _, name := range slices.Sorted(maps.Keys(h.Match)) {
		at := path + "." + name
		switch {
		case len(known) == 0 && model.LegacyValidation.IsValidLabelName(name):
			// The preset is the mistake.
		case len(known) == 0:
			m.add(at, "must be a label name, got %q", name)
		case !slices.Contains(known, name):
			m.add(at, "%s", unknown("label of "+h.Preset, name, known))
		case h.Match[name] == "":
			m.add(at, "must not be empty")
		default:
			continue
		}
		wrong = true
	}
	if wrong || len(known) == 0 {
		return
	}
	source := promapi.HeldSource(*h)
	if err := source.CheckMatch(); err != nil {
		m.add(path, "%v", err)
	}
}
