package engine

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/lock"
)

// Frame is the place of an instruction. SSA knows calls by their opening
// parenthesis; people look for them where they begin.
func (f *Family) Frame(in ssa.Instruction, text string) lock.Frame {
	frame := lock.Frame{Function: code.Shown(in.Parent()), Text: text}
	if c, ok := in.(ssa.CallInstruction); ok {
		if w, ok := f.Engine.calls[f.Root.Pkg][c.Common().Pos()]; ok {
			frame.Callee = w.callee()
		}
		if frame.Callee == "" {
			frame.Callee = code.CalleeName(c.Common())
		}
	}
	frame.Position = f.Engine.Position(f.begin(in))
	return frame
}

// begin is where an instruction stands: a call where it begins in the source.
func (f *Family) begin(in ssa.Instruction) token.Pos {
	c, ok := in.(ssa.CallInstruction)
	if !ok {
		return in.Pos()
	}
	if w, ok := f.Engine.calls[f.Root.Pkg][c.Common().Pos()]; ok {
		return w.begin
	}
	return c.Common().Pos()
}

// written is how a call is written: where it begins, and the method that it names.
type written struct {
	begin  token.Pos
	method *types.Selection
}

// callsOf maps the opening parentheses of a unit's calls to how they are written.
func callsOf(fset *token.FileSet, u Unit) map[token.Pos]written {
	calls := make(map[token.Pos]written)
	for _, f := range u.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				calls[c.Lparen] = writtenAs(fset, u.Info, c)
			}
			return true
		})
	}
	return calls
}

// writtenAs finds where a reader looks for a call: at its first character, or at
// the name of the method where the chain before it fills other lines.
func writtenAs(fset *token.FileSet, info *types.Info, call *ast.CallExpr) written {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.SelectorExpr:
		w := written{begin: call.Pos()}
		if s := info.Selections[fun]; s != nil && s.Kind() == types.MethodVal {
			w.method = s
		}
		if fset.Position(fun.Sel.Pos()).Line != fset.Position(call.Pos()).Line {
			w.begin = fun.Sel.Pos()
		}
		return w
	case *ast.FuncLit:
		return written{begin: call.Lparen}
	}
	return written{begin: call.Pos()}
}

// callee names the method that a call names, by the type of what stands before
// the dot: (*redis.Client).SetNX, although an embedded type declares it. It is
// empty for other calls.
func (w written) callee() string {
	if w.method == nil {
		return ""
	}
	recv := w.method.Recv()
	// A variable that is no pointer has the methods of the pointer to it.
	if fn, ok := w.method.Obj().(*types.Func); ok && !w.method.Indirect() && !types.IsInterface(recv) {
		if r := fn.Signature().Recv(); r != nil && isPointer(r.Type()) && !isPointer(recv) {
			recv = types.NewPointer(recv)
		}
	}
	return "(" + types.TypeString(recv, (*types.Package).Name) + ")." + w.method.Obj().Name()
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// goRoots are the first parts of the import paths that Go's own packages have. That
// there is no dot in them does not tell: a private module may have none either.
var goRoots = func() map[string]bool {
	m := make(map[string]bool)
	for name := range strings.FieldsSeq(`archive bufio bytes C cmd cmp compress container context crypto database
		debug embed encoding errors expvar flag fmt go hash html image index internal io iter log maps math mime net
		os path plugin reflect regexp runtime slices sort strconv strings structs sync syscall testing text time
		unicode unique unsafe vendor weak`) {
		m[name] = true
	}
	return m
}()

// Standard reports whether an import path is that of one of Go's own packages.
func Standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return goRoots[first]
}
