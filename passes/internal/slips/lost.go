package slips

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/world"
	"github.com/fencevet/fencevet/passes/lock"
)

// A lock that was lost needs no release, but where its library keeps the session until then.

// leftLost returns the place where a lock that was lost is left behind on the way to taking
// it again, although its library renews the session until the release: the session may
// have survived, and then nobody gets the lock.
func (t *taking) leftLost() lock.Frame {
	entry := t.f.Engine.Reader.Entry(t.st.Lock.Call)
	if !t.st.Direct || !t.m.Sticky || entry == nil || entry.Loss == nil || t.onSession() || !t.ours() {
		return lock.Frame{}
	}
	if in := t.around(true); in != nil {
		return t.f.Frame(in, "the loop goes on here with the lock held")
	}
	for _, ret := range t.st.Region.Returns {
		if t.lost(ret.Block()) && t.comesAgain(ret) {
			return t.f.Frame(ret, "returns here without a release")
		}
	}
	return lock.Frame{}
}

// onSession reports whether a lock object may be told which session to use: the library
// leaves that one to the program.
func (t *taking) onSession() bool {
	made := t.f.Engine.Reader.Entry(t.m.Handle)
	if made == nil || made.New == nil {
		return true
	}
	own := t.f.Engine.Reader.Get(made.New.Session, t.m.Handle, nil)
	return own != nil && !own.IsZero()
}

// comesAgain reports whether a loop calls the function again after what a return tells.
func (t *taking) comesAgain(ret *ssa.Return) bool {
	failed := world.NotNil
	if n := len(ret.Results); n > 0 && t.st.Region.Fact(ret.Results[n-1]).IsNil() {
		failed = world.Nil
	}
	return slices.ContainsFunc(t.f.Engine.Readings().Taking[t.st.Func], func(c *ssa.Call) bool {
		return world.Explore(c, answer{c, failed}, func(ssa.Instruction) world.Verb { return world.Go }).Again
	})
}

// answer is a world in which a call answers with an error, or without.
type answer struct {
	call  *ssa.Call
	error world.Fact
}

// Value implements world.Oracle.
func (a answer) Value(v ssa.Value) (world.Fact, bool) {
	return a.error, code.IsError(v.Type()) && code.MakerOf(v) == a.call
}

// Stored implements world.Oracle.
func (answer) Stored(ssa.Instruction, ssa.Value) (world.Fact, bool) { return world.Fact{}, false }
