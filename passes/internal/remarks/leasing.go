package remarks

import (
	"go/constant"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// Leasing tells times of leases from all the other times that programs compare:
// of sessions, cache entries, certificates and schedules. No single sign is
// enough, because all of those have owners and expiries as well.
//
// A field is of a lease if its name is about validity and two of three hold:
// its type is named like a lock; the type has a field for the holder; its
// methods take, renew or release a lock, or it is what a lock stores. A value of
// another source is of a lease if what it was read from is named like a lock or
// is the key that the function locks, and the function around the comparison is
// named so too or works on a lock; or if it is so far ahead as the lock that the
// function takes lives; or if the lock itself was asked for it. So is a field that is
// set so far ahead where the lock is taken, and one that is set to the present only where
// it is taken or renewed, if its age is held against a part of the lock's life.
type leasing struct {
	e     *engine.Engine
	read  *engine.Readings
	keys  map[*ssa.Function][]*term.T // functions that work on locks, and the keys of these
	lives map[*ssa.Function][]string  // and how long they live
	types map[*types.TypeName]bool    // types whose methods do
	kept  map[string]bool             // types that are stored as the record of a lease
}

func newLeasing(e *engine.Engine, read *engine.Readings) *leasing {
	l := &leasing{e: e, read: read, keys: make(map[*ssa.Function][]*term.T), lives: make(map[*ssa.Function][]string), types: make(map[*types.TypeName]bool), kept: make(map[string]bool)}
	e.EachSummary(func(f *engine.Family, fn *ssa.Function, s *summary.Summary) {
		root := code.Root(fn)
		var placed []ssa.Instruction
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				if len(s.Steps[in]) > 0 {
					placed = append(placed, in)
				}
			}
		}
		slices.SortStableFunc(placed, func(a, b ssa.Instruction) int { return int(a.Pos() - b.Pos()) })
		for _, in := range placed {
			for _, x := range s.Steps[in] {
				if x.Call == nil || x.Open != summary.Closed || len(x.Via) > 1 {
					continue // what is further down is another function's business
				}
				for _, m := range e.Reader.Of(x.Call) {
					if l.locks(root, m) {
						l.keys[root] = append(l.keys[root], m.Key)
						if m.Record != "" {
							l.kept[m.Record] = true
						}
						if m.TTL.Text != "" {
							l.lives[root] = append(l.lives[root], m.TTL.Text)
						}
					}
				}
			}
		}
		if recv := receiver(root); recv != nil && l.keys[root] != nil {
			l.types[recv] = true
		}
	})
	return l
}

// locks reports whether a meaning is part of locking. General commands are where
// they act on the key of a known lock, or something is named so.
func (l *leasing) locks(root *ssa.Function, m meaning.Meaning) bool {
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
	if m.Key == nil {
		return false
	}
	if slices.ContainsFunc(l.e.Recorded[l.e.Families[root]], func(r summary.Recorded) bool { return r.Lock.Family == m.Family && l.e.Pool.Alike(r.Lock.Key, m.Key) }) {
		return true
	}
	recv := receiver(root)
	return l.e.Evidence.Locks(m.Family, m.Key) || leaseName(m.Key.Pattern()) || leaseName(root.Name()) || recv != nil && leaseName(recv.Name())
}

// receiver is the type that a method belongs to, or nil.
func receiver(fn *ssa.Function) *types.TypeName {
	if recv := fn.Signature.Recv(); recv != nil {
		if s, ok := code.SlotOf(recv.Type(), 0); ok {
			return s.Owner
		}
	}
	return nil
}

// of reports whether a time, or a number that stands for one, is a lease's.
func (l *leasing) of(v ssa.Value) bool {
	fn := v.Parent()
	if fn == nil {
		return false
	}
	found := l.asked(v) || l.taken(v)
	l.read.Walk(v, func(x ssa.Value) bool {
		if found {
			return false
		}
		if name := entryName(x); name != "" {
			found = leaseName(name) && ofValidity(name) && l.around(fn)
			return false
		}
		if s, i, ok := code.FieldRead(x); ok {
			found = l.field(s.Type(), i) || l.outlived(x)
			return false
		}
		if p, ok := x.(*ssa.Parameter); ok {
			found = leaseName(p.Name()) && l.around(fn)
			return !found
		}
		call := callOf(x)
		if call == nil {
			return true
		}
		switch e := l.read.Entry(call); {
		case e == nil:
			// A call of the program: its own name and its arguments tell, or what is in it.
			found = !l.read.Now(x) && l.named(x) && l.around(fn)
		case e.Clock == "keep" && len(call.Call.Args) == 2:
			found = l.lifetime(call.Parent(), call.Call.Args[1])
		case e.Clock == "" && e.Same.IsZero():
			found = l.named(x) && l.around(fn)
			return false
		}
		return !found
	}, func(x ssa.Value, _ string) {
		found = found || l.named(x) && l.around(fn)
	})
	return found
}

