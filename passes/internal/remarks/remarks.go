package remarks

import (
	"cmp"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/lock"
)

// Find says what is worth saying of how leases are kept. What belongs to a
// use is noted there; the rest is returned.
func Find(e *engine.Engine, uses []*lock.Use) []lock.Remark {
	r := &remarks{e: e, uses: uses}
	k := newKeeping(e, r)
	e.EachSummary(func(f *engine.Family, fn *ssa.Function, s *summary.Summary) {
		k.function(f, fn, s)
	})
	e.EachFunction(func(f *engine.Family, fn *ssa.Function) {
		k.sessions(f, fn)
		for _, rec := range e.Recorded[f] {
			if rec.Site.Func == fn {
				k.use(f, rec)
			}
		}
	})
	if e.Whole() {
		k.bypasses()
	}
	measure(e, uses)
	slices.SortStableFunc(r.loose, func(a, b lock.Remark) int {
		return cmp.Or(a.Compare(b.Position), cmp.Compare(a.Kind, b.Kind))
	})
	for _, u := range uses {
		slices.SortStableFunc(u.Remarks, func(a, b lock.Call) int {
			return cmp.Or(a.Compare(b.Position), cmp.Compare(a.Kind, b.Kind))
		})
	}
	return r.loose
}

// remarks gathers what is found.
type remarks struct {
	e     *engine.Engine
	uses  []*lock.Use
	loose []lock.Remark
}

// add notes a remark on a place in fn: at a use of the same family, at one that
// is near, or by itself.
func (r *remarks) add(f *engine.Family, fn *ssa.Function, c lock.Call) {
	c.Here = true
	if own := r.e.Recorded[f]; len(own) > 0 {
		own[0].Use.Remarks = append(own[0].Use.Remarks, c)
		return
	}
	if u := nearest(r.uses, fn); u != nil {
		u.Remarks = append(u.Remarks, c)
		return
	}
	r.loose = append(r.loose, lock.Remark{Call: c, Package: code.PackagePath(fn)})
}

// of notes a remark on a use itself.
func (r *remarks) of(u *lock.Use, c lock.Call) {
	c.Here = true
	u.Remarks = append(u.Remarks, c)
}
