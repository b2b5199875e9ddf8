// Package world explores the control flow that remains when an acquire has
// succeeded: its error is nil, its bool is true, its handle is not nil, so the
// branches that test them are decided. It is sparse conditional constant
// propagation, started at the acquire with those facts.
package world

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

type factKind uint8

const (
	unset   factKind = iota // not reached yet: agrees with everything
	known                   // a constant
	isNil                   // nil
	notNil                  // some value that is not nil
	varying                 // nothing is known
)

// A Fact is what is known of a value on every way that is explored.
type Fact struct {
	kind    factKind
	val     constant.Value
	members []member // of a record, in order
}

var (
	Varying = Fact{kind: varying}
	Nil     = Fact{kind: isNil}
	NotNil  = Fact{kind: notNil}
	True    = Known(constant.MakeBool(true))
	False   = Known(constant.MakeBool(false))
)

// Known is the fact that a value is the constant v.
func Known(v constant.Value) Fact { return Fact{kind: known, val: v} }

// Definite reports whether f says anything.
func (f Fact) Definite() bool { return f.kind == known || f.kind == isNil || f.kind == notNil }

// IsNil reports whether the value is known to be nil.
func (f Fact) IsNil() bool { return f.kind == isNil }

// Same reports whether both say the same definite thing.
func (f Fact) Same(g Fact) bool {
	return f.Definite() && f.kind == g.kind && Meet(f, g).Definite() && !slices.ContainsFunc(f.members, func(m member) bool {
		return g.Field(m.index).Definite() && !g.Field(m.index).Same(Known(m.val))
	})
}

// Equal reports whether both say the same, be it nothing.
func (f Fact) Equal(g Fact) bool { return f.String() == g.String() }

func (f Fact) String() string { return f.text() + f.membersText() }

func (f Fact) text() string {
	switch f.kind {
	case known:
		return f.val.ExactString()
	case isNil:
		return "nil"
	case notNil:
		return "not nil"
	case unset:
		return "unset"
	}
	return "varying"
}

// Parse is the inverse of String for definite facts.
func Parse(s string) Fact {
	if base, members, ok := strings.Cut(s, between); ok {
		return Parse(base).parseMembers(members)
	}
	switch s {
	case "nil":
		return Nil
	case "not nil":
		return NotNil
	case "true":
		return True
	case "false":
		return False
	case "", "varying":
		return Varying
	}
	if s[0] == '"' {
		return Known(constant.MakeFromLiteral(s, token.STRING, 0))
	}
	if v := constant.MakeFromLiteral(s, token.INT, 0); v.Kind() == constant.Int {
		return Known(v)
	}
	return Known(constant.MakeString(s))
}

// Success is the fact that tells, by a result's type, that a lock was taken.
func Success(t types.Type) Fact {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return True
		case u.Info()&types.IsInteger != 0:
			return Known(constant.MakeInt64(1))
		case u.Info()&types.IsString != 0:
			return Known(constant.MakeString("OK"))
		}
	case *types.Interface:
		if types.Identical(t, types.Universe.Lookup("error").Type()) {
			return Nil
		}
		return NotNil
	case *types.Pointer, *types.Chan, *types.Signature, *types.Map, *types.Slice:
		return NotNil
	}
	return Varying
}

// Meet is what holds of both.
func Meet(a, b Fact) Fact {
	switch {
	case a.kind == unset:
		return b
	case b.kind == unset:
		return a
	case a.kind == known && b.kind == known && a.val.Kind() == b.val.Kind() && constant.Compare(a.val, token.EQL, b.val):
		return a
	case a.kind == b.kind && a.kind != known:
		return Fact{kind: a.kind, members: common(a, b)}
	}
	return Varying
}

// compare decides x op y.
func compare(op token.Token, x, y Fact) Fact {
	if x.kind == unset || y.kind == unset {
		return Fact{}
	}
	eq := Varying
	switch {
	case x.kind == known && y.kind == known && x.val.Kind() == y.val.Kind():
		if x.val.Kind() == constant.Bool && op != token.EQL && op != token.NEQ {
			return Varying
		}
		switch op {
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return Known(constant.MakeBool(constant.Compare(x.val, op, y.val)))
		}
		return Varying
	case x.kind == isNil && y.kind == isNil:
		eq = True
	case x.kind == isNil && y.kind == notNil, x.kind == notNil && y.kind == isNil:
		eq = False
	}
	switch {
	case op == token.EQL:
		return eq
	case op == token.NEQ:
		return not(eq)
	}
	return Varying
}

