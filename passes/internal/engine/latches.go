package engine

import (
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/sqlread"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// Undone reports whether a write may bring back what a claim has taken: sets the
// column to the state that the claim asks for, or to what is out of sight, or, where
// the claim creates the record, deletes it.
func (ev *Evidence) Undone(claim *meaning.Change, column, state string) bool {
	for _, c := range ev.changesOf(claim.Resource) {
		switch {
		case column == "":
			if c.Deletes() {
				return true
			}
		case c.Deletes() || c.Operation == "INSERT":
		case len(c.Sets) == 0:
			return true // a whole record
		default:
			for _, s := range c.Sets {
				if s.Column == column && (s.Value.Kind != term.Const || s.Value.Name == state) {
					return true
				}
			}
		}
	}
	return false
}

// Identifies reports whether records of a resource are made with something in a column that
// differs between them: a node that stores who it is, say, to find its own record by. What
// the lock's owner is called there names a record, and is not meant to fence one.
func (e *Engine) Identifies(resource, column string) bool {
	return e.Evidence != nil && slices.ContainsFunc(e.Evidence.changesOf(resource), func(c *meaning.Change) bool {
		return (c.Operation == "INSERT" || c.Operation == "UPSERT" || c.Operation == "REPLACE") && slices.ContainsFunc(c.Sets, func(s meaning.Setting) bool {
			return s.Column == column && s.Value.Kind != term.Const && !s.Value.IsZero()
		})
	})
}

// Moves reports whether any write of a resource in view sets a column, or may: one of a
// whole record.
func (e *Engine) Moves(resource, column string) bool {
	return e.Evidence == nil || slices.ContainsFunc(e.Evidence.changesOf(resource), func(c *meaning.Change) bool {
		switch {
		case c.Deletes() || c.Operation == "DDL" || c.Operation == "INSERT":
			return false
		case len(c.Sets) == 0:
			return true
		}
		return slices.ContainsFunc(c.Sets, func(s meaning.Setting) bool { return s.Column == column || s.Column == "" })
	})
}

// changesOf lists the writes of a resource in all the module, whether or not their
// functions have to do with locks. What a function does to a statement that it is
// handed shows in the text of the statement, without its arguments.
func (ev *Evidence) changesOf(resource string) []*meaning.Change {
	if ev.changes == nil {
		ev.changes, ev.from = make(map[string][]*meaning.Change), make(map[*meaning.Change]*types.Package)
		ev.ours, ev.keyed = make(map[string]bool), make(map[string][]*meaning.Change)
		ev.e.EachFunction(func(f *Family, fn *ssa.Function) {
			ev.ours[code.PackagePath(fn)] = true
			for _, b := range fn.Blocks {
				for _, in := range b.Instrs {
					ev.changesIn(f, in)
				}
			}
		})
	}
	return ev.changes[resource]
}

func (ev *Evidence) changesIn(f *Family, in ssa.Instruction) {
	note := func(c *meaning.Change) {
		ev.changes[c.Resource] = append(ev.changes[c.Resource], c)
		if pkg := f.Root.Pkg; pkg != nil {
			ev.from[c] = pkg.Pkg
			if c.Store == "redis" && c.Key != nil && c.Call != nil {
				ev.keyed[pkg.Pkg.Path()] = append(ev.keyed[pkg.Pkg.Path()], c)
			}
		}
	}
	if c, ok := in.(ssa.CallInstruction); ok && len(f.Entries(c.Common())) > 0 {
		for _, m := range ev.e.Reader.Of(f.CallTerm(c.Common(), c.Pos())) {
			if m.Role == meaning.Write {
				note(m.Write)
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
			for _, w := range st.Writes {
				note(ev.e.Reader.Text(w))
			}
		}
	}
}

// statement reports whether a text may be one that writes, or makes what is written.
func statement(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "update") || strings.Contains(text, "insert") || strings.Contains(text, "replace") || strings.Contains(text, "table ") || strings.Contains(text, "unique index")
}
