package remarks

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
)

// A signal of loss is heeded if something that other code can notice follows once it
// has come: the context of the work is cancelled, a loop is left, an error returned.
// To receive it and to write a log line is not that.

// ignored says how it is ignored that a result of a call tells the loss of a lease; it
// is empty where it is not, or goes where it cannot be followed.
func (k *keeping) ignored(f *engine.Family, call *ssa.Call, l *catalog.Loss) string {
	list, escapes := f.Carriers(engine.ResultOf(call, l.Result.Index))
	if escapes {
		return ""
	}
	received, heeded := received(f, list)
	text := "the " + l.How + " that " + code.MethodOf(call.Common()) + " returns "
	switch {
	case heeded:
		return ""
	case received:
		return text + "only leads to a log line"
	}
	return text + "is not looked at"
}

// onlyLogged reports whether a call tells the loss of a lease, and all that comes of it is
// a log line: once the channel that it returns does, or of its answer.
func (k *keeping) onlyLogged(f *engine.Family, in ssa.Instruction) bool {
	call, ok := in.(*ssa.Call)
	if !ok {
		return false
	}
	e := f.Engine.Reader.Entry(f.CallTerm(call.Common(), call.Pos()))
	if e == nil || e.Loss == nil {
		return false
	}
	told := engine.ResultOf(call, e.Loss.Result.Index)
	switch e.Loss.How {
	case "channel":
		list, escapes := f.Carriers(told)
		received, heeded := received(f, list)
		return !escapes && received && !heeded
	case "poll":
		return len(told) > 0 && !slices.ContainsFunc(told, func(v ssa.Value) bool { return k.decidesBy(v, 0) })
	}
	return false
}

// received reports whether one of the values is received from, or a context among
// them used, and whether that makes a difference.
func received(f *engine.Family, list []ssa.Value) (received, heeded bool) {
	for _, v := range list {
		for _, r := range *v.Referrers() {
			g := f.Engine.Families[code.Origin(code.Root(r.Parent()))]
			switch r := r.(type) {
			case *ssa.UnOp:
				if r.Op == token.ARROW {
					received, heeded = true, heeded || follows(g, r, receipts{recv: r})
				}
			case *ssa.Select:
				for i, s := range r.States {
					if s.Chan == v {
						received, heeded = true, heeded || follows(g, r, receipts{selected: r, index: i})
					}
				}
			case ssa.CallInstruction:
				if engine.Taken(r.Common(), v) == nil {
					received, heeded = true, true
				}
			}
		}
	}
	return received, heeded
}

// follows reports whether something that others notice happens once a channel has told
// something, be it by a value or by its end, before anything else is waited for. What
// happens as well where a select finds nothing to receive does not come of it.
func follows(f *engine.Family, start ssa.Instruction, o receipts) bool {
	idle := make(map[ssa.Instruction]bool)
	if o.selected != nil && !o.selected.Blocking {
		for _, in := range follow(f, start, receipts{selected: o.selected, index: -1}, true).Held {
			idle[in] = true
		}
	}
	for _, open := range []bool{false, true} {
		o.open = open
		if slices.ContainsFunc(follow(f, start, o, true).Held, func(in ssa.Instruction) bool {
			_, ret := in.(*ssa.Return)
			return !idle[in] && (tellsSomebody(f, in) || ret && !aside(f.Engine, in.Parent()))
		}) {
			return true
		}
	}
	return false
}

// aside reports whether a function only ever runs as a goroutine, so that nobody waits
// for its end.
func aside(e *engine.Engine, fn *ssa.Function) bool {
	if fn.Parent() != nil && inGoroutine(fn) {
		return true
	}
	r := e.Readings()
	return len(r.Callers[fn]) > 0 && len(r.Taking[fn]) == 0
}
