package engine

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// Advisory locks belong to a database session, so it matters whether their
// statements run on one connection, in a transaction, or on whichever connection
// of a pool is free. How the handle was made says most; else its type decides.

// Kinds of handles beside those of the catalogue (pool, conn, tx).
const (
	pooler        = "pooler" // a connection to something that hands each statement to another session
	unknownHandle = "unknown"
)

// handleKind tells what a call's statement runs on.
func (e *Engine) handleKind(call, on *term.T) string {
	if on.Any(namesPooler) {
		return pooler
	}
	for _, a := range on.Alts() {
		if made := e.handleMaker(a); made != nil {
			return e.reader.Entry(made).Pool
		}
	}
	// The last link of a chain (Raw, Scan) is called on the chain; the first on
	// the handle.
	for {
		recv := meaning.Receiver(call)
		entry := e.reader.Entry(recv)
		if entry == nil || entry.Part == nil || meaning.Receiver(recv) == nil {
			break
		}
		call = recv
	}
	switch kind := e.reader.Catalog.Handle(receiverType(call.Name)); kind {
	case "":
		return unknownHandle
	case "any":
		if namedSession(meaning.Receiver(call)) {
			return unknownHandle
		}
		return "pool"
	default:
		return kind
	}
}

// givenHandle is handleKind where the handle, or what it is a field of, may be an
// argument: then its type can stand for a pool and for a session alike, and what the
// callers in view give decides. One of them that gives a pool is enough.
func (e *Engine) givenHandle(call, on *term.T) string {
	kind := e.handleKind(call, on)
	if kind != "pool" || !on.Open() {
		return kind
	}
	if e.handles == nil {
		e.handles = make(map[string][]string)
		e.each(func(_ *family, _ *ssa.Function, s *Summary) {
			for _, list := range s.steps {
				for _, x := range list {
					e.noteHandle(x)
				}
			}
		})
	}
	given := e.handles[call.Site]
	switch {
	case len(given) == 0, slices.Contains(given, "pool"):
		return "pool"
	case slices.Contains(given, pooler):
		return pooler
	case slices.Contains(given, unknownHandle):
		return unknownHandle
	}
	return slices.Min(given)
}

// noteHandle notes what a caller gives a function for the handle of a statement that
// takes or frees a lock. A handle that comes from the caller's own arguments is noted
// only where its name says what it is.
func (e *Engine) noteHandle(x Effect) {
	if x.Call == nil || x.Open != Closed || len(x.Via) == 0 {
		return
	}
	for _, m := range e.reader.Of(x.Call) {
		if m.On == nil || m.Role != meaning.Acquire && m.Role != meaning.Release {
			continue
		}
		if kind := e.handleKind(x.Call, m.On); kind != "pool" || !m.On.Open() {
			e.handles[x.Call.Site] = append(e.handles[x.Call.Site], kind)
		}
	}
}

// ownerHandle is givenHandle of the statement that takes a lock. Where that is sent
// through an interface of the program's own, what is put into it decides, if it is
// a pool wherever that can be seen.
func (e *Engine) ownerHandle(st *site, m meaning.Meaning) string {
	kind := e.givenHandle(st.lock.Call, m.On)
	if kind != unknownHandle {
		return kind
	}
	if len(st.lock.chain) > 0 {
		st = st.lock.chain[0]
	}
	if st.at != nil && st.at.Common().IsInvoke() && e.pooled(st.at.Common()) {
		return "pool"
	}
	return kind
}

// pooled reports whether the object behind an interface whose method is called is a
// pool: all values that it may be are known, and are one or embed one.
func (e *Engine) pooled(c *ssa.CallCommon) bool {
	found, sure := false, true
	e.readings().walk(c.Value, func(v ssa.Value) bool {
		switch v := v.(type) {
		case *ssa.MakeInterface:
			obj, _, _ := types.LookupFieldOrMethod(v.X.Type(), true, c.Method.Pkg(), c.Method.Name())
			method, ok := obj.(*types.Func)
			pool := ok && e.reader.Catalog.Handle(receiverType(method.Origin().FullName())) == "pool"
			found, sure = found || pool, sure && pool
			return false
		case *ssa.Parameter:
			sure = sure && len(e.readings().callers[v.Parent()]) > 0
		case *ssa.UnOp, *ssa.Alloc, *ssa.FreeVar, *ssa.Field, *ssa.Phi, *ssa.ChangeInterface, *ssa.Const:
		default:
			sure = false
		}
		return sure
	}, nil)
	return found && sure
}

// namesPooler reports whether a connection string leads to a pooler.
func namesPooler(t *term.T) bool {
	s, ok := t.Str()
	return ok && (strings.Contains(s, "pgbouncer") || strings.Contains(s, ":6432") || strings.Contains(s, "pooler."))
}

// handleMaker returns the call that a handle comes from, if it tells the
// handle's kind; nil otherwise. An embedded handle is that of the outer one.
func (e *Engine) handleMaker(t *term.T) *term.T {
	for t != nil {
		switch t.Kind {
		case term.Result, term.Field:
			t = t.Args[0]
			continue
		case term.Call:
			entry := e.reader.Entry(t)
			switch {
			case entry == nil:
				return nil
			case entry.Pool != "":
				return t
			case entry.Part != nil:
				t = meaning.Receiver(t)
				continue
			}
		}
		return nil
	}
	return nil
}

