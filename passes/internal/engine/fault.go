package engine

import (
	"fmt"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/lock"
)

// A Fault is a function that the engine failed on. Everything else was analysed.
type Fault struct {
	Package string // import path
	At      lock.Position
	Text    string
}

// Guard makes the engine go on after a fault of its own, and returns those that it
// had by then. A tool that is about one package reports what is wrong by failing;
// one that is about a whole module has more to lose.
func (e *Engine) Guard() (faults func() []Fault) {
	e.guarded = true
	return func() []Fault { return e.faults }
}

// guard runs a step of the analysis of a family. If the engine fails, what the
// family does is out of sight from then on.
func (f *Family) guard(step func()) {
	if f.Engine.guarded {
		defer func() {
			if r := recover(); r != nil {
				f.fail(fmt.Sprint(r))
			}
		}()
	}
	step()
}

func (f *Family) fail(why string) {
	f.failed = true
	at := lock.Frame{Position: f.Engine.Position(f.Root.Pos()), Function: code.Shown(f.Root)}
	f.Engine.faults = append(f.Engine.faults, Fault{code.PackagePath(f.Root), at.Position, why})
	for _, fn := range f.Members {
		fn.Blocks = nil // nobody else shall fail on them
		f.Sums[fn] = &summary.Summary{Effects: []summary.Effect{{Why: lock.ReasonLimit, At: at}}}
	}
}
