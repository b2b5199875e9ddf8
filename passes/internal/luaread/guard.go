package luaread

import "github.com/yuin/gopher-lua/ast"

// test is a condition: a comparison of two sides, or and, or, not over
// others; "truthy" has a left side only.
type test struct {
	op          string
	left, right Expr
	args        []*test
	size        int
}

// either is the value of a variable that is yes where test holds, else no.
type either struct {
	test    *test
	yes, no Expr
}

// bounded replaces a condition that has grown too large.
func (t *test) bounded() *test {
	if t.size > maxSize {
		return &test{op: "truthy", left: Expr{Kind: "other", opaque: "a condition is too large"}, size: 1}
	}
	return t
}

// condition gives what a value says in the place of a condition.
func (e Expr) condition() *test {
	if e.test != nil {
		return e.test
	}
	return &test{op: "truthy", left: e, size: 1 + e.size}
}

func (r *reader) cond(e ast.Expr) *test { return r.eval(e).condition() }

// guards turns a condition, or its negation, into the conjuncts that must
// hold.
func guards(t *test, neg bool) []Guard {
	switch t.op {
	case "not":
		return guards(t.args[0], !neg)
	case "and", "or":
		a, b := guards(t.args[0], neg), guards(t.args[1], neg)
		if (t.op == "and") != neg {
			return append(a[:len(a):len(a)], b...)
		}
		return disjunction([][]Guard{a, b})
	case "truthy":
		return truth(t.left, neg)
	}
	return compare(t, neg)
}

func truth(e Expr, neg bool) []Guard {
	if e.Kind == "literal" && no(e) == neg {
		return nil
	}
	g := Guard{Left: e, Op: "truthy"}
	if neg {
		g.Op = "falsy"
	}
	return []Guard{g}
}

var negations = map[string]string{
	"==": "~=", "~=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<", "truthy": "falsy", "falsy": "truthy",
}

