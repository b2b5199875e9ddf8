package engine

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/lock"
)

// A Fault is a function that the analysis failed on. Everything else was analysed.
type Fault struct {
	Package  string // import path
	Function string
	At       lock.Position
	Text     string
}

// Guard makes the engine go on after a fault of its own, and returns those that it
// had by then. Without it, the first is a panic: tests want to hear of it.
func (e *Engine) Guard() (faults func() []Fault) {
	e.guarded = true
	return func() []Fault { return e.faults }
}

// Try asks something about a function, and reports whether there is an answer. Where the
// engine fails on it, that is noted as the function's fault.
func (e *Engine) Try(fn *ssa.Function, ask func()) (ok bool) {
	if e.guarded {
		defer func() {
			if r := recover(); r != nil {
				e.note(Fault{code.PackagePath(fn), code.Shown(fn), e.Position(fn.Pos()), fmt.Sprint(r)})
			}
		}()
	}
	ask()
	return true
}

// note adds a fault, once for each function: what fails on it here does so elsewhere.
func (e *Engine) note(f Fault) {
	if !slices.ContainsFunc(e.faults, func(g Fault) bool { return g.Function == f.Function && g.At == f.At }) {
		e.faults = append(e.faults, f)
	}
}

// guard runs a step of the analysis of a family. If the engine fails, what the
// family does is out of sight from then on.
func (f *Family) guard(step func()) {
	if f.Engine.Try(f.Root, step) {
		return
	}
	f.failed = true
	at := lock.Frame{Position: f.Engine.Position(f.Root.Pos()), Function: code.Shown(f.Root)}
	for _, fn := range f.Members {
		fn.Blocks = nil // nobody else shall fail on them
		f.Sums[fn] = &summary.Summary{Effects: []summary.Effect{{Why: lock.ReasonLimit, At: at}}}
	}
}