// receiverType is the type in a method's name: "path.T" in "(*path.T).M".
func receiverType(name string) string {
	recv, ok := strings.CutPrefix(name, "(")
	if !ok {
		return ""
	}
	return strings.TrimPrefix(recv[:strings.LastIndex(recv, ")")], "*")
}

// namedSession reports whether a handle is called a connection or transaction:
// all that is known of one whose type stands for any of them.
func namedSession(t *term.T) bool {
	for t != nil && t.Kind == term.Result {
		t = t.Args[0]
	}
	if t == nil {
		return false
	}
	name := strings.ToLower(t.Label)
	if t.Kind == term.Field || t.Kind == term.Global {
		name = strings.ToLower(t.Name[strings.LastIndexByte(t.Name, '.')+1:])
	}
	for _, w := range []string{"tx", "conn", "sess", "trans"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// strays lists the releases of a session's lock that run on another session
// than the acquire: on the pool, or on another connection that was opened in
// sight. Two handles of unknown origin may be the same.
func (e *Engine) strays(st *site, m meaning.Meaning, kind string) []lock.Call {
	if m.Scope != "session" || m.On == nil || kind != "conn" && kind != "tx" {
		return nil
	}
	mine := e.handleMaker(m.On)
	var out []lock.Call
	for _, x := range st.freed {
		for _, r := range e.reader.Of(x.Call) {
			if r.Role != meaning.Release || r.On == nil || e.related(r.On, m.On) {
				continue
			}
			other := e.handleMaker(r.On)
			if e.givenHandle(x.Call, r.On) == "pool" || mine != nil && other != nil && mine != other {
				out = append(out, lock.Call{Frame: x.At, Call: x.At.Callee, Kind: "stray", Here: true})
			}
		}
	}
	return out
}

// related reports whether a release's handle is the session of the acquire's: it
// is the same, or was made from it. Handles that were opened at two places are
// two, however alike.
func (e *Engine) related(release, acquire *term.T) bool {
	for _, a := range release.Alts() {
		for _, b := range acquire.Alts() {
			if a.Any(func(t *term.T) bool { return t == b }) {
				return true
			}
			opened := e.handleMaker(b) != nil
			if !(opened && e.handleMaker(a) != nil) && e.pool.Alike(a, b) || !opened && b.Any(func(t *term.T) bool { return t == a }) {
				return true
			}
		}
	}
	return false
}

// handle is the one that a function literal gets from the call which runs it:
// db.Transaction(func(tx *gorm.DB) error ...). It is nil for other parameters.
func (f *family) handle(v *ssa.Parameter) *term.T {
	if f.handed == nil {
		f.handed = make(map[*ssa.Parameter]ssa.CallInstruction)
		for _, fn := range f.members {
			for _, b := range fn.Blocks {
				for _, in := range b.Instrs {
					if c, ok := in.(ssa.CallInstruction); ok {
						f.hand(c)
					}
				}
			}
		}
	}
	if c := f.handed[v]; c != nil {
		return f.handleFrom(c)
	}
	return nil
}

// handleFrom is the handle that a call gives the function it runs.
func (f *family) handleFrom(c ssa.CallInstruction) *term.T {
	callee := declared(c.Common())
	on := catalog.Ref{Base: catalog.Receiver}
	for _, entry := range f.e.register(callee) {
		if entry.Runs != nil && !entry.Runs.On.IsZero() {
			on = entry.Runs.On
		}
	}
	return f.e.pool.Call(callee.FullName(), f.e.site(c.Pos()), f.get(operand(c.Common(), on)))
}

// handsOver reports whether a call gives the function that it runs a handle which is
// made of one that it has.
func handsOver(callee *types.Func, entry *catalog.Call) bool {
	return entry.Pool != "" && entry.Runs != nil && callee != nil && (callee.Signature().Recv() != nil || !entry.Runs.On.IsZero())
}

// handles lists the arguments that a call gives the function it runs, where the
// handle comes first: db.Connection(s.run).
func (f *family) handles(c ssa.CallInstruction, entry *catalog.Call) []*term.T {
	if !handsOver(declared(c.Common()), entry) {
		return nil
	}
	run := operand(c.Common(), entry.Runs.Func)
	if run == nil {
		return nil
	}
	sig, ok := run.Type().Underlying().(*types.Signature)
	if !ok || sig.Params().Len() == 0 || isContext(sig.Params().At(0).Type()) {
		return nil
	}
	return []*term.T{f.handleFrom(c)}
}

// declared is the function or method that a call names, or nil.
func declared(c *ssa.CallCommon) *types.Func {
	if c.IsInvoke() {
		return c.Method
	}
	if fn := c.StaticCallee(); fn != nil {
		if obj, ok := origin(fn).Object().(*types.Func); ok {
			return obj.Origin()
		}
	}
	return nil
}

// hand notes the parameter that a call gives a handle to.
func (f *family) hand(c ssa.CallInstruction) {
	callee := declared(c.Common())
	for _, entry := range f.e.register(callee) {
		if !handsOver(callee, entry) {
			continue
		}
		run := operand(c.Common(), entry.Runs.Func)
		if mc, ok := run.(*ssa.MakeClosure); ok {
			run = mc.Fn
		}
		fn, ok := run.(*ssa.Function)
		if !ok || fn.Parent() == nil {
			continue // a named function may be given other handles elsewhere
		}
		for _, p := range fn.Params {
			if !isContext(p.Type()) {
				f.handed[p] = c
				break
			}
		}
	}
}
