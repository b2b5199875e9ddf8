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
)

// Work may be handed to somebody else in the process: sent on a channel that an object
// keeps, or put into a list that is taken and emptied elsewhere. What that one does with it
// is done for the section, and after it perhaps.
//
// Only what carries data is followed, not signals, errors and results: a channel that came as a
// parameter, or with what was received, leads back to whoever asked. Imprecision: channels
// and lists are those of a type, not of one object, and what is received is not told
// apart.

// Onto is the name of a call that stands for handing work on. Its argument says by what.
const Onto = "onto a queue"

// handsOn is the effect of an instruction that hands work on.
func (f *Family) handsOn(in ssa.Instruction) []summary.Effect {
	var out []summary.Effect
	add := func(key string, sent ssa.Value) {
		if fn := f.Get(sent); fn.Kind == term.Closure || fn.Kind == term.Func {
			more, _ := f.Apply(fn, nil, f.Frame(in, ""), summary.ByGoroutine) // whoever receives it calls it
			out = append(out, more...)
			return
		}
		if key != "" && carriesData(sent.Type()) {
			p := f.Engine.Pool
			out = append(out, summary.Effect{Call: p.Call(Onto, "", p.Const("string", key)), At: f.Frame(in, ""), Reach: summary.ByGoroutine})
		}
	}
	switch in := in.(type) {
	case *ssa.Send:
		add(f.keptChannel(in.Chan), in.X)
	case *ssa.Select:
		for _, state := range in.States {
			if state.Dir == types.SendOnly {
				add(f.keptChannel(state.Chan), state.Send)
			}
		}
	case *ssa.Store:
		if a, ok := in.Addr.(*ssa.FieldAddr); ok && f.growsList(a, in.Val) {
			add(listKey(a), in.Val)
		}
	}
	return out
}

// carriesData reports whether values of a type tell of work, rather than that something is
// done or failed.
func carriesData(t types.Type) bool {
	if code.IsError(t) || isBool(t) || code.IsNamed(t, "time", "Time") {
		return false
	}
	switch u := code.Deref(t).Underlying().(type) {
	case *types.Struct:
		for v := range u.Fields() {
			if code.IsError(v.Type()) {
				return false // a result
			}
		}
		return u.NumFields() > 0
	case *types.Chan, *types.Signature:
		return false
	}
	return true
}

// slotKey names a field of a named type.
func slotKey(a *ssa.FieldAddr) string {
	at, ok := code.SlotOf(a.X.Type(), a.Field)
	if !ok || at.Owner.Pkg() == nil {
		return ""
	}
	return at.Owner.Pkg().Path() + "." + at.Owner.Name() + "." + code.FieldName(a.X.Type(), a.Field)
}

// inList begins the names of fields that hold lists.
const inList = "list "

func listKey(a *ssa.FieldAddr) string { return inList + slotKey(a) }

// answerNames are names of channels by which somebody is told what came of something.
var answerNames = []string{"reply", "replies", "response", "responses", "resp", "answer", "result", "results", "done", "err", "errs", "error", "errors", "ack", "acks", "ready", "quit", "stop"}

// keptChannel names the field that a channel is read from; "" for other channels, and for
// those that lead back to whoever asked.
func (f *Family) keptChannel(ch ssa.Value) string {
	if load, ok := f.Single(ch).(*ssa.UnOp); ok && load.Op == token.MUL {
		if a, ok := f.Base(load.X).(*ssa.FieldAddr); ok && !f.replies(ch) && !meaning.Named(code.FieldName(a.X.Type(), a.Field), answerNames...) {
			return slotKey(a)
		}
	}
	return ""
}

// growsList reports whether what is stored in a field is the list that was there, with
// more in it.
func (f *Family) growsList(a *ssa.FieldAddr, v ssa.Value) bool {
	call, ok := v.(*ssa.Call)
	if !ok || !isAppend(call) {
		return false
	}
	load, ok := call.Call.Args[0].(*ssa.UnOp)
	return ok && readsSlot(load, slotKey(a))
}

// readsSlot reports whether a value is read from the field of that name.
func readsSlot(load *ssa.UnOp, key string) bool {
	b, ok := load.X.(*ssa.FieldAddr)
	return ok && load.Op == token.MUL && key != "" && slotKey(b) == key
}

