package engine

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/internal/world"
	"github.com/fencevet/fencevet/passes/lock"
)

// maxEffects bounds a summary; what does not fit is one effect that says so.
const maxEffects = 250

// maxFrom bounds the receivers that are remembered.
const maxFrom = 4

// maxVia bounds the recorded way from a section to an effect.
const maxVia = 6

// Open says what stands between an open call and its callee.
type Open uint8

const (
	Closed  Open = iota // a call that the catalogue knows
	Value               // a function value that is a parameter, or out of sight: Call.Args[0]
	Dynamic             // an interface method or function out of sight
)

// Reach says how control got to an effect.
type Reach uint8

const (
	Direct Reach = iota
	ByCall
	ByCallback
	ByInterface
	ByGoroutine
)

func (r Reach) String() string {
	return [...]string{"direct", "call", "callback", "interface", "goroutine"}[r]
}

// An Effect is one thing that a function does and that a critical section
// around it would have to answer for.
type Effect struct {
	Call    *term.T // what is called; its meaning is read from the term
	Open    Open
	Memory  *Memory     // a write of an object of this process
	Why     lock.Reason // something out of sight, without a call that is worth naming
	Signal  string      // what leadership is told by, to work that runs elsewhere
	At      lock.Frame
	Via     []lock.Frame // from the function's body to At, outermost first
	Reach   Reach
	Checked int8 // whether the outcome is looked at: 1 yes, -1 no, 0 not known
	Answer  int8 // result of the function, counted from 1, that tells its callers the outcome; they decide Checked
	Silent  bool // a refusal is recognised, and returned like a success
	Batch   Batch
	Asked   []Asked      // comparisons in Go that let control through to a write
	Chosen  []Choice     // comparisons with zero that lead to it
	Won     []Claim      // conditional writes that had to be accepted before
	Lost    []world.Fact // results of the function, where this write was refused; nil: they do not tell
	Says    string       // the error variable of the project that the function then returns
	From    []*term.T    // receivers of the calls on the way, innermost first
	Turns   Turns        // of the loops around it
	Until   []*term.T    // contexts that the loops around it end with
	Fresh   []string     // places of deadlines that are set anew in each turn
	Aside   bool         // not on the longest way
	Carried bool         // in a goroutine that gives the lock back
	Emerged bool         // takes a lock, which shows only with this call's arguments put in
	Tells   bool         // an open call that is only told something: func(int)
	Yields  bool         // an open call that computes: it returns a value besides its error
	Own     bool         // known to be part of locking by the package that it is from
	Perhaps bool         // on some ways through the functions on the way to it only
}

// A Hold is a lock that a function leaves held for its caller.
type Hold struct {
	Lock  Acquired
	Facts []world.Fact // of the results, when the lock was taken
}

// An Acquired is a lock that was taken.
type Acquired struct {
	Call   *term.T    // the library call
	At     lock.Frame // of the library call
	Via    []lock.Frame
	Origin lock.Position // of the library call: identity
	From   []*term.T     // receivers of the calls on the way, innermost first
	// Decision is what the functions on the way say that the lock is for.
	Decision *lock.Decision
	chain    []*site // the sites in the callees, innermost first
}

// A Section is a lock that a function takes and releases around the call of a
// function parameter, or before it.
type Section struct {
	Lock    Acquired
	Effects []Effect
	After   []Effect // after the release
	Release []string
}

// A Summary is what callers must know of a function, in terms of its
// parameters.
type Summary struct {
	Effects  []Effect
	Holds    []Hold
	Sections []Section
	Results  []*term.T
	Sets     []Set

	// For the records of this function itself.
	sites []*site
	steps map[ssa.Instruction][]Effect
	loops []*loop
}

// size tells whether a fixpoint is reached: summaries only grow.
func (s *Summary) size() int {
	if s == nil {
		return -1
	}
	n := len(s.Effects) + 1000*len(s.Holds) + 1000*len(s.Sections) + 100*len(s.Sets)
	for _, r := range s.Results {
		if r != nil && r.Kind != term.Unknown {
			n += 7
		}
	}
	return n
}

