package world

import (
	"go/constant"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A member is what is known of one field of a record.
type member struct {
	index int
	val   constant.Value
}

// between stands between the members in a Fact's text: no constant's text has it.
const between = "\x1f"

// Field is what is known of the field at an index of a record, or of one that is pointed to.
func (f Fact) Field(index int) Fact {
	for _, m := range f.members {
		if m.index == index {
			return Known(m.val)
		}
	}
	return Varying
}

// With is f where the field at an index is the constant v.
func (f Fact) With(index int, v constant.Value) Fact {
	members := slices.DeleteFunc(slices.Clone(f.members), func(m member) bool { return m.index == index })
	members = append(members, member{index, v})
	slices.SortFunc(members, func(a, b member) int { return a.index - b.index })
	f.members = members
	return f
}

// Tells reports whether a field is known.
func (f Fact) Tells() bool { return len(f.members) > 0 }

// Contradicts reports whether not both can be so.
func (f Fact) Contradicts(g Fact) bool {
	if f.Definite() && g.Definite() && !f.Same(g) {
		return true
	}
	return slices.ContainsFunc(f.members, func(m member) bool {
		other := g.Field(m.index)
		return other.Definite() && !other.Same(Known(m.val))
	})
}

// common lists what is known of both records.
func common(a, b Fact) []member {
	var out []member
	for _, m := range a.members {
		if b.Field(m.index).Same(Known(m.val)) {
			out = append(out, m)
		}
	}
	return out
}

func (f Fact) membersText() string {
	var s strings.Builder
	for _, m := range f.members {
		s.WriteString(between + strconv.Itoa(m.index) + "=" + m.val.ExactString())
	}
	return s.String()
}

// parseMembers is the inverse of membersText.
func (f Fact) parseMembers(text string) Fact {
	for part := range strings.SplitSeq(text, between) {
		if index, val, ok := strings.Cut(part, "="); ok {
			if i, err := strconv.Atoi(index); err == nil {
				f = f.With(i, Parse(val).val)
			}
		}
	}
	return f
}

// record is what is known of the fields of a composite literal. One that is changed by other
// means than a store to a field, or later than where it is made, may be anything.
func (e *evaluator) record(lit *ssa.Alloc) Fact {
	f := Varying
	st, ok := deref(lit.Type()).Underlying().(*types.Struct)
	if !ok || lit.Referrers() == nil {
		return f
	}
	vals := make(map[int]Fact)
	for _, r := range *lit.Referrers() {
		switch r := r.(type) {
		case *ssa.FieldAddr:
			for _, u := range *r.Referrers() {
				switch u := u.(type) {
				case *ssa.Store:
					if _, again := vals[r.Field]; again || u.Addr != ssa.Value(r) || u.Block() != lit.Block() {
						vals[r.Field] = Varying
						continue
					}
					vals[r.Field] = e.eval(u.Val)
				case *ssa.UnOp, *ssa.DebugRef:
				default:
					vals[r.Field] = Varying // somebody else may fill it
				}
			}
		case *ssa.UnOp, *ssa.Return, *ssa.Phi, *ssa.MakeInterface, *ssa.DebugRef:
		case *ssa.Store:
			if !onlyReturned(r.Addr) {
				return f
			}
		default:
			return f
		}
	}
	for i := range st.NumFields() {
		v, stored := vals[i]
		if !stored {
			v = zero(st.Field(i).Type())
		}
		if v.kind == known {
			f = f.With(i, v.val)
		}
	}
	return f
}

// onlyReturned reports whether what is stored at addr is a result and nothing else.
func onlyReturned(addr ssa.Value) bool {
	variable, ok := addr.(*ssa.Alloc)
	return ok && !slices.ContainsFunc(*variable.Referrers(), func(u ssa.Instruction) bool {
		switch u := u.(type) {
		case *ssa.Store, *ssa.DebugRef:
			return false
		case *ssa.UnOp:
			return slices.ContainsFunc(*u.Referrers(), func(w ssa.Instruction) bool { _, ret := w.(*ssa.Return); return !ret })
		}
		return true
	})
}

// whole reports whether a local variable holds a record that is put together field by field.
func (e *evaluator) whole(v *ssa.Alloc) bool {
	_, ok := deref(v.Type()).Underlying().(*types.Struct)
	return ok && !slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		s, ok := r.(*ssa.Store)
		return ok && s.Addr == ssa.Value(v)
	})
}

// zero is what a field is that is left out of a literal.
func zero(t types.Type) Fact {
	b, ok := t.Underlying().(*types.Basic)
	switch {
	case !ok:
	case b.Info()&types.IsBoolean != 0:
		return False
	case b.Info()&types.IsString != 0:
		return Known(constant.MakeString(""))
	case b.Info()&types.IsInteger != 0:
		return Known(constant.MakeInt64(0))
	}
	return Varying
}
