package engine

import (
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/term"
)

// Rounds says what decides how often a loop runs.
type Rounds uint8

const (
	Once    Rounds = iota // no loop
	Counted               // a number: a constant, or a limit such as that of retries
	Each                  // the length of a list or map
	Endless               // what the loop finds outside: rows, pages, messages; or nothing
)

// Turns is how often something runs.
type Turns struct {
	Rounds Rounds
	Times  int // at the most, where constants tell; 0 is the same as 1
}

// maxTimes bounds the product of nested loops.
const maxTimes = 1_000_000

// Within is how often something runs that runs t in each of u's turns.
func (t Turns) Within(u Turns) Turns {
	return Turns{max(t.Rounds, u.Rounds), min(t.times()*u.times(), maxTimes)}
}

func (t Turns) times() int { return max(t.Times, 1) }

// A loop is a natural loop: the blocks between a back edge and its target.
type loop struct {
	head  *ssa.BasicBlock
	body  map[*ssa.BasicBlock]bool
	turns Turns
	until []*term.T // contexts that it ends with
}

// naturalLoops finds the loops of a function; those of irreducible control flow
// (goto into a loop) are not found.
func naturalLoops(fn *ssa.Function) []*loop {
	var loops []*loop
	for _, b := range fn.Blocks {
		for _, head := range b.Succs {
			if !head.Dominates(b) {
				continue
			}
			i := slices.IndexFunc(loops, func(l *loop) bool { return l.head == head })
			if i < 0 {
				i = len(loops)
				loops = append(loops, &loop{head: head, body: map[*ssa.BasicBlock]bool{head: true}})
			}
			work := []*ssa.BasicBlock{b}
			for len(work) > 0 {
				x := work[len(work)-1]
				work = work[:len(work)-1]
				if !loops[i].body[x] {
					loops[i].body[x] = true
					work = append(work, x.Preds...)
				}
			}
		}
	}
	return loops
}

// loopBlocks returns the blocks that lie in a loop.
func loopBlocks(fn *ssa.Function) map[*ssa.BasicBlock]bool {
	blocks := make(map[*ssa.BasicBlock]bool)
	for _, l := range naturalLoops(fn) {
		for b := range l.body {
			blocks[b] = true
		}
	}
	return blocks
}

// loops finds a function's loops and how often they run.
func (f *family) loops(fn *ssa.Function) []*loop {
	list := naturalLoops(fn)
	for _, l := range list {
		l.turns = f.turns(l, fn)
		if l.turns.Rounds >= Each {
			l.until = f.until(l)
		}
	}
	return list
}