var flips = map[string]string{"==": "==", "~=": "~=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

func compare(t *test, neg bool) []Guard {
	left, right, op := t.left, t.right, t.op
	if neg {
		op = negations[op]
	}
	if rank(right) > rank(left) {
		left, right, op = right, left, flips[op]
	}
	if right.Kind == "literal" && !right.Number && !right.quoted && (op == "==" || op == "~=") {
		switch right.Text {
		case "nil", "false":
			return guards(left.condition(), op == "==")
		case "true":
			if left.test != nil {
				return guards(left.test, op == "~=")
			}
		}
	}
	if e := left.either; e != nil && right.Kind == "literal" && (op == "==" || op == "~=") {
		// ok = 0, later ok = 1, then ok == 1
		for _, side := range []struct {
			value Expr
			neg   bool
		}{{e.yes, false}, {e.no, true}} {
			if same(side.value, right) {
				return guards(e.test, side.neg != (op == "~="))
			}
		}
	}
	nullOK := left.absent && passes(right)
	return []Guard{{Left: left, Right: right, Op: op, Numeric: left.Number && right.Number, NullOK: nullOK}}
}

// passes tells whether a default is worth noting: only against an input.
func passes(e Expr) bool { return e.Kind == "arg" || e.Kind == "other" }

// rank orders sides: what the store holds, what was computed, what came in,
// what is fixed.
func rank(e Expr) int {
	switch {
	case e.Kind == "call":
		return 4
	case e.Kind == "literal":
		return 0
	case holdsReply(e):
		return 3
	case e.Kind == "other":
		return 2
	}
	return 1
}

// disjunction joins alternatives, as one comparison where they amount to one.
func disjunction(alts [][]Guard) []Guard {
	var flat []Guard
	for _, gs := range alts {
		switch {
		case len(gs) == 0:
			return nil // one way demands nothing
		case len(gs) == 1 && gs[0].Op == "or":
			flat = append(flat, gs[0].Or...)
		case len(gs) == 1:
			flat = append(flat, gs[0])
		default:
			flat = append(flat, Guard{Op: "and", And: gs})
		}
	}
	flat = nullable(flat)
	flat = lessOrEqual(flat)
	if len(flat) == 1 {
		if flat[0].Op == "and" {
			return flat[0].And
		}
		return flat
	}
	return []Guard{{Op: "or", Or: flat}}
}

// nullable folds "not cur" into comparisons of cur, if these are all the rest.
func nullable(alts []Guard) []Guard {
	at := -1
	for i, g := range alts {
		if _, ok := absence(g); ok {
			at = i
		}
	}
	if at < 0 {
		return alts
	}
	value, _ := absence(alts[at])
	var out []Guard
	for i, g := range alts {
		if i == at {
			continue
		}
		g = present(g, value)
		if v, ok := absence(g); ok && alike(v, value) {
			continue
		}
		if g.Right.Kind == "" || !alike(g.Left, value) {
			return alts
		}
		g.NullOK = true
		out = append(out, g)
	}
	if len(out) == 0 {
		return alts[at : at+1]
	}
	return out
}

// present drops from a conjunction that the value is there, which the other
// alternative settles.
func present(g Guard, value Expr) Guard {
	if g.Op != "and" {
		return g
	}
	var rest []Guard
	for _, c := range g.And {
		if c.Op == "truthy" && alike(c.Left, value) {
			continue
		}
		if v, ok := absence(Guard{Left: c.Left, Right: c.Right, Op: negations[c.Op]}); ok && alike(v, value) {
			continue
		}
		rest = append(rest, c)
	}
	if len(rest) == 1 {
		return rest[0]
	}
	return Guard{Op: "and", And: rest}
}

// absence recognises the test that a stored value is not there, and gives
// the value as it would be read.
func absence(g Guard) (Expr, bool) {
	if g.Left.Kind != "call" || len(g.Left.Args) == 0 {
		return Expr{}, false
	}
	if g.Op == "falsy" {
		return g.Left, true
	}
	if g.Right.Kind == "literal" {
		zero := (g.Op == "==" || g.Op == "<=") && g.Right.Text == "0" || (g.Op == "~=" || g.Op == "<") && g.Right.Text == "1"
		v := g.Left
		switch {
		case v.Cmd == "EXISTS" && len(v.Args) == 1 && zero:
			v.Cmd = "GET"
			return v, true
		case v.Cmd == "HEXISTS" && zero:
			v.Cmd = "HGET"
			return v, true
		case (v.Cmd == "PTTL" || v.Cmd == "TTL") && g.Op == "==" && g.Right.Text == "-2":
			v.Cmd = "GET"
			return v, true
		}
	}
	return Expr{}, false
}

// alike tells whether two values are read from the same place; a key that is
// not there has no fields.
func alike(a, b Expr) bool {
	if a.Kind != "call" || b.Kind != "call" || len(a.Args) == 0 || len(b.Args) == 0 {
		return false
	}
	if a.Cmd == b.Cmd && len(a.Args) == len(b.Args) {
		return sameAll(a.Args, b.Args)
	}
	return (a.Cmd == "GET" || b.Cmd == "GET") && same(a.Args[0], b.Args[0])
}

// about tells whether a condition only asks whether the value is there.
func about(t *test, value Expr) bool {
	switch t.op {
	case "truthy":
		return same(t.left, value)
	case "~=":
		return same(t.left, value) && no(t.right)
	case "and":
		return about(t.args[0], value) && about(t.args[1], value)
	}
	return false
}

// lessOrEqual joins cur < n or cur == n.
func lessOrEqual(alts []Guard) []Guard {
	if len(alts) != 2 {
		return alts
	}
	a, b := alts[0], alts[1]
	if a.Op == "==" {
		a, b = b, a
	}
	if b.Op != "==" || a.Op != "<" && a.Op != ">" || !same(a.Left, b.Left) || !same(a.Right, b.Right) {
		return alts
	}
	a.Op += "="
	a.NullOK = a.NullOK || b.NullOK
	return []Guard{a}
}

// join gives the value of a variable behind an if whose sides leave a and b.
func join(t *test, a, b Expr) Expr {
	if asks, value, stand := t, a, b; value.Kind == "call" || stand.Kind == "call" {
		if value.Kind != "call" {
			value, stand = stand, value
			asks = &test{op: "not", args: []*test{t}, size: 1 + t.size}
		}
		if stand.plain() && says(asks, value) {
			// if not cur then cur = 0 end
			value.absent = true
			value.Number = value.Number && stand.Number
			value.test = nil
			return value
		}
	}
	switch {
	case yes(a) && no(b):
		return Expr{Kind: "other", Text: "condition", test: t}
	case no(a) && yes(b):
		return Expr{Kind: "other", Text: "condition", test: (&test{op: "not", args: []*test{t}, size: 1 + t.size}).bounded()}
	}
	out := Expr{Kind: "other", Text: "either", opaque: "a value that depends on a branch decides"}
	if a.Kind == "literal" && b.Kind == "literal" && !same(a, b) {
		out.either = &either{t, a, b}
	}
	return out
}

// says tells whether a condition says that the value is there.
func says(t *test, value Expr) bool {
	neg := false
	for t.op == "not" {
		t, neg = t.args[0], !neg
	}
	gs := guards(t, neg)
	if len(gs) != 1 {
		return false
	}
	g := gs[0]
	if g.Op == "truthy" {
		return same(g.Left, value)
	}
	v, ok := absence(Guard{Left: g.Left, Right: g.Right, Op: negations[g.Op]})
	return ok && alike(v, value)
}

func yes(e Expr) bool {
	return e.Kind == "literal" && !e.quoted && (e.Text == "true" || e.Number)
}

func no(e Expr) bool {
	return e.Kind == "literal" && !e.quoted && !e.Number && (e.Text == "false" || e.Text == "nil")
}

// opaque gives why a condition cannot be followed.
func opaque(gs []Guard) string {
	for _, g := range gs {
		for _, why := range []string{g.Left.opaque, g.Right.opaque, opaque(g.Or), opaque(g.And)} {
			if why != "" {
				return why
			}
		}
	}
	return ""
}

// same tells whether two values are the same by their making; conversions do
// not count.
func same(a, b Expr) bool {
	if a.Kind != b.Kind || a.Cmd != b.Cmd || a.Index != b.Index || a.quoted != b.quoted {
		return false
	}
	switch a.Kind {
	case "key", "arg":
		return a.Index > 0 || a.Text == b.Text
	case "call":
		return sameAll(a.Args, b.Args)
	}
	return a.Text == b.Text && sameAll(a.Args, b.Args)
}

func sameAll(a, b []Expr) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !same(a[i], b[i]) {
			return false
		}
	}
	return true
}