// asked reports whether a time comes from the lock itself, which was asked until when
// it holds or how long it has left, through whichever fields.
func (l *leasing) asked(v ssa.Value) bool {
	found := false
	list := []ssa.Value{v}
	for i := 0; i < len(list) && !found; i++ {
		l.read.Walk(list[i], func(x ssa.Value) bool {
			call := callOf(x)
			if found || call == nil {
				return !found
			}
			e := l.read.Entry(call)
			if e != nil && e.Clock == "keep" && len(call.Call.Args) == 2 && !slices.Contains(list, call.Call.Args[1]) {
				list = append(list, call.Call.Args[1])
			}
			found = e != nil && e.Loss != nil && e.Loss.How == "poll"
			return !found
		}, nil)
	}
	return found
}

// taken reports whether a time was read from a column that the function, or one that it
// calls, moves to a later end for a holder: it decides there whether it takes a record
// over, whatever that and the function are called.
func (l *leasing) taken(v ssa.Value) bool {
	f := l.read.Family(v)
	if f == nil {
		return false
	}
	return f.Get(v).Any(func(t *term.T) bool {
		if t.Kind != term.Out {
			return false
		}
		return slices.ContainsFunc(l.e.Reader.Of(t.Args[0]), func(m meaning.Meaning) bool {
			if m.Role != meaning.Query || t.Index >= len(m.Columns) {
				return false
			}
			column := m.Columns[t.Index]
			return ofValidity(column) && l.moves(f.Root, m.Store, column, 0)
		})
	})
}

// maxMoves bounds how many calls deep a column is looked for.
const maxMoves = 2

// moves reports whether a function stores an end in a column, and a holder beside it, one
// of which is named after locks. A lease says by its name that somebody has it; an account
// is locked for nobody, and a contract that ends has an owner.
func (l *leasing) moves(fn *ssa.Function, store, column string, depth int) bool {
	f := l.e.Families[code.Origin(fn)]
	if f == nil || depth > maxMoves {
		return false
	}
	held := meaning.Named(column, "lease", "leased", "leader", "leadership")
	return slices.ContainsFunc(f.Settled().Calling, func(in ssa.CallInstruction) bool {
		c := in.Common()
		if len(f.Entries(c)) == 0 {
			return c.StaticCallee() != nil && l.moves(c.StaticCallee(), store, column, depth+1)
		}
		return slices.ContainsFunc(l.e.Reader.Of(f.CallTerm(c, in.Pos())), func(m meaning.Meaning) bool {
			if m.Role != meaning.Write || !engine.Overlap(store, m.Write.Resource) {
				return false
			}
			moved, holder := false, held
			for _, s := range m.Write.Sets {
				names := meaning.NamesHolder(s.Column) || meaning.Named(s.Column, "by")
				moved = moved || s.Column == column && !engine.Frees(s.Value)
				holder = holder || names && !engine.Frees(s.Value) && (ofLock(column) || ofLock(s.Column))
			}
			return moved && holder
		})
	})
}

func ofLock(column string) bool {
	return meaning.Named(column, "lock", "locked", "lease", "leased", "claim", "claimed", "heartbeat", "held")
}

// field reports whether a field of a type is the time of a lease.
func (l *leasing) field(t types.Type, i int) bool {
	s, ok := code.SlotOf(t, i)
	if !ok {
		return false
	}
	st, ok := s.Owner.Type().Underlying().(*types.Struct)
	if !ok || i >= st.NumFields() || !ofValidity(st.Field(i).Name()) {
		return false
	}
	signs := 0
	if leaseName(s.Owner.Name()) {
		signs++
	}
	for f := range st.Fields() {
		if meaning.NamesHolder(f.Name()) {
			signs++
			break
		}
	}
	if l.types[s.Owner] || l.kept[types.TypeString(s.Owner.Type(), nil)] {
		signs++
	}
	return signs >= 2
}

// entryName is the key of the map that a value was looked up in, or a part of such a value:
// an attribute of an item, a field of a hash. It is empty for others.
func entryName(v ssa.Value) string {
	for range 6 {
		switch x := v.(type) {
		case *ssa.Lookup:
			if k, ok := x.Index.(*ssa.Const); ok && k.Value != nil && k.Value.Kind() == constant.String {
				return constant.StringVal(k.Value)
			}
			return ""
		case *ssa.Extract:
			v = x.Tuple
		case *ssa.TypeAssert:
			v = x.X
		default:
			of, _, ok := code.FieldRead(v)
			if !ok {
				return ""
			}
			v = of
		}
	}
	return ""
}

// lifetime reports whether a duration that is added to a time is the time to live
// of a lock that the function takes: the sum is when the lease ends.
func (l *leasing) lifetime(fn *ssa.Function, d ssa.Value) bool {
	f := l.e.Families[code.Root(fn)]
	return f != nil && slices.Contains(l.lives[code.Root(fn)], span(f.Get(d)))
}

