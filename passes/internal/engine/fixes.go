package engine

import (
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/lock"
)

// Changes of the source that do away with a finding. They are offered only where
// they cannot do harm, whatever the rest of the program is; all else is advice.

// WithoutCancel hands a release a context that does not end with ctx.
func (e *Engine) WithoutCancel(call ssa.CallInstruction, ctx ssa.Value) *lock.Fix {
	file, expr := e.CallExpr(call)
	if expr == nil || !since(call.Parent().Pkg.Pkg, "go1.21") {
		return nil
	}
	arg := e.Argument(call, expr, ctx)
	switch arg.(type) {
	case *ast.Ident, *ast.SelectorExpr:
	default:
		return nil
	}
	name := importName(file, "context")
	if name == "" {
		return nil
	}
	return &lock.Fix{
		Message: "release with " + name + ".WithoutCancel",
		Edits:   []lock.Edit{{Pos: arg.Pos(), End: arg.Pos(), New: name + ".WithoutCancel("}, {Pos: arg.End(), End: arg.End(), New: ")"}},
	}
}

// Argument is the syntax of one of a call's arguments, its receiver included, or
// nil where it is not written there.
func (e *Engine) Argument(call ssa.CallInstruction, expr *ast.CallExpr, v ssa.Value) ast.Expr {
	c := call.Common()
	i := slices.Index(c.Args, v)
	if callee := c.StaticCallee(); callee != nil && callee.Signature.Recv() != nil {
		recv := e.Receiver(call, expr)
		if i == 0 || recv == nil {
			return recv
		}
		i--
	}
	if i < 0 || i >= len(expr.Args) {
		return nil
	}
	return expr.Args[i]
}

// CallExpr finds the syntax of a call.
func (e *Engine) CallExpr(in ssa.CallInstruction) (*ast.File, *ast.CallExpr) {
	pos := in.Common().Pos()
	if !pos.IsValid() {
		return nil, nil
	}
	for _, file := range e.syntax {
		if pos < file.FileStart || pos >= file.FileEnd {
			continue
		}
		var found *ast.CallExpr
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && call.Lparen == pos {
				found = call
			}
			return found == nil && n != nil && n.Pos() <= pos && pos < n.End()
		})
		return file, found
	}
	return nil, nil
}

// Receiver is the syntax of what a method is called on: the value itself, not one
// that it is embedded in.
func (e *Engine) Receiver(call ssa.CallInstruction, expr *ast.CallExpr) ast.Expr {
	sel, ok := expr.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	if s := e.calls[call.Parent().Pkg][call.Common().Pos()].method; s == nil || s.Kind() != types.MethodVal || len(s.Index()) != 1 {
		return nil
	}
	return sel.X
}

// importName is what a file calls an imported package; empty if it does not import it.
func importName(file *ast.File, path string) string {
	for _, spec := range file.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err != nil || p != path {
			continue
		}
		if spec.Name == nil {
			return path
		}
		if token.IsIdentifier(spec.Name.Name) && spec.Name.Name != "_" {
			return spec.Name.Name
		}
	}
	return ""
}

// since reports whether a package is of that version of Go, or a later one.
func since(p *types.Package, goVersion string) bool {
	return p.GoVersion() == "" || version.Compare(p.GoVersion(), goVersion) >= 0
}
