package engine

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
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

// HandleKind tells what a call's statement runs on.
func (e *Engine) HandleKind(call, on *term.T) string {
	if on.Any(namesPooler) {
		return pooler
	}
	for _, a := range on.Alts() {
		if made := e.HandleMaker(a); made != nil {
			return e.Reader.Entry(made).Pool
		}
	}
	call = e.head(call)
	switch kind := e.Reader.Catalog.Handle(code.ReceiverType(call.Name)); kind {
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

// head is the first link of a chain, which is called on the handle; the last (Raw, Scan)
// is called on the chain.
func (e *Engine) head(call *term.T) *term.T {
	for {
		recv := meaning.Receiver(call)
		entry := e.Reader.Entry(recv)
		if entry == nil || entry.Part == nil || meaning.Receiver(recv) == nil {
			return call
		}
		call = recv
	}
}

// givenHandle is HandleKind where the handle, or what it is a field of, may be an
// argument: then its type can stand for a pool and for a session alike, and what the
// callers in view give decides. One of them that gives a pool is enough.
func (e *Engine) givenHandle(call, on *term.T) string {
	kind := e.HandleKind(call, on)
	if kind != "pool" || !on.Open() {
		return kind
	}
	if e.handles == nil {
		e.handles = make(map[string][]string)
		e.EachSummary(func(_ *Family, _ *ssa.Function, s *summary.Summary) {
			for _, list := range s.Steps {
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
func (e *Engine) noteHandle(x summary.Effect) {
	if x.Call == nil || x.Open != summary.Closed || len(x.Via) == 0 {
		return
	}
	for _, m := range e.Reader.Of(x.Call) {
		if m.On == nil || m.Role != meaning.Acquire && m.Role != meaning.Release {
			continue
		}
		if kind := e.HandleKind(x.Call, m.On); kind != "pool" || !m.On.Open() {
			e.handles[x.Call.Site] = append(e.handles[x.Call.Site], kind)
		}
	}
}

// OwnerHandle is givenHandle of the statement that takes a lock. Where that is sent
// through an interface of the program's own, what is put into it decides, if it is
// a pool wherever that can be seen.
//
// A connection that a function is lent goes back to the pool when that returns: where the
// lock is held on, it is with any of them from then on.
func (e *Engine) OwnerHandle(st *summary.Site, m meaning.Meaning) string {
	kind := e.givenHandle(st.Lock.Call, m.On)
	if kind == "conn" && (e.lentFor(st, m) || slices.ContainsFunc(st.Lock.Chain, func(c *summary.Site) bool { return e.lentFor(c, m) })) {
		return "pool"
	}
	if kind != unknownHandle {
		return kind
	}
	if len(st.Lock.Chain) > 0 {
		st = st.Lock.Chain[0]
	}
	if st.At != nil && st.At.Common().IsInvoke() && e.pooled(st.At.Common()) {
		return "pool"
	}
	return kind
}

// Autocommits reports whether a lock that ends with its transaction is taken by a statement
// that is one by itself: it runs on a pool, whatever the program makes of that, and does
// nothing else.
func (e *Engine) Autocommits(st *summary.Site, m meaning.Meaning) bool {
	call := st.Lock.Call
	if m.Scope != "transaction" || e.HandleKind(call, m.On) != "pool" {
		return false
	}
	if e.HandleMaker(m.On) == nil && e.Reader.Catalog.Handle(code.ReceiverType(e.head(call).Name)) != "pool" {
		return false // as a pool in one place, as a transaction in another
	}
	reads := 0
	for _, x := range e.Reader.Of(call) {
		switch {
		case x.Role == meaning.Acquire:
		case x.Role == meaning.Query && x.Store == "sql" && reads == 0: // from no table
			reads++
		default:
			return false
		}
	}
	return true
}

// lentFor reports whether a site holds its lock on, beyond a function that was lent the
// connection by the call which runs it.
func (e *Engine) lentFor(st *summary.Site, m meaning.Meaning) bool {
	if own, ok := e.Acquire(st.Lock.Call); ok {
		m = own
	}
	made := e.HandleMaker(m.On)
	if !st.HeldOut || made == nil || e.Reader.Entry(made).Runs == nil || st.Func == nil {
		return false
	}
	f := e.Families[code.Root(st.Func)]
	if f == nil {
		return false
	}
	_, here := f.CallBlocks()[made.Site]
	return here
}

// SinglePool reports whether a pool that fn may be given has one connection, and so but one
// session: one that its package, or a package which imports that, limits so. Which pool it
// is, is not followed.
func (e *Engine) SinglePool(fn *ssa.Function) bool {
	if e.limiting == nil {
		e.limiting = make(map[*types.Package]bool)
		e.EachFunction(func(f *Family, fn *ssa.Function) {
			for _, b := range fn.Blocks {
				for _, in := range b.Instrs {
					if c, ok := in.(*ssa.Call); ok && limitsToOne(&c.Call) && fn.Pkg != nil {
						for _, p := range append(fn.Pkg.Pkg.Imports(), fn.Pkg.Pkg) {
							e.limiting[p] = true
						}
					}
				}
			}
		})
	}
	return fn.Pkg != nil && e.limiting[fn.Pkg.Pkg]
}

func limitsToOne(c *ssa.CallCommon) bool {
	callee := c.StaticCallee()
	if callee == nil || code.FuncName(callee) != "(*database/sql.DB).SetMaxOpenConns" {
		return false
	}
	n, known := code.ConstInt(c.Args[1])
	return known && n == 1
}

// pooled reports whether the object behind an interface whose method is called is a
// pool: all values that it may be are known, and are one or embed one.
func (e *Engine) pooled(c *ssa.CallCommon) bool {
	found, sure := false, true
	e.Readings().Walk(c.Value, func(v ssa.Value) bool {
		switch v := v.(type) {
		case *ssa.MakeInterface:
			obj, _, _ := types.LookupFieldOrMethod(v.X.Type(), true, c.Method.Pkg(), c.Method.Name())
			method, ok := obj.(*types.Func)
			pool := ok && e.Reader.Catalog.Handle(code.ReceiverType(method.Origin().FullName())) == "pool"
			found, sure = found || pool, sure && pool
			return false
		case *ssa.Parameter:
			sure = sure && len(e.Readings().Callers[v.Parent()]) > 0
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

// KeepsUnique reports whether the program makes a unique index, or looks for the error that
// one gives. Which documents that is about is not followed.
func (e *Engine) KeepsUnique() bool {
	if e.unique == nil {
		unique := false
		e.EachFunction(func(_ *Family, fn *ssa.Function) {
			for _, b := range fn.Blocks {
				for _, in := range b.Instrs {
					c, ok := in.(*ssa.Call)
					if !ok {
						continue
					}
					obj := code.Declared(&c.Call)
					unique = unique || obj != nil && slices.Contains([]string{"SetUnique", "IsDuplicateKeyError", "HasErrorCode"}, obj.Name())
				}
			}
		})
		e.unique = &unique
	}
	return *e.unique
}

// Serializable reports whether a transaction is begun as one in which nothing that it
// reads changes until it ends: as if there was a lock on all of it.
func (e *Engine) Serializable(on *term.T) bool {
	made := e.HandleMaker(on)
	if made == nil || e.Reader.Entry(made).Pool != "tx" {
		return false
	}
	f, in := e.Index.CallOf(made)
	if in == nil {
		return false
	}
	return f.Settled().CallTerm(in.Common(), in.Pos()).Any(func(t *term.T) bool {
		if t.Kind != term.Struct {
			return false
		}
		level, iso := e.Pool.Field(t, "Isolation"), e.Pool.Field(t, "IsoLevel")
		return level.Kind == term.Const && (level.Name == "6" || level.Name == "7") || iso.Kind == term.Const && iso.Name == "serializable"
	})
}

// HandleMaker returns the call that a handle comes from, if it tells the
// handle's kind; nil otherwise. An embedded handle is that of the outer one.
func (e *Engine) HandleMaker(t *term.T) *term.T {
	for t != nil {
		switch t.Kind {
		case term.Result, term.Field:
			t = t.Args[0]
			continue
		case term.Call:
			entry := e.Reader.Entry(t)
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

// Strays lists the releases of a session's lock that run on another session
// than the acquire: on the pool, or on another connection that was opened in
// sight. Two handles of unknown origin may be the same.
func (e *Engine) Strays(st *summary.Site, m meaning.Meaning, kind string) []lock.Call {
	if m.Scope != "session" || m.On == nil || kind != "conn" && kind != "tx" {
		return nil
	}
	mine := e.HandleMaker(m.On)
	var out []lock.Call
	for _, x := range st.Freed {
		for _, r := range e.Reader.Of(x.Call) {
			if r.Role != meaning.Release || r.On == nil || e.Related(r.On, m.On) {
				continue
			}
			other := e.HandleMaker(r.On)
			if e.givenHandle(x.Call, r.On) == "pool" || mine != nil && other != nil && mine != other {
				out = append(out, lock.Call{Frame: x.At, Call: x.At.Callee, Kind: "stray", Here: true})
			}
		}
	}
	return out
}

// Related reports whether a release's handle is the session of the acquire's: it
// is the same, or was made from it. Handles that were opened at two places are
// two, however alike.
func (e *Engine) Related(release, acquire *term.T) bool {
	for _, a := range release.Alts() {
		for _, b := range acquire.Alts() {
			if a.MadeOf(b) {
				return true
			}
			opened := e.HandleMaker(b) != nil
			if !(opened && e.HandleMaker(a) != nil) && e.Pool.Alike(a, b) || !opened && b.MadeOf(a) {
				return true
			}
		}
	}
	return false
}

// handle is the one that a function literal gets from the call which runs it:
// db.Transaction(func(tx *gorm.DB) error ...). It is nil for other parameters.
func (f *Family) handle(v *ssa.Parameter) *term.T {
	if f.handed == nil {
		f.handed = make(map[*ssa.Parameter]ssa.CallInstruction)
		for _, fn := range f.Members {
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
func (f *Family) handleFrom(c ssa.CallInstruction) *term.T {
	callee := code.Declared(c.Common())
	on := catalog.Ref{Base: catalog.Receiver}
	for _, entry := range f.Engine.register(callee) {
		if entry.Runs != nil && !entry.Runs.On.IsZero() {
			on = entry.Runs.On
		}
	}
	return f.Engine.Pool.Call(callee.FullName(), f.Engine.CallSite(c.Pos()), f.Get(code.Operand(c.Common(), on)))
}

// handsOver reports whether a call gives the function that it runs a handle which is
// made of one that it has.
func handsOver(callee *types.Func, entry *catalog.Call) bool {
	return entry.Pool != "" && entry.Runs != nil && callee != nil && (callee.Signature().Recv() != nil || !entry.Runs.On.IsZero())
}

// handles lists the arguments that a call gives the function it runs, where the
// handle comes first: db.Connection(s.run).
func (f *Family) handles(c ssa.CallInstruction, entry *catalog.Call) []*term.T {
	if !handsOver(code.Declared(c.Common()), entry) {
		return nil
	}
	run := code.Operand(c.Common(), entry.Runs.Func)
	if run == nil {
		return nil
	}
	sig, ok := run.Type().Underlying().(*types.Signature)
	if !ok || sig.Params().Len() == 0 || code.IsContext(sig.Params().At(0).Type()) {
		return nil
	}
	return []*term.T{f.handleFrom(c)}
}

// hand notes the parameter that a call gives a handle to.
func (f *Family) hand(c ssa.CallInstruction) {
	callee := code.Declared(c.Common())
	for _, entry := range f.Engine.register(callee) {
		if !handsOver(callee, entry) {
			continue
		}
		run := code.Operand(c.Common(), entry.Runs.Func)
		if mc, ok := run.(*ssa.MakeClosure); ok {
			run = mc.Fn
		}
		fn, ok := run.(*ssa.Function)
		if !ok || fn.Parent() == nil {
			continue // a named function may be given other handles elsewhere
		}
		for _, p := range fn.Params {
			if !code.IsContext(p.Type()) {
				f.handed[p] = c
				break
			}
		}
	}
}

// Session is what a handle is begun on, where it is a transaction that an object keeps in
// a field beside its connection: a driver with conn and tx. Any other handle is returned
// as it is.
//
// Which field is begun on which other one is told by name, since an object is mostly
// known by an interface only: it has to hold of all types that have both fields. Fields
// that other packages can set, and that are set to anything else, do not count.
func (e *Engine) Session(on *term.T) *term.T {
	if on == nil || on.Kind != term.Field {
		return on
	}
	if e.begun == nil {
		e.begun = e.transactions()
	}
	if conn := e.begun[on.Name]; conn != "" {
		return e.Pool.Field(on.Args[0], conn)
	}
	return on
}

// transactions maps the fields that hold transactions to those that they are begun on.
func (e *Engine) transactions() map[string]string {
	begun := make(map[string]string)
	refuted := make(map[string]bool)
	plain := make(map[string][]*types.Struct) // owners of fields that hold something else
	for at, values := range e.Readings().stored {
		fields, ok := at.Owner.Type().Underlying().(*types.Struct)
		if !ok || at.Field >= fields.NumFields() {
			continue
		}
		name := fields.Field(at.Field).Name()
		switch conn := e.begunOn(at, values); {
		case conn == "" || fields.Field(at.Field).Exported():
			plain[name] = append(plain[name], fields)
		case begun[name] != "" && begun[name] != conn:
			refuted[name] = true
		default:
			begun[name] = conn
		}
	}
	for name, conn := range begun {
		if refuted[name] || slices.ContainsFunc(plain[name], func(owner *types.Struct) bool { return hasField(owner, conn) }) {
			delete(begun, name)
		}
	}
	return begun
}

// begunOn names the field of the same object on which all that a field is set to is begun;
// empty: there is none.
func (e *Engine) begunOn(at code.Slot, values []ssa.Value) string {
	conn := ""
	for _, v := range values {
		if c, ok := v.(*ssa.Const); ok && c.IsNil() {
			continue
		}
		f := e.Readings().Family(v)
		if f == nil {
			return ""
		}
		made := e.HandleMaker(f.Settled().Get(v))
		if made == nil || e.Reader.Entry(made).Pool != "tx" {
			return ""
		}
		recv := meaning.Receiver(made)
		if recv == nil || recv.Kind != term.Field || recv.Args[0].Kind != term.Param {
			return ""
		}
		owner := e.TypeOf(recv.Args[0])
		if owner == nil || code.NamedOf(owner) == nil || code.NamedOf(owner).Origin().Obj() != at.Owner || conn != "" && conn != recv.Name {
			return ""
		}
		conn = recv.Name
	}
	return conn
}

func hasField(owner *types.Struct, name string) bool {
	for v := range owner.Fields() {
		if v.Name() == name {
			return true
		}
	}
	return false
}

// OnOwner is the note of a write that cannot land without the lock's session.
const OnOwner = "runs on the session that owns the lock"
