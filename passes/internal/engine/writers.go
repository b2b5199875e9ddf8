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

// What is printed, encoded or copied to a writer is written to whatever that stands
// for: to a file, to a connection, or to memory, where it is no write at all. A writer is
// followed to where it was made: through those that buffer, compress or encode for
// another one, through private fields and through parameters.
//
// Imprecision: fields are those of a type, not of one object. One that is set to files and to
// buffers is out of sight.

// IntoWriter is the name of a call that writes to a writer which is a parameter, or out of
// sight: its only argument.
const IntoWriter = "into a writer"

// A Sink is what a writer stands for. The zero value is memory, or a log.
type Sink struct {
	lands []landing
	given []*ssa.Parameter
	Dark  bool // it is out of sight, or one thing here and another there
}

// A landing is a method by which a writer writes.
type landing struct {
	method *types.Func
	to     ssa.Value     // the receiver
	run    *ssa.Function // the method, where it is the program's own
}

func (s Sink) nothing() bool { return len(s.lands)+len(s.given) == 0 && !s.Dark }

// both is what two writers stand for that are written to at once.
func both(a, b Sink) Sink {
	return Sink{append(slices.Clip(a.lands), b.lands...), append(slices.Clip(a.given), b.given...), a.Dark || b.Dark}
}

// either is what a writer stands for that is one of several.
func either(list []Sink) Sink {
	var all Sink
	for i, s := range list {
		all = both(all, s)
		if s.nothing() != list[0].nothing() || i > 0 && len(s.given) > 0 {
			return Sink{Dark: true}
		}
	}
	if all.Dark {
		return Sink{Dark: true}
	}
	return all
}

// alternatives are what a writer stands for that is one of several values; the ones that
// are nil are left out.
func (e *Engine) alternatives(list []ssa.Value, depth int) Sink {
	var sinks []Sink
	for _, v := range list {
		if v == nil {
			return Sink{Dark: true}
		}
		if c, ok := v.(*ssa.Const); !ok || !c.IsNil() {
			sinks = append(sinks, e.sink(v, depth+1))
		}
	}
	if len(sinks) == 0 {
		return Sink{Dark: true}
	}
	return either(sinks)
}

// sink is what a writer stands for.
func (e *Engine) sink(v ssa.Value, depth int) Sink {
	if depth > MaxLooks {
		return Sink{Dark: true}
	}
	switch x := v.(type) {
	case *ssa.MakeInterface:
		return e.sink(x.X, depth+1)
	case *ssa.ChangeInterface:
		return e.sink(x.X, depth+1)
	case *ssa.ChangeType:
		return e.sink(x.X, depth+1)
	case *ssa.TypeAssert:
		if types.IsInterface(x.AssertedType) {
			return e.sink(x.X, depth+1)
		}
	}
	if standardStream(v) {
		return Sink{}
	}
	if s, known := e.byWriterType(v); known {
		return s
	}
	if p, ok := v.(*ssa.Parameter); ok {
		return Sink{given: []*ssa.Parameter{p}}
	}
	f := e.familyOf(v)
	if f == nil {
		return Sink{Dark: true}
	}
	switch x := v.(type) {
	case *ssa.Phi:
		return e.alternatives(x.Edges, depth)
	case *ssa.Extract:
		if c, ok := x.Tuple.(*ssa.Call); ok {
			return e.madeWriter(f, c, x.Index, depth)
		}
	case *ssa.Call:
		return e.madeWriter(f, x, 0, depth)
	case *ssa.Alloc:
		// A writer that lies in a variable by its value: what it was told later is not seen.
		return e.alternatives(f.Stores[x], depth)
	case *ssa.UnOp:
		return e.storedWriter(f, x, depth)
	}
	return Sink{Dark: true}
}

// familyOf is the family that a value belongs to, ready to tell values; nil for those of
// packages.
func (e *Engine) familyOf(v ssa.Value) *Family {
	if v.Parent() == nil {
		return nil
	}
	f := e.Families[code.Origin(code.Root(v.Parent()))]
	if f != nil {
		f.Look()
	}
	return f
}

// standardStream reports whether a value is one of the process's own outputs, or the writer
// that drops all.
func standardStream(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	g, ok := load.X.(*ssa.Global)
	return ok && slices.Contains([]string{"os.Stdout", "os.Stderr", "io.Discard"}, g.RelString(nil))
}

