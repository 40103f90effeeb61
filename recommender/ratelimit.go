package recommender

import (
	"github.com/infscale/infscale/recommender/hpa"
)

// rateLimit applies the policies of the direction. What was allowed before stays allowed.
func (r *run) rateLimit() {
	switch {
	case r.n > r.current:
		limit := max(hpa.UpLimit(r.current, r.p.ScaleUp, r.s.Ups, r.s.Downs, r.now), r.current, r.asked)
		r.step(RuleRateLimit, min(r.n, limit), ReasonRateLimited, limit, 0, 0)
	case r.n < r.current:
		limit := min(hpa.DownLimit(r.current, r.p.ScaleDown, r.s.Ups, r.s.Downs, r.now), r.current, r.asked)
		r.step(RuleRateLimit, max(r.n, limit), ReasonRateLimited, limit, 0, 0)
	}
}
