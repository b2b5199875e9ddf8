package engine

import (
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// Leasing tells times of leases from all the other times that programs compare:
// of sessions, cache entries, certificates and schedules. No single sign is
// enough, because all of those have owners and expiries as well.
//
// A field is of a lease if its name is about validity and two of three hold:
// its type is named like a lock; the type has a field for the holder; its
// methods, or the function that compares, take, renew or release a lock. A value
// of another source is of a lease if what it was read from is named like a lock,
// and so is the function around the comparison, or that works on a lock.
type leasing struct {
	e     *Engine
	read  *readings
	funcs map[*ssa.Function]bool
	types map[*types.TypeName]bool
}

func newLeasing(e *Engine, read *readings) *leasing {
	l := &leasing{e: e, read: read, funcs: make(map[*ssa.Function]bool), types: make(map[*types.TypeName]bool)}
	e.each(func(f *family, fn *ssa.Function, s *Summary) {
		if !l.works(fn, s) {
			return
		}
		root := rootOf(fn)
		l.funcs[root] = true
		if recv := root.Signature.Recv(); recv != nil {
			if s, ok := slotOf(recv.Type(), 0); ok {
				l.types[s.owner] = true
			}
		}
	})
	return l
}

// works reports whether a function itself, or by one more call, takes, renews or
// releases a lock.
func (l *leasing) works(fn *ssa.Function, s *Summary) bool {
	for _, list := range s.steps {
		for _, x := range list {
			if x.Call == nil || x.Open != Closed || len(x.Via) > 1 {
				continue
			}
			if slices.ContainsFunc(l.e.reader.Of(x.Call), l.locks) {
				return true
			}
		}
	}
	return false
}

// locks reports whether a meaning is part of locking. General commands are where
// they act on the key of a known lock, or on one that is named so.
func (l *leasing) locks(m meaning.Meaning) bool {
	switch m.Role {
	case meaning.Acquire:
	case meaning.Renew, meaning.Release:
		if m.Checked {
			return true // comparing the owner first has no other use
		}
	default:
		return false
	}
	if !m.Raw {
		return true
	}
	return m.Key != nil && (l.e.evidence.keys[held{m.Family, l.e.pool.Like(m.Key)}] || leaseName(m.Key.Pattern()))
}

// of reports whether a time, or a number that stands for one, is a lease's.
func (l *leasing) of(v ssa.Value) bool {
	fn := v.Parent()
	if fn == nil {
		return false
	}
	found := false
	l.read.walk(v, func(x ssa.Value) bool {
		if found {
			return false
		}
		if s, i, ok := fieldRead(x); ok {
			found = l.field(fn, s.Type(), i)
			return false
		}
		switch x := x.(type) {
		case *ssa.Parameter:
			found = leaseName(x.Name()) && l.around(fn)
		case *ssa.Call:
			e := l.read.entry(x)
			if e == nil {
				return true
			}
			if e.Clock == "" && e.Same.IsZero() {
				found = l.named(x) && l.around(fn)
				return false
			}
		}
		return !found
	}, func(x ssa.Value, _ string) {
		found = found || l.named(x) && l.around(fn)
	})
	return found
}

// field reports whether a field of a type is the time of a lease.
func (l *leasing) field(fn *ssa.Function, t types.Type, i int) bool {
	s, ok := slotOf(t, i)
	if !ok {
		return false
	}
	st, ok := s.owner.Type().Underlying().(*types.Struct)
	if !ok || i >= st.NumFields() || !ofValidity(st.Field(i).Name()) {
		return false
	}
	signs := 0
	if leaseName(s.owner.Name()) {
		signs++
	}
	for f := range st.Fields() {
		if meaning.NamesHolder(f.Name()) {
			signs++
			break
		}
	}
	if l.types[s.owner] || l.funcs[rootOf(fn)] {
		signs++
	}
	return signs >= 2
}

// around reports whether a comparison stands in code about leases.
func (l *leasing) around(fn *ssa.Function) bool {
	root := rootOf(fn)
	if l.funcs[root] {
		return true
	}
	names := []string{root.Name(), strings.TrimSuffix(filepath.Base(l.e.fset.Position(root.Pos()).Filename), ".go")}
	if recv := root.Signature.Recv(); recv != nil {
		if s, ok := slotOf(recv.Type(), 0); ok {
			names = append(names, s.owner.Name())
		}
	}
	return slices.ContainsFunc(names, func(s string) bool { return leaseName(s) || meaning.Named(s, "renew", "renewal", "renewer") })
}

// named reports whether what a value was read from is named like a lock: the key,
// a column of the statement, the variable that holds either.
func (l *leasing) named(v ssa.Value) bool {
	f := l.read.family(v)
	if f == nil {
		return false
	}
	return f.get(v).Any(func(t *term.T) bool {
		switch t.Kind {
		case term.Param:
			return leaseName(t.Label) && !strings.HasSuffix(strings.ToLower(t.Label), "ctx")
		case term.Const:
			return t.Type == "string" && leaseName(t.Name)
		case term.Field, term.Global:
			return leaseName(t.Name[strings.LastIndexByte(t.Name, '.')+1:])
		case term.Call:
			return leaseName(t.Name[strings.LastIndexByte(t.Name, '.')+1:])
		}
		return false
	})
}

// leaseName reports whether a name is a lease's. These are fewer words than those
// by which an acquire is known: an account is locked, and a locked row is skipped.
func leaseName(s string) bool {
	return meaning.Named(s, "lock", "locks", "lease", "leases", "leader", "leadership", "mutex", "election", "dlock", "redlock")
}

// ofValidity reports whether a field tells until when a lease holds, or since when.
func ofValidity(field string) bool {
	return meaning.NamesExpiry(field) || meaning.Named(field, "renew", "renewed", "renewal", "refreshed", "extended", "heartbeat", "beat", "acquired", "taken", "held")
}
