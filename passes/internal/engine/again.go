package engine

import (
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// Records that are read twice: what is stored comes of the first read, and the version that is
// compared of the second. As terms two calls of one function are alike, so that is looked for
// among the calls themselves.

// AskedTwice reports whether a write goes by a version for which a record was read once more
// after that was read which is stored: by the same call for the same record, of which nothing
// but the version is used. version tells a version by its value or by the name of a field.
func (e *Engine) AskedTwice(st *summary.Site, write *term.T, version func(name string, t *term.T) bool) bool {
	if st.Func == nil || write == nil {
		return false
	}
	families := []*Family{e.Families[code.Origin(code.Root(st.Func))]}
	if f, _ := e.Index.CallOf(write); f != nil && f != families[0] {
		families = append(families, f)
	}
	for _, f := range families {
		if f != nil && slices.ContainsFunc(f.Members, func(fn *ssa.Function) bool { return f.askedTwice(fn, write, version) }) {
			return true
		}
	}
	return false
}

func (f *Family) askedTwice(fn *ssa.Function, write *term.T, version func(string, *term.T) bool) bool {
	var writes []ssa.Instruction
	var reads []*ssa.Call
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			steps := f.doneBy(in)
			if slices.ContainsFunc(steps, func(x summary.Effect) bool { return x.Call != nil && x.Call.SameCall(write) }) {
				writes = append(writes, in)
			}
			if call, ok := in.(*ssa.Call); ok && len(reads) < maxReads && slices.ContainsFunc(steps, f.queries) {
				reads = append(reads, call)
			}
		}
	}
	for _, again := range reads {
		for _, first := range reads {
			if first == again || !code.CanReach(first.Block(), again.Block(), nil) || code.Before(again, first) || !f.sameRead(first, again) {
				continue
			}
			for _, w := range writes {
				if code.CanReach(again.Block(), w.Block(), nil) && f.stamped(first, again, w, version) {
					return true
				}
			}
		}
	}
	return false
}

// doneBy lists what a call does itself, or the function that it calls.
func (f *Family) doneBy(in ssa.Instruction) []summary.Effect {
	c, ok := in.(*ssa.Call)
	if !ok {
		return nil
	}
	if s := f.Sums[in.Parent()]; s != nil && s.Steps != nil {
		return s.Steps[in]
	}
	if len(f.Entries(c.Common())) > 0 {
		return []summary.Effect{{Call: f.Settled().CallTerm(c.Common(), c.Pos())}}
	}
	if callee := c.Call.StaticCallee(); callee != nil {
		if s := f.Engine.Summary(callee); s != nil {
			return s.Effects
		}
	}
	return nil
}

// maxReads bounds the reads of a function that are compared with each other.
const maxReads = 12

func (f *Family) queries(x summary.Effect) bool {
	return x.Call != nil && x.Open == summary.Closed && slices.ContainsFunc(f.Engine.Reader.Of(x.Call), func(m meaning.Meaning) bool { return m.Role == meaning.Query })
}

// sameRead reports whether two calls read the same.
func (f *Family) sameRead(x, y *ssa.Call) bool {
	a, b := code.Declared(&x.Call), code.Declared(&y.Call)
	if a == nil || a != b || len(x.Call.Args) != len(y.Call.Args) {
		return false
	}
	args, others := code.OperandsOf(&x.Call), code.OperandsOf(&y.Call)
	for i, v := range args {
		if code.IsNamed(v.Type(), "context", "Context") {
			continue
		}
		t := f.Settled().Get(v)
		if t != f.Settled().Get(others[i]) && !f.Engine.Pool.Alike(t, f.Settled().Get(others[i])) || t.Any(func(t *term.T) bool { return t.Kind == term.Unknown }) {
			return false
		}
	}
	return true
}

// A usedPart is what is used of what a call returns: all of a result, or a field of it.
type usedPart struct {
	name string
	val  ssa.Value
}

// partsOf lists what is used of the results of a call.
func (f *Family) partsOf(call *ssa.Call) []usedPart {
	var out []usedPart
	for _, r := range *call.Referrers() {
		x, ok := r.(*ssa.Extract)
		if !ok || code.IsError(x.Type()) {
			continue
		}
		out = append(out, f.usesOf(strconv.Itoa(x.Index), x, 0)...)
	}
	if _, tuple := call.Type().(*types.Tuple); !tuple {
		out = f.usesOf("0", call, 0)
	}
	return out
}

// usesOf lists the fields of a value that are used, or the value itself where it is used as
// a whole. What comes by a method that is called to get something is such a field.
func (f *Family) usesOf(name string, v ssa.Value, depth int) []usedPart {
	var out []usedPart
	for _, r := range *v.Referrers() {
		field := ""
		var val ssa.Value
		switch x := r.(type) {
		case *ssa.DebugRef:
			continue
		case *ssa.FieldAddr:
			field, val = code.FieldName(x.X.Type(), x.Field), x
		case *ssa.Field:
			field, val = code.FieldName(x.X.Type(), x.Field), x
		case *ssa.Call:
			if obj := code.Declared(&x.Call); obj != nil && len(code.OperandsOf(&x.Call)) == 1 && strings.HasPrefix(obj.Name(), "Get") {
				field, val = obj.Name()[len("Get"):], x
			}
		case *ssa.Store:
			if a, ok := x.Addr.(*ssa.Alloc); ok && x.Val == v && len(f.Stores[a]) == 1 && depth < 3 {
				out = append(out, f.usesOf(name, a, depth+1)...) // a struct in a variable
				continue
			}
		}
		switch {
		case field == "":
			if _, ok := v.(*ssa.Alloc); ok {
				if st, ok := r.(*ssa.Store); ok && st.Addr == v {
					continue
				}
			}
			out = append(out, usedPart{name, v})
		case embedded(val) && depth < 3:
			out = append(out, f.usesOf(name+"."+field, val, depth+1)...)
		default:
			out = append(out, usedPart{name + "." + field, val})
		}
	}
	return out
}

