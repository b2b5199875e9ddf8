package records

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// Where a section fences what it writes of a thing, a plain write of the same thing right
// after the release was left out of it: two turns that follow one another quickly leave
// the two writes of different turns. What is written must have been at hand in the section
// already, and nothing may have been worked on in between: a job that is claimed under the
// lock is finished after it.

// leftOut returns the first write after the release that belongs to a fenced write of the
// section.
func (j *judge) leftOut() lock.Frame {
	var fenced []*meaning.Change
	for _, x := range j.st.Effects {
		if x.Call == nil || x.Open != summary.Closed || x.Reach == summary.ByGoroutine {
			continue
		}
		for _, c := range j.writes(j.e.Reader.Of(x.Call)) {
			switch r := j.change(c); r.cond {
			case lock.Token, lock.Owner, lock.Transaction:
				fenced = append(fenced, c)
			}
		}
	}
	if len(fenced) == 0 {
		return lock.Frame{}
	}
	after := j.afterwards()
	for _, in := range after {
		if code.Failing(in.Block()) || j.worked(after, in) {
			continue
		}
		for _, x := range j.steps()[in] {
			if x.Call == nil || x.Open != summary.Closed || x.Reach == summary.ByGoroutine || x.Perhaps {
				continue
			}
			for _, c := range j.writes(j.e.Reader.Of(x.Call)) {
				r := j.claimed(x, c, j.change(c))
				if r.cond == lock.None && r.fault == "" && c.Unknown == "" && !c.Cache && !c.Leased && c.Operation != "INSERT" && j.atHand(after, c) &&
					slices.ContainsFunc(fenced, func(f *meaning.Change) bool { return f.Store == c.Store && sameThing(f, c) }) {
					return x.At
				}
			}
		}
	}
	return lock.Frame{}
}

// steps is what each instruction of the function does that takes the lock.
func (j *judge) steps() map[ssa.Instruction][]summary.Effect {
	f := j.e.Families[code.Root(j.st.Func)]
	if f == nil || f.Sums[j.st.Func] == nil {
		return nil
	}
	return f.Sums[j.st.Func].Steps
}

// afterwards lists the instructions that run once the lock is free.
func (j *judge) afterwards() []ssa.Instruction {
	switch {
	case j.st.Wrapper || j.st.HeldOut:
		return nil
	case j.st.Region != nil && !j.st.Deferred:
		return j.st.Region.After
	case !j.st.Closed:
		return nil
	}
	var out []ssa.Instruction
	for _, b := range j.st.Func.Blocks {
		for _, in := range b.Instrs {
			if code.Before(j.st.At, in) {
				out = append(out, in)
			}
		}
	}
	return out
}

// worked reports whether something is done between the release and an instruction that
// may be the work which the section was only the start of.
func (j *judge) worked(after []ssa.Instruction, in ssa.Instruction) bool {
	return slices.ContainsFunc(after, func(y ssa.Instruction) bool {
		if y == in || y.Block() == in.Block() && !code.Before(y, in) || !code.CanReach(y.Block(), in.Block(), nil) {
			return false
		}
		return slices.ContainsFunc(j.steps()[y], func(x summary.Effect) bool {
			if x.Open != summary.Closed {
				return j.e.Hidden(x) != ""
			}
			return x.Memory != nil || x.Call == nil || len(j.writes(j.e.Reader.Of(x.Call))) > 0
		})
	})
}

// atHand reports whether a write stores something that is no constant and was known
// before the release. The time of day is no news of the section.
func (j *judge) atHand(after []ssa.Instruction, c *meaning.Change) bool {
	values := []*term.T{c.Value}
	for _, s := range c.Sets {
		values = append(values, s.Value)
	}
	later := make(map[string]bool)
	for _, in := range after {
		if call, ok := in.(ssa.CallInstruction); ok {
			later[j.e.CallSite(call.Common().Pos())] = true
		}
	}
	known, news := false, false
	for _, v := range values {
		switch {
		case v == nil || v.Kind == term.Const || v.Kind == term.Nil || v.Kind == term.Global || v.Kind == term.Unknown:
		case v.Any(func(t *term.T) bool { return t.Kind == term.Call && (later[t.Site] || t.Name == "time.Now") }):
			news = true
		default:
			known = true
		}
	}
	return known && !news
}

// sameThing reports whether two writes name what they write by the same value.
func sameThing(x, y *meaning.Change) bool {
	names := subjects(x)
	return slices.ContainsFunc(subjects(y), func(t *term.T) bool { return slices.Contains(names, t) })
}

// subjects lists the values by which a write names what it writes.
func subjects(c *meaning.Change) []*term.T {
	var out []*term.T
	for _, id := range identities(c) {
		out = append(out, operands(id)...)
	}
	return out
}