// takers lists what runs only where something was received from channels that objects
// keep, or taken out of lists, by the names of the fields.
func (x *Index) takers(key string) []under {
	if x.taking != nil {
		return x.taking[key]
	}
	x.taking = make(map[string][]under)
	if x.e.texts == nil {
		x.e.scanFields()
	}
	made := x.e.channelFields()
	x.e.EachFunction(func(f *Family, fn *ssa.Function) {
		note := func(key string, blocks map[*ssa.BasicBlock]bool) {
			if key != "" && len(blocks) > 0 {
				x.taking[key] = append(x.taking[key], under{f, fn, blocks})
			}
		}
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				switch in := in.(type) {
				case *ssa.UnOp:
					if in.Op == token.ARROW {
						for _, key := range x.e.channelKeys(in.X, made, 0) {
							note(key, following(b))
						}
					}
				case *ssa.Select:
					for i, state := range in.States {
						if state.Dir != types.RecvOnly {
							continue
						}
						for _, key := range x.e.channelKeys(state.Chan, made, 0) {
							for _, to := range fn.Blocks {
								if p := to.Idom(); p != nil && len(to.Preds) == 1 && code.Selected(p, to, func(ch ssa.Value) bool { return ch == in.States[i].Chan }) == ssa.Instruction(in) {
									note(key, following(to))
								}
							}
						}
					}
				case *ssa.Store:
					if a, ok := in.Addr.(*ssa.FieldAddr); ok && empties(in.Val) {
						key := slotKey(a)
						for _, from := range fn.Blocks {
							if slices.ContainsFunc(from.Instrs, func(y ssa.Instruction) bool {
								load, ok := y.(*ssa.UnOp)
								return ok && readsSlot(load, key)
							}) {
								note(listKey(a), following(from))
								break
							}
						}
					}
				}
			}
		}
	})
	return x.taking[key]
}

// empties reports whether a list that is stored has nothing in it.
func empties(v ssa.Value) bool {
	if _, ok := v.Type().Underlying().(*types.Slice); !ok {
		return false
	}
	switch v := v.(type) {
	case *ssa.Const:
		return v.IsNil()
	case *ssa.Slice:
		n, ok := code.ConstInt(v.High)
		return v.High != nil && ok && n == 0
	case *ssa.MakeSlice:
		n, ok := code.ConstInt(v.Len)
		return ok && n == 0
	}
	return false
}

// following lists the blocks that run only after b: in a loop around b, before its next
// turn.
func following(b *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	back := make(map[*ssa.BasicBlock]bool)
	work := slices.Clone(b.Preds)
	for len(work) > 0 {
		p := work[len(work)-1]
		work = work[:len(work)-1]
		if !back[p] && b.Dominates(p) {
			back[p] = true
			work = append(work, p.Preds...)
		}
	}
	out := make(map[*ssa.BasicBlock]bool)
	for _, x := range b.Parent().Blocks {
		if b.Dominates(x) && (len(back) == 0 || back[x]) {
			out[x] = true
		}
	}
	return out
}

// channelFields lists the fields that channels are stored in, by where those are made.
func (e *Engine) channelFields() map[ssa.Value][]string {
	made := make(map[ssa.Value][]string)
	e.EachFunction(func(f *Family, fn *ssa.Function) {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				st, ok := in.(*ssa.Store)
				if !ok {
					continue
				}
				a, ok := st.Addr.(*ssa.FieldAddr)
				if _, channel := st.Val.Type().Underlying().(*types.Chan); !ok || !channel {
					continue
				}
				if ch := f.madeChannel(st.Val); ch != nil {
					made[ch] = append(made[ch], slotKey(a))
				}
			}
		}
	})
	return made
}

// madeChannel is where a channel was made, if that is in the family.
func (f *Family) madeChannel(v ssa.Value) ssa.Value {
	f.Look()
	for range MaxLooks {
		switch x := f.Single(v).(type) {
		case *ssa.MakeChan:
			return x
		case *ssa.ChangeType:
			v = x.X
		default:
			return nil
		}
	}
	return nil
}