// until lists the contexts whose end a loop leaves for: it waits for their Done,
// asks for their Err, or gives up when a call that was given one fails.
func (f *family) until(l *loop) []*term.T {
	var list []*term.T
	add := func(v ssa.Value) {
		if v == nil || !isContext(v.Type()) {
			return
		}
		if t := f.get(v); t.Kind != term.Unknown && !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	for _, b := range l.head.Parent().Blocks { // in order
		if !l.body[b] || len(b.Succs) != 2 {
			continue
		}
		if !l.body[b.Succs[0]] {
			selected(b, b.Succs[0], func(ch ssa.Value) bool {
				add(f.answering(ch, "Done"))
				return false
			})
		}
		br := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		failing, ok := errorTest(br)
		if !ok || l.body[b.Succs[failing]] {
			continue
		}
		told, ok := br.Cond.(*ssa.BinOp)
		if !ok {
			continue
		}
		add(f.answering(told.X, "Err"))
		v := f.single(told.X)
		if x, ok := v.(*ssa.Extract); ok {
			v = x.Tuple
		}
		if call, ok := v.(*ssa.Call); ok && l.body[call.Block()] {
			for _, a := range call.Call.Args {
				add(a)
			}
		}
	}
	return list
}

// answering is the context of which a value is what a method answers, or nil.
func (f *family) answering(v ssa.Value, method string) ssa.Value {
	c, ok := f.single(v).(*ssa.Call)
	if !ok || !c.Call.IsInvoke() || c.Call.Method.Name() != method {
		return nil
	}
	return c.Call.Value
}

// repeat tells effects of a block how often they run in the loops around it. A
// loop around except does not count: a section that begins inside it ends there.
func (f *family) repeat(list []Effect, b *ssa.BasicBlock, loops []*loop, except *ssa.BasicBlock) []Effect {
	if len(list) == 0 {
		return nil
	}
	out := slices.Clone(list)
	for _, l := range loops {
		if !l.body[b] || except != nil && l.body[except] {
			continue
		}
		for i := range out {
			out[i].Turns = out[i].Turns.Within(l.turns)
			if out[i].Open == Closed && out[i].Call != nil {
				out[i].Until = union(out[i].Until, l.until)
			}
			out[i].Fresh = f.fresh(out[i], l)
		}
	}
	return out
}

// fresh adds the deadlines of an effect's context that are set anew in each
// turn of l: they bound the turn and not the loop. Those that are set by this
// family outside of l, or by a caller, bound the loop.
func (f *family) fresh(x Effect, l *loop) []string {
	list := x.Fresh
	if x.Call == nil {
		return list
	}
	for _, d := range f.e.deadlines(x) {
		b, own := f.callBlocks()[d.Site]
		if (!own || l.body[b]) && !slices.Contains(list, d.Site) {
			list = append(slices.Clip(list), d.Site)
		}
	}
	return list
}

// callBlocks maps the places of the family's calls to their blocks.
func (f *family) callBlocks() map[string]*ssa.BasicBlock {
	if f.blocks == nil {
		f.blocks = make(map[string]*ssa.BasicBlock)
		for _, fn := range f.members {
			for _, b := range fn.Blocks {
				for _, in := range b.Instrs {
					if c, ok := in.(ssa.CallInstruction); ok {
						f.blocks[f.e.site(c.Common().Pos())] = b
					}
				}
			}
		}
	}
	return f.blocks
}

// turns finds out how often a loop runs, from the tests that leave it.
func (f *family) turns(l *loop, fn *ssa.Function) Turns {
	best := Turns{Rounds: Endless}
	for _, b := range fn.Blocks {
		if !l.body[b] || len(b.Instrs) == 0 {
			continue
		}
		br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok || l.body[b.Succs[0]] && l.body[b.Succs[1]] {
			continue
		}
		if t, ok := f.counted(l, br); ok && (t.Rounds < best.Rounds || t.Rounds == best.Rounds && t.times() < best.times()) {
			best = t
		}
	}
	if best.Rounds == Endless && l.onlyRetries() || best.Rounds == Each && l.tries() {
		best.Rounds = Counted
	}
	return best
}

// counted reads a test that leaves a loop after a number of turns.
func (f *family) counted(l *loop, br *ssa.If) (Turns, bool) {
	switch cond := br.Cond.(type) {
	case *ssa.Extract:
		if _, ok := cond.Tuple.(*ssa.Next); ok && cond.Index == 0 {
			return Turns{Rounds: Each}, true
		}
	case *ssa.Call:
		// time.Now().Before(deadline): no count, but an end.
		if callee := cond.Call.StaticCallee(); callee != nil && callee.Pkg != nil && callee.Pkg.Pkg.Path() == "time" {
			return Turns{Rounds: Counted}, true
		}
	case *ssa.BinOp:
		if !isOrdered(cond.X.Type()) {
			return Turns{}, false
		}
		c, limit := counterOf(l, cond.X), cond.Y
		if c == nil {
			c, limit = counterOf(l, cond.Y), cond.X
		}
		switch {
		case c != nil:
			op := cond.Op
			if !l.body[br.Block().Succs[0]] {
				op = negate(op) // leaves when it holds
			}
			return f.upTo(c, limit, slices.Contains(br.Block().Succs, l.head), op), true
		case isDuration(cond.X.Type()) && cond.Op != token.EQL && cond.Op != token.NEQ:
			return Turns{Rounds: Counted}, true // time.Since(start) < timeout
		}
	}
	return Turns{}, false
}

// A counter is a variable that each turn moves by a constant.
type counter struct {
	from, step int64
	known      bool // from is a constant
	moved      bool // the value at hand is the one after the step
}

// counterOf returns the counter that v is, or nil.
func counterOf(l *loop, v ssa.Value) *counter {
	moved := false
	if b, ok := v.(*ssa.BinOp); ok && stepOf(b) != 0 {
		v, moved = b.X, true
	}
	switch v := v.(type) {
	case *ssa.Phi:
		c := &counter{moved: moved}
		for i, x := range v.Edges {
			if !l.body[v.Block().Preds[i]] {
				c.from, c.known = constInt(x)
				continue
			}
			b, ok := x.(*ssa.BinOp)
			if ok && b.X == v && stepOf(b) != 0 {
				c.step = stepOf(b)
			}
		}
		if c.step != 0 && l.body[v.Block()] {
			return c
		}
	case *ssa.UnOp:
		// A variable that a closure shares lives in memory.
		if v.Op != token.MUL {
			return nil
		}
		for _, a := range variables(v.X) {
			for _, r := range *a.Referrers() {
				if st, ok := r.(*ssa.Store); ok && l.body[st.Block()] {
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
	n, ok := constInt(b.Y)
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

func constInt(v ssa.Value) (int64, bool) {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Int {
		return 0, false
	}
	n, exact := constant.Int64Val(c.Value)
	return n, exact
}

// upTo is how often a loop runs whose counter runs up (or down) to limit. last
// says that the test stands at the end of a turn, op whether another follows.
func (f *family) upTo(c *counter, limit ssa.Value, last bool, op token.Token) Turns {
	if n, ok := constInt(limit); ok {
		t := Turns{Rounds: Counted}
		if c.known {
			span := float64(n-c.from) / float64(c.step)
			if op == token.LEQ || op == token.GEQ {
				span++
			}
			if c.moved && !last {
				span-- // stepped before the first turn
			}
			t.Times = int(min(max(math.Ceil(span), 1), maxTimes))
		}
		return t
	}
	t := f.get(limit)
	if t.Kind == term.Op && t.Name == "len" && len(t.Args) == 1 {
		if x := t.Args[0]; x.Kind == term.List {
			return Turns{Rounds: Counted, Times: len(x.Args)}
		}
		return Turns{Rounds: Each}
	}
	name := strings.ToLower(t.Text())
	for _, w := range []string{"retr", "attempt", "tries", "max"} {
		if strings.Contains(name, w) {
			return Turns{Rounds: Counted}
		}
	}
	return Turns{Rounds: Each}
}

func isDuration(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "time" && n.Obj().Name() == "Duration"
}

// tries reports whether a loop over a list goes on to the next element only where
// a call did not do with this one: where it did, its result is returned. Of a list of
// hosts, say, the first one that answers is enough.
func (l *loop) tries() bool {
	for b := range l.body {
		br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok || b == l.head || l.body[b.Succs[0]] == l.body[b.Succs[1]] {
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
		if l.body[leaves] {
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

// onlyRetries reports whether a loop goes round only after a failure: with
// every error nil, no way leads back to its head.
func (l *loop) onlyRetries() bool {
	seen := map[*ssa.BasicBlock]bool{l.head: true}
	work := []*ssa.BasicBlock{l.head}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range withoutErrors(b) {
			if s == l.head {
				return false
			}
			if l.body[s] && !seen[s] {
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
		if c, ok := cond.Y.(*ssa.Const); ok && c.IsNil() && isError(cond.X.Type()) {
			if cond.Op == token.EQL {
				return b.Succs[:1]
			}
			return b.Succs[1:]
		}
	case *ssa.Call:
		if slices.ContainsFunc(cond.Call.Args, func(a ssa.Value) bool { return isError(a.Type()) }) {
			return b.Succs[1:]
		}
	}
	return b.Succs
}
