package engine

import (
	"cmp"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/lock"
)

// Leadership is often told to work that runs elsewhere: by a flag that a loop
// looks at, or by a channel that it waits for. What is done under the flag, and
// after the receipt, belongs to the section then.
//
// Only names that speak of leading are followed: programs are full of flags and
// channels. The way back (the flag is cleared, the term ends) is not looked at.

// maxHandovers bounds how often leadership is handed on.
const maxHandovers = 3

var leadWords = append(slices.Clip(electWords), "master", "primary", "active")

// electWords are those of them that say the same wherever they stand: a variable of a
// function that is called active may be about anything.
var electWords = []string{"leader", "lead", "leading", "leadership", "elected", "elect"}

// signal is the name of what an instruction tells leadership by, or "": the field
// or variable that a flag is set in, or a channel is found in.
func (f *Family) signal(in ssa.Instruction) string {
	switch in := in.(type) {
	case *ssa.Send:
		return f.signalName(in.Chan)
	case *ssa.Store:
		if isBool(in.Val.Type()) && !isFalse(in.Val) {
			return f.placeName(in.Addr)
		}
	case *ssa.Call:
		c := in.Common()
		if b, ok := c.Value.(*ssa.Builtin); ok && b.Name() == "close" {
			return f.signalName(c.Args[0])
		}
		if atomicBool(c, "Store", "Swap", "CompareAndSwap") && len(c.Args) > 1 && !isFalse(c.Args[len(c.Args)-1]) {
			return f.placeName(c.Args[0])
		}
	}
	return ""
}

// leads is the effect of telling leadership.
func (f *Family) leads(in ssa.Instruction) []summary.Effect {
	name := f.signal(in)
	if name == "" {
		return nil
	}
	x := summary.Effect{Signal: name, At: f.Frame(in, "")}
	if _, ok := in.(*ssa.Send); ok {
		x.Why = lock.ReasonGoroutine // somebody receives, in sight or not
	}
	return []summary.Effect{x}
}

// Leads reports whether whoever takes a lock keeps it and tells that it leads: an election,
// though it be made by hand. What is told far away may be about anything.
func Leads(st *summary.Site) bool {
	return st.HeldOut && slices.ContainsFunc(st.Effects, func(x summary.Effect) bool { return x.Signal != "" && len(x.Via) <= 1 })
}

// signalsCaller reports whether an instruction closes a channel that the caller
// handed in: "I am ready, go ahead".
func (f *Family) signalsCaller(in ssa.Instruction) bool {
	c, ok := in.(*ssa.Call)
	if !ok {
		return false
	}
	b, ok := c.Call.Value.(*ssa.Builtin)
	if !ok || b.Name() != "close" {
		return false
	}
	_, ok = f.Single(c.Call.Args[0]).(*ssa.Parameter)
	return ok
}

// replies reports whether a send on a channel answers somebody who asked: it came with what
// was received. Who waits for that answer is not told to work under the lock.
func (f *Family) replies(ch ssa.Value) bool {
	v := ch
	for range 6 {
		switch x := v.(type) {
		case *ssa.UnOp:
			if x.Op == token.ARROW {
				return v != ch
			}
			v = x.X
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.Field:
			v = x.X
		case *ssa.Alloc:
			list := f.Stores[x]
			if len(list) != 1 {
				return false
			}
			v = list[0]
		case *ssa.Extract:
			if _, ok := x.Tuple.(*ssa.Select); ok {
				return v != ch
			}
			v = x.Tuple
		default:
			return false
		}
	}
	return false
}

// signalName names the place that a channel is loaded from.
func (f *Family) signalName(ch ssa.Value) string {
	switch v := ch.(type) {
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return cmp.Or(f.madeBy(f.Single(v)), f.placeName(v.X))
		}
	default:
		return f.madeBy(v)
	}
	return ""
}

// madeBy names the channel that a value is, if a function of the program made it and
// returned it: it has the name of the variable there.
func (f *Family) madeBy(v ssa.Value) string {
	index := 0
	if x, ok := v.(*ssa.Extract); ok {
		v, index = x.Tuple, x.Index
	}
	call, ok := v.(*ssa.Call)
	if !ok {
		return ""
	}
	made := code.Origin(call.Common().StaticCallee())
	if made == nil || f.Engine.Families[made] == nil || index >= made.Signature.Results().Len() {
		return ""
	}
	name := ""
	for _, b := range made.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		load, ok := ret.Results[index].(*ssa.UnOp)
		if !ok || load.Op != token.MUL {
			return ""
		}
		got := f.Engine.Families[made].placeName(load.X)
		if got == "" || name != "" && got != name {
			return ""
		}
		name = got
	}
	return name
}

// variable names a variable of a function whose name speaks of leading, or is "".
func (f *Family) variable(a *ssa.Alloc) string {
	if !meaning.Named(a.Comment, electWords...) {
		return ""
	}
	return a.Parent().RelString(nil) + "." + a.Comment
}

// placeName names a field or a variable whose name speaks of leading, or is "".
func (f *Family) placeName(addr ssa.Value) string {
	switch a := f.Base(addr).(type) {
	case *ssa.Alloc:
		return f.variable(a)
	case *ssa.FieldAddr:
		if name := code.FieldName(a.X.Type(), a.Field); meaning.Named(name, leadWords...) {
			return types.TypeString(a.X.Type(), nil) + "." + name
		}
	case *ssa.Global:
		if meaning.Named(a.Name(), leadWords...) {
			return a.RelString(nil)
		}
	}
	return ""
}

// atomicBool reports whether a call is one of those methods of atomic.Bool.
func atomicBool(c *ssa.CallCommon, methods ...string) bool {
	name, ok := strings.CutPrefix(code.CalleeName(c), "(*atomic.Bool).")
	return ok && slices.Contains(methods, name)
}

func isBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

func isFalse(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && (c.Value == nil || c.Value.Kind() == constant.Bool && !constant.BoolVal(c.Value))
}

// Told lists the effects of what is done where leadership is told by a signal.
func (e *Engine) Told(signal string, depth int) []summary.Effect {
	if list, ok := e.followers[signal]; ok || depth > maxHandovers {
		return list
	}
	if e.followers == nil {
		e.followers = make(map[string][]summary.Effect)
	}
	e.followers[signal] = nil
	var out []summary.Effect
	for _, u := range e.Index.following(signal) {
		steps := u.f.Summarise(u.fn).Steps // those of most functions are not kept
		for _, b := range u.fn.Blocks {
			if !u.blocks[b] {
				continue
			}
			for _, in := range b.Instrs {
				for _, x := range steps[in] {
					if x.Signal != "" {
						out = append(out, e.Told(x.Signal, depth+1)...)
						continue
					}
					x.Reach = max(x.Reach, summary.ByGoroutine)
					out = append(out, x)
				}
			}
		}
	}
	e.followers[signal] = bound(out)
	return e.followers[signal]
}

// follow summarises the functions that work where leadership is told, or to which work is
// handed on.
func (e *Engine) follow() {
	follows := make(map[*Family]bool)
	e.EachSummary(func(_ *Family, _ *ssa.Function, s *summary.Summary) {
		for _, x := range s.Effects {
			var list []under
			if x.Signal != "" {
				list = e.Index.following(x.Signal)
			} else if HandsOn(x) {
				key, _ := x.Call.Args[0].Str()
				list = e.Index.takers(key)
			}
			for _, u := range list {
				follows[u.f] = follows[u.f] || u.f.Sums[u.fn] == nil
			}
		}
	})
	var todo []*Family
	for _, f := range e.Order {
		if follows[f] {
			todo = append(todo, f)
		}
	}
	e.SolveFrom(todo)
}

// An under is what runs in a function only where a signal has told of leadership.
type under struct {
	f      *Family
	fn     *ssa.Function
	blocks map[*ssa.BasicBlock]bool
}

// under lists the blocks of a function that run only where a flag is set, or
// after a channel has told, by the name of that.
func (f *Family) under(fn *ssa.Function) map[string]map[*ssa.BasicBlock]bool {
	var out map[string]map[*ssa.BasicBlock]bool
	below := func(signal string, b *ssa.BasicBlock) {
		if signal == "" {
			return
		}
		if out == nil {
			out = make(map[string]map[*ssa.BasicBlock]bool)
		}
		if out[signal] == nil {
			out[signal] = make(map[*ssa.BasicBlock]bool)
		}
		for _, x := range fn.Blocks {
			if b.Dominates(x) {
				out[signal][x] = true
			}
		}
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.If:
				for i, to := range b.Succs {
					if len(to.Preds) == 1 {
						below(f.asksFlag(in.Cond, i == 0), to)
					}
				}
			case *ssa.UnOp:
				if in.Op == token.ARROW {
					below(f.signalName(in.X), b)
				}
			case *ssa.Select:
				for _, state := range in.States {
					signal := f.signalName(state.Chan)
					for _, x := range fn.Blocks {
						if p := x.Idom(); signal != "" && p != nil && code.Selected(p, x, func(ch ssa.Value) bool { return f.signalName(ch) == signal }) == ssa.Instruction(in) {
							below(signal, x)
						}
					}
				}
			}
		}
	}
	return out
}

// asksFlag names the flag that is set where a condition turns out as given; it is
// empty where that says of none.
func (f *Family) asksFlag(cond ssa.Value, given bool) string {
	switch v := cond.(type) {
	case *ssa.UnOp:
		if v.Op == token.NOT {
			return f.asksFlag(v.X, !given)
		}
	case *ssa.BinOp:
		if v.Op == token.EQL || v.Op == token.NEQ {
			if c, ok := v.Y.(*ssa.Const); ok && isBool(c.Type()) {
				return f.asksFlag(v.X, given == ((v.Op == token.EQL) != isFalse(c)))
			}
		}
	}
	if !given {
		return ""
	}
	return f.flag(cond, 0)
}

// flag names the flag that a value is, perhaps as a function returns it; it is empty
// for other values.
func (f *Family) flag(v ssa.Value, depth int) string {
	if depth > maxHandovers {
		return ""
	}
	switch v := f.Single(v).(type) {
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return f.placeName(v.X)
		}
	case *ssa.Extract:
		if c, ok := v.Tuple.(*ssa.Call); ok {
			return f.Engine.returnsFlag(c.Common(), v.Index, depth)
		}
	case *ssa.Call:
		if c := v.Common(); atomicBool(c, "Load") {
			return f.placeName(c.Args[0])
		}
		return f.Engine.returnsFlag(v.Common(), 0, depth)
	}
	return ""
}

// returnsFlag names the flag that a function's result is wherever it is not false.
func (e *Engine) returnsFlag(c *ssa.CallCommon, index int, depth int) string {
	fn := code.Origin(c.StaticCallee())
	if fn == nil || fn.Parent() != nil || e.Families[fn] == nil || index >= fn.Signature.Results().Len() || !isBool(fn.Signature.Results().At(index).Type()) {
		return ""
	}
	flag := ""
	for _, b := range fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok || isFalse(e.Families[fn].Single(ret.Results[index])) {
			continue
		}
		name := e.Families[fn].flag(ret.Results[index], depth+1)
		if name == "" || flag != "" && name != flag {
			return ""
		}
		flag = name
	}
	return flag
}
