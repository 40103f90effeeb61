package lint

import (
	"fmt"
	"math"
	"time"

	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"

	"github.com/infscale/infscale/recommender"
)

func swallowedCount(w *world) []hit {
	return eachScaler(w, func(s *scaler) (*yaml.Node, string) {
		// Below ten replicas a difference of one is more than a tenth.
		if s.follows() == nil || s.most() < 10 {
			return nil, ""
		}
		b := &s.behavior.v
		if exact(&b.Up) && exact(&b.Down) {
			return nil, ""
		}
		return firstNode(s.behavior.node, s.follows().node), "the HPA's tolerance of 10 % swallows differences: 41 replicas wanted of 40 stay 40"
	})
}

// exact reports whether a direction has no tolerance.
func exact(f *field[scalingRules]) bool { return number(f.v.Tolerance.v) == 0 }

func windowDoubled(w *world) []hit {
	return eachScaler(w, func(s *scaler) (*yaml.Node, string) {
		if s.service != nil || s.follows() == nil {
			return nil, ""
		}
		b := &s.behavior.v
		switch down, up := &b.Down.v.Window, &b.Up.v.Window; {
		case !s.behavior.set():
			return s.follows().node, "infscale has damped the number, and an HPA without behavior holds its highest of 300 s again, and even scales up to it"
		case down.or(300) > 0:
			return firstNode(down.node, b.Down.node, s.behavior.node), fmt.Sprintf(
				"infscale has damped the number, and the HPA holds its highest of %d s again", down.or(300))
		case up.or(0) > 0:
			return up.node, fmt.Sprintf("infscale has damped the number, and the HPA waits another %d s before it grows", up.v)
		}
		return nil, ""
	})
}

func shortWindow(w *world) []hit {
	return eachScaler(w, func(s *scaler) (*yaml.Node, string) {
		f := &s.behavior.v.Down.v.Window
		if s.follows() != nil || !s.onEngine() || !f.set() || time.Duration(f.v)*time.Second >= w.coldStart {
			return nil, ""
		}
		return f.node, fmt.Sprintf("the window of %d s is shorter than a cold start of %v: what was removed is missed before it can be back", f.v, model.Duration(w.coldStart))
	})
}

// Adding a value to the replicas wraps around at this: the HPA then takes the limit for a
// negative one.
const overflows = math.MaxInt32 - 100_000

func policyOverflow(w *world) []hit {
	return eachScaler(w, func(s *scaler) (*yaml.Node, string) {
		for _, p := range s.behavior.v.Up.v.Policies {
			if p.Type.v == "Pods" && p.Value.v > overflows {
				return p.Value.node, fmt.Sprintf("replicas + %d leaves 32 bits, and the HPA never scales up", p.Value.v)
			}
		}
		return nil, ""
	})
}

// badSchedule finds schedules that KEDA refuses.
func badSchedule(w *world) []hit {
	return eachTrigger(w, func(s *scaler, t *trigger) []hit {
		var hits []hit
		for _, key := range []string{"start", "end"} {
			f := t.meta(key)
			if _, err := recommender.ParseCron(f.v); f.set() && err != nil {
				hits = append(hits, hit{place: s.at(f.node), what: fmt.Sprintf("%s: %v", key, err)})
			}
		}
		zone := t.meta("timezone")
		if _, err := time.LoadLocation(zone.v); zone.set() && err != nil {
			hits = append(hits, hit{place: s.at(zone.node), what: fmt.Sprintf("unknown time zone %q", zone.v)})
		}
		if start := t.meta("start"); start.set() && start.v == t.meta("end").v {
			hits = append(hits, hit{place: s.at(start.node), what: "start and end are the same"})
		}
		return hits
	}, "cron")
}

func lateSchedule(w *world) []hit {
	return eachTrigger(w, func(s *scaler, t *trigger) []hit {
		f := t.meta("start")
		lead, ok := leadTime(f.v)
		if !ok || lead >= w.coldStart {
			return nil
		}
		when := fmt.Sprintf("%v before", model.Duration(lead))
		if lead == 0 {
			when = "right at"
		}
		return []hit{{place: s.at(f.node), what: fmt.Sprintf(
			"the schedule starts %s the hour, and a cold start takes %v", when, model.Duration(w.coldStart))}}
	}, "cron")
}

// leadTime returns how long before the full hour a schedule starts. People come at the full
// hour: what starts right then comes a cold start too late.
func leadTime(cron string) (time.Duration, bool) {
	if _, err := recommender.ParseCron(cron); err != nil {
		return 0, false
	}
	var minute int
	if n, err := fmt.Sscanf(cron, "%d ", &minute); n != 1 || err != nil {
		return 0, false // several starts an hour
	}
	return time.Duration((60-minute)%60) * time.Minute, true
}