// byWriterType is what a writer stands for whose type tells: a file, a connection, a buffer.
func (e *Engine) byWriterType(v ssa.Value) (s Sink, known bool) {
	t := v.Type()
	if staysWithCaller(t) {
		return Sink{}, true
	}
	m := writeMethod(t)
	if m == nil {
		return Sink{}, false
	}
	if list := e.register(m); len(list) > 0 {
		switch {
		case !list[0].Into.IsZero():
			return Sink{}, false
		case list[0].Write != nil:
			return Sink{lands: []landing{{method: m, to: v}}}, true
		}
		return Sink{}, true
	}
	if types.IsInterface(t) {
		return Sink{}, false
	}
	n := code.NamedOf(t)
	if n == nil || n.Obj().Pkg() == nil {
		return Sink{Dark: true}, true
	}
	if fn := e.Program.FuncValue(m.Origin()); fn != nil && len(fn.Blocks) > 0 {
		return Sink{lands: []landing{{m, v, fn}}}, true
	}
	if _, catalogued := e.Reader.Catalog.Relevant(n.Obj().Pkg().Path()); catalogued || Standard(n.Obj().Pkg().Path()) {
		return Sink{}, true // what it does shows where it is asked to
	}
	return Sink{Dark: true}, true
}

// writeMethod is the method by which a type is a writer, or nil.
func writeMethod(t types.Type) *types.Func {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "Write")
	m, _ := obj.(*types.Func)
	return m
}

// staysWithCaller reports whether a type is that of the answer to a request, or of a checksum: what
// is written there stays with the caller.
func staysWithCaller(t types.Type) bool {
	has := func(name string) bool {
		obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
		_, ok := obj.(*types.Func)
		return ok
	}
	return has("WriteHeader") && has("Header") || has("Sum") && has("BlockSize")
}

// madeWriter is what a writer stands for that a call returns.
func (e *Engine) madeWriter(f *Family, call *ssa.Call, index, depth int) Sink {
	c := call.Common()
	entries := f.Entries(c)
	for _, entry := range entries {
		if !entry.Over.IsZero() && index == 0 {
			return e.written(f, c, entry.Over, depth)
		}
	}
	if len(entries) > 0 {
		return Sink{} // what it stands for shows where it was made
	}
	fn := code.Origin(c.StaticCallee())
	if fn == nil || e.Families[code.Root(fn)] == nil || len(fn.Blocks) == 0 {
		return Sink{Dark: true}
	}
	var made []ssa.Value
	for _, b := range fn.Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && index < len(ret.Results) {
			made = append(made, ret.Results[index])
		}
	}
	s := e.alternatives(made, depth)
	var out Sink
	out.Dark = s.Dark
	for _, l := range s.lands {
		l.to = call
		out.lands = append(out.lands, l)
	}
	for _, p := range s.given {
		if i := slices.Index(fn.Params, p); i >= 0 && i < len(c.Args) {
			out = both(out, e.sink(c.Args[i], depth+1))
		} else {
			out.Dark = true
		}
	}
	return out
}

// written is what the writer stands for that ref names in a call.
func (e *Engine) written(f *Family, c *ssa.CallCommon, ref catalog.Ref, depth int) Sink {
	v := code.Operand(c, ref)
	if v == nil {
		return Sink{Dark: true}
	}
	if !ref.Spread {
		return e.sink(v, depth+1)
	}
	list := f.Variadic(v)
	if list == nil {
		return Sink{Dark: true}
	}
	var all Sink
	for _, x := range list {
		all = both(all, e.sink(x, depth+1))
	}
	return all
}

// storedWriter is what a writer stands for that is kept in a variable or a field.
func (e *Engine) storedWriter(f *Family, load *ssa.UnOp, depth int) Sink {
	var values []ssa.Value
	switch a := f.Base(load.X).(type) {
	case *ssa.Alloc:
		return e.alternatives(f.Stores[a], depth)
	case *ssa.Parameter:
		return Sink{Dark: true}
	case *ssa.Global:
		values = e.Assigned(a.RelString(nil))
	case *ssa.FieldAddr:
		if x, ok := f.Base(a.X).(*ssa.Alloc); ok {
			if list, unsure := f.inField(x, a.Field); len(list) > 0 && unsure == 0 {
				return e.alternatives(list, depth)
			}
		}
		values = e.inSlot(a)
	}
	s := e.alternatives(values, depth)
	for i := range s.lands {
		s.lands[i].to = load // what guarded its creation was long ago
	}
	if len(s.given) > 0 {
		return Sink{Dark: true} // of whoever made the object
	}
	return s
}

