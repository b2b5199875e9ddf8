package mutation

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// refuses matches the body of a branch that takes a write for rejected.
var refuses = regexp.MustCompile(`(?i)\berr(Stale|Lost)\b`)

// unasked leaves out the branch that a rejected write takes.
func (b *breaker) unasked(n *ast.IfStmt) {
	if n.Else != nil || !refuses.MatchString(b.text(n.Body)) || b.fences(n.Cond) || !b.outcome(n.Cond) {
		return
	}
	with := ""
	if call := writeIn(n.Cond); call != nil {
		with = b.text(call) // the write is in the condition itself
	}
	b.add("drop the check", n, with)
}

// outcome reports whether a condition asks a number whether it is nought or
// one, or a bool.
func (b *breaker) outcome(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.BinaryExpr:
		if x.Op == token.LAND {
			return b.outcome(x.X) || b.outcome(x.Y)
		}
		lit, ok := x.Y.(*ast.BasicLit)
		return ok && (lit.Value == "0" || lit.Value == "1")
	case *ast.UnaryExpr:
		return x.Op == token.NOT
	}
	return false
}

// writeIn returns the call whose negated result is a condition.
func writeIn(x ast.Expr) *ast.CallExpr {
	if n, ok := x.(*ast.UnaryExpr); ok {
		call, _ := n.X.(*ast.CallExpr)
		return call
	}
	return nil
}

// unanswered takes only the error of a statement whose result is handed on to
// a function that looks at it.
func (b *breaker) unanswered(n *ast.CallExpr) {
	if len(n.Args) != 1 {
		return
	}
	id, ok := n.Fun.(*ast.Ident)
	if !ok {
		return
	}
	if _, ok := b.d.File.Pkg.TypesInfo.Uses[id].(*types.Func); !ok {
		return
	}
	if _, ok := b.typeOf(n.Args[0]).(*types.Tuple); !ok {
		return
	}
	if b.takes(n) {
		return
	}
	b.add("drop the check", n, "func() error { _, err := "+b.text(n.Args[0])+"; return err }()")
}

// takes reports whether a call stands where a lock is taken: what it asks for
// is what makes it a lock.
func (b *breaker) takes(n *ast.CallExpr) bool {
	at := b.p.fset.Position(n.Pos())
	return slices.ContainsFunc(b.targets, func(u *Use) bool { return u.File == at.Filename && u.Line == at.Line })
}

// unconditional empties the If of an etcd transaction.
func (b *breaker) unconditional(n *ast.CallExpr) {
	if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "If" && len(n.Args) > 0 && !b.takes(n) {
		b.addBytes("delete the condition", b.offset(n.Args[0].Pos()), b.offset(n.Rparen), "")
	}
}

// condition matches an element of a request that makes it conditional.
var condition = regexp.MustCompile(`^(ConditionExpression:|\{Verb: api\.KVCheckSession)`)

// incomplete leaves out the element of a request that is its condition.
func (b *breaker) incomplete(n *ast.CompositeLit) {
	for _, x := range n.Elts {
		if condition.MatchString(b.text(x)) {
			end := b.offset(x.End())
			if comma := bytes.IndexByte(b.d.File.Source[end:], ','); comma >= 0 {
				b.addBytes("delete the condition", b.offset(x.Pos()), end+comma+1, "")
			}
		}
	}
}

// releases matches deferred calls that give a lock back.
var releases = regexp.MustCompile(`[uU]nlock|[rR]elease|Resign|\bfree\(|dropLease|Revoke|\.Delete\(node`)

// early releases the lock as soon as it is taken: what follows comes after it.
func (b *breaker) early(n *ast.DeferStmt) {
	if call := b.text(n.Call); releases.MatchString(call) && !strings.Contains(call, "mu.") {
		b.addBytes("write after the release", b.offset(n.Defer), b.offset(n.Call.Pos()), "")
	}
}
