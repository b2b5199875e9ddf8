package luaread

import (
	"fmt"
	"strings"
)

// The tests compare results in a short notation that shows every field.

func show(s Script) string {
	var out []string
	for _, e := range s.Effects {
		out = append(out, showEffect(e))
	}
	if s.Unknown != "" {
		out = append(out, "?? "+s.Unknown)
	}
	return strings.Join(out, "; ")
}

func showEffect(e Effect) string {
	s := e.Cmd
	for _, a := range e.Args {
		s += " " + showExpr(a)
	}
	if len(e.Guards) > 0 {
		s += " if " + showGuards(e.Guards)
	}
	if len(e.Stores) > 0 {
		var out []string
		for _, v := range e.Stores {
			out = append(out, showExpr(v))
		}
		s += " stores " + strings.Join(out, ",")
	}
	if e.Returned {
		s += " returned"
		if e.At > 0 {
			s += fmt.Sprintf(" at %d", e.At)
		}
	}
	if e.Unknown != "" {
		s += " ? " + e.Unknown
	}
	return s
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
	switch g.Op {
	case "or":
		var alts []string
		for _, a := range g.Or {
			alts = append(alts, showGuard(a))
		}
		s = "{" + strings.Join(alts, " | ") + "}"
	case "and":
		s = "(" + showGuards(g.And) + ")"
	case "truthy":
		s = showExpr(g.Left)
	case "falsy":
		s = "no " + showExpr(g.Left)
	default:
		s = showExpr(g.Left) + " " + g.Op + " " + showExpr(g.Right)
	}
	if g.Numeric {
		s += " #"
	}
	if g.NullOK {
		s += " or null"
	}
	return s
}

func showExpr(e Expr) string {
	switch e.Kind {
	case "key":
		if e.Index > 0 {
			return fmt.Sprintf("K%d", e.Index)
		}
	case "arg":
		if e.Index > 0 {
			return fmt.Sprintf("A%d", e.Index)
		}
	case "call":
		s := e.Cmd
		for _, a := range e.Args {
			s += " " + showExpr(a)
		}
		return "(" + s + ")"
	case "":
		return "-"
	}
	return e.Text
}

func showFences(s Script) string {
	var out []string
	for _, f := range s.Fences() {
		t := showExpr(f.Key)
		if f.Field.Kind != "" {
			t += "." + showExpr(f.Field)
		}
		t += " " + f.Op + " " + showExpr(f.Arg)
		for _, flag := range []struct {
			on   bool
			name string
		}{{f.Numeric, "numeric"}, {f.Stored, "stored"}, {f.Moves, "moves"}, {f.NullOK, "null"}, {f.Alternative, "alternative"}} {
			if flag.on {
				t += " " + flag.name
			}
		}
		out = append(out, t+" -> "+s.Effects[f.Write].Cmd)
	}
	return strings.Join(out, "; ")
}

func showKind(s Script) string {
	var out []string
	if k, a, ok := s.CompareAndDelete(); ok {
		out = append(out, "compare-and-delete "+showExpr(k)+" "+showExpr(a))
	}
	if k, a, ok := s.CompareAndExpire(); ok {
		out = append(out, "compare-and-expire "+showExpr(k)+" "+showExpr(a))
	}
	if k, v, t, ok := s.Acquires(); ok {
		unit := ""
		if s.Seconds(t) {
			unit = "s"
		}
		out = append(out, "acquire "+showExpr(k)+" "+showExpr(v)+" "+showExpr(t)+unit)
	}
	return strings.Join(out, "; ")
}
