package engine

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// An index says where things stand in the units. Much is asked of the whole program
// for each lock; were all functions looked through every time, the work would grow
// with the square of the program. Each part is made when first asked for, and keeps
// the order of the families.
type index struct {
	e        *Engine
	packages map[string][]*family        // by import path
	files    map[string][]*family        // by the files that their calls stand in
	known    []known                     // calls that the catalogue knows
	knownOf  map[string][]known          // the same, by import path
	queried  map[string]bool             // resources that are read somewhere
	brackets map[*site]*lock.Use         // by the sites that they stand on
	follow   map[string][]under          // what runs where leadership is told, by signal
	sections map[lock.Position][]*family // those whose sections do something, by the place of that
}

// A known call is one that the catalogue has an entry for.
type known struct {
	f  *family
	in ssa.CallInstruction
}

func (c known) term() *term.T { return c.f.settled().callTerm(c.in.Common(), c.in.Pos()) }

// inPackage lists the families of a package.
func (x *index) inPackage(path string) []*family {
	if x.packages == nil {
		x.packages = make(map[string][]*family)
		for _, f := range x.e.order {
			pkg := pkgOf(f.root)
			x.packages[pkg] = append(x.packages[pkg], f)
		}
	}
	return x.packages[path]
}

// inFile lists the families that have calls in a file. A line directive can put what is
// inside a function into another file than the function.
func (x *index) inFile(name string) []*family {
	if x.files == nil {
		x.files = make(map[string][]*family)
		for _, f := range x.e.order {
			for _, fn := range f.members {
				for _, b := range fn.Blocks {
					for _, in := range b.Instrs {
						c, ok := in.(ssa.CallInstruction)
						if !ok {
							continue
						}
						name := x.e.place(x.e.position(c.Common().Pos())).File
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

// callOf finds the family and the call that a term comes from.
func (x *index) callOf(t *term.T) (*family, ssa.CallInstruction) {
	site := siteOfCall(t)
	file := site
	for range 2 { // line and column
		file = file[:max(strings.LastIndexByte(file, ':'), 0)]
	}
	for _, f := range x.inFile(file) {
		if in := f.callOf(t); in != nil {
			return f, in
		}
	}
	return nil, nil
}

// calls lists the calls that the catalogue has entries for.
func (x *index) calls() []known {
	if x.knownOf == nil {
		x.knownOf = make(map[string][]known)
		x.e.functions(func(f *family, fn *ssa.Function) {
			pkg := pkgOf(fn)
			for _, b := range fn.Blocks {
				for _, in := range b.Instrs {
					if c, ok := in.(ssa.CallInstruction); ok && len(f.entries(c.Common())) > 0 {
						x.known = append(x.known, known{f, c})
						x.knownOf[pkg] = append(x.knownOf[pkg], known{f, c})
					}
				}
			}
		})
	}
	return x.known
}

// callsIn lists those in a package.
func (x *index) callsIn(path string) []known {
	x.calls()
	return x.knownOf[path]
}

// reads reports whether a function in view reads one of the resources.
func (x *index) reads(resources []string) bool {
	if x.queried == nil {
		x.queried = make(map[string]bool)
		for _, c := range x.calls() {
			for _, m := range x.e.reader.Of(c.term()) {
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

// bracket is a use of the wrapper in which st stands that takes the lock and gives it
// back itself.
func (x *index) bracket(st *site) *lock.Use {
	if x.brackets == nil {
		x.brackets = make(map[*site]*lock.Use)
		for _, f := range x.e.order {
			for _, r := range x.e.recorded[f] {
				if len(r.use.Release) == 0 || r.st.heldOut {
					continue
				}
				for _, c := range r.st.lock.chain {
					if x.brackets[c] == nil {
						x.brackets[c] = r.use
					}
				}
			}
		}
	}
	return x.brackets[st]
}

// following lists what runs only where a signal has told of leadership.
func (x *index) following(signal string) []under {
	if x.follow == nil {
		x.follow = make(map[string][]under)
		x.e.functions(func(f *family, fn *ssa.Function) {
			for name, blocks := range f.under(fn) {
				x.follow[name] = append(x.follow[name], under{f, fn, blocks})
			}
		})
	}
	return x.follow[signal]
}

// around lists the families that hold locks while something is done at a place.
func (x *index) around(at lock.Position) []*family {
	if x.sections == nil {
		x.sections = make(map[lock.Position][]*family)
		for _, f := range x.e.order {
			for _, r := range x.e.recorded[f] {
				for _, y := range r.st.effects {
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
