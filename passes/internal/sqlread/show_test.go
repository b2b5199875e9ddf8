package sqlread

import (
	"fmt"
	"strings"
)

// The tests compare results in a short notation that shows every field.

func showStatements(list []Statement) string {
	var b strings.Builder
	for i, st := range list {
		if i > 0 {
			b.WriteString(" ; ")
		}
		b.WriteString(showStatement(st))
	}
	return b.String()
}

func showStatement(st Statement) string {
	var parts []string
	add := func(name, s string) {
		if s != "" {
			parts = append(parts, name+s)
		}
	}
	add("", st.Verb)
	for _, w := range st.Writes {
		add("", "["+showWrite(w)+"]")
	}
	add("from ", strings.Join(st.Tables, ","))
	var calls []string
	for _, c := range st.Functions {
		calls = append(calls, c.Name+"("+showExprs(c.Args)+")")
	}
	add("calls ", strings.Join(calls, ","))
	add("select ", showExprs(st.Select))
	add("where ", showGuards(st.Where))
	if st.ForUpdate {
		add("", "for update")
		add("of ", strings.Join(st.Locked, ","))
	}
	if st.SkipLocked {
		add("", "skip locked")
	}
	add("returning ", showExprs(st.Returning))
	if st.Params > 0 {
		add("params ", fmt.Sprint(st.Params))
	}
	if st.Verbs > 0 {
		add("verbs ", fmt.Sprint(st.Verbs))
	}
	add("?? ", st.Unknown)
	return strings.Join(parts, " ")
}

func showWrite(w Write) string {
	s := w.Op + " " + w.Table
	if w.Conflict != "" {
		s += " conflict " + w.Conflict
	}
	if w.Missing {
		s += " if missing"
	}
	for _, c := range w.Columns {
		s += " (" + c.Name
		for _, f := range []struct {
			name string
			is   bool
		}{{" text", c.Text}, {" other", c.Typed && !c.Text}, {" key", c.Key}, {" made", c.Made}} {
			if f.is {
				s += f.name
			}
		}
		s += ")"
	}
	if len(w.Set) > 0 {
		s += " set " + showAssigns(w.Set)
	}
	if len(w.Insert) > 0 {
		s += " insert " + showAssigns(w.Insert)
	}
	if len(w.Guards) > 0 {
		s += " if " + showGuards(w.Guards)
	}
	if w.Unknown != "" {
		s += " ?? " + w.Unknown
	}
	return s
}

func showAssigns(list []Assign) string {
	var out []string
	for _, a := range list {
		out = append(out, a.Column+"="+showExpr(a.Value))
	}
	return strings.Join(out, ",")
}

func showGuards(list []Guard) string {
	var out []string
	for _, g := range list {
		out = append(out, showGuard(g))
	}
	return strings.Join(out, " & ")
}

func showGuard(g Guard) string {
	s := ""
	if g.Not {
		s = "not "
	}
	column := g.Column
	if g.Table != "" && column != "" {
		column = g.Table + "." + column
	}
	switch g.Op {
	case "or":
		var alts []string
		for _, a := range g.Or {
			alts = append(alts, showGuard(a))
		}
		s += "{" + strings.Join(alts, " | ") + "}"
	case "and":
		s += "(" + showGuards(g.And) + ")"
	case "exists":
		s += "exists " + g.Table + "(" + showGuards(g.And) + ")"
	case "is null", "is not null":
		if column == "" {
			column = showExpr(g.Value)
		}
		s += column + " " + g.Op
	default:
		if column == "" {
			s += "<" + showExpr(g.Value) + ">"
		} else {
			s += column + " " + g.Op + " " + showExpr(g.Value)
		}
		if len(g.And) > 0 {
			s += "(" + showGuards(g.And) + ")"
		}
	}
	if g.NullOK {
		s += " or null"
	}
	if g.From != nil {
		s += " by " + g.From.Table
	}
	return s
}

func showExprs(list []Expr) string {
	var out []string
	for _, e := range list {
		out = append(out, showExpr(e))
	}
	return strings.Join(out, ",")
}

func showExpr(e Expr) string {
	if e.Incoming {
		s := "new." + e.Name
		if len(e.Args) > 0 {
			s += "=" + showExpr(e.Args[0])
		}
		return s
	}
	switch e.Kind {
	case "param":
		switch {
		case e.Param < 0:
			return ":" + e.Name
		case e.Name != "":
			return fmt.Sprintf("$%d(%s)", e.Param+1, e.Name)
		}
		return fmt.Sprintf("$%d", e.Param+1)
	case "column":
		return e.Name
	case "literal":
		return e.Text
	case "call":
		return e.Name + "(" + showExprs(e.Args) + ")"
	case "binary":
		var out []string
		for _, a := range e.Args {
			out = append(out, showExpr(a))
		}
		if len(out) == 1 {
			return e.Name + " " + out[0]
		}
		return "(" + strings.Join(out, " "+e.Name+" ") + ")"
	case "other":
		if len(e.Args) > 0 {
			return e.Name + "[" + showExprs(e.Args) + "]"
		}
		if e.Name != "" {
			return "<" + e.Name + ">"
		}
		return "`" + e.Text + "`"
	}
	return "!" + e.Kind
}
