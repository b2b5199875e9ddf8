package mutation

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"
)

// isToken reports whether an expression is called like a token: a variable, a
// field, or the method that hands one out.
func (b *breaker) isToken(x ast.Expr) bool {
	if basic, ok := b.typeOf(x).(*types.Basic); !ok || basic.Info()&(types.IsInteger|types.IsString) == 0 {
		return false
	}
	switch x := x.(type) {
	case *ast.Ident:
		_, isVar := b.d.File.Pkg.TypesInfo.Uses[x].(*types.Var)
		return isVar && b.names.MatchString(x.Name)
	case *ast.SelectorExpr:
		return b.names.MatchString(x.Sel.Name)
	case *ast.CallExpr:
		sel, ok := x.Fun.(*ast.SelectorExpr)
		return ok && len(x.Args) == 0 && b.names.MatchString(strings.TrimPrefix(sel.Sel.Name, "Get"))
	}
	return false
}

// flows reports whether a token goes on from where it stands: as an argument, a
// field, a result or the value of another variable. Where it is only written
// down or asked for, nothing depends on it.
func (b *breaker) flows(x ast.Expr, around []ast.Node) bool {
	for i := len(around) - 1; i >= 0; i-- {
		switch n := around[i].(type) {
		case *ast.CallExpr:
			if told.MatchString(b.text(n.Fun)) {
				return false
			}
			if n.Fun == x {
				return false
			}
			return true
		case *ast.SelectorExpr:
			return false // of something that only has such a name
		case *ast.KeyValueExpr:
			return n.Value == x
		case *ast.CompositeLit, *ast.ReturnStmt:
			return true
		case *ast.AssignStmt:
			for _, r := range n.Rhs {
				if r == x {
					return true
				}
			}
			return false
		case *ast.BinaryExpr, *ast.UnaryExpr:
			return false
		case ast.Stmt:
			return false
		}
	}
	return false
}

// told are calls that only tell somebody something.
var told = regexp.MustCompile(`^(log\.|fmt\.(Errorf|Print)|errors\.|rejected\.)`)

// replaced puts other values in a token's place: none, the time, a random
// number, another variable.
func (b *breaker) replaced(x ast.Expr) {
	basic := b.typeOf(x).(*types.Basic)
	name := basic.Name()
	if basic.Info()&types.IsString != 0 {
		b.add("drop the token", x, `""`)
		b.add("time for token", x, "mutant.Now().String()").imports = "time"
		b.add("random token", x, "mutant.Text()").imports = "crypto/rand"
		b.add("other token", x, "mutantOther").declares = "\nvar mutantOther string\n"
		return
	}
	b.add("drop the token", x, name+"(0)")
	b.add("time for token", x, name+"(mutant.Now().UnixNano())").imports = "time"
	b.add("random token", x, name+"(mutant.Int64())").imports = "math/rand/v2"
	b.add("other token", x, name+"(mutantOther)").declares = "\nvar mutantOther int\n"
	if other := b.parameter(x); other != "" {
		b.add("parameter for token", x, name+"("+other+")")
	}
}

// parameter names another number that is a parameter of the functions around x.
func (b *breaker) parameter(x ast.Expr) string {
	fn, ok := b.d.Node.(*ast.FuncDecl)
	if !ok {
		return ""
	}
	for _, field := range fn.Type.Params.List {
		basic, ok := b.typeOf(field.Type).(*types.Basic)
		if !ok || basic.Info()&types.IsInteger == 0 {
			continue
		}
		for _, n := range field.Names {
			if !b.names.MatchString(n.Name) && n.Name != "_" {
				return n.Name
			}
		}
	}
	return ""
}

var ordering = map[token.Token]token.Token{token.LSS: token.GTR, token.LEQ: token.GEQ, token.GTR: token.LSS, token.GEQ: token.LEQ}

// fence matches operands of a comparison of tokens.
var fence = regexp.MustCompile(`(?i)token|last|label`)

// fences reports whether a condition compares tokens by their order.
func (b *breaker) fences(x ast.Expr) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		if bin, ok := n.(*ast.BinaryExpr); ok && ordering[bin.Op] != 0 {
			found = found || fence.MatchString(b.text(bin.X)) && fence.MatchString(b.text(bin.Y))
		}
		return true
	})
	return found
}

// reversed turns a comparison of tokens round.
func (b *breaker) reversed(x *ast.BinaryExpr) {
	if op := ordering[x.Op]; op != 0 && b.fences(x) {
		start := b.offset(x.OpPos)
		b.addBytes("reverse the comparison", start, start+len(x.Op.String()), op.String())
	}
}

// uncompared makes a branch on tokens go the way of a fresh one.
func (b *breaker) uncompared(n *ast.IfStmt) {
	if !b.fences(n.Cond) {
		return
	}
	passes := "false"
	for _, s := range n.Body.List {
		if a, ok := s.(*ast.AssignStmt); ok && a.Tok == token.ASSIGN {
			passes = "true" // the fresh one is let into this branch
		}
	}
	b.add("delete the comparison", n.Cond, passes)
}

// unstored leaves out the store of a token.
func (b *breaker) unstored(n *ast.AssignStmt) {
	if n.Tok != token.ASSIGN || len(n.Lhs) != 1 || !b.isToken(n.Rhs[0]) {
		return
	}
	switch n.Lhs[0].(type) {
	case *ast.SelectorExpr, *ast.IndexExpr:
		b.add("do not store the token", n, "")
	}
}