func not(f Fact) Fact {
	if f.kind == known && f.val.Kind() == constant.Bool {
		return Known(constant.MakeBool(!constant.BoolVal(f.val)))
	}
	return f
}

// An Oracle knows the values that tell the outcome of the acquire.
type Oracle interface {
	// Value returns the fact of v where v is an outcome.
	Value(v ssa.Value) (Fact, bool)
	// Stored returns what call stores through addr where that is an outcome
	// (Row.Scan), and whether it stores there at all.
	Stored(call ssa.Instruction, addr ssa.Value) (Fact, bool)
}

// evaluator decides values over the edges found executable so far.
type evaluator struct {
	oracle Oracle
	given  given
	edges  map[edge]bool
	before map[*ssa.BasicBlock]bool // blocks whose variables were set before the section begins
	memo   map[ssa.Value]Fact
	busy   map[ssa.Value]bool
	steps  int
}

func (e *evaluator) eval(v ssa.Value) Fact {
	if f, ok := e.memo[v]; ok {
		return f
	}
	if e.busy[v] {
		return Fact{} // a cycle through a phi: the other edges decide
	}
	e.busy[v] = true
	f := e.compute(v)
	delete(e.busy, v)
	if len(e.busy) == 0 {
		e.memo[v] = f
	}
	return f
}

func (e *evaluator) compute(v ssa.Value) Fact {
	if f, ok := e.oracle.Value(v); ok {
		return f
	}
	if f, ok := e.given.of(v); ok {
		return f
	}
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value == nil {
			if v.IsNil() {
				return Nil
			}
			if st, ok := v.Type().Underlying().(*types.Struct); ok {
				f := Varying
				for i := range st.NumFields() {
					if z := zero(st.Field(i).Type()); z.kind == known {
						f = f.With(i, z.val)
					}
				}
				return f
			}
			return Varying
		}
		return Known(v.Value)
	case *ssa.Phi:
		if e.before[v.Block()] {
			return Varying
		}
		f := Fact{}
		for i, pred := range v.Block().Preds {
			if e.edges[edge{pred, v.Block()}] {
				f = Meet(f, e.eval(v.Edges[i]))
			}
		}
		return f
	case *ssa.BinOp:
		switch v.Op {
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return compare(v.Op, e.eval(v.X), e.eval(v.Y))
		}
		return Varying // a counter: it does not keep its first value
	case *ssa.UnOp:
		switch v.Op {
		case token.NOT:
			return not(e.eval(v.X))
		case token.MUL:
			if g, ok := v.X.(*ssa.Global); ok && isError(deref(g.Type())) {
				return NotNil // a sentinel error
			}
			if lit, ok := v.X.(*ssa.Alloc); ok && e.whole(lit) {
				return e.record(lit)
			}
			return e.load(v)
		}
	case *ssa.MakeInterface:
		return NotNil
	case *ssa.ChangeInterface:
		return e.eval(v.X)
	case *ssa.ChangeType:
		return e.eval(v.X)
	case *ssa.Convert:
		return e.eval(v.X)
	case *ssa.Alloc:
		f := NotNil
		f.members = e.record(v).members
		return f
	case *ssa.MakeClosure, *ssa.MakeMap, *ssa.MakeChan, *ssa.MakeSlice, *ssa.Function:
		return NotNil
	case *ssa.Call:
		return e.call(v)
	case *ssa.Extract:
		if recv, ok := v.Tuple.(*ssa.UnOp); ok && v.Index == 1 && recv.Op == token.ARROW && neverClosed(recv.X) {
			return True // a loop over it does not end by itself
		}
		// errors.As and the like: nothing.
		return Varying
	}
	return Varying
}

// call knows a few functions of errors: they decide most failure branches.
func (e *evaluator) call(v *ssa.Call) Fact {
	fn := v.Call.StaticCallee()
	if fn == nil || fn.Pkg == nil || fn.Signature.Recv() != nil {
		return Varying
	}
	path, name := fn.Pkg.Pkg.Path(), fn.Name()
	switch {
	case path == "errors" && name == "New", path == "fmt" && name == "Errorf":
		return NotNil
	case (name == "Is" || name == "As") && (path == "errors" || path == "github.com/pkg/errors" || path == "golang.org/x/xerrors") && len(v.Call.Args) == 2:
		if f := e.eval(v.Call.Args[0]); f.kind == isNil {
			return False
		}
	case path == "github.com/pkg/errors" && (name == "Wrap" || name == "Wrapf" || name == "WithStack" || name == "WithMessage"):
		return e.eval(v.Call.Args[0]) // nil for nil
	case path == "errors" && name == "Join":
		return e.joined(v.Call.Args[0])
	default:
		return e.asked(v, fn)
	}
	return Varying
}

