package remarks

import (
	"go/types"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// stale notes a write of the section whose new value comes from an old one that was read
// before the lock was taken: whoever held the lock in between is overwritten. That the
// lock is still held, which a token or an owner tells, says nothing of what was read
// before it; a version does.
func (k *keeping) stale(f *engine.Family, r summary.Recorded) {
	st := r.Site
	for _, x := range st.Effects {
		if x.Call == nil || x.Open != summary.Closed || !open(r.Use, x) {
			continue
		}
		for _, m := range k.e.Reader.Of(x.Call) {
			if m.Role != meaning.Write || !overwrites(m.Write) || k.rereads(st.Effects, m.Write.Resource) {
				continue
			}
			if in := k.readBefore(f, st, x, m.Write); in != nil {
				at := x.At
				if filepath.Dir(at.File) != filepath.Dir(r.Use.Acquire.File) {
					at = f.Within(x) // the call that hands the old value on
				}
				k.found.of(r.Use, lock.Call{Frame: framed(at, m.Write.Resource), Call: at.Callee, Kind: lock.ReadBefore, Other: f.Frame(in, "read here")})
				return
			}
		}
	}
}

// open reports whether an effect is one of the writes of a use that whoever holds the
// lock may make, whatever has become of the resource.
func open(u *lock.Use, x summary.Effect) bool {
	return slices.ContainsFunc(u.Writes, func(w lock.Write) bool {
		holds := w.Condition == lock.None || w.Condition == lock.Token || w.Condition == lock.Owner || w.Condition == lock.Transaction && w.Note == engine.OnOwner
		return w.Position == x.At.Position && !w.Own && !w.After && holds && w.Fault == ""
	})
}

// overwrites reports whether a write puts a new value in place of one that is there.
func overwrites(c *meaning.Change) bool {
	switch c.Operation {
	case "INSERT", "DELETE", "DEL", "create", "append":
		return false
	}
	return c.Resource != c.Store
}

// rereads reports whether the section itself reads a resource.
func (k *keeping) rereads(section []summary.Effect, resource string) bool {
	return slices.ContainsFunc(section, func(x summary.Effect) bool {
		return x.Call != nil && x.Open == summary.Closed && k.reads(x.Call, resource)
	})
}

func (k *keeping) reads(call *term.T, resource string) bool {
	return slices.ContainsFunc(k.e.Reader.Of(call), func(m meaning.Meaning) bool {
		return m.Role == meaning.Query && (m.Store == resource || engine.Overlap(m.Store, resource))
	})
}

// readBefore finds the call before the acquire that reads what a write stores. A
// value in a WHERE clause or key only names the resource, and a variable may hold another
// one by the time of the write.
func (k *keeping) readBefore(f *engine.Family, st *summary.Site, write summary.Effect, c *meaning.Change) ssa.Instruction {
	var values []*term.T
	for _, s := range c.Sets {
		values = append(values, s.Value)
	}
	if c.Value != nil {
		values = append(values, c.Value)
	}
	if len(values) == 0 && c.Store != "sql" {
		for _, a := range meaning.Args(c.Call) {
			if a != c.Key {
				values = append(values, a)
			}
		}
	}
	// Told by their places, not by their terms: the record that a read fills is among what it
	// is given, and is another term once it is filled.
	used := make(map[string]bool)
	given := choosesLock(f, st)
	var look func(v *term.T)
	look = func(v *term.T) {
		if v == nil || given[v] {
			return
		}
		if v.Kind == term.Call && k.reads(v, c.Resource) {
			used[v.Name+" "+v.Site] = true
		}
		for _, a := range v.Args {
			look(a)
		}
	}
	for _, v := range values {
		look(v)
	}
	if len(used) == 0 {
		return nil
	}
	for in := range earlier(st) {
		for _, x := range f.Sums[st.Func].Steps[in] {
			if x.Call != nil && used[x.Call.Name+" "+x.Call.Site] && x.Reach != summary.ByGoroutine && !missed(f, st, x.Call) && !k.replaced(f, st, x.Call, write) {
				return in
			}
		}
	}
	return nil
}

// choosesLock lists the parts of what was read that the call which takes the lock is given, as texts
// and numbers: which lock that is has to be known before.
func choosesLock(f *engine.Family, st *summary.Site) map[*term.T]bool {
	parts := make(map[*term.T]bool)
	note := func(t *term.T) {
		if t != nil && (t.Kind == term.Field || t.Kind == term.Elem) {
			parts[t] = true
		}
	}
	for _, a := range st.At.Common().Args {
		t := f.Get(a)
		if code.IsBasic(a.Type()) {
			note(t)
		}
		fields, ok := code.Deref(a.Type()).Underlying().(*types.Struct)
		if !ok || t.Kind != term.Struct {
			continue
		}
		for field := range fields.Fields() {
			if i := slices.Index(t.Names, field.Name()); i >= 0 && code.IsBasic(field.Type()) {
				note(t.Args[i])
			}
		}
	}
	return parts
}

// missed reports whether the lock is taken only where a read has failed, or found nothing:
// what is written then comes from somewhere else.
func missed(f *engine.Family, st *summary.Site, read *term.T) bool {
	found := false
	code.Reasons(st.At.Block(), func(br *ssa.If, _ int) {
		for _, v := range br.Cond.(ssa.Instruction).Operands(nil) {
			found = found || code.IsError((*v).Type()) && f.Get(*v).Any(func(t *term.T) bool { return t == read })
		}
	})
	return found
}

// replaced reports whether all that a read brought is surely replaced by the time that a
// section makes a write.
func (k *keeping) replaced(f *engine.Family, st *summary.Site, read *term.T, write summary.Effect) bool {
	found := false
	for in, list := range f.Sums[st.Func].Steps {
		if slices.ContainsFunc(list, func(x summary.Effect) bool { return x.Call == write.Call && x.At.Position == write.At.Position }) {
			if found = true; !f.Replaced(read, in) {
				return false
			}
		}
	}
	return found
}

// earlier runs over the calls that were made by the time a lock is taken.
func earlier(st *summary.Site) func(yield func(ssa.Instruction) bool) {
	return func(yield func(ssa.Instruction) bool) {
		for _, b := range st.Func.Blocks {
			if !b.Dominates(st.At.Block()) {
				continue
			}
			for _, in := range b.Instrs {
				if in == ssa.Instruction(st.At) {
					break
				}
				if _, call := in.(*ssa.Call); call && !yield(in) {
					return
				}
			}
		}
	}
}