// embedded reports whether a value is an embedded struct, or its address.
func embedded(v ssa.Value) bool {
	fa, ok := v.(*ssa.FieldAddr)
	if !ok {
		return false
	}
	st, ok := code.Deref(fa.X.Type()).Underlying().(*types.Struct)
	return ok && st.Field(fa.Field).Embedded()
}

// stamped reports whether a write stores something that the first read has brought, and the
// second has not, and of the second nothing but a version.
func (f *Family) stamped(first, again *ssa.Call, write ssa.Instruction, version func(string, *term.T) bool) bool {
	isVersion := func(p usedPart) bool {
		return version(p.name[strings.LastIndexByte(p.name, '.')+1:], f.Settled().Get(p.val))
	}
	late, early := f.partsOf(again), f.partsOf(first)
	found := false
	for _, p := range late {
		if !f.flows(p.val, write) {
			continue
		}
		if !isVersion(p) {
			return false
		}
		found = true
	}
	return found && slices.ContainsFunc(early, func(p usedPart) bool {
		return !isVersion(p) && !slices.ContainsFunc(late, func(q usedPart) bool { return q.name == p.name }) && f.flows(p.val, write)
	})
}

// maxFlow bounds the values that flows follows.
const maxFlow = 400

// flows reports whether what an instruction is given may be made of a value, be it by way of
// what that is stored in, or what other calls make of it.
func (f *Family) flows(v ssa.Value, to ssa.Instruction) bool {
	seen := map[ssa.Value]bool{v: true}
	work := []ssa.Value{v}
	add := func(v ssa.Value) {
		if v != nil && !seen[v] && len(seen) < maxFlow {
			seen[v] = true
			work = append(work, v)
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if v.Referrers() == nil {
			continue
		}
		for _, r := range *v.Referrers() {
			if r == to {
				return true
			}
			switch x := r.(type) {
			case *ssa.Store:
				if x.Val == v {
					add(f.holder(x.Addr))
				}
			case *ssa.MapUpdate:
				add(f.holder(x.Map))
			case *ssa.MakeClosure:
				for i, b := range x.Bindings {
					if b == v {
						add(x.Fn.(*ssa.Function).FreeVars[i])
					}
				}
				add(x)
			case *ssa.Call:
				if args := code.OperandsOf(&x.Call); len(args) > 1 && args[0] != v && x.Call.Signature().Results().Len() == 0 {
					add(f.holder(args[0])) // a method that sets something
				}
				add(x)
			case ssa.Value:
				if !code.IsError(x.Type()) {
					add(x)
				}
			}
		}
	}
	return false
}

// Flows reports whether what a call has read may be what another one of the same function is
// given, be it by way of maps and lists that are filled with it.
func (e *Engine) Flows(read, write *term.T) bool {
	f, from := e.Index.CallOf(read)
	g, to := e.Index.CallOf(write)
	if from == nil || to == nil || f != g {
		return false
	}
	v, ok := from.(ssa.Value)
	return ok && f.flows(v, to)
}

// holder is the variable, or the object, that a place is in.
func (f *Family) holder(v ssa.Value) ssa.Value {
	for range MaxSources {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.IndexAddr:
			v = x.X
		case *ssa.Slice:
			v = x.X
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.UnOp:
			v = f.Base(x.X)
		case *ssa.FreeVar:
			b := f.Base(x)
			if b == v {
				return v
			}
			v = b
		default:
			return v
		}
	}
	return v
}

// Unread reports whether nothing of what a request brings back is looked at, but whether it
// went well: it is made for what it does.
func (e *Engine) Unread(request *term.T) bool {
	f, in := e.Index.CallOf(request)
	call, ok := in.(*ssa.Call)
	if !ok {
		return false
	}
	for _, r := range *call.Referrers() {
		if x, ok := r.(*ssa.Extract); ok && !code.IsError(x.Type()) && f.looksInto(x, 0) {
			return false
		}
	}
	return true
}

// looksInto reports whether anything but the status of an answer is used, and its body other
// than to close it.
func (f *Family) looksInto(v ssa.Value, depth int) bool {
	if depth > 3 || v.Referrers() == nil {
		return true
	}
	return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		switch x := r.(type) {
		case *ssa.DebugRef:
			return false
		case *ssa.FieldAddr:
			switch code.FieldName(x.X.Type(), x.Field) {
			case "StatusCode", "Status":
				return false
			case "Body":
				return f.looksInto(x, depth+1)
			}
		case *ssa.UnOp:
			return f.looksInto(x, depth+1)
		case ssa.CallInstruction:
			return !x.Common().IsInvoke() || x.Common().Method.Name() != "Close"
		}
		return true
	})
}
