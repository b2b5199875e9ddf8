package remarks

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// storeKind says how the store of a lock is replicated, where the constructor of
// its client is in view or the client's type tells.
func storeKind(e *engine.Engine, f *engine.Family, r summary.Recorded) string {
	kind := ""
	for _, t := range []*term.T{r.Site.Lock.Call, r.Lock.Handle, r.Lock.Parent} {
		t.Any(func(t *term.T) bool {
			if entry := e.Reader.Entry(t); entry != nil && entry.New != nil && entry.New.Store != "" {
				kind = entry.New.Store
			}
			return kind != ""
		})
	}
	if kind == "" && strings.Contains(r.Use.Call, "ClusterClient") {
		kind = "cluster"
	}
	if kind == "" && r.Lock.Family == "redis" && r.Use.Verdict == lock.Unfenced {
		if in := acquiring(e, f, r.Site); in != nil {
			kind = keptStore(e, in)
		}
	}
	return kind
}

// acquiring is the library call that takes a lock; nil where it is out of sight.
func acquiring(e *engine.Engine, f *engine.Family, st *summary.Site) ssa.CallInstruction {
	if st.Direct {
		return st.At
	}
	if in := f.CallOf(st.Lock.Call); in != nil {
		return in
	}
	_, in := e.Index.CallOf(st.Lock.Call)
	return in
}

// maxClients bounds the calls that are looked at for the client of a lock.
const maxClients = 100

// keptStore says how the store is replicated that a call reaches by a client which was
// made elsewhere: it lies in fields, and came as an argument. It is empty where clients
// of several kinds come there.
func keptStore(e *engine.Engine, in ssa.CallInstruction) string {
	read := e.Readings()
	seen := make(map[*ssa.Call]bool)
	kind, several := "", false
	note := func(k string) {
		several = several || kind != "" && kind != k
		kind = k
	}
	work := code.OperandsOf(in.Common())
	for len(work) > 0 && len(seen) < maxClients {
		v := work[0]
		work = work[1:]
		if list, ok := v.(*ssa.Slice); ok {
			if f := read.Family(v); f != nil {
				work = append(work, f.Variadic(list)...)
			}
			continue
		}
		read.Walk(v, func(x ssa.Value) bool {
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
			if callee := code.Origin(call.Call.StaticCallee()); callee == nil || len(callee.Blocks) > 0 {
				return true
			}
			seen[call] = true
			switch entry := read.Entry(call); {
			case entry != nil && entry.New != nil && entry.New.Store != "":
				note(entry.New.Store)
			case isPointerTo(x.Type(), "Client") && entry != nil && entry.New != nil && entry.New.Parent.IsZero():
				note(single)
			default:
				work = append(work, code.OperandsOf(call.Common())...) // what adapts or wraps a client
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

// embedding is the client whose promoted method a value is the receiver of, or nil.
func embedding(v ssa.Value) ssa.Value {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return nil
	}
	if fa, ok := load.X.(*ssa.FieldAddr); ok {
		if s, ok := code.SlotOf(fa.X.Type(), fa.Field); ok && fa.Parent() != nil && s.Owner.Pkg() != nil && fa.Parent().Pkg != nil && s.Owner.Pkg() != fa.Parent().Pkg.Pkg {
			return fa.X
		}
	}
	return nil
}
