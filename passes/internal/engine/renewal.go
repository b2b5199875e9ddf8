package engine

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
)

// Renewal says how the lease of a use is kept alive: by its library, by a
// goroutine, by calls in the section ("explicit"), or not at all. A goroutine
// may have been started by the wrapper that took the lock, or before the lock
// was taken, if it renews the session.
func (e *Engine) Renewal(st *summary.Site, m meaning.Meaning) string {
	if m.Renewal == "library" {
		return "library"
	}
	here, aside := e.Renews(st.Effects, m)
	here = here || e.renewedNext(st, m)
	aside = aside || e.renewedBefore(st, m)
	for _, c := range st.Lock.Chain {
		if own, ok := e.Acquire(c.Lock.Call); ok {
			_, there := e.Renews(c.Effects, own)
			aside = aside || there || e.renewedBefore(c, own)
		}
	}
	switch {
	case aside:
		return "goroutine"
	case here:
		return "explicit"
	}
	return "none"
}

// renewedNext reports whether a lock that is kept from turn to turn is renewed in later
// ones: by the very call that takes it, in a loop that comes back to that with the lock held,
// or through the field in which its object is put, by a function that is called again.
func (e *Engine) renewedNext(st *summary.Site, m meaning.Meaning) bool {
	if st.Region == nil || st.Func == nil {
		return false
	}
	f := e.Families[code.Origin(code.Root(st.Func))]
	if f == nil || f.Sums[st.Func] == nil {
		return false
	}
	if st.Region.Again && !st.Direct {
		if here, _ := e.Renews(f.Sums[st.Func].Steps[st.At], m); here {
			return true
		}
	}
	if !st.HeldOut || m.Handle == nil {
		return false
	}
	renewed := e.Index.renewedFields(code.PackagePath(st.Func))
	return len(renewed) > 0 && slices.ContainsFunc(f.Places, func(p Placed) bool {
		kept, ok := p.Addr.(*ssa.FieldAddr)
		return ok && renewed[fieldOfType{code.NamedOf(kept.X.Type()), kept.Field}] && f.Get(p.Val) == m.Handle
	})
}

// A fieldOfType is a field of a struct type that has a name.
type fieldOfType struct {
	of    *types.Named
	index int
}

type fieldSet map[fieldOfType]bool

// renewedFields are the fields through which functions of a package renew what is in them.
func (x *Index) renewedFields(path string) fieldSet {
	if x.renewed == nil {
		x.renewed = make(map[string]fieldSet)
	}
	fields, known := x.renewed[path]
	if known {
		return fields
	}
	fields = make(fieldSet)
	for _, c := range x.CallsIn(path) {
		entry := x.e.Reader.Entry(c.Term())
		if entry == nil || entry.Renew == nil {
			continue
		}
		if of, i, ok := code.FieldRead(code.Operand(c.Call.Common(), entry.Renew.Handle)); ok && code.NamedOf(of.Type()) != nil {
			fields[fieldOfType{code.NamedOf(of.Type()), i}] = true
		}
	}
	x.renewed[path] = fields
	return fields
}

// renewedBefore reports whether a goroutine that runs since before the acquire renews the
// session that the lock is taken with.
func (e *Engine) renewedBefore(st *summary.Site, m meaning.Meaning) bool {
	if st.Func == nil || st.At == nil || m.Parent == nil {
		return false
	}
	f := e.Families[code.Origin(code.Root(st.Func))]
	if f == nil || f.Sums[st.Func] == nil {
		return false
	}
	for in, list := range f.Sums[st.Func].Steps {
		if code.Before(in, st.At) && slices.ContainsFunc(list, func(x summary.Effect) bool {
			return x.Reach == summary.ByGoroutine && x.Call != nil && x.Open == summary.Closed && slices.ContainsFunc(e.Reader.Of(x.Call), func(r meaning.Meaning) bool {
				return r.Role == meaning.Renew && r.Family == m.Family && e.Pool.Alike(r.Handle, m.Parent)
			})
		}) {
			return true
		}
	}
	return false
}

// Renews reports whether effects renew a lock in line, and whether they do so
// in a goroutine. A general command (EXPIRE) renews the lock if it has its key.
func (e *Engine) Renews(list []summary.Effect, m meaning.Meaning) (here, aside bool) {
	for _, x := range list {
		if x.Call == nil || x.Open != summary.Closed {
			continue
		}
		ms := e.Reader.Of(x.Call)
		if r, ok := e.RenewsRow(x.Call); ok && m.Row != nil && r.Row.Resource == m.Row.Resource {
			r.Raw = false // of this very record, by what it is in
			ms = []meaning.Meaning{r}
		}
		if r, ok := e.restores(m, ms); ok {
			ms = []meaning.Meaning{r}
		}
		for _, r := range ms {
			switch {
			case r.Role != meaning.Renew || r.Family != m.Family:
			case r.Raw && (r.Key == nil || m.Key == nil || !e.Pool.Alike(r.Key, m.Key) && r.Key.Pattern() != m.Key.Pattern()):
			case x.Reach == summary.ByGoroutine:
				aside = true
			default:
				here = true
			}
		}
	}
	return here, aside
}

// Stored reports whether a call puts a value under a key unconditionally.
func Stored(w meaning.Meaning) bool {
	return w.Role == meaning.Write && w.Write.Unknown == "" && len(w.Write.Guards) == 0 && w.Write.Key != nil && w.Write.Value != nil
}

// restores reads a call that stores the value of a lock under its key once more, and asks
// nothing: meant to renew the lease, it takes the lock from whoever has it by now.
func (e *Engine) restores(m meaning.Meaning, ms []meaning.Meaning) (meaning.Meaning, bool) {
	for _, w := range ms {
		if Stored(w) && w.Family == m.Family && !UnknownKey(m.Key) && e.Pool.Alike(w.Write.Key, m.Key) && !UnknownKey(m.Value) && e.Pool.Alike(w.Write.Value, m.Value) {
			return meaning.Meaning{Role: meaning.Renew, Library: w.Library, Family: w.Family, Raw: true, Key: m.Key, Value: m.Value}, true
		}
	}
	return meaning.Meaning{}, false
}

// Prolongs reports whether an effect moves the end of the very lock that m takes.
func (e *Engine) Prolongs(x summary.Effect, m meaning.Meaning) bool {
	return x.Call != nil && x.Open == summary.Closed && slices.ContainsFunc(e.Reader.Of(x.Call), func(r meaning.Meaning) bool {
		return r.Role == meaning.Renew && r.Family == m.Family && e.Pool.Alike(r.Key, m.Key)
	})
}
