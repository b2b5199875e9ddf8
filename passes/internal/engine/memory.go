package engine

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// memory adds the write of an in-process resource to a method's summary.
func (f *Family) memory(fn *ssa.Function, s *summary.Summary) {
	recv := fn.Signature.Recv()
	if recv == nil || fn.Parent() != nil || len(fn.Params) < 2 {
		return
	}
	ptr, ok := recv.Type().Underlying().(*types.Pointer)
	if !ok {
		return
	}
	named, ok := types.Unalias(ptr.Elem()).(*types.Named)
	if !ok {
		return
	}
	stores := f.ownStores(fn)
	if len(stores) == 0 {
		return
	}
	c := f.compared(fn, stores)
	if c == nil && !slices.ContainsFunc(stores, func(st memStore) bool { return !stamps(st) }) {
		return // what is stored elsewhere gets its token this way
	}
	m := &summary.Memory{Type: named.Obj().Name(), Method: fn.Name(), Locked: f.locksMutex(fn)}
	if !f.Engine.takesTokens(named) && !(storeName(named.Obj().Name()) && keepsMany(stores) && m.Locked) {
		if !m.Locked || c == nil || !c.orders() {
			return
		}
		m.Told = true
	}
	data := stores[len(stores)-1]
	if c != nil {
		m.Token, m.Op, m.Text = c.incoming, c.op, c.text
		var moves, rest []ssa.Instruction
		for _, st := range stores {
			if c.moves(f, st) {
				moves = append(moves, st.at)
				m.Early = code.Before(st.at, c.at)
			} else {
				rest = append(rest, st.at)
			}
		}
		m.Stored = c.moved || len(moves) > 0 && (m.Early || c.op == "idle" || c.keepsUp(f, moves, rest))
		m.Lapses = m.Stored && f.forgets(fn, named, c.stored)
		m.Bare = !m.Early && c.op != "idle" && f.bare(fn, c.at, data.at)
	}
	eff := summary.Effect{Memory: m, At: lock.Frame{Position: f.Engine.Position(data.at.Pos()), Function: code.Shown(fn)}}
	s.Steps[data.at] = append(s.Steps[data.at], eff)
}

// stamps reports whether a store puts a parameter into a field that is named like a fence,
// and so does nothing but say which token an object comes with.
func stamps(st memStore) bool {
	return st.place.Kind == term.Field && FenceName(st.place.Name) && st.val.Kind == term.Param
}

// passMemory puts a call's arguments into a Memory; the write stands at the
// method's call.
func (f *Family) passMemory(x summary.Effect, bind *term.Binding, at lock.Frame) summary.Effect {
	m := *x.Memory
	if m.Token != nil {
		m.Token = bind.Put(m.Token)
	}
	x.Memory = &m
	if x.Call == nil && len(x.Via) == 0 {
		x.Via = []lock.Frame{x.At}
		x.At = at
	}
	return x
}

// A memStore is a store into the receiver.
type memStore struct {
	at    ssa.Instruction
	place *term.T
	val   *term.T
}

// ownStores lists the stores of a method into its receiver of values that
// depend on its other parameters.
func (f *Family) ownStores(fn *ssa.Function) []memStore {
	recv := f.Get(fn.Params[0])
	var out []memStore
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			var st memStore
			switch in := in.(type) {
			case *ssa.Store:
				fa, ok := in.Addr.(*ssa.FieldAddr)
				if !ok {
					continue
				}
				st = memStore{in, f.Engine.Pool.Field(f.Get(fa.X), code.FieldName(fa.X.Type(), fa.Field)), f.Get(in.Val)}
			case *ssa.MapUpdate:
				st = memStore{in, f.Engine.Pool.Elem(f.Get(in.Map), f.Get(in.Key)), f.Get(in.Value)}
			default:
				continue
			}
			if rooted(st.place, recv) && f.given(fn, st.val) {
				out = append(out, st)
			}
		}
	}
	return out
}

// rooted reports whether a place lies in the object root.
func rooted(t, root *term.T) bool {
	for t != nil {
		if t == root {
			return true
		}
		switch t.Kind {
		case term.Field, term.Elem, term.Op:
			t = t.Args[0]
		case term.Join:
			for _, a := range t.Args {
				if rooted(a, root) {
					return true
				}
			}
			return false
		default:
			return false
		}
	}
	return false
}

// given reports whether a value comes from fn's parameters other than the receiver. What
// a store answers, a number that it counts say, is not what it was asked with, and the
// object of a lock that is put away until it is given back is no data.
func (f *Family) given(fn *ssa.Function, t *term.T) bool {
	name := f.Engine.Name(fn)
	var given func(*term.T) bool
	given = func(x *term.T) bool {
		switch {
		case x == nil:
			return false
		case x.Kind == term.Param:
			return x.Name == name && x.Index > 0
		case x.Kind == term.Call && (len(f.Engine.Reader.Of(x)) > 0 || f.Engine.makesLock(x)):
			return false
		}
		return slices.ContainsFunc(x.Args, given)
	}
	return given(t)
}

