package engine

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// The error of a general command says that it was sent. Whether it found its key
// taken is in the reply, and where nobody reads that, everybody gets the lock.

// mute reports whether all that is read of a command's answer is an error which a
// refusal does not make.
func (f *Family) mute(st *summary.Site, m meaning.Meaning) bool {
	call, ok := st.At.(*ssa.Call)
	if !ok || !st.Direct || m.Deaf || !m.Counts && !m.InRow && (!m.Raw || m.Row != nil) {
		return false
	}
	entry := f.Engine.Reader.Entry(st.Lock.Call)
	if entry == nil || !m.InRow && entry.Reads != nil && filledBy(code.Operand(call.Common(), entry.Reads.Out)) {
		return false
	}
	var a answered
	a.value = m.InRow && f.fillsRead(call)
	f.read(call, &a)
	if a.value || !a.err && !m.InRow {
		return false
	}
	return quietly(call, m, entry, a)
}

// quietly reports whether a command that is refused makes no error of it.
func quietly(call *ssa.Call, m meaning.Meaning, entry *catalog.Call, a answered) bool {
	return strings.Contains(call.Type().String(), "Bool") || m.Counts || m.InRow || entry.Quiet && !a.converted
}

// RefusesQuietly reports whether a value that is looked at tells that the acquire was
// refused, which makes no error.
func (f *Family) RefusesQuietly(st *summary.Site, m meaning.Meaning) bool {
	call, ok := st.At.(*ssa.Call)
	entry := f.Engine.Reader.Entry(st.Lock.Call)
	if !ok || entry == nil {
		return false
	}
	var a answered
	f.read(call, &a)
	return quietly(call, m, entry, a) && tellsByValue(f.oracle(st, m), st.Func)
}

// fillsRead reports whether a variable that a call fills is looked at afterwards, or may
// be because it is not a local one.
func (f *Family) fillsRead(call *ssa.Call) bool {
	for _, v := range f.Inputs(call.Common()) {
		mi, ok := v.(*ssa.MakeInterface)
		if !ok {
			continue
		}
		if _, pointer := mi.X.Type().Underlying().(*types.Pointer); !pointer {
			continue
		}
		a, local := f.Base(mi.X).(*ssa.Alloc)
		if !local || f.lookedAt(a, 0) {
			return true
		}
	}
	return false
}

// lookedAt reports whether more becomes of a variable, or of a value, than that a call
// fills it and a log tells it. Whether the text of a log tells more than nothing is
// not asked, nor whether a column was null: a refusal is not.
func (f *Family) lookedAt(v ssa.Value, depth int) bool {
	if v.Referrers() == nil || depth > MaxLooks {
		return true
	}
	return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.DebugRef:
			return false
		case *ssa.Store:
			if r.Val != v {
				return false // set, not read
			}
			at, element := r.Addr.(*ssa.IndexAddr)
			if !element {
				return true
			}
			list, local := at.X.(*ssa.Alloc)
			return !local || f.lookedAt(list, depth+1)
		case *ssa.IndexAddr:
			return false // where an argument is put
		case *ssa.FieldAddr:
			return !(code.FieldName(r.X.Type(), r.Field) == "Valid" && ofSQL(r.X.Type())) && f.lookedAt(r, depth+1)
		case *ssa.MakeClosure:
			for i, b := range r.Bindings {
				if b == v && f.lookedAt(r.Fn.(*ssa.Function).FreeVars[i], depth+1) {
					return true
				}
			}
			return false
		case *ssa.UnOp, *ssa.MakeInterface, *ssa.Convert, *ssa.ChangeType, *ssa.Slice:
			return f.lookedAt(r.(ssa.Value), depth+1)
		case *ssa.Call:
			for _, e := range f.Entries(r.Common()) {
				if e.Reads != nil && !e.Reads.Out.IsZero() || e.Query != nil && !e.Query.Out.IsZero() {
					return false // fills it
				}
			}
			return !f.QuietCall(r.Common()) || code.Formats(r.Common()) && f.Leaves(r, 0)
		}
		return true
	})
}

// ofSQL reports whether a type is one of database/sql, which tells a value from none.
func ofSQL(t types.Type) bool {
	n := code.NamedOf(t)
	return n != nil && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "database/sql"
}

// Deaf reports whether all that is read of the answer to a renewal is an error, which a
// lease that is lost does not make: it finds no row, key or session to extend.
func (f *Family) Deaf(call *ssa.Call, renewal *term.T, m meaning.Meaning) bool {
	entry := f.Engine.Reader.Entry(renewal)
	if entry == nil || entry.Reads != nil && filledBy(code.Operand(call.Common(), entry.Reads.Out)) {
		return false
	}
	var a answered
	f.read(call, &a)
	return a.err && !a.value && (m.Counts || entry.Quiet && !a.converted)
}

// OnlyErrors reports whether the errors of a call are looked at and nothing else that it
// answers.
func (f *Family) OnlyErrors(call *ssa.Call) bool {
	var a answered
	f.read(call, &a)
	return a.err && !a.value && !a.converted
}

// filledBy reports whether a call writes its answer through a pointer.
func filledBy(v ssa.Value) bool {
	if mi, ok := v.(*ssa.MakeInterface); ok {
		v = mi.X
	}
	return v != nil && !code.IsConstant(v)
}

// answered tells what is read of what a call returned.
type answered struct {
	value     bool // more than its errors
	err       bool // an error
	converted bool // by a call that makes an error of no value
}

func (f *Family) read(v ssa.Value, a *answered) {
	if code.IsError(v.Type()) {
		a.err = true
		return
	}
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Extract:
			f.read(r, a)
		case *ssa.MakeInterface:
			f.read(r, a)
		case *ssa.ChangeInterface:
			f.read(r, a)
		case *ssa.FieldAddr: // whose method it is, of what is embedded
			f.read(r, a)
		case *ssa.UnOp: // a field: the Error of an answer
			f.read(r, a)
		case *ssa.Call:
			entry := f.Engine.Reader.Entry(f.CallTerm(r.Common(), r.Pos()))
			if entry == nil || entry.Reads == nil {
				a.value = true
				return
			}
			if !entry.Reads.Out.IsZero() && f.fillsRead(r) {
				a.value = true
				return
			}
			for result := range r.Common().Signature().Results().Variables() {
				a.converted = a.converted || !code.IsError(result.Type()) && !empty(result.Type())
			}
			f.read(r, a)
		default:
			a.value = true
			return
		}
	}
}
