package remarks

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// session notes a lock whose owner is a session that goroutines of the process share:
// it lets in whoever has the same session. That takes a session, or a lock, that was
// made elsewhere, and a place where goroutines meet: a handler of requests, or one that
// is started in a loop.
func (k *keeping) session(f *engine.Family, r summary.Recorded) {
	if k.sessionShared(f, r.Site, r.Lock) {
		k.found.of(r.Use, lock.Call{Frame: framed(r.Site.Lock.At, ""), Call: r.Site.Lock.At.Callee, Kind: lock.SessionShared})
	}
}

// SessionShared reports whether goroutines of the process have a lock at the same time, as
// their session is one.
func (o *Owners) SessionShared(st *summary.Site, m meaning.Meaning) bool {
	f := o.k.e.Families[code.Origin(code.Root(st.Func))]
	return f != nil && o.k.sessionShared(f, st, m)
}

// Met reports whether several goroutines may come to a place at the same time.
func (o *Owners) Met(place ssa.Value, fn *ssa.Function) bool {
	w := meeting{k: o.k, constant: true}
	return w.shared(place, fn, 0)
}

func (k *keeping) sessionShared(f *engine.Family, st *summary.Site, m meaning.Meaning) bool {
	if !m.Mine || m.Kind != lock.Session || !st.Direct {
		return false
	}
	c := st.At.Common()
	if len(c.Args) == 0 {
		return false
	}
	w := meeting{k: k, constant: m.Key != nil && m.Key.Kind == term.Const}
	// What the lock is made of here is looked at in its place.
	v := c.Args[0]
	if call := callOf(outset(f, v)); call != nil {
		if entry := k.e.Readings().Entry(call); entry != nil && entry.New != nil && !entry.New.Parent.IsZero() {
			v = code.Operand(call.Common(), entry.New.Parent)
		}
	}
	return v != nil && w.shared(v, v.Parent(), 0)
}

// identity notes a candidate for leadership whose name is the same in every process:
// each finds its own in the record that another one has written, and leads. The name
// of the host will do here, for one candidate runs on it.
func (k *keeping) identity(r summary.Recorded) {
	var at *term.T
	var find func(t, in *term.T) *term.T
	find = func(t, in *term.T) *term.T {
		if e := k.e.Reader.Entry(t); e != nil && e.New != nil {
			in = t
		}
		if i := slices.Index(t.Names, "Identity"); t.Kind == term.Struct && i >= 0 {
			at = in
			return t.Args[i]
		}
		for _, a := range t.Args {
			if v := find(a, in); v != nil {
				return v
			}
		}
		return nil
	}
	v := find(r.Site.Lock.Call, nil)
	if v == nil || v.IsZero() || !r.Site.Direct {
		return
	}
	s := constancy{k: k, seen: make(map[*term.T]bool)}
	name := ""
	switch {
	case at != nil && slices.Contains(meaning.Args(at), v):
		name = "that of the lock itself"
	case s.same(v) && !s.host && s.fixed == "" && s.constant != nil:
		name = "the constant " + strconv.Quote(s.constant.Pattern())
	default:
		return
	}
	frame := r.Site.Lock.At
	if at != nil {
		frame = k.e.FrameOf(at, frame)
	}
	k.found.of(r.Use, lock.Call{Frame: framed(frame, name), Call: frame.Callee, Kind: lock.IdentityShared})
}

// A meeting looks for goroutines that use one value at the same time.
type meeting struct {
	k        *keeping
	constant bool // the key is the same for all of them
}

// maxMeeting bounds the callers through which a value is followed.
const maxMeeting = 4

// shared reports whether several goroutines have v as it is in fn. A value that fn
// makes is its own, and what a function does one at a time is not shared either.
func (w *meeting) shared(v ssa.Value, fn *ssa.Function, depth int) bool {
	f := w.k.e.Families[code.Origin(code.Root(fn))]
	if f == nil || depth > maxMeeting || serial(fn) {
		return false
	}
	v = outset(f, v)
	handler := handles(fn)
	switch x := v.(type) {
	case *ssa.Global:
		return handler || w.started(f, fn, nil) || w.callers(nil, fn, -1, depth)
	case *ssa.FreeVar:
		mc := f.Made[fn]
		if mc == nil {
			return false
		}
		bound := mc.Bindings[slices.Index(fn.FreeVars, x)]
		if handler || w.started(f, fn, bound) {
			return true
		}
		return w.shared(bound, mc.Parent(), depth+1)
	case *ssa.Parameter:
		i := slices.Index(fn.Params, x)
		if i == 0 && fn.Signature.Recv() != nil && handler {
			return true
		}
		return w.callers(x, fn, i, depth)
	}
	return false
}

