package engine

import (
	"go/constant"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/sqlread"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// latches reports whether a claim can be won once and never again: it moves a
// record from one known state to another, or creates it, and nothing in the module
// puts it back. Package by package that is not known, and neither is what other
// programs do to the same table.
func (j *judge) latches(claim *meaning.Change) bool {
	if !j.e.whole() || claim.Resource == claim.Store {
		return false
	}
	if claim.Operation == "INSERT" {
		return !j.e.evidence.undone(claim, "", "")
	}
	return slices.ContainsFunc(claim.Guards, func(g meaning.Guard) bool {
		return g.Op == "=" && g.Moves && g.Value != nil && g.Value.Kind == term.Const && !g.Value.IsZero() && !versionColumn(g.Column) &&
			!j.e.evidence.undone(claim, g.Column, g.Value.Name)
	})
}

// undone reports whether a write may bring back what a claim has taken: sets the
// column to the state that the claim asks for, or to what is out of sight, or, where
// the claim creates the record, deletes it.
func (ev *evidence) undone(claim *meaning.Change, column, state string) bool {
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

// changesOf lists the writes of a resource in all the module, whether or not their
// functions have to do with locks. What a function does to a statement that it is
// handed shows in the text of the statement, without its arguments.
func (ev *evidence) changesOf(resource string) []*meaning.Change {
	if ev.changes == nil {
		ev.changes = make(map[string][]*meaning.Change)
		ev.e.functions(func(f *family, fn *ssa.Function) {
			for _, b := range fn.Blocks {
				for _, in := range b.Instrs {
					ev.changesIn(f, in)
				}
			}
		})
	}
	return ev.changes[resource]
}

func (ev *evidence) changesIn(f *family, in ssa.Instruction) {
	if c, ok := in.(ssa.CallInstruction); ok && len(f.entries(c.Common())) > 0 {
		for _, m := range ev.e.reader.Of(f.callTerm(c.Common(), c.Pos())) {
			if m.Role == meaning.Write {
				ev.changes[m.Write.Resource] = append(ev.changes[m.Write.Resource], m.Write)
			}
		}
		return
	}
	for _, op := range in.Operands(nil) {
		c, ok := (*op).(*ssa.Const)
		if !ok || c.Value == nil || c.Value.Kind() != constant.String || !strings.Contains(strings.ToLower(constant.StringVal(c.Value)), "update") {
			continue
		}
		for _, st := range sqlread.Read(constant.StringVal(c.Value)) {
			for _, w := range st.Writes {
				m := ev.e.reader.Text(w)
				ev.changes[m.Resource] = append(ev.changes[m.Resource], m)
			}
		}
	}
}
