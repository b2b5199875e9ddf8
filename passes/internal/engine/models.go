package engine

import (
	"go/types"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// Some mappers demand the version of a row by themselves, where the model has a field
// that is marked for it. What is written does not show that, but its type does.

// versionMarks lists what marks such a field for a function that changes rows.
func (e *Engine) versionMarks(fn string) []string {
	for _, entry := range e.Reader.Entries(fn) {
		if len(entry.Library.Versions) > 0 && (entry.Write != nil || entry.Part != nil && entry.Part.Kind == "table") {
			return entry.Library.Marks()
		}
	}
	return nil
}

// versioned is t, the value of an argument v, with the field that is marked, if there is
// one.
func (f *Family) versioned(t *term.T, v ssa.Value, marks []string) *term.T {
	if len(marks) == 0 {
		return t
	}
	if mi, ok := v.(*ssa.MakeInterface); ok {
		v = mi.X
	}
	field := markedField(v.Type(), marks, 2)
	if field == "" {
		return t
	}
	return f.Engine.Pool.Op(meaning.Versioned, t, f.Engine.Pool.Const("string", field))
}

// markedField is the name of a field of a struct, or of one that is embedded in it, that
// has a mark.
func markedField(t types.Type, marks []string, depth int) string {
	st, ok := code.Deref(t).Underlying().(*types.Struct)
	if !ok || depth == 0 {
		return ""
	}
	for i := range st.NumFields() {
		v := st.Field(i)
		if slices.ContainsFunc(marks, func(m string) bool {
			key, word, tag := strings.Cut(m, ":")
			if tag {
				return slices.Contains(strings.Fields(reflect.StructTag(st.Tag(i)).Get(key)), word)
			}
			n, ok := types.Unalias(v.Type()).(*types.Named)
			return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path()+"."+n.Obj().Name() == m
		}) {
			return v.Name()
		}
		if v.Embedded() {
			if name := markedField(v.Type(), marks, depth-1); name != "" {
				return name
			}
		}
	}
	return ""
}