// inSlot lists what a field is set to wherever that is in view; nil where other code may
// set it.
func (e *Engine) inSlot(a *ssa.FieldAddr) []ssa.Value {
	at, ok := code.SlotOf(a.X.Type(), a.Field)
	if !ok || !e.Implementations.local[at.Owner.Pkg()] || !e.Whole() && types.NewVar(0, nil, code.FieldName(a.X.Type(), a.Field), nil).Exported() {
		return nil
	}
	if e.texts == nil {
		e.scanFields()
	}
	return e.texts[at]
}

// into is what a call does that writes to a writer.
func (f *Family) into(in ssa.CallInstruction, ref catalog.Ref, at lock.Frame, reach summary.Reach) []summary.Effect {
	s := f.Engine.written(f, in.Common(), ref, 0)
	unknown := f.Get(code.Operand(in.Common(), ref))
	return f.land(s, summary.Effect{At: at, Reach: reach}, unknown)
}

// logged is what a call of a logger does: nothing that counts, unless behind it the
// program's own writer changes records, rather than to append to some log.
func (f *Family) logged(in ssa.CallInstruction) []summary.Effect {
	var s Sink
	for _, entry := range f.Entries(in.Common()) {
		if !entry.Into.IsZero() {
			s = f.Engine.written(f, in.Common(), entry.Into, 0)
		}
	}
	s = Sink{lands: slices.DeleteFunc(slices.Clone(s.lands), func(l landing) bool { return l.run == nil })}
	if s.nothing() {
		return nil
	}
	list := f.land(s, summary.Effect{At: f.Frame(in, ""), Reach: summary.ByCall}, nil)
	return slices.DeleteFunc(list, func(x summary.Effect) bool {
		return x.Call == nil || x.Open != summary.Closed || !slices.ContainsFunc(f.Engine.Reader.Of(x.Call), func(m meaning.Meaning) bool {
			return m.Role == meaning.Write && m.Write.Store == "sql" && m.Write.Operation != "INSERT"
		})
	})
}

// land is what writing to a sink does. x says where that is.
func (f *Family) land(s Sink, x summary.Effect, unknown *term.T) []summary.Effect {
	var out []summary.Effect
	p, site := f.Engine.Pool, f.Engine.siteOf(x.At.Position)
	for _, l := range s.lands {
		if l.run != nil {
			sum := f.Engine.Summary(l.run)
			if sum == nil {
				continue
			}
			bind := f.binding(f.Engine.binder(f.Engine.Name(l.run), []*term.T{f.termOf(l.to)}))
			more, _ := f.instantiate(sum.Effects, bind, x.At, max(x.Reach, summary.ByInterface))
			for i := range more {
				more[i].Via = append(slices.Clip(x.Via), more[i].Via[:min(len(more[i].Via), summary.MaxVia-min(len(x.Via), summary.MaxVia))]...)
			}
			out = append(out, more...)
			continue
		}
		y := x
		f.Engine.register(l.method)
		y.Call, y.Open = p.Call(f.Engine.fullName(l.method.Origin()), site, f.termOf(l.to)), summary.Closed
		out = append(out, y)
	}
	for _, g := range s.given {
		y := x
		y.Call, y.Open = p.Call(IntoWriter, "", f.termOf(g)), summary.Closed
		out = append(out, y)
	}
	if s.Dark {
		y := x
		if unknown.Kind == term.Param {
			unknown = p.Unknown("writer") // one that is not only what a caller says
		}
		y.Call, y.Open = p.Call(IntoWriter, "", unknown), summary.Closed
		out = append(out, y)
	}
	return out
}

// termOf is a value as a term, which may belong to another family.
func (f *Family) termOf(v ssa.Value) *term.T {
	if g := f.Engine.familyOf(v); g != nil && g != f {
		return g.Settled().Get(v)
	}
	return f.Get(v)
}

