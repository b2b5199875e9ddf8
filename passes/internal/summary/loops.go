package summary

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// Turns is how often something runs.
type Turns struct {
	Rounds Rounds
	Times  int // at the most, where constants tell; 0 is the same as 1
}

// Within is how often something runs that runs t in each of u's turns.
func (t Turns) Within(u Turns) Turns {
	return Turns{max(t.Rounds, u.Rounds), min(t.Count()*u.Count(), MaxTimes)}
}

// Count is the number of times that is known: at least one.
func (t Turns) Count() int { return max(t.Times, 1) }

// Rounds says what decides how often a loop runs.
type Rounds uint8

const (
	Once    Rounds = iota // no loop
	Counted               // a number: a constant, or a limit such as that of retries
	Each                  // the length of a list or map
	Endless               // what the loop finds outside: rows, pages, messages; or nothing
)

// MaxTimes bounds the product of nested loops.
const MaxTimes = 1_000_000

// A Loop is a natural loop: the blocks between a back edge and its target.
type Loop struct {
	Head  *ssa.BasicBlock          // where it begins, and comes back to
	Body  map[*ssa.BasicBlock]bool // with its head
	Turns Turns                    // how often it runs
	Until []*term.T                // contexts that it ends with
}

// Tries reports whether a loop over a list goes on to the next element only where
// a call did not do with this one: where it did, its result is returned. Of a list of
// hosts, say, the first one that answers is enough.
func (l *Loop) Tries() bool {
	for b := range l.Body {
		br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok || b == l.Head || l.Body[b.Succs[0]] == l.Body[b.Succs[1]] {
			continue
		}
		cond := br.Cond
		if n, ok := cond.(*ssa.UnOp); ok && n.Op == token.NOT {
			cond = n.X
		}
		told, ok := cond.(*ssa.Extract)
		if !ok {
			continue
		}
		leaves := b.Succs[0]
		if l.Body[leaves] {
			leaves = b.Succs[1]
		}
		ret, ok := leaves.Instrs[len(leaves.Instrs)-1].(*ssa.Return)
		if _, call := told.Tuple.(*ssa.Call); ok && call && slices.ContainsFunc(ret.Results, func(v ssa.Value) bool {
			x, ok := v.(*ssa.Extract)
			return ok && x.Tuple == told.Tuple
		}) {
			return true
		}
	}
	return false
}

// OnlyRetries reports whether a loop goes round only after a failure: with
// every error nil, no way leads back to its head.
func (l *Loop) OnlyRetries() bool {
	seen := map[*ssa.BasicBlock]bool{l.Head: true}
	work := []*ssa.BasicBlock{l.Head}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range withoutErrors(b) {
			if s == l.Head {
				return false
			}
			if l.Body[s] && !seen[s] {
				seen[s] = true
				work = append(work, s)
			}
		}
	}
	return true
}

// withoutErrors returns the successors of a block when every error is nil; a
// function that is asked about an error says no.
func withoutErrors(b *ssa.BasicBlock) []*ssa.BasicBlock {
	if len(b.Instrs) == 0 {
		return b.Succs
	}
	br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return b.Succs
	}
	switch cond := br.Cond.(type) {
	case *ssa.BinOp:
		if c, ok := cond.Y.(*ssa.Const); ok && c.IsNil() && code.IsError(cond.X.Type()) {
			if cond.Op == token.EQL {
				return b.Succs[:1]
			}
			return b.Succs[1:]
		}
	case *ssa.Call:
		if slices.ContainsFunc(cond.Call.Args, func(a ssa.Value) bool { return code.IsError(a.Type()) }) {
			return b.Succs[1:]
		}
	}
	return b.Succs
}