// makesLock reports whether a call makes the object of a lock or session.
func (e *Engine) makesLock(call *term.T) bool {
	entry := e.Reader.Entry(call)
	return entry != nil && entry.New != nil
}

// storeName reports whether a type is named as the place where the data is.
// What only mirrors, counts or lists data that is elsewhere is none.
func storeName(name string) bool {
	l := strings.ToLower(name)
	for _, w := range []string{"cache", "metric", "registry", "counter", "stats", "session", "mock", "fake", "lock"} {
		if strings.Contains(l, w) {
			return false
		}
	}
	for _, w := range []string{"Storage", "Store", "Repository", "Repo", "Ledger", "Database"} {
		if strings.HasSuffix(name, w) || l == strings.ToLower(w) {
			return true
		}
	}
	return false
}

// keepsMany reports whether values go into a map or slice.
func keepsMany(stores []memStore) bool {
	for _, st := range stores {
		if _, ok := st.at.(*ssa.MapUpdate); ok || st.val.Kind == term.Op && st.val.Name == "append" {
			return true
		}
	}
	return false
}

// A comparison is a branch on a stored value against an incoming one.
type comparison struct {
	at       ssa.Instruction
	text     bool
	stored   *term.T
	incoming *term.T
	op       string
	moved    bool // what compares stores the incoming value as well
}

// puts is what a store puts where the stored value was read from, also as a field of a
// record that replaces the one there; nil: it leaves that as it is.
func (c *comparison) puts(f *Family, st memStore) *term.T {
	places := st.place.Alts() // of a record that is there, or was just made
	var within func(t *term.T) *term.T
	within = func(t *term.T) *term.T {
		if slices.ContainsFunc(places, func(p *term.T) bool { return f.Engine.Pool.Alike(t, p) }) {
			return st.val
		}
		if t.Kind == term.Field {
			if record := within(t.Args[0]); record != nil {
				return f.Engine.Pool.Field(record, t.Name)
			}
		}
		return nil
	}
	for _, a := range c.stored.Alts() {
		if v := within(a); v != nil {
			return v
		}
	}
	return nil
}

// orders reports whether a number decides by its size whether the method stores.
func (c *comparison) orders() bool {
	return !c.text && strings.ContainsAny(c.op, "<>") && c.op != "<>"
}

// Keeps reports whether an object works as a resource where its method is called: a type
// that shows nothing of tokens does so where it gets one.
func (e *Engine) Keeps(m *summary.Memory) bool { return !m.Told || e.Reader.Draws(m.Token) }

// moves reports whether a store puts the incoming value where the stored one was.
func (c *comparison) moves(f *Family, st memStore) bool {
	v := c.puts(f, st)
	return v != nil && v.Any(func(x *term.T) bool { return x == c.incoming })
}

// keepsUp reports whether the incoming value is stored wherever something else is
// that the comparison has let in. A mark that is set when the record is made, and never
// again, keeps out what is older than the first writer alone.
//
// A way that leaves the mark is no fault where another comparison of the same two
// chose it: of an equal or greater mark there is nothing to move. Ways from one turn of
// a loop into the next are not followed.
func (c *comparison) keepsUp(f *Family, moves, rest []ssa.Instruction) bool {
	type state struct {
		b     *ssa.BasicBlock
		wrote bool
	}
	from := c.at.Block()
	among := func(b *ssa.BasicBlock, list []ssa.Instruction) bool {
		return slices.ContainsFunc(list, func(x ssa.Instruction) bool { return x.Block() == b })
	}
	moved := func(b *ssa.BasicBlock) bool {
		return slices.ContainsFunc(moves, func(m ssa.Instruction) bool { return code.CanReach(b, m.Block(), from) })
	}
	seen := make(map[state]bool)
	var left func(s state) bool // whether a way from s ends with something stored and the mark left
	left = func(s state) bool {
		if seen[s] || among(s.b, moves) {
			return false
		}
		seen[s] = true
		s.wrote = s.wrote || among(s.b, rest)
		again, ahead := c.again(f, s.b), 0
		for _, next := range s.b.Succs {
			if next.Dominates(s.b) {
				continue
			}
			ahead++
			if !(again && !moved(next)) && left(state{next, s.wrote}) {
				return true
			}
		}
		return ahead == 0 && s.wrote
	}
	for _, next := range from.Succs {
		if moved(next) && left(state{b: next}) {
			return false
		}
	}
	return slices.ContainsFunc(from.Succs, moved)
}

// again reports whether b ends in a branch that compares the two once more.
func (c *comparison) again(f *Family, b *ssa.BasicBlock) bool {
	br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	bin, ok := br.Cond.(*ssa.BinOp)
	if !ok {
		return false
	}
	x, y := f.Get(bin.X), f.Get(bin.Y)
	return x == c.stored && y == c.incoming || y == c.stored && x == c.incoming
}