// callers asks of every caller what it gives for a parameter; i is -1 for a value that
// all of them have.
func (w *meeting) callers(v ssa.Value, fn *ssa.Function, i, depth int) bool {
	for _, in := range w.k.calls(fn) {
		args := code.OperandsOf(in.Common())
		at := v
		if i >= 0 {
			if i >= len(args) {
				continue
			}
			at = args[i]
		}
		if _, async := in.(*ssa.Go); async {
			if w.constant && engine.LoopBlocks(in.Parent())[in.Block()] && !madeInLoop(at) {
				return true
			}
			continue
		}
		if i < 0 {
			if g := in.Parent(); depth < maxMeeting && !serial(g) && (handles(g) || w.started(w.k.e.Families[code.Origin(code.Root(g))], g, nil) || w.callers(nil, g, -1, depth+1)) {
				return true
			}
			continue
		}
		if w.shared(at, in.Parent(), depth+1) {
			return true
		}
	}
	return false
}

// calls lists the calls of a function in view, be it by an interface.
func (k *keeping) calls(fn *ssa.Function) []ssa.CallInstruction {
	if k.called == nil {
		k.called = make(map[*ssa.Function][]ssa.CallInstruction)
		k.e.EachFunction(func(_ *engine.Family, g *ssa.Function) {
			for _, b := range g.Blocks {
				for _, in := range b.Instrs {
					c, ok := in.(ssa.CallInstruction)
					switch {
					case !ok:
					case c.Common().IsInvoke():
						for _, target := range k.e.Implementations.Of(c.Common()) {
							k.called[target] = append(k.called[target], c)
						}
					default:
						if callee := code.Origin(c.Common().StaticCallee()); callee != nil {
							k.called[callee] = append(k.called[callee], c)
						}
					}
				}
			}
		})
	}
	return k.called[fn]
}

// started reports whether a closure is what each turn of a loop starts, with a value
// that is made outside of the loop, for a key that is the same in every turn.
func (w *meeting) started(f *engine.Family, fn *ssa.Function, bound ssa.Value) bool {
	mc := f.Made[fn]
	if mc == nil || !w.constant || !engine.LoopBlocks(mc.Parent())[mc.Block()] || madeInLoop(bound) {
		return false
	}
	return slices.ContainsFunc(*mc.Referrers(), func(in ssa.Instruction) bool {
		c, ok := in.(ssa.CallInstruction)
		return ok && f.Starts(c)
	})
}

func madeInLoop(v ssa.Value) bool {
	in, ok := v.(ssa.Instruction)
	return ok && engine.LoopBlocks(in.Parent())[in.Block()]
}

// outset is where a value that is read from fields and variables is read from: the
// object that has the first of them.
func outset(f *engine.Family, v ssa.Value) ssa.Value {
	for range engine.MaxSources {
		switch x := v.(type) {
		case *ssa.UnOp:
			v = x.X
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.Field:
			v = x.X
		case *ssa.Alloc:
			if list := f.Stores[x]; len(list) == 1 {
				v = list[0]
				continue
			}
			return v
		default:
			return v
		}
	}
	return v
}

// handles reports whether a function answers requests, each in a goroutine of its own.
func handles(fn *ssa.Function) bool {
	writer, request := false, false
	for v := range fn.Signature.Params().Variables() {
		writer = writer || code.IsNamed(v.Type(), "net/http", "ResponseWriter")
		request = request || code.IsNamed(code.Deref(v.Type()), "net/http", "Request")
	}
	return writer && request
}

// serial reports whether a function takes a lock of the process, by which one goroutine
// waits for another: whatever for, it may be for this.
func serial(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			c, ok := in.(ssa.CallInstruction)
			if !ok {
				continue
			}
			if callee := code.Declared(c.Common()); callee != nil && callee.Pkg() != nil {
				switch path := callee.Pkg().Path(); {
				case path == "sync" && (strings.Contains(callee.Name(), "Lock") || callee.Name() == "Do" || strings.HasPrefix(callee.Name(), "LoadOr")),
					path == "golang.org/x/sync/singleflight", path == "golang.org/x/sync/semaphore":
					return true
				}
			}
		}
	}
	return false
}