// summarise makes the summary of one function of the family.
func (f *family) summarise(fn *ssa.Function) *Summary {
	s := &Summary{steps: make(map[ssa.Instruction][]Effect)}
	s.loops = f.loops(fn)
	var acquired []*site
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case ssa.CallInstruction:
				effects, sites := f.step(in)
				s.steps[in] = append(effects, f.leads(in)...)
				f.decide(in, sites)
				acquired = append(acquired, sites...)
			case *ssa.Store, *ssa.Send:
				s.steps[in] = f.leads(in)
			case *ssa.Return:
				f.results(s, in)
			case *ssa.UnOp:
				if in.Op == token.ARROW {
					s.steps[in] = f.waiting(in)
				}
			case *ssa.Select:
				s.steps[in] = f.waiting(in)
			}
		}
	}
	s.Sets = f.sets(fn)
	f.memory(fn, s)
	f.ask(fn, s)
	f.choose(fn, s)
	f.claims(fn, s)
	lists := make(map[*ssa.BasicBlock][]Effect)
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			lists[b] = append(lists[b], f.repeat(s.steps[in], b, s.loops, nil)...)
		}
	}
	f.e.spine(fn.Blocks[0], lists, func(*ssa.BasicBlock) bool { return true })
	perhaps(fn, lists)
	s.Effects = bound(inOrder(fn, s, lists))
	for _, st := range acquired {
		f.explore(fn, s, st)
	}
	return s
}

// inOrder lists what a function does in the order of its text, what it defers last: a
// caller whose lock it gives back is told what comes before that.
func inOrder(fn *ssa.Function, s *Summary, lists map[*ssa.BasicBlock][]Effect) []Effect {
	var list, last []Effect
	for _, b := range fn.Blocks {
		rest := lists[b]
		for _, in := range b.Instrs {
			n := len(s.steps[in])
			if _, deferred := in.(*ssa.Defer); deferred {
				last = append(slices.Clip(rest[:n]), last...)
			} else {
				list = append(list, rest[:n]...)
			}
			rest = rest[n:]
		}
	}
	return append(list, last...)
}

// results joins what a return gives back; nil and zero values, which
// accompany an error, are left out where there is anything else.
func (f *family) results(s *Summary, ret *ssa.Return) {
	if s.Results == nil {
		s.Results = make([]*term.T, len(ret.Results))
	}
	for i, v := range ret.Results {
		if isError(v.Type()) {
			continue
		}
		t := f.extended(f.value(v))
		if t == nil || t.IsZero() && s.Results[i] != nil {
			continue
		}
		if s.Results[i] == nil || s.Results[i].IsZero() {
			s.Results[i] = t
		} else {
			s.Results[i] = f.e.pool.Join(s.Results[i], t)
		}
	}
}

// bound drops repeated effects and limits their number.
func bound(list []Effect) []Effect {
	type key struct {
		call  *term.T
		at    lock.Position
		reach Reach
		why   lock.Reason
		mem   *Memory
		told  string
	}
	seen := make(map[key]int, len(list))
	out := make([]Effect, 0, min(len(list), maxEffects+1)) // summaries live long: no more than it takes
	for _, x := range list {
		at := x.At.Position
		if x.Why != "" && x.Call == nil {
			at = lock.Position{} // one remark of a kind is enough
		}
		k := key{x.Call, at, x.Reach, x.Why, x.Memory, x.Signal}
		if i, ok := seen[k]; ok {
			if len(out[i].Won) > 0 {
				out[i].Won = shared(out[i].Won, x.Won)
			}
			continue
		}
		seen[k] = len(out)
		if len(out) == maxEffects {
			return append(out, Effect{Why: lock.ReasonLimit, At: x.At})
		}
		out = append(out, x)
	}
	return out
}
