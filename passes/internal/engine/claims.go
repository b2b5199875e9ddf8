package engine

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/internal/world"
)

// maxClaims bounds the claims that an effect remembers; to forget one is to say
// less.
const maxClaims = 3

// claims finds the conditional writes of fn whose refusal keeps control from other
// effects, and what callers of fn are told of a refusal (Lost). Both are explored as
// a section is, in the worlds in which the write was refused.
func (f *Family) claims(fn *ssa.Function, s *summary.Summary) {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			steps := s.Steps[in]
			if len(steps) == 0 {
				continue
			}
			call, ok := in.(*ssa.Call)
			if !ok {
				for i := range steps {
					steps[i].Lost, steps[i].Says = nil, "" // nobody hears of it
				}
				continue
			}
			for _, group := range alike(steps) {
				refused := f.refused(call, steps[group[0]])
				for _, i := range group {
					steps[i].Lost = refused.facts()
					steps[i].Says = refused.says()
				}
				if refused == nil {
					continue
				}
				for _, i := range group {
					if x := steps[i]; x.Open == summary.Closed {
						c := summary.Claim{Call: x.Call, Again: refused.again, Over: f.isOver(x, steps)}
						f.turnsAway(call, s, refused, c)
						f.settles(call, s, refused, c)
					}
				}
			}
		}
	}
}

// isOver reports whether the transaction in which a call makes a conditional write is over
// when the call returns, steps being all that it does: it is committed there, or the
// call runs a function literal of its own in it. Another such call begins another one, by
// the same words.
func (f *Family) isOver(x summary.Effect, steps []summary.Effect) bool {
	var on *term.T
	for _, m := range f.Engine.Reader.Of(x.Call) {
		if m.Role == meaning.Write {
			on = m.Write.On
		}
	}
	if on == nil || len(x.Via) == 0 {
		return false
	}
	if slices.ContainsFunc(steps, func(y summary.Effect) bool { return f.Engine.Commits(y, on) }) {
		return true
	}
	made := f.Engine.HandleMaker(on)
	if made == nil || f.Engine.Reader.Entry(made).Runs == nil {
		return false
	}
	g, _ := f.Engine.Index.CallOf(made)
	return g != f
}

// alike groups effects of one call by what they tell when they are refused: of many
// writes in a callee one exploration is enough.
func alike(steps []summary.Effect) [][]int {
	var groups [][]int
	for i := range steps {
		g := slices.IndexFunc(groups, func(g []int) bool {
			x, y := &steps[g[0]], &steps[i]
			return len(x.Via) > 0 && len(y.Via) > 0 && x.Says == y.Says && slices.EqualFunc(x.Lost, y.Lost, func(a, b world.Fact) bool { return a.String() == b.String() })
		})
		if g >= 0 {
			groups[g] = append(groups[g], i)
		} else {
			groups = append(groups, []int{i})
		}
	}
	return groups
}

// A refusedWrite is where control goes when a write was refused.
type refusedWrite struct {
	reached map[ssa.Instruction]bool
	again   bool
	results []world.Fact
	sayings []string // the error variables that are returned
}

// says is the one error variable that is returned then.
func (r *refusedWrite) says() string {
	if r == nil || len(r.sayings) != 1 {
		return ""
	}
	return r.sayings[0]
}

// facts is what the function's results say then; nil: nothing.
func (r *refusedWrite) facts() []world.Fact {
	if r == nil || !slices.ContainsFunc(r.results, world.Fact.Definite) {
		return nil
	}
	return r.results
}

