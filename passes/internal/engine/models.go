package engine

import (
	"go/types"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
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

// Other mappers find the parameters of a statement in a struct, by what tags say.

// nameTag is the tag by which sqlx, and what is made after it, names a field.
const nameTag = "db"

// tagged is t, the value of an argument v, with its fields by the names in their tags.
//
// Imprecision: those of structs that are embedded keep their names.
func (f *Family) tagged(t *term.T, v ssa.Value) *term.T {
	typ := code.Deref(unboxed(v).Type())
	if list, ok := typ.Underlying().(*types.Slice); ok {
		typ = code.Deref(list.Elem())
	}
	st, ok := typ.Underlying().(*types.Struct)
	if !ok {
		return t
	}
	names := make(map[string]string)
	for i := range st.NumFields() {
		if name, _, _ := strings.Cut(reflect.StructTag(st.Tag(i)).Get(nameTag), ","); name != "" && name != "-" {
			names[st.Field(i).Name()] = name
		}
	}
	if len(names) == 0 {
		return t
	}
	return f.renamed(t, names)
}

func (f *Family) renamed(t *term.T, names map[string]string) *term.T {
	p := f.Engine.Pool
	if x, name, value, ok := t.Changed(); ok {
		if tag := names[name]; tag != "" {
			name = tag
		}
		return p.With(f.renamed(x, names), name, value)
	}
	switch t.Kind {
	case term.List, term.Join:
		args := make([]*term.T, len(t.Args))
		for i, a := range t.Args {
			args[i] = f.renamed(a, names)
		}
		if t.Kind == term.List {
			return p.List(args...)
		}
		return p.Join(args...)
	case term.Struct:
		fields := slices.Clone(t.Names)
		for i, name := range fields {
			if tag := names[name]; tag != "" {
				fields[i] = tag
			}
		}
		return p.Struct(t.Type, t.Site, fields, t.Args)
	}
	return t
}

// readsNames reports whether a function sends a statement whose parameters may be named.
func (e *Engine) readsNames(fn string) bool {
	return slices.ContainsFunc(e.Reader.Entries(fn), func(c *catalog.Call) bool {
		return c.Write != nil && !c.Write.SQL.IsZero() || c.Query != nil && !c.Query.SQL.IsZero() ||
			c.Library.Family == "sql" && c.Same.Base == catalog.Arg // makes a text and its parameters
	})
}
