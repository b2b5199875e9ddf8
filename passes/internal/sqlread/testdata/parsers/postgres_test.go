package parsers

import (
	"encoding/json"
	"regexp"
	"strconv"

	pg_query "github.com/wasilibs/go-pgquery"
)

// node is a node of PostgreSQL's tree, or nil.
type node map[string]any

func (n node) get(keys ...string) node {
	for _, k := range keys {
		n, _ = n[k].(map[string]any)
	}
	return n
}

func (n node) list(key string) []node {
	var out []node
	items, _ := n[key].([]any)
	for _, x := range items {
		m, _ := x.(map[string]any)
		out = append(out, m)
	}
	return out
}

func (n node) str(key string) string { s, _ := n[key].(string); return s }

var mark = regexp.MustCompile(`'(?:[^'\\]|\\.|'')*'|\$\$.*?\$\$|\?`)

// numbered turns ? into $1, $2, ...; not those in texts.
func numbered(sql string) (string, int) {
	n := 0
	return mark.ReplaceAllStringFunc(sql, func(s string) string {
		if s != "?" {
			return s
		}
		n++
		return "$" + strconv.Itoa(n)
	}), n
}

func postgres(sql string) *Facts {
	text, params := numbered(sql)
	tree, err := pg_query.ParseToJSON(text)
	if err != nil {
		return nil
	}
	var root node
	if err := json.Unmarshal([]byte(tree), &root); err != nil || len(root.list("stmts")) != 1 {
		return nil
	}
	st := root.list("stmts")[0].get("stmt")
	f := &Facts{Verb: "OTHER", Params: params}
	switch {
	case st.get("InsertStmt") != nil:
		s := st.get("InsertStmt")
		f.Verb, f.Table = "INSERT", relation(s.get("relation"))
		f.Insert = targets(s.list("cols"))
		if c := s.get("onConflictClause"); c != nil {
			f.Conflict = map[string]string{"ONCONFLICT_NOTHING": "nothing", "ONCONFLICT_UPDATE": "update"}[c.str("action")]
			f.Set, f.Where = targets(c.list("targetList")), conjuncts(c.get("whereClause"))
		}
	case st.get("UpdateStmt") != nil:
		s := st.get("UpdateStmt")
		f.Verb, f.Table = "UPDATE", relation(s.get("relation"))
		f.Set, f.Where = targets(s.list("targetList")), conjuncts(s.get("whereClause"))
	case st.get("DeleteStmt") != nil:
		s := st.get("DeleteStmt")
		f.Verb, f.Table, f.Where = "DELETE", relation(s.get("relation")), conjuncts(s.get("whereClause"))
	case st.get("MergeStmt") != nil:
		f.Verb, f.Table = "MERGE", relation(st.get("MergeStmt", "relation"))
	case st.get("TruncateStmt") != nil:
		f.Verb, f.Table = "TRUNCATE", relation(st.get("TruncateStmt").list("relations")[0].get("RangeVar"))
	case st.get("SelectStmt") != nil:
		s := st.get("SelectStmt")
		f.Verb, f.Where = "SELECT", conjuncts(s.get("whereClause"))
		for _, l := range s.list("lockingClause") {
			f.Locks = f.Locks || l.get("LockingClause").str("strength") != ""
		}
	case st.get("CallStmt") != nil:
		f.Verb = "CALL"
	case st.get("CreateStmt") != nil:
		f.Verb, f.Table = "DDL", relation(st.get("CreateStmt", "relation"))
	case st.get("AlterTableStmt") != nil:
		f.Verb, f.Table = "DDL", relation(st.get("AlterTableStmt", "relation"))
	case st.get("IndexStmt") != nil, st.get("DropStmt") != nil:
		f.Verb = "DDL"
	}
	return f
}

func relation(n node) string {
	if s := n.str("schemaname"); s != "" {
		return s + "." + n.str("relname")
	}
	return n.str("relname")
}

func targets(list []node) []string {
	var out []string
	for _, n := range list {
		out = append(out, n.get("ResTarget").str("name"))
	}
	return out
}

func conjuncts(n node) []string {
	switch b := n.get("BoolExpr"); {
	case n == nil:
		return nil
	case b.str("boolop") == "AND_EXPR":
		var out []string
		for _, a := range b.list("args") {
			out = append(out, conjuncts(a)...)
		}
		return out
	case b.str("boolop") == "OR_EXPR":
		return []string{"or"}
	}
	if x := n.get("NullTest"); x != nil && column(x.get("arg")) != "" {
		return []string{column(x.get("arg")) + map[string]string{"IS_NULL": " is null", "IS_NOT_NULL": " is not null"}[x.str("nulltesttype")]}
	}
	x := n.get("A_Expr")
	if x.str("kind") == "AEXPR_OP" && len(x.list("name")) == 1 {
		return []string{comparison(column(x.get("lexpr")), x.list("name")[0].get("String").str("sval"), column(x.get("rexpr")))}
	}
	return []string{"?"}
}

// comparison renders a comparison with a column on one side.
func comparison(left, op, right string) string {
	turned := map[string]string{"=": "=", "<>": "<>", "!=": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
	switch {
	case turned[op] == "" || left != "" && right != "" || left == "" && right == "":
		return "?"
	case left == "":
		return right + " " + turned[op]
	case op == "!=":
		op = "<>"
	}
	return left + " " + op
}

func column(n node) string {
	fields := n.get("ColumnRef").list("fields")
	if len(fields) == 0 {
		return ""
	}
	return fields[len(fields)-1].get("String").str("sval")
}