// channelKeys lists the fields in which a channel may be kept that is received from.
func (e *Engine) channelKeys(ch ssa.Value, made map[ssa.Value][]string, depth int) []string {
	f := e.familyOf(ch)
	if f == nil || depth > maxHandovers {
		return nil
	}
	switch v := f.Single(ch).(type) {
	case *ssa.ChangeType:
		return e.channelKeys(v.X, made, depth)
	case *ssa.MakeChan:
		return made[v]
	case *ssa.UnOp:
		if key := f.keptChannel(v); key != "" {
			return []string{key}
		}
	case *ssa.Parameter:
		i := slices.Index(v.Parent().Params, v)
		var keys []string
		for _, c := range e.Readings().Callers[v.Parent()] {
			if i < len(c.Args) {
				keys = append(keys, e.channelKeys(c.Args[i], made, depth+1)...)
			}
		}
		slices.Sort(keys)
		return slices.Compact(keys)
	case *ssa.Call:
		fn := code.Origin(v.Call.StaticCallee())
		if fn == nil || e.Families[code.Root(fn)] == nil {
			return nil
		}
		var keys []string
		for _, b := range fn.Blocks {
			if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && len(ret.Results) == 1 {
				keys = append(keys, e.channelKeys(ret.Results[0], made, depth+1)...)
			}
		}
		return keys
	}
	return nil
}

// HandedOn lists what is done elsewhere with work that is handed on. It is not known where
// nobody in view receives it, or whoever does takes a lock of his own.
// A list that nobody in view empties is just kept.
func (e *Engine) HandedOn(x summary.Effect) (list []summary.Effect, known bool) {
	got := e.handedOn(x, 1)
	return got.effects, got.known
}

// handedWork is what is done with the work that is handed on in one way.
type handedWork struct {
	effects []summary.Effect
	known   bool
}

func (e *Engine) handedOn(x summary.Effect, depth int) handedWork {
	key, _ := x.Call.Args[0].Str()
	if got, ok := e.taken[key]; ok || depth > maxHandovers {
		return got
	}
	if e.taken == nil {
		e.taken = make(map[string]handedWork)
	}
	e.taken[key] = handedWork{} // while it is looked for
	e.taken[key] = e.handOn(key, depth)
	return e.taken[key]
}

func (e *Engine) handOn(key string, depth int) handedWork {
	takers := e.Index.takers(key)
	var list []summary.Effect
	for _, u := range takers {
		steps := u.f.Summarise(u.fn).Steps // those of most functions are not kept
		for _, b := range u.fn.Blocks {
			if !u.blocks[b] {
				continue
			}
			for _, in := range b.Instrs {
				for _, y := range steps[in] {
					switch {
					case y.Signal != "":
					case HandsOn(y):
						if at, _ := y.Call.Args[0].Str(); at == key {
							continue // once more
						}
						more := e.handedOn(y, depth+1)
						if !more.known {
							return handedWork{}
						}
						list = append(list, more.effects...)
					case y.Call != nil && y.Open == summary.Closed && e.takes(y.Call) > 1:
						return handedWork{}
					default:
						y.Reach = summary.ByGoroutine
						list = append(list, y)
					}
				}
			}
		}
	}
	return handedWork{bound(list), len(takers) > 0 || strings.HasPrefix(key, inList)}
}

// HandsOn reports whether an effect hands work on.
func HandsOn(x summary.Effect) bool {
	return x.Call != nil && x.Open == summary.Closed && x.Call.Name == Onto
}

// Compares reports whether a write compares something that may have been handed on with
// the work: which token that is, is not told apart.
func (e *Engine) Compares(x summary.Effect) bool {
	if x.Call == nil || x.Open != summary.Closed {
		return false
	}
	return slices.ContainsFunc(e.Reader.Of(x.Call), func(m meaning.Meaning) bool {
		return m.Role == meaning.Write && slices.ContainsFunc(m.Write.Guards, func(g meaning.Guard) bool {
			return g.Op != "=" || g.Value != nil && g.Value.Kind != term.Const && (FenceName(g.Column) || meaning.Named(g.Column, "version"))
		})
	})
}
