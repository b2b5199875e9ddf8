package engine

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// storeKind says how the store of a lock is replicated, where the constructor of
// its client is in view or the client's type tells.
func (e *Engine) storeKind(f *family, r recorded) string {
	kind := ""
	for _, t := range []*term.T{r.st.lock.Call, r.lock.Handle, r.lock.Parent} {
		t.Any(func(t *term.T) bool {
			if entry := e.reader.Entry(t); entry != nil && entry.New != nil && entry.New.Store != "" {
				kind = entry.New.Store
			}
			return kind != ""
		})
	}
	if kind == "" && strings.Contains(r.use.Call, "ClusterClient") {
		kind = "cluster"
	}
	if kind == "" && r.lock.Family == "redis" && r.use.Verdict == lock.Unfenced {
		if in := e.acquiring(f, r.st); in != nil {
			kind = e.keptStore(in)
		}
	}
	return kind
}

// acquiring is the library call that takes a lock; nil where it is out of sight.
func (e *Engine) acquiring(f *family, st *site) ssa.CallInstruction {
	if st.direct {
		return st.at
	}
	if in := f.callOf(st.lock.Call); in != nil {
		return in
	}
	_, in := e.index.callOf(st.lock.Call)
	return in
}

// maxClients bounds the calls that are looked at for the client of a lock.
const maxClients = 100

// keptStore says how the store is replicated that a call reaches by a client which was
// made elsewhere: it lies in fields, and came as an argument. It is empty where clients
// of several kinds come there.
func (e *Engine) keptStore(in ssa.CallInstruction) string {
	read := e.readings()
	seen := make(map[*ssa.Call]bool)
	kind, several := "", false
	note := func(k string) {
		several = several || kind != "" && kind != k
		kind = k
	}
	work := operandsOf(in.Common())
	for len(work) > 0 && len(seen) < maxClients {
		v := work[0]
		work = work[1:]
		if list, ok := v.(*ssa.Slice); ok {
			if f := read.family(v); f != nil {
				work = append(work, f.variadic(list)...)
			}
			continue
		}
		read.walk(v, func(x ssa.Value) bool {
			if isPointerTo(x.Type(), "ClusterClient") {
				note("cluster")
				return false
			}
			if of := embedding(x); of != nil {
				work = append(work, of)
				return false
			}
			call := callOf(x)
			if call == nil || seen[call] {
				return call == nil
			}
			if callee := origin(call.Call.StaticCallee()); callee == nil || len(callee.Blocks) > 0 {
				return true
			}
			seen[call] = true
			switch entry := read.entry(call); {
			case entry != nil && entry.New != nil && entry.New.Store != "":
				note(entry.New.Store)
			case isPointerTo(x.Type(), "Client") && entry != nil && entry.New != nil && entry.New.Parent.IsZero():
				note(single)
			default:
				work = append(work, operandsOf(call.Common())...) // what adapts or wraps a client
			}
			return false
		}, nil)
	}
	if several || kind == single {
		return ""
	}
	return kind
}

// single is the kind of a store that is not replicated as far as one can see.
const single = "single"

// operandsOf lists what a call is given.
func operandsOf(c *ssa.CallCommon) []ssa.Value {
	list := c.Args
	if c.IsInvoke() {
		list = append([]ssa.Value{c.Value}, list...)
	}
	return list
}

// embedding is the client whose promoted method a value is the receiver of, or nil.
func embedding(v ssa.Value) ssa.Value {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return nil
	}
	if fa, ok := load.X.(*ssa.FieldAddr); ok {
		if s, ok := slotOf(fa.X.Type(), fa.Field); ok && fa.Parent() != nil && s.owner.Pkg() != nil && fa.Parent().Pkg != nil && s.owner.Pkg() != fa.Parent().Pkg.Pkg {
			return fa.X
		}
	}
	return nil
}