// refused explores the worlds in which x, an effect of call, was refused; nil: there
// is no telling.
func (f *Family) refused(call *ssa.Call, x summary.Effect) *refusedWrite {
	worlds := f.refusals(call, x)
	if len(worlds) == 0 {
		return nil
	}
	r := &refusedWrite{reached: make(map[ssa.Instruction]bool)}
	for _, w := range worlds {
		lost := world.Explore(call, w, func(ssa.Instruction) world.Verb { return world.Go })
		if lost.Limit {
			return nil
		}
		r.again = r.again || lost.Again
		for _, in := range lost.Held {
			r.reached[in] = true
		}
		for _, ret := range lost.Returns {
			if r.results == nil {
				r.results = make([]world.Fact, len(ret.Results))
			}
			if n := len(ret.Results); n > 0 && code.IsError(ret.Results[n-1].Type()) {
				f.sayings(ret.Results[n-1], call, x, 0, func(name string) {
					if name != "" && !slices.Contains(r.sayings, name) {
						r.sayings = append(r.sayings, name)
					}
				})
			}
			for i, v := range ret.Results {
				r.results[i] = world.Meet(r.results[i], lost.Fact(v))
			}
		}
	}
	return r
}

// refusals lists the worlds in which x was refused. Where a value tells, so does
// the error: nobody knows then whether the write was accepted.
func (f *Family) refusals(call *ssa.Call, x summary.Effect) []world.Oracle {
	switch {
	case x.Call == nil || x.Open == summary.Dynamic:
		return nil
	case len(x.Via) > 0:
		if len(x.Lost) == 0 {
			return nil
		}
		return []world.Oracle{answer{call, x.Lost}}
	case x.Open == summary.Value:
		// A callback that fails, for what its caller puts there.
		if facts := erring(call.Call.Signature()); facts != nil {
			return []world.Oracle{answer{call, facts}}
		}
		return nil
	}
	reject := ""
	for _, m := range f.Engine.Reader.Of(x.Call) {
		if (m.Role == meaning.Write || m.Role == meaning.Check) && (len(m.Write.Guards) > 0 || m.Write.Unknown != "") {
			reject = m.Write.Reject
		}
	}
	if reject == "" || reject == "none" {
		return nil
	}
	won := &oracle{f: f, st: &summary.Site{At: call, Direct: true, Lock: summary.Acquired{Call: x.Call}}, memo: make(map[ssa.Value]bool)}
	worlds := []world.Oracle{&loser{refusal: refusal{won: won}}}
	if reject != "error" {
		worlds = append(worlds, &loser{refusal: refusal{won: won, byValue: true}})
	}
	return worlds
}

// A loser knows what a call of the catalogue tells whom it refuses, also by the
// fields of what it returns (a count, an error), and through functions that look at
// it: one(db.Exec(...)).
type loser struct {
	refusal
	given map[*ssa.Parameter]bool // of such a function: the error beside what is looked at
	depth int
}

// Value implements world.Oracle.
func (l *loser) Value(v ssa.Value) (world.Fact, bool) {
	switch x := v.(type) {
	case *ssa.Parameter:
		if l.given[x] {
			return l.turn(world.Nil, x.Type()), true
		}
	case *ssa.UnOp:
		if fa, ok := x.X.(*ssa.FieldAddr); ok && l.won.outcome(fa.X) {
			if b, basic := v.Type().Underlying().(*types.Basic); code.IsError(v.Type()) || basic && b.Info()&(types.IsBoolean|types.IsInteger) != 0 {
				return l.turn(world.Success(v.Type()), v.Type()), true
			}
		}
	case *ssa.Call:
		if facts := l.looked(x); len(facts) == 1 {
			return facts[0], facts[0].Definite()
		}
	case *ssa.Extract:
		if call, ok := x.Tuple.(*ssa.Call); ok {
			if facts := l.looked(call); x.Index < len(facts) {
				return facts[x.Index], facts[x.Index].Definite()
			}
		}
	}
	return l.refusal.Value(v)
}

