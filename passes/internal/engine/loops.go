package engine

import (
	"go/token"
	"math"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// naturalLoops finds the loops of a function; those of irreducible control flow
// (goto into a loop) are not found.
func naturalLoops(fn *ssa.Function) []*summary.Loop {
	var loops []*summary.Loop
	for _, b := range fn.Blocks {
		for _, head := range b.Succs {
			if !head.Dominates(b) {
				continue
			}
			i := slices.IndexFunc(loops, func(l *summary.Loop) bool { return l.Head == head })
			if i < 0 {
				i = len(loops)
				loops = append(loops, &summary.Loop{Head: head, Body: map[*ssa.BasicBlock]bool{head: true}})
			}
			work := []*ssa.BasicBlock{b}
			for len(work) > 0 {
				x := work[len(work)-1]
				work = work[:len(work)-1]
				if !loops[i].Body[x] {
					loops[i].Body[x] = true
					work = append(work, x.Preds...)
				}
			}
		}
	}
	return loops
}

// LoopBlocks are the blocks of a function that are in a loop.
func LoopBlocks(fn *ssa.Function) map[*ssa.BasicBlock]bool {
	blocks := make(map[*ssa.BasicBlock]bool)
	for _, l := range naturalLoops(fn) {
		for b := range l.Body {
			blocks[b] = true
		}
	}
	return blocks
}

// loops finds a function's loops and how often they run.
func (f *Family) loops(fn *ssa.Function) []*summary.Loop {
	list := naturalLoops(fn)
	for _, l := range list {
		l.Turns = f.turns(l, fn)
		if l.Turns.Rounds >= summary.Each {
			l.Until = f.until(l)
		}
	}
	return list
}

// until lists the contexts whose end a loop leaves for: it waits for their Done,
// asks for their Err, or gives up when a call that was given one fails.
func (f *Family) until(l *summary.Loop) []*term.T {
	var list []*term.T
	add := func(v ssa.Value) {
		if v == nil || !code.IsContext(v.Type()) {
			return
		}
		if t := f.Get(v); t.Kind != term.Unknown && !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	for _, b := range l.Head.Parent().Blocks { // in order
		if !l.Body[b] || len(b.Succs) != 2 {
			continue
		}
		if !l.Body[b.Succs[0]] {
			code.Selected(b, b.Succs[0], func(ch ssa.Value) bool {
				add(f.answering(ch, "Done"))
				return false
			})
		}
		br := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		failing, ok := code.ErrorTest(br)
		if !ok || l.Body[b.Succs[failing]] {
			continue
		}
		told, ok := br.Cond.(*ssa.BinOp)
		if !ok {
			continue
		}
		add(f.answering(told.X, "Err"))
		v := f.Single(told.X)
		if x, ok := v.(*ssa.Extract); ok {
			v = x.Tuple
		}
		if call, ok := v.(*ssa.Call); ok && l.Body[call.Block()] {
			for _, a := range call.Call.Args {
				add(a)
			}
		}
	}
	return list
}

// answering is the context of which a value is what a method answers, or nil.
func (f *Family) answering(v ssa.Value, method string) ssa.Value {
	c, ok := f.Single(v).(*ssa.Call)
	if !ok || !c.Call.IsInvoke() || c.Call.Method.Name() != method {
		return nil
	}
	return c.Call.Value
}

// repeat adds effects of a block to others, and tells them how often they run in the
// loops around it. A loop around except does not count: a section that begins inside it
// ends there.
func (f *Family) repeat(into, list []summary.Effect, b *ssa.BasicBlock, loops []*summary.Loop, except *ssa.BasicBlock) []summary.Effect {
	into = append(into, list...)
	out := into[len(into)-len(list):]
	for _, l := range loops {
		if !l.Body[b] || except != nil && l.Body[except] {
			continue
		}
		for i := range out {
			out[i].Turns = out[i].Turns.Within(l.Turns)
			if out[i].Open == summary.Closed && out[i].Call != nil {
				out[i].Until = union(out[i].Until, l.Until)
			}
			out[i].Fresh = f.fresh(out[i], l)
		}
	}
	return into
}

// fresh adds the deadlines of an effect's context that are set anew in each
// turn of l: they bound the turn and not the loop. Those that are set by this
// family outside of l, or by a caller, bound the loop.
func (f *Family) fresh(x summary.Effect, l *summary.Loop) []string {
	list := x.Fresh
	if x.Call == nil {
		return list
	}
	for _, d := range f.Engine.Deadlines(x) {
		b, own := f.CallBlocks()[d.Site]
		if (!own || l.Body[b]) && !slices.Contains(list, d.Site) {
			list = append(slices.Clip(list), d.Site)
		}
	}
	return list
}

// CallBlocks maps the places of the family's calls to their blocks.
func (f *Family) CallBlocks() map[string]*ssa.BasicBlock {
	if f.blocks == nil {
		f.blocks = make(map[string]*ssa.BasicBlock)
		for _, fn := range f.Members {
			for _, b := range fn.Blocks {
				for _, in := range b.Instrs {
					if c, ok := in.(ssa.CallInstruction); ok {
						f.blocks[f.Engine.CallSite(c.Common().Pos())] = b
					}
				}
			}
		}
	}
	return f.blocks
}

// turns finds out how often a loop runs, from the tests that leave it.
func (f *Family) turns(l *summary.Loop, fn *ssa.Function) summary.Turns {
	best := summary.Turns{Rounds: summary.Endless}
	for _, b := range fn.Blocks {
		if !l.Body[b] || len(b.Instrs) == 0 {
			continue
		}
		br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok || l.Body[b.Succs[0]] && l.Body[b.Succs[1]] {
			continue
		}
		if t, ok := f.counted(l, br); ok && (t.Rounds < best.Rounds || t.Rounds == best.Rounds && t.Count() < best.Count()) {
			best = t
		}
	}
	if best.Rounds == summary.Endless && l.OnlyRetries() || best.Rounds == summary.Each && l.Tries() {
		best.Rounds = summary.Counted
	}
	return best
}

// counted reads a test that leaves a loop after a number of turns.
func (f *Family) counted(l *summary.Loop, br *ssa.If) (summary.Turns, bool) {
	switch cond := br.Cond.(type) {
	case *ssa.Extract:
		if _, ok := cond.Tuple.(*ssa.Next); ok && cond.Index == 0 {
			return summary.Turns{Rounds: summary.Each}, true
		}
	case *ssa.Call:
		// time.Now().Before(deadline): no count, but an end.
		if callee := cond.Call.StaticCallee(); callee != nil && callee.Pkg != nil && callee.Pkg.Pkg.Path() == "time" {
			return summary.Turns{Rounds: summary.Counted}, true
		}
	case *ssa.BinOp:
		if !isOrdered(cond.X.Type()) {
			return summary.Turns{}, false
		}
		c, limit := counterOf(l, cond.X), cond.Y
		if c == nil {
			c, limit = counterOf(l, cond.Y), cond.X
		}
		switch {
		case c != nil:
			op := cond.Op
			if !l.Body[br.Block().Succs[0]] {
				op = negate(op) // leaves when it holds
			}
			return f.upTo(c, limit, slices.Contains(br.Block().Succs, l.Head), op), true
		case code.IsDuration(cond.X.Type()) && cond.Op != token.EQL && cond.Op != token.NEQ:
			return summary.Turns{Rounds: summary.Counted}, true // time.Since(start) < timeout
		}
	}
	return summary.Turns{}, false
}

// A counter is a variable that each turn moves by a constant.
type counter struct {
	from, step int64
	known      bool // from is a constant
	moved      bool // the value at hand is the one after the step
}

// counterOf returns the counter that v is, or nil.
func counterOf(l *summary.Loop, v ssa.Value) *counter {
	moved := false
	if b, ok := v.(*ssa.BinOp); ok && stepOf(b) != 0 {
		v, moved = b.X, true
	}
	switch v := v.(type) {
	case *ssa.Phi:
		c := &counter{moved: moved}
		for i, x := range v.Edges {
			if !l.Body[v.Block().Preds[i]] {
				c.from, c.known = code.ConstInt(x)
				continue
			}
			b, ok := x.(*ssa.BinOp)
			if ok && b.X == v && stepOf(b) != 0 {
				c.step = stepOf(b)
			}
		}
		if c.step != 0 && l.Body[v.Block()] {
			return c
		}
	case *ssa.UnOp:
		// A variable that a closure shares lives in memory.
		if v.Op != token.MUL {
			return nil
		}
		for _, a := range variables(v.X) {
			for _, r := range *a.Referrers() {
				if st, ok := r.(*ssa.Store); ok && l.Body[st.Block()] {
					if b, ok := st.Val.(*ssa.BinOp); ok && stepOf(b) != 0 {
						return &counter{step: stepOf(b), moved: moved}
					}
				}
			}
		}
	}
	return nil
}

// variables lists the variables that an address is of: each turn of a loop has
// its own.
func variables(addr ssa.Value) []*ssa.Alloc {
	switch addr := addr.(type) {
	case *ssa.Alloc:
		return []*ssa.Alloc{addr}
	case *ssa.Phi:
		var list []*ssa.Alloc
		for _, x := range addr.Edges {
			if a, ok := x.(*ssa.Alloc); ok {
				list = append(list, a)
			}
		}
		return list
	}
	return nil
}

// stepOf returns the constant that an addition adds, or 0.
func stepOf(b *ssa.BinOp) int64 {
	n, ok := code.ConstInt(b.Y)
	switch {
	case ok && b.Op == token.ADD:
		return n
	case ok && b.Op == token.SUB:
		return -n
	}
	return 0
}

// union adds what is missing of more to a list that others share.
func union(list, more []*term.T) []*term.T {
	for _, t := range more {
		if !slices.Contains(list, t) {
			list = append(slices.Clip(list), t)
		}
	}
	return list
}

// upTo is how often a loop runs whose counter runs up (or down) to limit. last
// says that the test stands at the end of a turn, op whether another follows.
func (f *Family) upTo(c *counter, limit ssa.Value, last bool, op token.Token) summary.Turns {
	if n, ok := code.ConstInt(limit); ok {
		t := summary.Turns{Rounds: summary.Counted}
		if c.known {
			span := float64(n-c.from) / float64(c.step)
			if op == token.LEQ || op == token.GEQ {
				span++
			}
			if c.moved && !last {
				span-- // stepped before the first turn
			}
			t.Times = int(min(max(math.Ceil(span), 1), summary.MaxTimes))
		}
		return t
	}
	t := f.Get(limit)
	if n, ok := t.Int(); ok && builtinLen(limit) {
		return summary.Turns{Rounds: summary.Counted, Times: int(n)} // of a literal
	}
	if t.Kind == term.Op && t.Name == "len" && len(t.Args) == 1 {
		return summary.Turns{Rounds: summary.Each}
	}
	name := strings.ToLower(t.Text())
	for _, w := range []string{"retr", "attempt", "tries", "max"} {
		if strings.Contains(name, w) {
			return summary.Turns{Rounds: summary.Counted}
		}
	}
	return summary.Turns{Rounds: summary.Each}
}

// asides are the instructions of a section that run in it by the next turns of a loop only:
// they stand on another way through the loop than the acquire, or before it, and go on
// whether or not it was taken, such as a heartbeat beside an attempt to become leader. What
// is asked on the way to them must be nothing that the attempt may have changed: which
// channel was ready, or whether a call of this turn failed. Any other question may be a
// flag, and a sign that the lock is meant.
func asides(st *summary.Site, loops []*summary.Loop) map[ssa.Instruction]bool {
	found := make(map[ssa.Instruction]bool)
	if st.Kept {
		return found
	}
	start := st.Start()
	for _, l := range loops {
		if !l.Body[start.Block()] {
			continue
		}
		later := reachedInTurn(start.Block(), l)
		for b := range l.Body {
			if later[b] && b != start.Block() || !unasked(b, l) {
				continue
			}
			for _, in := range b.Instrs {
				if in == start {
					break
				}
				found[in] = true
			}
		}
	}
	return found
}

// reachedInTurn are the blocks that control gets to from a block before l begins anew.
func reachedInTurn(from *ssa.BasicBlock, l *summary.Loop) map[*ssa.BasicBlock]bool {
	seen := make(map[*ssa.BasicBlock]bool)
	work := []*ssa.BasicBlock{from}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, next := range b.Succs {
			if next != l.Head && !seen[next] {
				seen[next] = true
				work = append(work, next)
			}
		}
	}
	return seen
}

// unasked reports whether control gets from the head of l to b by channels and calls alone.
func unasked(b *ssa.BasicBlock, l *summary.Loop) bool {
	for d := b.Idom(); d != nil && l.Body[d]; d = d.Idom() {
		br, ok := d.Instrs[len(d.Instrs)-1].(*ssa.If)
		if !ok || code.CanReach(d.Succs[0], b, l.Head) == code.CanReach(d.Succs[1], b, l.Head) {
			continue
		}
		switch cond := br.Cond.(type) {
		case *ssa.Extract: // v, ok := <-c, range
			if _, call := cond.Tuple.(*ssa.Call); call {
				return false
			}
		case *ssa.BinOp:
			x, ok := cond.X.(*ssa.Extract)
			if ok {
				if _, ready := x.Tuple.(*ssa.Select); ready {
					continue
				}
			}
			call, single := cond.X.(*ssa.Call)
			if _, failing := code.ErrorTest(br); !failing || !(ok && l.Body[x.Block()] || single && l.Body[call.Block()]) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// builtinLen reports whether a value is the length of something.
func builtinLen(v ssa.Value) bool {
	c, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	b, ok := c.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == "len"
}
