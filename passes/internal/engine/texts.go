package engine

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// Scripts and statements are kept in fields that a constructor sets, and read in
// methods, where the object comes from out of sight. Where all that a private field is
// ever set to is one such text, that is what a method finds there.

// fieldText is the script or statement that a field of an object out of sight holds, or
// nil.
func (e *Engine) fieldText(a *ssa.FieldAddr) *term.T {
	s, ok := code.SlotOf(a.X.Type(), a.Field)
	if !ok || !e.holdsText(code.Deref(a.Type())) || !e.Implementations.local[s.Owner.Pkg()] || ast.IsExported(code.FieldName(a.X.Type(), a.Field)) {
		return nil
	}
	if e.texts == nil {
		e.scanFields()
	}
	var text *term.T
	for _, v := range e.texts[s] {
		var f *Family
		if v != nil && v.Parent() != nil {
			f = e.Families[code.Origin(code.Root(v.Parent()))]
		}
		t := e.constantText(f, v)
		if t == nil || text != nil && t != text {
			return nil
		}
		text = t
	}
	return text
}

// holdsText reports whether a type is that of texts, or of what a library makes of one.
func (e *Engine) holdsText(t types.Type) bool {
	if b, ok := t.Underlying().(*types.Basic); ok {
		return b.Kind() == types.String
	}
	n, ok := types.Unalias(code.Deref(t)).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return false
	}
	_, known := e.Reader.Catalog.Relevant(n.Obj().Pkg().Path())
	return known
}

// constantText is the text that a value is, if it is that of a script or statement
// rather than a name.
func (e *Engine) constantText(f *Family, v ssa.Value) *term.T {
	var t *term.T
	switch {
	case v == nil:
		return nil
	case f != nil:
		t = f.Settled().Value(v)
	default:
		if c, ok := v.(*ssa.Const); ok && c.Value != nil {
			t = (&Family{Engine: e}).constant(c)
		}
	}
	if entry := e.Reader.Entry(t); entry != nil && entry.Part != nil && entry.Part.Kind == "raw" {
		t = e.Reader.Get(entry.Part.Text, t, nil) // a prepared statement
	}
	if text, ok := t.Str(); !ok || !strings.ContainsAny(strings.TrimSpace(text), " \n\t") {
		return nil
	}
	return t
}

// scanFields gathers what the fields of the units' types are set to. One whose address
// goes anywhere else may hold anything.
func (e *Engine) scanFields() {
	e.texts = make(map[code.Slot][]ssa.Value)
	e.EachFunction(func(_ *Family, fn *ssa.Function) {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				a, ok := in.(*ssa.FieldAddr)
				if !ok {
					continue
				}
				s, ok := code.SlotOf(a.X.Type(), a.Field)
				if !ok {
					continue
				}
				for _, r := range *a.Referrers() {
					switch r := r.(type) {
					case *ssa.Store:
						if r.Addr == ssa.Value(a) {
							e.texts[s] = append(e.texts[s], r.Val)
						} else {
							e.texts[s] = append(e.texts[s], nil)
						}
					case *ssa.UnOp, *ssa.DebugRef, *ssa.FieldAddr, *ssa.IndexAddr:
					default:
						e.texts[s] = append(e.texts[s], nil)
					}
				}
			}
		}
	})
}