// looked is what a function returns that is given the outcome; nil: call is none.
func (l *loser) looked(call *ssa.Call) []world.Fact {
	callee := code.Origin(call.Call.StaticCallee())
	if callee == nil || len(callee.Blocks) == 0 || len(callee.Params) != len(call.Call.Args) || l.depth > MaxLooks {
		return nil
	}
	g := l.won.f.Engine.Families[code.Root(callee)]
	if g == nil {
		return nil
	}
	in := &loser{
		refusal: refusal{won: &oracle{f: g, st: &summary.Site{}, memo: make(map[ssa.Value]bool)}, byValue: l.byValue},
		given:   make(map[*ssa.Parameter]bool), depth: l.depth + 1,
	}
	found := false
	for i, a := range call.Call.Args {
		p := callee.Params[i]
		switch _, known := l.refusal.Value(a); {
		case code.IsError(a.Type()) && (known || l.isGiven(a)):
			in.given[p] = true
		case l.won.outcome(a) && !code.IsError(a.Type()):
			in.won.memo[p], found = true, true
		}
	}
	if !found {
		return nil
	}
	return world.Explore(callee.Blocks[0].Instrs[0], in, func(ssa.Instruction) world.Verb { return world.Go }).Results()
}

func (l *loser) isGiven(v ssa.Value) bool {
	p, ok := v.(*ssa.Parameter)
	return ok && l.given[p]
}

// An answer knows the results of a call.
type answer struct {
	call  *ssa.Call
	facts []world.Fact
}

// Value implements world.Oracle.
func (a answer) Value(v ssa.Value) (world.Fact, bool) {
	i := -1
	switch x := v.(type) {
	case *ssa.Extract:
		if x.Tuple == ssa.Value(a.call) {
			i = x.Index
		}
	case *ssa.Call:
		if x == a.call && len(a.facts) == 1 {
			i = 0
		}
	}
	if i < 0 || i >= len(a.facts) {
		return world.Fact{}, false
	}
	return a.facts[i], a.facts[i].Definite()
}

// Stored implements world.Oracle.
func (answer) Stored(ssa.Instruction, ssa.Value) (world.Fact, bool) { return world.Fact{}, false }

// turnsAway adds c to the effects that come after call only, and not to whom it
// refuses.
func (f *Family) turnsAway(call *ssa.Call, s *summary.Summary, refused *refusedWrite, c summary.Claim) {
	for in, steps := range s.Steps {
		if refused.reached[in] || !after(call, in) {
			continue
		}
		for i := range steps {
			if x := &steps[i]; x.Open == summary.Value || f.isWrite(*x) || f.Engine.endsOne(*x) {
				x.Won = joined(x.Won, c)
			}
		}
	}
}

// after reports whether in runs only when before has.
func after(before, in ssa.Instruction) bool {
	if before.Block() != in.Block() {
		return before.Block().Dominates(in.Block())
	}
	instrs := in.Block().Instrs
	return slices.Index(instrs, before) < slices.Index(instrs, in)
}

// joined adds claims to a list that others may share.
func joined(list []summary.Claim, more ...summary.Claim) []summary.Claim {
	list = slices.Clip(list)
	for _, c := range more {
		if len(list) < maxClaims && !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	return list
}

// shared keeps the claims that both ways to an effect go through.
func shared(a, b []summary.Claim) []summary.Claim {
	return slices.DeleteFunc(slices.Clone(a), func(c summary.Claim) bool { return !slices.Contains(b, c) })
}

func passClaims(list []summary.Claim, bind *term.Binding) []summary.Claim {
	if len(list) == 0 {
		return nil
	}
	out := make([]summary.Claim, 0, len(list))
	for _, c := range list {
		if c.Call = bind.Put(c.Call); c.Call.Kind == term.Call { // else it is too large
			out = append(out, c)
		}
	}
	return out
}

// handed is what is heard of a refusal inside of a callback: an error, if whoever
// runs it hands that on as heard says.
func handed(lost, heard []world.Fact) []world.Fact {
	if n := len(lost); n == 0 || !lost[n-1].Same(world.NotNil) {
		return nil
	}
	return heard
}

// erring is what the results of a function say that returns an error; nil: it returns
// none.
func erring(sig *types.Signature) []world.Fact {
	n := sig.Results().Len()
	if n == 0 || !code.IsError(sig.Results().At(n-1).Type()) {
		return nil
	}
	facts := make([]world.Fact, n)
	for i := range facts {
		facts[i] = world.Varying
	}
	facts[n-1] = world.NotNil
	return facts
}
