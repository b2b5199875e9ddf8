package engine

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/world"
	"github.com/fencevet/fencevet/passes/lock"
)

// A denial is the world in which the lock was not taken: somebody else has it,
// or, where broken, the store could not be asked.
type denial struct {
	*oracle
	broken bool
	answer bool // somebody else is told by a result that is no error
}

// denied explores what happens where the lock at hand is not taken.
func (t *taking) denied(broken bool) *world.Region {
	d := &denial{
		oracle: &oracle{f: t.f, st: t.st, told: t.m.Success, memo: make(map[ssa.Value]bool)},
		broken: broken, answer: t.answers(),
	}
	return world.Explore(t.st.at, d, func(ssa.Instruction) world.Verb { return world.Go })
}

// answers reports whether the acquire tells a refusal by something other than
// its error.
func (t *taking) answers() bool {
	if t.st.facts != nil {
		results := t.st.at.Common().Signature().Results()
		for i := range t.st.facts {
			if t.st.facts[i].Definite() && i < results.Len() && !isError(results.At(i).Type()) {
				return true
			}
		}
		return false
	}
	if slices.ContainsFunc(t.m.Success, func(s *catalogTold) bool { return s.Is != "nil" }) || t.m.Kind == lock.Advisory {
		return true
	}
	v, ok := t.st.at.(ssa.Value)
	return ok && (strings.Contains(v.Type().String(), "bool") || strings.Contains(v.Type().String(), "Bool") || strings.Contains(v.Type().String(), "Result"))
}

// Value implements world.Oracle.
func (d *denial) Value(v ssa.Value) (world.Fact, bool) {
	f, ok := d.oracle.Value(v)
	if !ok {
		return f, ok
	}
	return d.turn(v, f), true
}

// Stored implements world.Oracle.
func (d *denial) Stored(in ssa.Instruction, addr ssa.Value) (world.Fact, bool) {
	f, ok := d.oracle.Stored(in, addr)
	if !ok {
		return f, ok
	}
	return f.Opposite(), true
}

func (d *denial) turn(v ssa.Value, f world.Fact) world.Fact {
	if isError(v.Type()) && !d.broken && d.answer {
		return world.Nil
	}
	return f.Opposite()
}
