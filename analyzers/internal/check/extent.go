package check

import (
	"go/ast"
	"go/token"
)

// extent returns where what starts at pos ends, for editors to underline: the name
// of the function where that is a call, whose arguments may go over many lines.
func extent(files []*ast.File, pos token.Pos) token.Pos {
	end := token.NoPos
	for _, f := range files {
		if pos < f.FileStart || f.FileEnd <= pos {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil || pos < n.Pos() || n.End() <= pos || end.IsValid() {
				return false
			}
			if e, ok := n.(ast.Expr); ok && e.Pos() == pos {
				end = e.End()
				if call, ok := e.(*ast.CallExpr); ok {
					end = call.Fun.End()
				}
			}
			return true
		})
	}
	return end
}
