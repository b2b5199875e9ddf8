package engine

import (
	"slices"

	"github.com/fencevet/fencevet/passes/internal/summary"
)

// TakenAnew reports whether the i-th effect of a list comes after the goroutine that makes it has
// taken the lock of st for itself, for all that shows: what it does from then on is the section of that one,
// which cannot begin before this one ends.
func (e *Engine) TakenAnew(st *summary.Site, list []summary.Effect, i int) bool {
	m, ok := e.Acquire(st.Lock.Call)
	if !ok || i < 0 || list[i].Reach != summary.ByGoroutine {
		return false
	}
	start := summary.Way(list[i])[0].Position
	return slices.ContainsFunc(list[:i], func(x summary.Effect) bool {
		if x.Call == nil || x.Open != summary.Closed || x.Reach != summary.ByGoroutine || x.At.Position != st.Lock.Origin || summary.Way(x)[0].Position != start {
			return false
		}
		n, takes := e.Acquire(x.Call)
		return takes && !e.differ(n.Key, m.Key)
	})
}
