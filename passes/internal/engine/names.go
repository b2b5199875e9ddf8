package engine

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// frame is the place of an instruction. SSA knows calls by their opening
// parenthesis; people look for them where they begin.
func (f *family) frame(in ssa.Instruction, text string) lock.Frame {
	frame := lock.Frame{Function: shown(in.Parent()), Text: text}
	pos := in.Pos()
	if c, ok := in.(ssa.CallInstruction); ok {
		pos = c.Common().Pos()
		if expr := f.exprs()[pos]; expr != nil {
			pos = f.e.begin(expr)
			frame.Callee = f.callee(expr)
		}
		if frame.Callee == "" {
			frame.Callee = calleeName(c.Common())
		}
	}
	frame.Position = f.e.position(pos)
	return frame
}

// exprs maps the opening parentheses of the family's calls to the calls.
func (f *family) exprs() map[token.Pos]*ast.CallExpr {
	if f.calls == nil {
		f.calls = make(map[token.Pos]*ast.CallExpr)
		if root := f.root.Syntax(); root != nil {
			ast.Inspect(root, func(n ast.Node) bool {
				if c, ok := n.(*ast.CallExpr); ok {
					f.calls[c.Lparen] = c
				}
				return true
			})
		}
	}
	return f.calls
}

// begin is where a reader looks for a call: at its first character, or at the
// name of the method where the chain before it fills other lines.
func (e *Engine) begin(call *ast.CallExpr) token.Pos {
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && e.line(sel.Sel.Pos()) != e.line(call.Pos()) {
		return sel.Sel.Pos()
	}
	if _, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		return call.Lparen
	}
	return call.Pos()
}

func (e *Engine) line(pos token.Pos) int { return e.fset.Position(pos).Line }

// callee names the method that a call names, by the type of what stands before
// the dot: (*redis.Client).SetNX, although an embedded type declares it. It is
// empty for other calls.
func (f *family) callee(call *ast.CallExpr) string {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	s := f.e.selects[f.root.Pkg][sel]
	if s == nil || s.Kind() != types.MethodVal {
		return ""
	}
	recv := s.Recv()
	// A variable that is no pointer has the methods of the pointer to it.
	if fn, ok := s.Obj().(*types.Func); ok && !s.Indirect() && !types.IsInterface(recv) {
		if r := fn.Signature().Recv(); r != nil && isPointer(r.Type()) && !isPointer(recv) {
			recv = types.NewPointer(recv)
		}
	}
	return "(" + types.TypeString(recv, (*types.Package).Name) + ")." + sel.Sel.Name
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// calleeName names what a call calls, by declaration.
func calleeName(c *ssa.CallCommon) string {
	switch {
	case c.IsInvoke():
		return term.ShortName(c.Method.FullName())
	case c.StaticCallee() != nil:
		fn := origin(c.StaticCallee())
		if obj, ok := fn.Object().(*types.Func); ok && obj.Pkg() != nil && obj.Signature().Recv() == nil {
			return obj.Pkg().Name() + "." + obj.Name()
		}
		return term.ShortName(fnName(fn))
	}
	return ""
}
