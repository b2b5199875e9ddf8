package engine

import (
	"go/constant"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// A table of a package; with a column, what ends a record of it early.
type tableOf struct{ pkg, resource, column string }

// standing lists what makes the insert of a record a lock that holds until the
// record is taken away. A name says so, but locked accounts and locked files are
// kept in tables as well. So the record has to be deleted by code of the same
// package, and the insert either names an owner and an end, or the function around
// it has an answer of its own for a record that is there already: it counts the
// rows, knows the error of a duplicate, looks for the record first, or returns an
// error that is named after locks. Without the name, the rows must be counted, and
// code of the package must end a record before its time: markers and keys that are
// remembered for a while have owners and ends too, and are swept when these are over.
func (ev *Evidence) standing(f *Family, s *summary.Summary, st *summary.Site, m meaning.Meaning) []string {
	pkg, row := code.PackagePath(st.Func), m.Row
	ended := row.Expiry != "" && ev.deleted[tableOf{pkg, row.Resource, row.Expiry}]
	asked := st.Guarded || st.Wrapper // if it is for the callers, they are told
	if !asked || !ended && !(row.Named && ev.deleted[tableOf{pkg, row.Resource, ""}]) {
		return nil
	}
	signs := []string{"record is inserted only where none stands", "it is taken away later"}
	switch {
	case !row.Named:
		if ev.counts(s, st) {
			return append(signs, "it names an owner and an end", "a refused insert is answered")
		}
	case m.Row.Expiry != "" && m.Value != nil:
		return append(signs, "it names an owner and an end")
	case ev.counts(s, st) || f.knowsRefusal(m.Row.Resource):
		return append(signs, "a refused insert is answered")
	}
	return nil
}

// kept lists what makes the taking of a record whose time has passed a lock, where no name
// in it says so. A session has a token and an end as well, and a link to set a new password,
// and a job its next run. But who has a lock keeps it: code of the same package moves the end
// of the record on, which it finds by its name, if what was stored beside it is there still.
// Or the function is about locks by its name, and code of the package ends the record before
// its time, or (givenBack) the very function that has it does. And who gets none is told so.
func (ev *Evidence) kept(s *summary.Summary, st *summary.Site, m meaning.Meaning) []string {
	pkg, row := code.PackagePath(st.Func), m.Row
	if !st.Guarded && !st.Wrapper || row.By == "" && !row.Item() || !ev.answered(s, st) {
		return nil
	}
	signs := []string{"row is taken when its expiry has passed"}
	if ev.any(pkg, row.Resource, func(c *meaning.Change) bool { return keeps(c, row) }) {
		return append(signs, "its holder moves that, and compares what was stored")
	}
	if onlyLocks(st.Func) && ev.any(pkg, row.Resource, func(c *meaning.Change) bool {
		return c.Deletes() || slices.ContainsFunc(c.Sets, func(s meaning.Setting) bool { return s.Column == row.Expiry && Frees(s.Value) })
	}) {
		return append(signs, "it is ended early")
	}
	return nil
}

// any reports whether code of a package changes a resource in some way, be it in a function
// that nothing calls, or by a statement that is handed to another.
func (ev *Evidence) any(pkg, resource string, is func(*meaning.Change) bool) bool {
	if slices.ContainsFunc(ev.written[tableOf{pkg, resource, ""}], is) {
		return true
	}
	return slices.ContainsFunc(ev.e.Index.CallsIn(pkg), func(c KnownCall) bool {
		return slices.ContainsFunc(ev.e.Reader.Of(c.Term()), func(w meaning.Meaning) bool {
			return w.Role == meaning.Write && w.Write.Resource == resource && is(w.Write)
		})
	})
}

// givenBack lists what makes a lock of such a record where who has taken it gives it back when
// the work is done.
func givenBack(m meaning.Meaning, g summary.Signs) []string {
	if m.Row.Owner == "" || !g.Guarded || !g.Released || g.Lent {
		return nil
	}
	return []string{"row is taken when its expiry has passed", "result guards the section", "it is given back after it"}
}

// keeps reports whether a write moves the end of a record that is its own still.
func keeps(c *meaning.Change, row *meaning.Row) bool {
	asks := func(col string) bool {
		return slices.ContainsFunc(c.Guards, func(g meaning.Guard) bool { return g.Op == "=" && g.Column == col })
	}
	stores := slices.ContainsFunc(c.Sets, func(s meaning.Setting) bool { return s.Column == row.Owner })
	return row.Owner != "" && (asks(row.By) || row.Item()) && asks(row.Owner) && !stores && TendsRow(c, row) == rowExtend
}

// answered reports whether the refusal of a write is an error, or is looked for in what the
// write answers.
func (ev *Evidence) answered(s *summary.Summary, st *summary.Site) bool {
	for _, w := range ev.e.Reader.Of(st.Lock.Call) {
		if w.Role == meaning.Write && w.Write.Reject == "error" {
			return true
		}
	}
	return slices.ContainsFunc(s.Steps[st.At], func(x summary.Effect) bool { return x.Checked == 1 && x.Call == st.Lock.Call })
}

// onlyLocks reports whether a function is about locks as its name goes, or those of its
// package and receiver, and about nothing else: accounts are locked as well.
func onlyLocks(fn *ssa.Function) bool {
	root := code.Root(fn)
	if root.Pkg != nil && NamesLock(root.Pkg.Pkg.Name()) {
		return true
	}
	if recv := code.ReceiverOf(root); recv != nil && NamesLock(recv.Name()) {
		return true
	}
	words := meaning.Words(root.Name())
	return NamesLock(root.Name()) && !slices.ContainsFunc(words, func(w string) bool {
		return !slices.Contains(lockWords, w) && !slices.Contains(takeWords, w)
	})
}

// takeWords are what is done with locks, beside the words for these.
var takeWords = []string{"try", "take", "acquire", "get", "obtain", "claim", "grab", "with", "run", "do", "for", "as", "become", "is", "wait", "context", "ctx"}

// counts reports whether the insert's count of rows is looked at, which is zero
// for a row that was there already.
func (ev *Evidence) counts(s *summary.Summary, st *summary.Site) bool {
	return slices.ContainsFunc(s.Steps[st.At], func(x summary.Effect) bool {
		return x.Checked == 1 && x.Call == st.Lock.Call && slices.ContainsFunc(ev.e.Reader.Of(x.Call), func(m meaning.Meaning) bool {
			return m.Role == meaning.Write && m.Write.Reject == "rows" && slices.ContainsFunc(m.Write.Guards, func(g meaning.Guard) bool { return g.Op == "absent" })
		})
	})
}

// duplicates are the codes by which databases tell that a key is there already:
// SQLSTATE, MySQL, SQLite, SQL Server, Oracle.
var duplicates = []string{"23505", "1062", "1555", "2067", "2627", "2601", "ORA-00001"}

// knowsRefusal reports whether a function tells "somebody else has it" apart
// from other failures of an insert.
func (f *Family) knowsRefusal(resource string) bool {
	for _, fn := range f.Members {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				switch x := in.(type) {
				case *ssa.BinOp:
					if isDuplicate(x.X) || isDuplicate(x.Y) {
						return true
					}
				case *ssa.UnOp:
					if g, ok := x.X.(*ssa.Global); ok && code.IsError(x.Type()) && NamesLock(g.Name()) {
						return true
					}
				case ssa.CallInstruction:
					if f.asksFor(x, resource) {
						return true
					}
				}
			}
		}
	}
	return false
}

