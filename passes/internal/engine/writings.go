package engine

import (
	"go/constant"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/sqlread"
)

// writings are the changes that statements and calls of the program make, whether or not
// their functions have to do with locks. What a function does to a statement that it is
// handed shows in the text of the statement, without its arguments.
type writings struct {
	of      map[string][]*meaning.Change       // by resource
	keyed   map[string][]*meaning.Change       // those of keys of Redis, by package
	from    map[*meaning.Change]*types.Package // where they are
	ours    map[string]bool                    // packages of the program
	reached map[string]map[string]bool         // which of those each imports, as asked for
}

// writings gathers them, once.
func (ev *Evidence) writings() *writings {
	if ev.all == nil {
		ev.all = &writings{
			of: make(map[string][]*meaning.Change), keyed: make(map[string][]*meaning.Change),
			from: make(map[*meaning.Change]*types.Package), ours: make(map[string]bool), reached: make(map[string]map[string]bool),
		}
		ev.e.EachFunction(func(f *Family, fn *ssa.Function) {
			ev.all.ours[code.PackagePath(fn)] = true
			for _, b := range fn.Blocks {
				for _, in := range b.Instrs {
					ev.all.note(f, in)
				}
			}
		})
	}
	return ev.all
}

// changesOf lists the writes of a resource in all the module.
func (ev *Evidence) changesOf(resource string) []*meaning.Change { return ev.writings().of[resource] }

// note enters what an instruction changes, or the text that it has in it.
func (w *writings) note(f *Family, in ssa.Instruction) {
	add := func(c *meaning.Change) {
		w.of[c.Resource] = append(w.of[c.Resource], c)
		if pkg := f.Root.Pkg; pkg != nil {
			w.from[c] = pkg.Pkg
			if c.Store == "redis" && c.Key != nil && c.Call != nil {
				w.keyed[pkg.Pkg.Path()] = append(w.keyed[pkg.Pkg.Path()], c)
			}
		}
	}
	if c, ok := in.(ssa.CallInstruction); ok && len(f.Entries(c.Common())) > 0 {
		for _, m := range f.Engine.Reader.Of(f.CallTerm(c.Common(), c.Pos())) {
			if m.Role == meaning.Write {
				add(m.Write)
			}
		}
		return
	}
	for _, op := range in.Operands(nil) {
		c, ok := (*op).(*ssa.Const)
		if !ok || c.Value == nil || c.Value.Kind() != constant.String || !statement(constant.StringVal(c.Value)) {
			continue
		}
		for _, st := range sqlread.Read(constant.StringVal(c.Value)) {
			for _, x := range st.Writes {
				add(f.Engine.Reader.Text(x))
			}
		}
	}
}

// statement reports whether a text may be one that writes, or makes what is written.
func statement(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "update") || strings.Contains(text, "insert") || strings.Contains(text, "replace") || strings.Contains(text, "table ") || strings.Contains(text, "unique index")
}

// imports reports whether a package of the program imports another one, be it by way of more.
func (w *writings) imports(pkg, other *types.Package) bool {
	seen := w.reached[pkg.Path()]
	if seen == nil {
		seen = make(map[string]bool)
		w.reached[pkg.Path()] = seen
		list := []*types.Package{pkg}
		for len(list) > 0 {
			p := list[len(list)-1]
			list = list[:len(list)-1]
			for _, q := range p.Imports() {
				if w.ours[q.Path()] && !seen[q.Path()] {
					seen[q.Path()] = true
					list = append(list, q)
				}
			}
		}
	}
	return seen[other.Path()]
}
