package generate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/infscale/infscale/promapi"
)

// choose returns the workloads of those names, all if there are none.
func choose(all []promapi.Workload, names []string) ([]*promapi.Workload, error) {
	var list []*promapi.Workload
	for i := range all {
		if len(names) == 0 {
			list = append(list, &all[i])
		}
	}
	for _, name := range names {
		w, err := find(all, name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	return list, nil
}

func find(all []promapi.Workload, name string) (*promapi.Workload, error) {
	var found []*promapi.Workload
	var known []string
	for i := range all {
		full := all[i].Namespace + "/" + all[i].Name
		known = append(known, full)
		if name == full || name == all[i].Name {
			found = append(found, &all[i])
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("no workload %q, want one of %s", name, strings.Join(known, ", "))
	case 1:
		return found[0], nil
	default:
		return nil, fmt.Errorf("%d workloads are called %s, want NAMESPACE/NAME", len(found), name)
	}
}
