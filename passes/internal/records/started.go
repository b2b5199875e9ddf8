package records

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/remarks"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/lock"
)

// atWork looks at the functions that take a lock and hold it, with nobody to give it to: it
// is goroutines that run them, or no caller is seen to have it. One that writes under the lock
// itself is the use: there is the work, and where a goroutine is started there is none. That
// is so for functions of the package that starts them, of a lock whose key does not depend on
// who does; others stay uses where they are started, as the outermost call that has the
// section in view.
func atWork(e *engine.Engine, owners *remarks.Owners) {
	inside, had, started := make(map[*summary.Site]bool), make(map[*summary.Site]bool), make(map[*summary.Site]bool)
	for _, f := range e.Order {
		for _, r := range e.Recorded[f] {
			if r.Use.Role == lock.RoleWrapper && r.Site.Wrapper && r.Lock.Key != nil && !r.Lock.Key.Open() && slices.ContainsFunc(r.Use.Writes, func(w lock.Write) bool {
				return !w.Own && !w.After && !w.Setup && w.Reached != summary.ByGoroutine.String()
			}) {
				inside[r.Site] = true
			}
		}
	}
	for _, f := range e.Order {
		e.Recorded[f] = slices.DeleteFunc(e.Recorded[f], func(r summary.Recorded) bool {
			for _, st := range r.Site.Lock.Chain {
				if inside[st] && r.Site.Apart && st.Func.Pkg == r.Site.Func.Pkg {
					started[st] = true
					return true
				}
				had[st] = true
			}
			return false
		})
	}
	for _, f := range e.Order {
		for i, r := range e.Recorded[f] {
			if inside[r.Site] && (started[r.Site] || !had[r.Site] && !exported(r.Site.Func)) {
				r.Site.Apart, r.Site.Wrapper = true, false
				e.Recorded[f][i].Use = tried(e, owners, r.Site.Func, r.Site, r.Lock)
			}
		}
	}
}

// exported reports whether functions of other packages may call fn.
func exported(fn *ssa.Function) bool { return fn.Object() == nil || fn.Object().Exported() }
