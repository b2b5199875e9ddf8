package engine

import (
	"go/constant"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/world"
)

// maxTests bounds the comparisons that a function is said to make for its callers.
const maxTests = 4

// test finds the comparisons that fn makes for its callers, and has the writes behind a call
// of a function that makes some know of them.
func (f *Family) test(fn *ssa.Function, s *summary.Summary) {
	tells := slices.ContainsFunc(slices.Collect(fn.Signature.Results().Variables()), func(v *types.Var) bool { return code.IsError(v.Type()) || isBool(v.Type()) })
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Call:
				for _, t := range f.testsOf(in) {
					denied := world.Explore(in, answer{in, t.Denied}, func(ssa.Instruction) world.Verb { return world.Go })
					f.letThrough(in, s, denied, t.Asked)
					addTest(s, t.Asked, denied.Results(), nil)
				}
			case *ssa.If:
				if yes, ok := f.question(in.Cond); ok && tells {
					f.tests(s, in, yes)
				}
			case *ssa.Return:
				if tells {
					f.answers(s, in)
				}
			}
		}
	}
}

// tests notes what the results of a function say of a comparison that it branches on.
func (f *Family) tests(s *summary.Summary, br *ssa.If, yes summary.Asked) {
	var results [2][]world.Fact
	for i, way := range []bool{true, false} {
		r := world.Explore(br, decided{br.Cond, way}, func(ssa.Instruction) world.Verb { return world.Go })
		if r.Limit || r.Again {
			return
		}
		results[i] = r.Results()
	}
	no := yes
	no.Op = denied(no.Op)
	addTest(s, yes, results[1], results[0])
	addTest(s, no, results[0], results[1])
}

// answers notes a comparison that is itself a result: return last <= fence, nil.
func (f *Family) answers(s *summary.Summary, ret *ssa.Return) {
	for i, v := range ret.Results {
		if !isBool(v.Type()) {
			continue
		}
		if yes, ok := f.question(v); ok && yes.Incoming != nil {
			facts := make([]world.Fact, len(ret.Results))
			for k := range facts {
				facts[k] = world.Varying
			}
			facts[i] = world.Known(constant.MakeBool(false))
			addTest(s, yes, facts, nil)
		}
	}
}

// addTest adds a comparison to those of a function, if one of the results where it does not
// hold is none that the others have: an error, a boolean.
func addTest(s *summary.Summary, a summary.Asked, denied, otherwise []world.Fact) {
	tells := false
	for i, d := range denied {
		tells = tells || d.Definite() && !d.IsNil() && !(i < len(otherwise) && otherwise[i].Same(d))
	}
	t := summary.Test{Asked: a, Denied: denied}
	if !tells || len(s.Tests) == maxTests || slices.ContainsFunc(s.Tests, func(o summary.Test) bool { return o.Asked == a }) {
		return
	}
	s.Tests = append(s.Tests, t)
}

// testsOf lists the comparisons that the function which a call is of makes, in the caller's
// terms.
func (f *Family) testsOf(call *ssa.Call) []summary.Test {
	callees := f.Engine.Callees(&call.Call)
	if len(callees) != 1 {
		return nil // which of several is not known
	}
	sum := f.Engine.Summary(callees[0])
	if sum == nil || len(sum.Tests) == 0 {
		return nil
	}
	bind := f.binding(f.Engine.binder(f.Engine.Name(callees[0]), f.CallTerm(&call.Call, call.Pos()).Args))
	out := make([]summary.Test, len(sum.Tests))
	for i, t := range sum.Tests {
		out[i] = summary.Test{Asked: passAsked([]summary.Asked{t.Asked}, bind)[0], Denied: t.Denied}
	}
	return out
}

// letThrough adds a question to the writes that come after call only, and not where it is
// denied.
func (f *Family) letThrough(call *ssa.Call, s *summary.Summary, denied *world.Region, a summary.Asked) {
	if denied.Limit {
		return
	}
	reached := make(map[ssa.Instruction]bool)
	for _, in := range denied.Held {
		reached[in] = true
	}
	for in, steps := range s.Steps {
		if reached[in] || !after(call, in) {
			continue
		}
		for i := range steps {
			if f.isWrite(steps[i]) {
				steps[i].Asked = append(steps[i].Asked[:len(steps[i].Asked):len(steps[i].Asked)], a)
			}
		}
	}
}

// decided knows one condition.
type decided struct {
	cond ssa.Value
	is   bool
}

// Value implements world.Oracle.
func (d decided) Value(v ssa.Value) (world.Fact, bool) {
	return world.Known(constant.MakeBool(d.is)), v == d.cond
}

// Stored implements world.Oracle.
func (decided) Stored(ssa.Instruction, ssa.Value) (world.Fact, bool) { return world.Fact{}, false }
