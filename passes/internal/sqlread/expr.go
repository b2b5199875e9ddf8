package sqlread

import "strings"

// exprs reads a comma-separated list.
func (r *reader) exprs() []Expr {
	var out []Expr
	for {
		out = append(out, r.expr())
		if !r.eatOp(",") {
			return out
		}
	}
}

func (r *reader) expr() Expr {
	start := r.i
	e := r.conjunction()
	if !r.isWord("or", "xor") {
		return e
	}
	name := "or"
	args := []Expr{e}
	for r.isWord("or", "xor") {
		if r.cur().low == "xor" {
			name = "xor"
		}
		r.i++
		args = append(args, r.conjunction())
	}
	return Expr{Kind: "binary", Name: name, Args: args, Text: r.span(start)}
}

func (r *reader) conjunction() Expr {
	start := r.i
	e := r.negation()
	if !r.isWord("and") && !r.isOp("&&") {
		return e
	}
	name := "and"
	args := []Expr{e}
	for r.isWord("and") || r.isOp("&&") {
		overlap := r.isOp("&&") && !logical(args[len(args)-1])
		r.i++
		args = append(args, r.negation())
		if overlap && !logical(args[len(args)-1]) {
			// The && of arrays and ranges: no conjunction.
			name = "&&"
		}
	}
	return Expr{Kind: "binary", Name: name, Args: args, Text: r.span(start)}
}

// logical tells whether e is a condition by its shape.
func logical(e Expr) bool {
	if e.Kind != "binary" {
		return false
	}
	switch e.Name {
	case "and", "or", "not", "xor", "exists", "in", "like", "is null", "is not null", "is true", "is false", "is not true", "is not false":
		return true
	}
	return comparison(e.Name)
}

func comparison(name string) bool {
	switch name {
	case "=", "<>", "<", "<=", ">", ">=", "is distinct", "is not distinct":
		return true
	}
	return false
}

func (r *reader) negation() Expr {
	if !r.isWord("not") {
		return r.comparison()
	}
	start := r.i
	r.i++
	var e Expr
	r.deeper(func() { e = r.negation() })
	return Expr{Kind: "binary", Name: "not", Args: []Expr{e}, Text: r.span(start)}
}

// deeper bounds recursion that no parenthesis bounds.
func (r *reader) deeper(f func()) {
	if r.depth++; r.depth > maxDepth {
		r.fail("nested too deeply")
		r.skip()
	} else {
		f()
	}
	r.depth--
}

func (r *reader) comparison() Expr {
	start := r.i
	left := r.operand(0)
	for n := 0; ; n++ {
		if n > maxChain {
			r.fail("an expression is too long")
			left = Expr{Kind: "other"}
		}
		negated := false
		if r.isWord("not") && r.isWordAt(1, "in", "between", "like", "ilike", "rlike", "regexp", "glob", "match", "similar") {
			negated = true
			r.i++
		}
		e, ok := r.predicate(left, start)
		if !ok {
			return left
		}
		e.Text = r.span(start)
		if negated {
			e = Expr{Kind: "binary", Name: "not", Args: []Expr{e}, Text: e.Text}
		}
		left = e
	}
}

// predicate reads what follows left, if anything does, up to a truth value.
func (r *reader) predicate(left Expr, start int) (Expr, bool) {
	bin := func(name string, args ...Expr) (Expr, bool) {
		return Expr{Kind: "binary", Name: name, Args: append([]Expr{left}, args...)}, true
	}
	t := r.cur()
	if t.kind == op {
		name := t.low
		switch name {
		case "==":
			name = "="
		case "!=":
			name = "<>"
		case "!<":
			name = ">="
		case "!>":
			name = "<="
		case "<=>":
			name = "is not distinct"
		case "~", "~*", "!~", "!~*", "~~", "@@":
			name = "like"
		}
		if !comparison(name) && name != "like" {
			return left, false
		}
		r.i++
		right := r.side()
		if strings.HasPrefix(t.low, "!~") {
			e, _ := bin(name, right)
			return Expr{Kind: "binary", Name: "not", Args: []Expr{e}}, true
		}
		return bin(name, right)
	}
	if t.kind != word {
		return left, false
	}
	switch t.low {
	case "is":
		r.i++
		return r.is(left)
	case "isnull":
		r.i++
		return bin("is null")
	case "notnull":
		r.i++
		return bin("is not null")
	case "in":
		r.i++
		return bin("in", r.members())
	case "between":
		r.i++
		r.eat("symmetric")
		low := r.operand(0)
		if !r.eat("and") {
			r.fail("unexpected " + r.near())
		}
		high := r.operand(0)
		text := r.span(start)
		at := func(name string, v Expr) Expr {
			return Expr{Kind: "binary", Name: name, Args: []Expr{left, v}, Text: text}
		}
		return Expr{Kind: "binary", Name: "and", Args: []Expr{at(">=", low), at("<=", high)}}, true
	case "like", "ilike", "rlike", "regexp", "glob", "match", "similar":
		r.i++
		r.eat("to")
		right := r.side()
		if r.eat("escape") {
			r.operand(0)
		}
		return bin("like", right)
	case "overlaps":
		r.i++
		return bin("other", r.operand(0))
	}
	return left, false
}

