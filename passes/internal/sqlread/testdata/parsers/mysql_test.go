package parsers

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"
	_ "github.com/pingcap/tidb/pkg/parser/test_driver"
)

func mysql(sql string) *Facts {
	list, _, err := parser.New().ParseSQL(sql)
	if err != nil || len(list) != 1 {
		return nil
	}
	_, params := numbered(sql)
	f := &Facts{Verb: "OTHER", Params: params}
	switch s := list[0].(type) {
	case *ast.InsertStmt:
		f.Verb, f.Table = "INSERT", table(s.Table)
		if s.IsReplace {
			f.Verb = "REPLACE"
		}
		for _, c := range s.Columns {
			f.Insert = append(f.Insert, c.Name.L)
		}
		if s.IgnoreErr {
			f.Conflict = "nothing"
		}
		if len(s.OnDuplicate) > 0 {
			f.Conflict, f.Set = "update", assigned(s.OnDuplicate)
		}
	case *ast.UpdateStmt:
		f.Verb, f.Table = "UPDATE", table(s.TableRefs)
		f.Set, f.Where = assigned(s.List), where(s.Where)
	case *ast.DeleteStmt:
		f.Verb, f.Table, f.Where = "DELETE", table(s.TableRefs), where(s.Where)
	case *ast.SelectStmt:
		f.Verb, f.Where = "SELECT", where(s.Where)
		f.Locks = s.LockInfo != nil
	case *ast.SetOprStmt:
		f.Verb = "SELECT"
	case *ast.TruncateTableStmt:
		f.Verb, f.Table = "TRUNCATE", name(s.Table)
	case *ast.CallStmt:
		f.Verb = "CALL"
	case *ast.CreateTableStmt:
		f.Verb, f.Table = "DDL", name(s.Table)
	case *ast.AlterTableStmt:
		f.Verb, f.Table = "DDL", name(s.Table)
	case *ast.CreateIndexStmt, *ast.DropTableStmt:
		f.Verb = "DDL"
	}
	return f
}

func name(t *ast.TableName) string {
	if t.Schema.L != "" {
		return t.Schema.L + "." + t.Name.L
	}
	return t.Name.L
}

// table is the first table of a clause where it is the only one.
func table(refs *ast.TableRefsClause) string {
	if refs == nil || refs.TableRefs == nil || refs.TableRefs.Right != nil {
		return ""
	}
	if s, ok := refs.TableRefs.Left.(*ast.TableSource); ok {
		if t, ok := s.Source.(*ast.TableName); ok {
			return name(t)
		}
	}
	return ""
}

func assigned(list []*ast.Assignment) []string {
	var out []string
	for _, a := range list {
		out = append(out, a.Column.Name.L)
	}
	return out
}

func where(e ast.ExprNode) []string {
	switch x := e.(type) {
	case nil:
		return nil
	case *ast.ParenthesesExpr:
		return where(x.Expr)
	case *ast.IsNullExpr:
		if c := field(x.Expr); c != "" {
			if x.Not {
				return []string{c + " is not null"}
			}
			return []string{c + " is null"}
		}
	case *ast.BinaryOperationExpr:
		switch x.Op {
		case opcode.LogicAnd:
			return append(where(x.L), where(x.R)...)
		case opcode.LogicOr:
			return []string{"or"}
		}
		ops := map[opcode.Op]string{opcode.EQ: "=", opcode.NE: "<>", opcode.LT: "<", opcode.LE: "<=", opcode.GT: ">", opcode.GE: ">="}
		return []string{comparison(field(x.L), ops[x.Op], field(x.R))}
	}
	return []string{"?"}
}

func field(e ast.ExprNode) string {
	if p, ok := e.(*ast.ParenthesesExpr); ok {
		return field(p.Expr)
	}
	if c, ok := e.(*ast.ColumnNameExpr); ok {
		return strings.ToLower(c.Name.Name.L)
	}
	return ""
}
