package luaread

import "github.com/yuin/gopher-lua/ast"

// assigned collects the variables that statements assign to, other than by
// declaring them.
func assigned(stmts []ast.Stmt, into map[string]bool, depth int) map[string]bool {
	if into == nil {
		into = map[string]bool{}
	}
	if depth > maxDepth {
		return into
	}
	for _, s := range stmts {
		switch s := s.(type) {
		case *ast.AssignStmt:
			for _, l := range s.Lhs {
				if id, ok := root(l); ok {
					into[id] = true
				}
			}
		case *ast.DoBlockStmt:
			assigned(s.Stmts, into, depth+1)
		case *ast.IfStmt:
			assigned(s.Then, into, depth+1)
			assigned(s.Else, into, depth+1)
		case *ast.WhileStmt:
			assigned(s.Stmts, into, depth+1)
		case *ast.RepeatStmt:
			assigned(s.Stmts, into, depth+1)
		case *ast.NumberForStmt:
			assigned(s.Stmts, into, depth+1)
		case *ast.GenericForStmt:
			assigned(s.Stmts, into, depth+1)
		}
	}
	return into
}

// root gives the variable that an assignment changes.
func root(e ast.Expr) (string, bool) {
	for range maxDepth {
		switch x := e.(type) {
		case *ast.IdentExpr:
			return x.Value, true
		case *ast.AttrGetExpr:
			e = x.Object
		default:
			return "", false
		}
	}
	return "", false
}

// sends tells whether statements may send a command: whether redis or server
// is mentioned in them.
func sends(stmts []ast.Stmt, depth int) bool {
	if depth > maxDepth {
		return true
	}
	exprs := func(list ...ast.Expr) bool {
		for _, e := range list {
			if mentions(e, depth+1) {
				return true
			}
		}
		return false
	}
	for _, s := range stmts {
		found := false
		switch s := s.(type) {
		case *ast.AssignStmt:
			found = exprs(s.Rhs...)
		case *ast.LocalAssignStmt:
			found = exprs(s.Exprs...)
		case *ast.FuncCallStmt:
			found = exprs(s.Expr)
		case *ast.DoBlockStmt:
			found = sends(s.Stmts, depth+1)
		case *ast.IfStmt:
			found = exprs(s.Condition) || sends(s.Then, depth+1) || sends(s.Else, depth+1)
		case *ast.WhileStmt:
			found = exprs(s.Condition) || sends(s.Stmts, depth+1)
		case *ast.RepeatStmt:
			found = exprs(s.Condition) || sends(s.Stmts, depth+1)
		case *ast.NumberForStmt:
			found = exprs(s.Init, s.Limit, s.Step) || sends(s.Stmts, depth+1)
		case *ast.GenericForStmt:
			found = exprs(s.Exprs...) || sends(s.Stmts, depth+1)
		case *ast.FuncDefStmt:
			found = sends(s.Func.Stmts, depth+1)
		case *ast.ReturnStmt:
			found = exprs(s.Exprs...)
		}
		if found {
			return true
		}
	}
	return false
}

func mentions(e ast.Expr, depth int) bool {
	if depth > maxDepth {
		return true
	}
	some := func(list ...ast.Expr) bool {
		for _, x := range list {
			if mentions(x, depth+1) {
				return true
			}
		}
		return false
	}
	switch e := e.(type) {
	case *ast.IdentExpr:
		return e.Value == "redis" || e.Value == "server"
	case *ast.AttrGetExpr:
		return some(e.Object, e.Key)
	case *ast.FuncCallExpr:
		return some(e.Func, e.Receiver) || some(e.Args...)
	case *ast.LogicalOpExpr:
		return some(e.Lhs, e.Rhs)
	case *ast.RelationalOpExpr:
		return some(e.Lhs, e.Rhs)
	case *ast.StringConcatOpExpr:
		return some(e.Lhs, e.Rhs)
	case *ast.ArithmeticOpExpr:
		return some(e.Lhs, e.Rhs)
	case *ast.UnaryMinusOpExpr:
		return some(e.Expr)
	case *ast.UnaryNotOpExpr:
		return some(e.Expr)
	case *ast.UnaryLenOpExpr:
		return some(e.Expr)
	case *ast.TableExpr:
		for _, f := range e.Fields {
			if some(f.Key, f.Value) {
				return true
			}
		}
	case *ast.FunctionExpr:
		return sends(e.Stmts, depth+1)
	}
	return false
}