// joined is what errors.Join makes of a list of errors: nil where all of them are.
func (e *evaluator) joined(list ssa.Value) Fact {
	if c, ok := list.(*ssa.Const); ok && c.IsNil() {
		return Nil
	}
	s, ok := list.(*ssa.Slice)
	if !ok {
		return Varying
	}
	array, ok := s.X.(*ssa.Alloc)
	if !ok {
		return Varying
	}
	all := Nil
	for _, r := range *array.Referrers() {
		at, ok := r.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		for _, r := range *at.Referrers() {
			st, ok := r.(*ssa.Store)
			if !ok {
				continue
			}
			switch f := e.eval(st.Val); f.kind {
			case notNil:
				return NotNil
			case isNil:
			default:
				all = Varying
			}
		}
	}
	return all
}

// neverClosed reports whether a channel is one that package time makes.
func neverClosed(ch ssa.Value) bool {
	switch ch := ch.(type) {
	case *ssa.Call:
		fn := ch.Call.StaticCallee()
		return fn != nil && fn.Pkg != nil && fn.Pkg.Pkg.Path() == "time" && (fn.Name() == "After" || fn.Name() == "Tick")
	case *ssa.UnOp:
		fa, ok := ch.X.(*ssa.FieldAddr)
		if !ok {
			return false
		}
		named, ok := deref(fa.X.Type()).(*types.Named)
		return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "time" && (named.Obj().Name() == "Ticker" || named.Obj().Name() == "Timer")
	}
	return false
}

// load finds the stores that can reach a load of a local variable, going
// back over executable edges.
func (e *evaluator) load(v *ssa.UnOp) Fact {
	alloc, ok := v.X.(*ssa.Alloc)
	if !ok {
		if fa, isField := v.X.(*ssa.FieldAddr); isField {
			// A field of an outcome that was scanned into: sql.NullInt64.Int64.
			if base, isAlloc := fa.X.(*ssa.Alloc); isAlloc {
				alloc = base
			}
		}
		if alloc == nil {
			return Varying
		}
		f := e.reach(v.Block(), indexOf(v), alloc, make(map[*ssa.BasicBlock]bool))
		if f.Definite() {
			return Success(v.Type())
		}
		return Varying
	}
	return e.reach(v.Block(), indexOf(v), alloc, make(map[*ssa.BasicBlock]bool))
}

func (e *evaluator) reach(b *ssa.BasicBlock, before int, addr *ssa.Alloc, seen map[*ssa.BasicBlock]bool) Fact {
	if e.steps++; e.steps > 20000 {
		return Varying
	}
	for i := before - 1; i >= 0; i-- {
		switch in := b.Instrs[i].(type) {
		case *ssa.Store:
			if in.Addr == addr {
				return e.eval(in.Val)
			}
		case *ssa.Call:
			if f, ok := e.oracle.Stored(in, addr); ok {
				return f
			}
		case *ssa.Alloc:
			if in == addr {
				return Varying // its zero value: usually overwritten through a pointer
			}
		}
	}
	if seen[b] {
		return Fact{}
	}
	seen[b] = true
	f := Fact{}
	live := false
	for _, p := range b.Preds {
		live = live || e.edges[edge{p, b}]
	}
	for _, p := range b.Preds {
		if !live || e.edges[edge{p, b}] {
			f = Meet(f, e.reach(p, len(p.Instrs), addr, seen))
		}
	}
	return f
}

func indexOf(in ssa.Instruction) int {
	for i, x := range in.Block().Instrs {
		if x == in {
			return i
		}
	}
	return 0
}

func isError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// Fits reports whether f can be the value of something of type t.
func (f Fact) Fits(t types.Type) bool {
	if f.kind != known {
		_, basic := t.Underlying().(*types.Basic)
		return !basic
	}
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return false
	}
	switch f.val.Kind() {
	case constant.Bool:
		return b.Info()&types.IsBoolean != 0
	case constant.Int:
		return b.Info()&types.IsInteger != 0
	case constant.String:
		return b.Info()&types.IsString != 0
	}
	return false
}
