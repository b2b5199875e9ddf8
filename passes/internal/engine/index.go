package engine

import (
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

// An Index says where things stand in the units. Much is asked of the whole program
// for each lock; were all functions looked through every time, the work would grow
// with the square of the program. Each part is made when first asked for, and keeps
// the order of the families.
type Index struct {
	e        *Engine
	packages map[string][]*Family        // by import path
	files    map[string][]*Family        // by the files that their calls stand in
	known    []KnownCall                 // calls that the catalogue knows
	knownOf  map[string][]KnownCall      // the same, by import path
	lasting  map[string][]lock.TTL       // what later statements say of how long lock objects live, by where those were made
	queried  map[string]bool             // resources that are read somewhere
	brackets map[*summary.Site]*lock.Use // by the sites that they stand on
	follow   map[string][]under          // what runs where leadership is told, by signal
	taking   map[string][]under          // what runs where work is received, by the field that it waits in
	renewed  map[string]fieldSet         // fields through which locks are renewed, by import path
	sections map[lock.Position][]*Family // those whose sections do something, by the place of that
}

// A KnownCall call is one that the catalogue has an entry for.
type KnownCall struct {
	Family *Family             // in which it stands
	Call   ssa.CallInstruction // the call
}

// Term is the call as a term.
func (c KnownCall) Term() *term.T { return c.Family.Settled().CallTerm(c.Call.Common(), c.Call.Pos()) }

// InPackage lists the families of a package.
func (x *Index) InPackage(path string) []*Family {
	if x.packages == nil {
		x.packages = make(map[string][]*Family)
		for _, f := range x.e.Order {
			pkg := code.PackagePath(f.Root)
			x.packages[pkg] = append(x.packages[pkg], f)
		}
	}
	return x.packages[path]
}

// InFile lists the families that have calls in a file. A line directive can put what is
// inside a function into another file than the function.
func (x *Index) InFile(name string) []*Family {
	if x.files == nil {
		x.files = make(map[string][]*Family)
		for _, f := range x.e.Order {
			for _, fn := range f.Members {
				for _, b := range fn.Blocks {
					for _, in := range b.Instrs {
						c, ok := in.(ssa.CallInstruction)
						if !ok {
							continue
						}
						name := x.e.Place(x.e.Position(c.Common().Pos())).File
						if list := x.files[name]; len(list) == 0 || list[len(list)-1] != f {
							x.files[name] = append(list, f)
						}
					}
				}
			}
		}
	}
	return x.files[name]
}

// CallOf finds the family and the call that a term comes from.
func (x *Index) CallOf(t *term.T) (*Family, ssa.CallInstruction) {
	site := siteOfCall(t)
	file := site
	for range 2 { // line and column
		file = file[:max(strings.LastIndexByte(file, ':'), 0)]
	}
	for _, f := range x.InFile(file) {
		if in := f.CallOf(t); in != nil {
			return f, in
		}
	}
	return nil, nil
}

// Calls lists the calls that the catalogue has entries for.
func (x *Index) Calls() []KnownCall {
	if x.knownOf == nil {
		x.knownOf = make(map[string][]KnownCall)
		x.e.EachFunction(func(f *Family, fn *ssa.Function) {
			pkg := code.PackagePath(fn)
			for _, b := range fn.Blocks {
				for _, in := range b.Instrs {
					if c, ok := in.(ssa.CallInstruction); ok && len(f.Entries(c.Common())) > 0 {
						x.known = append(x.known, KnownCall{f, c})
						x.knownOf[pkg] = append(x.knownOf[pkg], KnownCall{f, c})
					}
				}
			}
		})
	}
	return x.known
}

// CallsIn lists those in a package.
func (x *Index) CallsIn(path string) []KnownCall {
	x.Calls()
	return x.knownOf[path]
}

// Lasts tells how long a lock object lives of which that is told by a statement after it
// was made, wherever that stands; ok is false where nothing is. Of several that tell
// otherwise nobody knows which was last.
func (x *Index) Lasts(object *term.T) (ttl lock.TTL, ok bool) {
	made := func(t *term.T) []*term.T {
		return slices.DeleteFunc(slices.Clone(t.Alts()), func(t *term.T) bool {
			e := x.e.Reader.Entry(t)
			return t.Kind != term.Call || e == nil || e.New == nil
		})
	}
	if x.lasting == nil {
		x.lasting = make(map[string][]lock.TTL)
		for _, c := range x.Calls() {
			if !slices.ContainsFunc(c.Family.Entries(c.Call.Common()), func(e *catalog.Call) bool { return e.Option != nil && !e.Option.TTL.IsZero() }) {
				continue
			}
			on := meaning.Receiver(c.Term())
			if said, ok := x.e.Reader.Sets(c.Term()); ok && on != nil {
				for _, t := range made(on) {
					if !slices.Contains(x.lasting[t.Site], said) {
						x.lasting[t.Site] = append(x.lasting[t.Site], said)
					}
				}
			}
		}
	}
	if object == nil {
		return lock.TTL{}, false
	}
	var said []lock.TTL
	for _, t := range made(object) {
		said = append(said, x.lasting[t.Site]...)
	}
	switch len(said) {
	case 0:
		return lock.TTL{}, false
	case 1:
		return said[0], true
	}
	return lock.TTL{Source: "unknown"}, true
}

// Reads reports whether a function in view reads one of the resources.
func (x *Index) Reads(resources []string) bool {
	if x.queried == nil {
		x.queried = make(map[string]bool)
		for _, c := range x.Calls() {
			for _, m := range x.e.Reader.Of(c.Term()) {
				for _, name := range queried(m) {
					x.queried[name] = true
				}
			}
		}
	}
	return slices.ContainsFunc(resources, func(name string) bool { return x.queried[name] })
}

// queried lists the resources that a call reads.
func queried(m meaning.Meaning) []string {
	if m.Role != meaning.Query {
		return nil
	}
	store, names, _ := strings.Cut(m.Store, ":")
	list := strings.Split(names, ",")
	for i, name := range list {
		list[i] = store + ":" + name
	}
	return list
}

// Bracket is a use of the wrapper in which st stands that takes the lock and gives it
// back itself.
func (x *Index) Bracket(st *summary.Site) *lock.Use {
	if x.brackets == nil {
		x.brackets = make(map[*summary.Site]*lock.Use)
		for _, f := range x.e.Order {
			for _, r := range x.e.Recorded[f] {
				if len(r.Use.Release) == 0 || r.Site.HeldOut || x.e.endsSession(r.Site) {
					continue
				}
				for _, c := range r.Site.Lock.Chain {
					if x.brackets[c] == nil {
						x.brackets[c] = r.Use
					}
				}
			}
		}
	}
	return x.brackets[st]
}

// endsSession reports whether a lock is given back only with the session that it belongs to,
// and all else that does: that is the end of the work, not of one caller's part.
func (e *Engine) endsSession(st *summary.Site) bool {
	return len(st.Freed) > 0 && !slices.ContainsFunc(st.Freed, func(x summary.Effect) bool {
		m, ok := e.Release(x)
		return !ok || !m.Session
	})
}

// following lists what runs only where a signal has told of leadership.
func (x *Index) following(signal string) []under {
	if x.follow == nil {
		x.follow = make(map[string][]under)
		x.e.EachFunction(func(f *Family, fn *ssa.Function) {
			for name, blocks := range f.under(fn) {
				x.follow[name] = append(x.follow[name], under{f, fn, blocks})
			}
		})
	}
	return x.follow[signal]
}

// Around lists the families that hold locks while something is done at a place.
func (x *Index) Around(at lock.Position) []*Family {
	if x.sections == nil {
		x.sections = make(map[lock.Position][]*Family)
		for _, f := range x.e.Order {
			for _, r := range x.e.Recorded[f] {
				for _, y := range r.Site.Effects {
					place := y.At.Position
					if list := x.sections[place]; len(list) == 0 || list[len(list)-1] != f {
						x.sections[place] = append(list, f)
					}
				}
			}
		}
	}
	return x.sections[at]
}