func isDuplicate(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil {
		return false
	}
	text := c.Value.ExactString()
	if c.Value.Kind() == constant.String {
		text = constant.StringVal(c.Value)
	}
	return slices.Contains(duplicates, text)
}

// asksFor reports whether a call asks an error whether it is that of a
// duplicate, or reads the table that the record is in.
func (f *Family) asksFor(in ssa.CallInstruction, resource string) bool {
	c := in.Common()
	name := ""
	if c.IsInvoke() {
		name = c.Method.Name()
	} else if callee := c.StaticCallee(); callee != nil {
		name = callee.Name()
	}
	if meaning.Named(name, "dup", "duplicate", "duplicated", "unique", "conflict") && slices.ContainsFunc(c.Args, func(a ssa.Value) bool { return code.IsError(a.Type()) }) {
		return true
	}
	return f.looksUp(in, []string{resource})
}

// looksUp reports whether a call reads one of the resources.
func (f *Family) looksUp(in ssa.CallInstruction, resources []string) bool {
	return len(f.Entries(in.Common())) > 0 && f.Engine.Reads(f.Settled().CallTerm(in.Common(), in.Pos()), resources)
}

// deletion notes what a statement changes, and the records that it takes away, or ends.
func (ev *Evidence) deletion(pkg string, c *meaning.Change) {
	if of := (tableOf{pkg, c.Resource, ""}); len(c.Guards) > 0 && !slices.Contains(ev.written[of], c) {
		ev.written[of] = append(ev.written[of], c)
	}
	if c.Deletes() {
		ev.deleted[tableOf{pkg, c.Resource, ""}] = true
	}
	for _, s := range c.Sets {
		if Frees(s.Value) {
			ev.deleted[tableOf{pkg, c.Resource, s.Column}] = true
		}
	}
}

// Reads reports whether a call reads one of the resources.
func (e *Engine) Reads(call *term.T, resources []string) bool {
	return slices.ContainsFunc(e.Reader.Of(call), func(m meaning.Meaning) bool {
		return slices.ContainsFunc(queried(m), func(name string) bool { return slices.Contains(resources, name) })
	})
}

// RecordsOf lists the resources that an acquire writes.
func (e *Engine) RecordsOf(acquire *term.T) []string {
	var out []string
	for _, m := range e.Reader.Of(acquire) {
		if m.Role == meaning.Write {
			out = append(out, m.Write.Resource)
		}
	}
	return out
}
