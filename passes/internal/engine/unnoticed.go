package engine

import (
	"go/token"
	"go/types"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/world"
)

var boolType types.Type = types.Typ[types.Bool]

// unnoticed says how it goes unnoticed that a call which renews until it fails
// has returned; it is empty where anything happens then.
func (f *family) unnoticed(in ssa.CallInstruction) string {
	if _, ok := in.(*ssa.Call); !ok {
		return "nothing happens when it returns"
	}
	region := world.Explore(in, outcomes{is: func(ssa.Value) bool { return false }}, func(ssa.Instruction) world.Verb { return world.Go })
	for _, x := range region.Held {
		if f.tellsSomebody(x) {
			return ""
		}
	}
	return "nothing happens when it returns"
}

// unheeded says how it goes unheeded that a channel, which is the result of a
// call, closes or yields; it is empty where it is not, or cannot be followed.
func (f *family) unheeded(in ssa.CallInstruction, result catalog.Ref) string {
	call, ok := in.(*ssa.Call)
	if !ok {
		return "the channel that it returns is lost"
	}
	list, escapes := f.carriers(resultOf(call, result.Index))
	if escapes {
		return ""
	}
	received := false
	for _, v := range list {
		for _, r := range *v.Referrers() {
			f := f.e.families[origin(rootOf(r.Parent()))]
			switch r := r.(type) {
			case *ssa.UnOp:
				if r.Op == token.ARROW {
					received = true
					if f.heeds(r, receipts{recv: r}) {
						return ""
					}
				}
			case *ssa.Select:
				for i, s := range r.States {
					if s.Chan == v {
						received = true
						if f.heeds(r, receipts{selected: r, index: i}) {
							return ""
						}
					}
				}
			}
		}
	}
	if received {
		return "the channel is drained, and nothing happens when it closes"
	}
	return "nobody reads the channel that it returns"
}

// heeds reports whether the end of a channel makes a difference.
func (f *family) heeds(start ssa.Instruction, o receipts) bool {
	open := o
	open.open = true
	bad := world.Explore(start, o, func(ssa.Instruction) world.Verb { return world.Go })
	well := f.follow(start, open, false)
	return f.differs(bad, well)
}

// receipts tells what a receive yields: from a closed channel, or a value.
type receipts struct {
	recv     *ssa.UnOp
	selected *ssa.Select
	index    int // of the state; -1: of the default
	open     bool
}

// Value implements world.Oracle.
func (o receipts) Value(v ssa.Value) (world.Fact, bool) {
	fact := func(v ssa.Value) (world.Fact, bool) {
		if o.open {
			f := world.Success(v.Type())
			return f, f.Definite()
		}
		f := failure(v.Type())
		return f, f.Definite()
	}
	if v == o.recv && o.recv != nil && !o.recv.CommaOk {
		return fact(v)
	}
	x, ok := v.(*ssa.Extract)
	if !ok {
		return world.Fact{}, false
	}
	switch {
	case o.recv != nil && x.Tuple == o.recv:
		return fact(v)
	case o.selected != nil && x.Tuple == o.selected:
		switch {
		case x.Index == 0:
			return world.Parse(strconv.Itoa(o.index)), true
		case x.Index == 1:
			return fact(v)
		case o.index >= 0 && x.Index == 2+o.receives():
			return fact(v)
		}
	}
	return world.Fact{}, false
}

// receives counts the receiving states before the one at hand: a select yields
// one value for each.
func (o receipts) receives() int {
	n := 0
	for _, s := range o.selected.States[:o.index] {
		if s.Dir == types.RecvOnly {
			n++
		}
	}
	return n
}

// Stored implements world.Oracle.
func (receipts) Stored(ssa.Instruction, ssa.Value) (world.Fact, bool) { return world.Fact{}, false }

// carriers lists the values of the family that are, or may be, one of list;
// escapes says that it also goes where it cannot be followed.
func (f *family) carriers(list []ssa.Value) (out []ssa.Value, escapes bool) {
	seen := make(map[ssa.Value]bool)
	for len(list) > 0 {
		v := list[0]
		list = list[1:]
		if seen[v] || v.Referrers() == nil {
			continue
		}
		seen[v] = true
		out = append(out, v)
		for _, r := range *v.Referrers() {
			f := f.e.families[origin(rootOf(r.Parent()))]
			if f == nil {
				return out, true
			}
			switch r := r.(type) {
			case *ssa.DebugRef, *ssa.BinOp, *ssa.Select:
			case *ssa.UnOp:
				if r.Op == token.MUL {
					list = append(list, r)
				}
			case *ssa.Phi:
				list = append(list, r)
			case *ssa.ChangeType:
				list = append(list, r)
			case *ssa.Extract:
				list = append(list, r)
			case *ssa.Store:
				if r.Val != v {
					continue
				}
				if fields := f.e.readings().private(r.Addr); fields != nil {
					list = append(list, fields...)
					continue
				}
				a, ok := f.base(r.Addr).(*ssa.Alloc)
				if !ok {
					return out, true
				}
				list = append(list, f.aliases(a)...)
			case *ssa.MakeClosure:
				switch v.(type) {
				case *ssa.Alloc, *ssa.FreeVar: // the closure's name for it is listed
				default:
					return out, true // the receiver of a method value
				}
			case ssa.CallInstruction:
				if f.e.reader.Entry(f.callTerm(r.Common(), r.Pos())) != nil {
					continue
				}
				params := taken(r.Common(), v)
				if params == nil {
					return out, true
				}
				list = append(list, params...)
			default:
				return out, true
			}
		}
	}
	return out, false
}

// taken lists the parameters of a function in view that a call gives v to; nil where
// the callee is out of sight, or v is what is called.
func taken(c *ssa.CallCommon, v ssa.Value) []ssa.Value {
	callee := origin(c.StaticCallee())
	if callee == nil || len(callee.Blocks) == 0 || len(callee.Params) != len(c.Args) {
		return nil
	}
	var out []ssa.Value
	for i, a := range c.Args {
		if a == v {
			out = append(out, callee.Params[i])
		}
	}
	return out
}

// aliases lists a variable under all the names that the closures of the family
// know it by.
func (f *family) aliases(a *ssa.Alloc) []ssa.Value {
	out := []ssa.Value{a}
	for _, fn := range f.members {
		for _, fv := range fn.FreeVars {
			if f.base(fv) == ssa.Value(a) {
				out = append(out, fv)
			}
		}
	}
	return out
}