// handedWriters takes out of what a callee does what it writes to writers that it is given,
// and says what that is with the ones of a call.
func (f *Family) handedWriters(c *ssa.CallCommon, callee *ssa.Function, list []summary.Effect, at lock.Frame, reach summary.Reach) (rest, landed []summary.Effect) {
	mine := func(x summary.Effect) bool {
		return intoWriter(x) && x.Call.Args[0].Kind == term.Param && x.Call.Args[0].Name == f.Engine.Name(callee) && x.Call.Args[0].Index < len(c.Args)
	}
	if !slices.ContainsFunc(list, mine) {
		return list, nil
	}
	for _, x := range list {
		if !mine(x) {
			rest = append(rest, x)
			continue
		}
		v := c.Args[x.Call.Args[0].Index]
		if len(x.Via) < summary.MaxVia {
			x.Via = append([]lock.Frame{at}, x.Via...)
		}
		x.Reach = max(x.Reach, reach)
		landed = append(landed, f.land(f.Engine.sink(v, 0), x, f.Get(v))...)
	}
	return rest, landed
}

// intoWriter reports whether an effect writes to a writer that is not known yet.
func intoWriter(x summary.Effect) bool {
	return x.Call != nil && x.Open == summary.Closed && x.Call.Name == IntoWriter
}

// Landed is what writing to a writer does that is still open where a lock is taken: with
// what the callers in view give. It is dark where that is out of sight.
func (e *Engine) Landed(x summary.Effect) (list []summary.Effect, dark bool) {
	t := x.Call.Args[0]
	fn := e.Functions[t.Name]
	if t.Kind != term.Param || fn == nil {
		return nil, e.darkWriter(t)
	}
	var given []ssa.Value
	for _, c := range e.Readings().Callers[fn] {
		if t.Index < len(c.Args) {
			given = append(given, c.Args[t.Index])
		}
	}
	s := e.alternatives(given, 0)
	if s.Dark || len(s.given) > 0 || slices.ContainsFunc(s.lands, func(l landing) bool { return l.run != nil }) {
		return nil, true
	}
	f := e.Families[code.Origin(code.Root(fn))]
	for i := range s.lands {
		s.lands[i].to = fn.Params[t.Index]
	}
	return f.land(s, x, t), false
}

// darkWriter reports whether nothing is known of a writer that came on a way on which only
// its term is known.
func (e *Engine) darkWriter(t *term.T) bool {
	return !slices.ContainsFunc(t.Alts(), func(t *term.T) bool {
		switch {
		case t.Kind == term.Struct, t.IsZero():
			return true // a buffer in a variable
		case t.Kind == term.Call, t.Kind == term.Result:
			call := CallIn(t)
			entry := e.Reader.Entry(call)
			return entry != nil && entry.Over.IsZero() && !slices.ContainsFunc(e.Reader.Of(call), func(m meaning.Meaning) bool { return m.Role == meaning.Write })
		case t.Kind == term.Global:
			return strings.HasPrefix(t.Name, "os.Std") || t.Name == "io.Discard"
		}
		return false
	})
}

// writesBytes reports whether a method of an interface is that of a writer.
func writesBytes(m *types.Func) bool {
	sig := m.Signature()
	if m.Name() != "Write" && m.Name() != "WriteString" || sig.Params().Len() != 1 || sig.Results().Len() != 2 {
		return false
	}
	return code.IsError(sig.Results().At(1).Type())
}

// writersIn lists the program's own methods that an instruction may run by writing to a
// writer, or makes a writer of.
func (f *Family) writersIn(in ssa.Instruction) []*ssa.Function {
	var s Sink
	switch in := in.(type) {
	case *ssa.MakeInterface:
		if m := writeMethod(in.X.Type()); m != nil && writesBytes(m) {
			s, _ = f.Engine.byWriterType(in.X)
		}
	case ssa.CallInstruction:
		for _, entry := range f.Entries(in.Common()) {
			if !entry.Into.IsZero() {
				s = f.Engine.written(f, in.Common(), entry.Into, 0)
			}
		}
	}
	var out []*ssa.Function
	for _, l := range s.lands {
		if l.run != nil {
			out = append(out, l.run)
		}
	}
	return out
}