// span is a duration as the time to live of a lock is told.
func span(t *term.T) string {
	if s := meaning.Seconds(t); s != 0 {
		return time.Duration(s * float64(time.Second)).String()
	}
	return t.Text()
}

// aged reports whether a time, or a number of units for it, is when a lock was last taken
// or renewed, and its age is held against a part of the lock's life: it lies in a field that
// is set to the present, and only in functions which do so.
func (l *leasing) aged(since, bound ssa.Value, unit time.Duration) bool {
	inField, other := false, false
	var lives []string
	l.read.Walk(since, func(x ssa.Value) bool {
		call := callOf(x)
		switch {
		case !inField:
			_, _, inField = code.FieldRead(x)
			return true
		case x.Parent() != nil && l.keys[code.Root(x.Parent())] == nil:
			other = true
		case call != nil && l.read.Now(x):
			lives = append(lives, l.lives[code.Root(x.Parent())]...)
		}
		return false
	}, func(ssa.Value, string) { other = true })
	if other || len(lives) == 0 {
		return false
	}
	if n, ok := code.ConstInt(bound); ok {
		return slices.ContainsFunc(lives, func(s string) bool {
			life, err := time.ParseDuration(s)
			part := time.Duration(n) * unit
			return err == nil && part <= life && part >= life/smallestPart
		})
	}
	f := l.read.Family(bound)
	return f != nil && f.Get(bound).Any(func(t *term.T) bool { return slices.Contains(lives, span(t)) })
}

// smallestPart is the part of a lock's life by which its holder still may go: less is how
// often something is looked at, or said.
const smallestPart = 5

// outlived reports whether a field is set to when a lock ends: where that is taken, its
// time to live is added to a time, whatever the field and its object are called.
func (l *leasing) outlived(read ssa.Value) bool {
	found := false
	list := []ssa.Value{read}
	for i := 0; i < len(list) && !found; i++ {
		l.read.Walk(list[i], func(x ssa.Value) bool {
			call := callOf(x)
			if found || call == nil {
				return !found
			}
			e := l.read.Entry(call)
			if e != nil && e.Clock == "strip" && code.IsNumber(call.Type()) && len(call.Call.Args) > 0 && !slices.Contains(list, call.Call.Args[0]) {
				list = append(list, call.Call.Args[0])
			}
			found = e != nil && e.Clock == "keep" && len(call.Call.Args) == 2 && l.lifetime(call.Parent(), call.Call.Args[1])
			return !found && e != nil
		}, nil)
	}
	return found
}

// around reports whether a comparison stands in code about leases.
func (l *leasing) around(fn *ssa.Function) bool {
	root := code.Root(fn)
	if l.keys[root] != nil {
		return true
	}
	names := []string{root.Name(), strings.TrimSuffix(filepath.Base(l.e.Fset.Position(root.Pos()).Filename), ".go")}
	if recv := receiver(root); recv != nil {
		names = append(names, recv.Name())
	}
	return slices.ContainsFunc(names, func(s string) bool { return leaseName(s) || meaning.Named(s, "renew", "renewal", "renewer") })
}

// named reports whether what a value was read from is a lock's by name (the key, a
// column of the statement, the variable that holds either), or is the key that the
// function locks.
func (l *leasing) named(v ssa.Value) bool {
	f := l.read.Family(v)
	if f == nil {
		return false
	}
	keys := l.keys[f.Root]
	return f.Get(v).Any(func(t *term.T) bool {
		if slices.Contains(keys, t) {
			return true
		}
		switch t.Kind {
		case term.Param:
			return leaseName(t.Label) && !strings.HasSuffix(strings.ToLower(t.Label), "ctx")
		case term.Const:
			return t.Type == "string" && leaseName(t.Name)
		case term.Field, term.Global, term.Call:
			name := t.Name[strings.LastIndexByte(t.Name, '.')+1:]
			return leaseName(name) && !ofChange(name)
		}
		return false
	})
}

// leaseName reports whether a name is a lease's. These are fewer words than those
// by which an acquire is known: an account is locked, and a locked row is skipped.
func leaseName(s string) bool {
	return meaning.Named(s, "lock", "locks", "lease", "leases", "leader", "leadership", "mutex", "election", "dlock", "redlock")
}

// ofChange reports whether a name is that of a change of holders: how long ago that was says nothing
// of how long the lease still holds.
func ofChange(s string) bool {
	return meaning.Named(s, "change", "changed", "changes", "switch", "switched", "transition", "transitioned")
}

// ofValidity reports whether a field tells until when a lease holds, or since when.
func ofValidity(field string) bool {
	return meaning.NamesExpiry(field) || meaning.Named(field, "renew", "renewed", "renewal", "refreshed", "extended", "heartbeat", "beat", "acquired", "taken", "held")
}

func callOf(v ssa.Value) *ssa.Call {
	switch v := v.(type) {
	case *ssa.Call:
		return v
	case *ssa.Extract:
		if c, ok := v.Tuple.(*ssa.Call); ok {
			return c
		}
	}
	return nil
}
