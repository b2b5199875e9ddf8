package engine

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/world"
)

// An oracle knows the values that tell the outcome of the acquire at st.
type oracle struct {
	f     *Family
	st    *summary.Site
	told  []*catalogTold
	memo  map[ssa.Value]bool
	asked bool // an outcome was asked for

	judged bool // the program judges by itself what the answer means
}

// oracle is what knows the outcome of the acquire at st, whose meaning is m.
func (f *Family) oracle(st *summary.Site, m meaning.Meaning) *oracle {
	return &oracle{f: f, st: st, told: m.Success, memo: make(map[ssa.Value]bool), judged: m.Judged && st.Direct}
}

// Tellers finds the values that tell the outcome of a call, whatever that is: its results,
// what is read from them, and what is kept in an object which is one of them.
func (f *Family) Tellers(in ssa.CallInstruction) func(ssa.Value) bool {
	o := &oracle{f: f, st: &summary.Site{At: in, Direct: true}, memo: make(map[ssa.Value]bool)}
	return func(v ssa.Value) bool { return o.outcome(v) || o.member(v) }
}

// ask notes that the outcome v was asked for. The error of a command that
// answers with a bool does not tell a refusal.
func (o *oracle) ask(v ssa.Value) {
	if o.st.Direct && code.IsError(v.Type()) {
		if call, ok := o.st.At.(ssa.Value); ok && (o.st.Mute || strings.Contains(call.Type().String(), "Bool")) {
			return
		}
	}
	o.asked = true
}

// Value implements world.Oracle.
func (o *oracle) Value(v ssa.Value) (world.Fact, bool) {
	call, _ := o.st.At.(ssa.Value)
	if o.st.Facts != nil {
		switch x := v.(type) {
		case *ssa.Extract:
			if x.Tuple == call && x.Index < len(o.st.Facts) {
				o.ask(v)
				return o.st.Facts[x.Index], o.st.Facts[x.Index].Definite()
			}
		case *ssa.Call:
			if v == call && len(o.st.Facts) == 1 {
				o.ask(v)
				return o.st.Facts[0], o.st.Facts[0].Definite()
			}
			if o.reply(x) {
				o.ask(v)
				return world.Success(v.Type()), true
			}
		case *ssa.UnOp:
			if fa, ok := x.X.(*ssa.FieldAddr); ok {
				return o.flag(v, fa.X, fa.Field)
			}
		case *ssa.Field:
			return o.flag(v, x.X, x.Field)
		}
		if x, ok := v.(*ssa.Extract); ok {
			if c, ok := x.Tuple.(*ssa.Call); ok && o.reply(c) {
				o.ask(v)
				return world.Success(v.Type()), true
			}
		}
		return world.Fact{}, false
	}
	switch x := v.(type) {
	case *ssa.Extract:
		if o.outcome(x.Tuple) {
			o.ask(v)
			return o.fact(x, x.Index), true
		}
	case *ssa.Call:
		if o.outcome(x) {
			o.ask(v)
			return o.fact(x, 0), true
		}
		if fact, ok := o.judgement(x); ok {
			o.asked = true
			return fact, true
		}
	case *ssa.UnOp:
		// A bool field of the outcome: TxnResponse.Succeeded.
		if fa, ok := x.X.(*ssa.FieldAddr); ok && o.outcome(fa.X) {
			if b, ok := x.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsBoolean != 0 {
				o.ask(v)
				return world.True, true
			}
		}
	}
	return world.Fact{}, false
}

// flag is what a wrapper tells in the bool v, a field of the record that it returns.
func (o *oracle) flag(v, record ssa.Value, field int) (world.Fact, bool) {
	if a, ok := record.(*ssa.Alloc); ok && len(o.f.Stores[a]) == 1 {
		record = o.f.Stores[a][0]
	}
	index := 0
	if x, ok := record.(*ssa.Extract); ok {
		record, index = x.Tuple, x.Index
	}
	call, _ := o.st.At.(ssa.Value)
	if call == nil || record != call || index >= len(o.st.Facts) {
		return world.Fact{}, false
	}
	f := o.st.Facts[index].Field(field)
	if f.Definite() {
		o.ask(v)
	}
	return f, f.Definite()
}

// reply reports whether c asks the object that a wrapper's call returned for
// its outcome: a client of the project's own that hands on command objects.
func (o *oracle) reply(c *ssa.Call) bool {
	call, ok := o.st.At.(ssa.Value)
	if !ok {
		return false
	}
	var recv ssa.Value
	switch cc := c.Common(); {
	case cc.IsInvoke():
		recv = cc.Value
	case cc.Signature().Recv() != nil && len(cc.Args) > 0:
		recv = cc.Args[0]
	}
	if recv != call {
		return o.done(c, recv)
	}
	name := c.Common().Method
	fn := ""
	if name != nil {
		fn = name.Name()
	} else if g := c.Common().StaticCallee(); g != nil {
		fn = g.Name()
	}
	switch fn {
	case "Result", "Val", "Err", "Bool", "Int", "Int64", "Text", "String":
		return true
	}
	return false
}

