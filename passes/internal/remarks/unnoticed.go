package remarks

import (
	"go/token"
	"go/types"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/world"
)

var boolType types.Type = types.Typ[types.Bool]

// unnoticed says how it goes unnoticed that a call which renews until it fails
// has returned; it is empty where anything happens then.
func unnoticed(f *engine.Family, in ssa.CallInstruction) string {
	if _, ok := in.(*ssa.Call); !ok {
		return "nothing happens when it returns"
	}
	region := world.Explore(in, outcomes{is: func(ssa.Value) bool { return false }}, func(ssa.Instruction) world.Verb { return world.Go })
	for _, x := range region.Held {
		if tellsSomebody(f, x) {
			return ""
		}
	}
	return "nothing happens when it returns"
}

// unheeded says how it goes unheeded that a channel, which is the result of a
// call, closes or yields; it is empty where it is not, or cannot be followed.
func unheeded(f *engine.Family, in ssa.CallInstruction, result catalog.Ref) string {
	call, ok := in.(*ssa.Call)
	if !ok {
		return "the channel that it returns is lost"
	}
	list, escapes := f.Carriers(engine.ResultOf(call, result.Index))
	if escapes {
		return ""
	}
	received := false
	for _, v := range list {
		for _, r := range *v.Referrers() {
			f := f.Engine.Families[code.Origin(code.Root(r.Parent()))]
			switch r := r.(type) {
			case *ssa.UnOp:
				if r.Op == token.ARROW {
					received = true
					if heeds(f, r, receipts{recv: r}) {
						return ""
					}
				}
			case *ssa.Select:
				for i, s := range r.States {
					if s.Chan == v {
						received = true
						if heeds(f, r, receipts{selected: r, index: i}) {
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
func heeds(f *engine.Family, start ssa.Instruction, o receipts) bool {
	open := o
	open.open = true
	bad := world.Explore(start, o, func(ssa.Instruction) world.Verb { return world.Go })
	well := follow(f, start, open, false)
	return differs(f, bad, well)
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