// compared finds the comparison that decides whether the method stores.
func (f *Family) compared(fn *ssa.Function, stores []memStore) *comparison {
	recv := f.Get(fn.Params[0])
	var found *comparison
	for _, b := range fn.Blocks {
		if len(b.Instrs) == 0 {
			continue
		}
		br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		bin, ok := br.Cond.(*ssa.BinOp)
		if !ok || !isOrdered(bin.X.Type()) {
			if c := f.helped(fn, b, br, stores); c != nil && found == nil {
				found = c
			}
			continue
		}
		op := bin.Op
		x, y := f.Get(bin.X), f.Get(bin.Y)
		if !(rooted(x, recv) && f.given(fn, y) && !rooted(y, recv)) {
			if !(rooted(y, recv) && f.given(fn, x)) {
				continue
			}
			x, y, op = y, x, flip(op)
		}
		for _, st := range stores {
			yes, no := code.CanReach(b.Succs[0], st.at.Block(), b), code.CanReach(b.Succs[1], st.at.Block(), b)
			if yes == no {
				continue
			}
			o := op
			if no {
				o = negate(op)
			}
			c := &comparison{at: br, stored: x, incoming: y, op: sqlOp(o), text: isText(bin.X.Type())}
			if found == nil || c.puts(f, st) != nil || c.op == "<" || c.op == "<=" {
				found = c
			}
		}
	}
	if found == nil {
		found = f.idle(fn, stores)
	}
	return found
}

// idle finds a comparison that does not decide whether the method stores what
// it compares.
func (f *Family) idle(fn *ssa.Function, stores []memStore) *comparison {
	recv := f.Get(fn.Params[0])
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			bin, ok := in.(*ssa.BinOp)
			if !ok || !isOrdered(bin.X.Type()) || denied(sqlOp(bin.Op)) == "" {
				continue
			}
			x, y := f.Get(bin.X), f.Get(bin.Y)
			if !rooted(x, recv) {
				x, y = y, x
			}
			if !rooted(x, recv) || !f.given(fn, y) {
				continue
			}
			c := &comparison{at: bin, stored: x, incoming: y, op: "idle"}
			for _, st := range stores {
				if c.moves(f, st) {
					return c
				}
			}
		}
	}
	return nil
}

func isOrdered(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsOrdered != 0
}

func isText(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

func flip(op token.Token) token.Token {
	switch op {
	case token.LSS:
		return token.GTR
	case token.GTR:
		return token.LSS
	case token.LEQ:
		return token.GEQ
	case token.GEQ:
		return token.LEQ
	}
	return op
}

func negate(op token.Token) token.Token {
	switch op {
	case token.LSS:
		return token.GEQ
	case token.GTR:
		return token.LEQ
	case token.LEQ:
		return token.GTR
	case token.GEQ:
		return token.LSS
	case token.EQL:
		return token.NEQ
	case token.NEQ:
		return token.EQL
	}
	return op
}

// locksMutex reports whether the method takes a mutex.
func (f *Family) locksMutex(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if c, ok := in.(ssa.CallInstruction); ok {
				if g := c.Common().StaticCallee(); g != nil && g.Pkg != nil && g.Pkg.Pkg.Path() == "sync" && strings.HasSuffix(g.Name(), "Lock") {
					return true
				}
			}
		}
	}
	return false
}

// takesTokens reports whether a type looks like a resource that is told tokens.
func (e *Engine) takesTokens(n *types.Named) bool {
	for i := range n.NumMethods() {
		sig := n.Method(i).Signature()
		for j := range sig.Params().Len() {
			v := sig.Params().At(j)
			if !isOrdered(v.Type()) {
				continue
			}
			if tokenName(v.Name()) || slices.ContainsFunc(meaning.Words(v.Name()), func(w string) bool { return w == "generation" || w == "revision" }) {
				return true
			}
		}
	}
	// The name of a field where the greatest token is kept says as much.
	st, ok := n.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i := range st.NumFields() {
		if v := st.Field(i); isInteger(v.Type()) && tokenName(v.Name()) || strings.Contains(strings.ToLower(v.Name()), "fence") {
			return true
		}
	}
	return false
}

// tokenName reports whether a variable is named like a fencing token. There are many other
// tokens, of pages, of users, of rate limits, which say so in another word or number.
func tokenName(name string) bool {
	words := meaning.Words(name)
	for i, w := range words {
		switch w {
		case "fence", "fencing", "fenced", "epoch":
			return true
		case "token":
			return !slices.ContainsFunc(words[:i], func(q string) bool {
				return !slices.Contains([]string{"lock", "lease", "last", "latest", "max", "highest", "greatest", "new", "newest", "stored", "seen", "current", "held", "my", "own", "incoming"}, q)
			})
		}
	}
	return false
}