// done reports whether c asks at once for the error of the context that a wrapper returned, which
// is over already where the lock was refused: nothing else that it returns tells.
func (o *oracle) done(c *ssa.Call, recv ssa.Value) bool {
	x, ok := recv.(*ssa.Extract)
	call, _ := o.st.At.(*ssa.Call)
	if !ok || call == nil || x.Tuple != ssa.Value(call) || !code.IsContext(x.Type()) || code.MethodOf(c.Common()) != "Err" || c.Block() != call.Block() {
		return false
	}
	for v := range call.Call.Signature().Results().Variables() {
		if code.IsError(v.Type()) || code.IsBasic(v.Type()) {
			return false
		}
	}
	return true
}

func (o *oracle) fact(v ssa.Value, index int) world.Fact {
	for _, t := range o.told {
		if v.Type() != nil && t.At.Index == index && t.Is != "any" && t.Is != "not negative" && len(o.told) > 0 {
			if f := world.Parse(t.Is); f.Fits(v.Type()) {
				return f
			}
		}
	}
	return world.Success(v.Type())
}

// outcome reports whether v is the acquire's result, or read from it.
func (o *oracle) outcome(v ssa.Value) bool {
	if r, ok := o.memo[v]; ok {
		return r
	}
	o.memo[v] = false
	r := o.isOutcome(v)
	o.memo[v] = r
	return r
}

func (o *oracle) isOutcome(v ssa.Value) bool {
	if call, ok := o.st.At.(ssa.Value); ok && v == call {
		return true
	}
	switch x := v.(type) {
	case *ssa.Extract:
		return o.outcome(x.Tuple)
	case *ssa.Call:
		entry := o.f.Engine.Reader.Entry(o.f.CallTerm(x.Common(), x.Pos()))
		if entry == nil || entry.Reads == nil {
			return false
		}
		// A question about the error (errors.Is) is not answered by success.
		src := code.Operand(x.Common(), entry.Reads.Of)
		return src != nil && !code.IsError(src.Type()) && o.outcome(src)
	case *ssa.ChangeType:
		return o.outcome(x.X)
	case *ssa.MakeInterface:
		return o.outcome(x.X)
	case *ssa.TypeAssert:
		return o.outcome(x.X)
	case *ssa.FieldAddr: // the part of the reply that has the method which is called
		st, ok := code.Deref(x.X.Type()).Underlying().(*types.Struct)
		return ok && st.Field(x.Field).Embedded() && o.outcome(x.X)
	case *ssa.UnOp:
		if a, ok := o.f.Base(x.X).(*ssa.Alloc); ok {
			stores := o.f.Stores[a]
			for _, s := range stores {
				if !o.outcome(s) {
					return false
				}
			}
			return len(stores) > 0
		}
	}
	return false
}

// member reports whether v is a number, a bool or an error that is kept in an object
// which is the outcome, or in one that is embedded there: the count of rows, or the
// error, of a statement.
func (o *oracle) member(v ssa.Value) bool {
	if _, basic := v.Type().Underlying().(*types.Basic); !basic && !code.IsError(v.Type()) {
		return false
	}
	switch x := v.(type) {
	case *ssa.UnOp:
		fa, ok := x.X.(*ssa.FieldAddr)
		return ok && o.outcome(fa.X)
	case *ssa.Field:
		return o.outcome(x.X)
	case *ssa.Call:
		entry := o.f.Engine.Reader.Entry(o.f.CallTerm(x.Common(), x.Pos()))
		if entry == nil || entry.Reads == nil {
			return false
		}
		fa, ok := code.Operand(x.Common(), entry.Reads.Of).(*ssa.FieldAddr)
		return ok && o.outcome(fa.X)
	}
	return false
}

// Stored implements world.Oracle.
func (o *oracle) Stored(in ssa.Instruction, addr ssa.Value) (world.Fact, bool) {
	call, ok := in.(*ssa.Call)
	if !ok {
		return world.Fact{}, false
	}
	for _, out := range o.f.outs[o.f.Base(addr)] {
		if out.value != ssa.Value(call) {
			continue
		}
		if o.outcome(call) {
			o.asked = o.asked || !o.st.Mute // a variable that Scan fills
			return world.Success(code.Deref(addr.Type())), true
		}
		return world.Varying, true
	}
	return world.Fact{}, false
}

type catalogTold = catalog.Told