// side reads the right side of a comparison, which may be ANY or ALL.
func (r *reader) side() Expr {
	if r.isWord("any", "some", "all") && r.isOpAt(1, "(") {
		start := r.i
		name := r.cur().low
		r.i++
		var args []Expr
		r.inside(func() { args = r.callArgs() })
		return Expr{Kind: "call", Name: name, Args: args, Text: r.span(start)}
	}
	return r.operand(0)
}

func (r *reader) is(left Expr) (Expr, bool) {
	not := r.eat("not")
	name := ""
	args := []Expr{left}
	switch {
	case r.eat("null") || r.eat("unknown"):
		name = "is null"
	case r.eat("true"):
		name = "is true"
	case r.eat("false"):
		name = "is false"
	case r.eat("distinct", "from"):
		name = "is not distinct"
		not = !not
		args = append(args, r.operand(0))
	default:
		// SQLite compares any two values with IS.
		name = "is not distinct"
		args = append(args, r.operand(0))
	}
	e := Expr{Kind: "binary", Name: name, Args: args}
	switch {
	case not && name == "is null":
		e.Name = "is not null"
	case not && name == "is not distinct":
		e.Name = "is distinct"
	case not:
		e.Name = "is not" + strings.TrimPrefix(name, "is")
	}
	return e, true
}

// members reads the right side of IN: a list, a sub-select, or a parameter
// that a builder expands.
func (r *reader) members() Expr {
	if !r.isOp("(") {
		return r.operand(3)
	}
	start := r.i
	list := Expr{Kind: "other", Name: "list"}
	r.inside(func() {
		switch {
		case r.startsQuery():
			list = subselect(r.query())
		case !r.isOp(")"):
			list.Args = r.exprs()
		}
	})
	list.Text = r.span(start)
	return list
}

// operand reads arithmetic and the like by precedence: 0 other operators,
// 1 sums, 2 products, 3 what binds tighter.
func (r *reader) operand(level int) Expr {
	if level == 3 {
		return r.unary()
	}
	start := r.i
	left := r.operand(level + 1)
	for n := 0; ; n++ {
		name := r.operator(level)
		if name == "" {
			return left
		}
		r.i++
		right := r.operand(level + 1)
		switch {
		case n > maxChain:
			r.fail("an expression is too long")
			left = Expr{Kind: "other"}
		case left.Kind == "binary" && left.Name == name && n > 0:
			left.Args = append(left.Args, right)
		default:
			left = Expr{Kind: "binary", Name: name, Args: []Expr{left, right}}
		}
		left.Text = r.span(start)
	}
}

// operator gives the current token if it is an operator of this level.
func (r *reader) operator(level int) string {
	t := r.cur()
	if t.kind == word && level == 2 && (t.low == "div" || t.low == "mod") {
		return t.low
	}
	if t.kind != op {
		return ""
	}
	own := 0
	switch t.low {
	case "+", "-":
		own = 1
	case "*", "/", "%":
		own = 2
	case "||", "->", "->>", "#>", "#>>", "#-", "@>", "<@", "@?", "?|", "?&", "<<", ">>", "&", "|", "^", "#":
	default:
		return ""
	}
	if own != level {
		return ""
	}
	return t.low
}

func (r *reader) unary() Expr {
	start := r.i
	if r.cur().kind == op {
		switch name := r.cur().low; name {
		case "-", "+", "~", "!", "@":
			r.i++
			var e Expr
			r.deeper(func() { e = r.unary() })
			switch {
			case name == "+":
				return e
			case name == "!":
				return Expr{Kind: "binary", Name: "not", Args: []Expr{e}, Text: r.span(start)}
			case e.Kind == "literal":
				e.Text = r.span(start)
				return e
			}
			return Expr{Kind: "binary", Name: name, Args: []Expr{e}, Text: r.span(start)}
		}
	}
	return r.postfix(start, r.primary())
}

// postfix steps over what does not change which value it is: a cast, a
// collation, a time zone.
func (r *reader) postfix(start int, e Expr) Expr {
	for {
		switch {
		case r.eatOp("::"):
			e.text = r.typeName()
		case r.isOp("[") && r.cur().glued:
			depth := 0
			for !r.end() && !r.isOp(")") {
				if r.isOp("[") {
					depth++
				} else if r.isOp("]") {
					depth--
				}
				r.skip()
				if depth == 0 {
					break
				}
			}
			e = Expr{Kind: "other", Args: []Expr{e}, Text: r.span(start)}
		case r.eat("collate"):
			r.name()
		case r.isWord("at") && r.isWordAt(1, "time"):
			r.i += 2
			r.eat("zone")
			r.primary()
		default:
			return e
		}
	}
}

// typeName steps over the name of a type, and tells whether it is one of text.
func (r *reader) typeName() (text bool) {
	name := r.name()
	if name == "" {
		r.fail("unexpected " + r.near())
		return false
	}
	for r.isWord("precision", "varying", "unsigned", "signed", "integer", "with", "without", "time", "zone") &&
		(!r.isWord("with", "without", "time") || r.isWordAt(1, "time", "zone")) {
		r.i++
	}
	if r.isOp("(") && r.cur().glued {
		r.skip()
	}
	for r.isOp("[") && r.isOpAt(1, "]") {
		r.i += 2
	}
	switch unqualified(name) {
	case "text", "varchar", "char", "character", "bpchar", "nchar", "nvarchar", "varchar2", "string":
		return true
	}
	return false
}
