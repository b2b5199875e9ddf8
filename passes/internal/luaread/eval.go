package luaread

import (
	"strconv"
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

// eval gives what an expression stands for, and notes the commands it sends.
func (r *reader) eval(e ast.Expr) Expr {
	defer func() { r.depth-- }()
	if !r.enter() {
		return Expr{Kind: "other", opaque: "nested too deeply"}
	}
	switch e := e.(type) {
	case *ast.NilExpr:
		return Expr{Kind: "literal", Text: "nil"}
	case *ast.TrueExpr:
		return Expr{Kind: "literal", Text: "true"}
	case *ast.FalseExpr:
		return Expr{Kind: "literal", Text: "false"}
	case *ast.NumberExpr:
		return Expr{Kind: "literal", Text: e.Value, Number: true}
	case *ast.StringExpr:
		return Expr{Kind: "literal", Text: e.Value, quoted: true}
	case *ast.IdentExpr:
		if v, ok := r.lookup(e.Value); ok {
			return v
		}
		return Expr{Kind: "other", Text: e.Value}
	case *ast.AttrGetExpr:
		return r.index(e)
	case *ast.FuncCallExpr:
		return r.call(e)
	case *ast.LogicalOpExpr:
		return r.logical(e)
	case *ast.RelationalOpExpr:
		left, right := r.eval(e.Lhs), r.eval(e.Rhs)
		t := &test{op: e.Operator, left: left, right: right, size: 1 + left.size + right.size}
		return Expr{Kind: "other", Text: clip(left.Text + " " + e.Operator + " " + right.Text), test: t.bounded()}
	case *ast.UnaryNotOpExpr:
		v := r.eval(e.Expr)
		t := v.condition()
		return Expr{Kind: "other", Text: clip("not " + v.Text), opaque: v.opaque, test: (&test{op: "not", args: []*test{t}, size: 1 + t.size}).bounded()}
	case *ast.StringConcatOpExpr:
		return r.concat(e)
	case *ast.ArithmeticOpExpr:
		left, right := r.eval(e.Lhs), r.eval(e.Rhs)
		if neutral(e.Operator, right) {
			left.Number, left.test = true, nil
			return left
		}
		return compound(left.Text+" "+e.Operator+" "+right.Text, true, left, right)
	case *ast.UnaryMinusOpExpr:
		v := r.eval(e.Expr)
		if v.Kind == "literal" {
			v.Text, v.Number = "-"+v.Text, true
			return v
		}
		return compound("-"+v.Text, true, v)
	case *ast.UnaryLenOpExpr:
		v := r.eval(e.Expr)
		return compound("#"+v.Text, true, v)
	case *ast.TableExpr:
		var args []Expr
		text := list
		for _, f := range e.Fields {
			if f.Key != nil {
				r.eval(f.Key)
				text = "{...}"
			}
			args = append(args, r.eval(f.Value))
		}
		t := compound(text, false, args...)
		t.opaque = ""
		return t
	case *ast.FunctionExpr:
		if sends(e.Stmts, 0) {
			r.fail("a function value sends commands")
		}
		return Expr{Kind: "other", Text: "function"}
	}
	return Expr{Kind: "other", Text: "..."}
}

// list is the text of a table of values without keys.
const list = "{}"

// compound makes a value that is computed from others.
func compound(text string, number bool, args ...Expr) Expr {
	e := Expr{Kind: "other", Text: clip(text), Number: number, Args: args, size: 1}
	for _, a := range args {
		e.size += a.size + 1
		if e.opaque == "" {
			e.opaque = a.opaque
		}
	}
	if e.size > maxSize {
		return Expr{Kind: "other", Text: e.Text, Number: number, opaque: "a value is too large", size: 1}
	}
	return e
}

// clip bounds texts, which could double with every assignment.
func clip(s string) string {
	if len(s) > 120 {
		return s[:120] + "..."
	}
	return s
}

// neutral tells whether an operation only makes a number of its left side.
func neutral(operator string, right Expr) bool {
	if right.Kind != "literal" {
		return false
	}
	switch operator {
	case "+", "-":
		return right.Text == "0"
	case "*", "/":
		return right.Text == "1"
	}
	return false
}

func (r *reader) concat(e *ast.StringConcatOpExpr) Expr {
	left, right := r.eval(e.Lhs), r.eval(e.Rhs)
	switch {
	case left.Kind == "literal" && right.Kind == "literal":
		return Expr{Kind: "literal", Text: clip(left.Text + right.Text), quoted: true}
	case left.Kind == "literal" && left.Text == "":
		right.Number = false
		return right
	case right.Kind == "literal" && right.Text == "":
		left.Number = false
		return left
	}
	return compound(left.Text+" .. "+right.Text, false, left, right)
}

// index reads KEYS[i], ARGV[i], an item of a reply, a field.
func (r *reader) index(e *ast.AttrGetExpr) Expr {
	if id, ok := e.Object.(*ast.IdentExpr); ok {
		if _, shadowed := r.lookup(id.Value); !shadowed && (id.Value == "KEYS" || id.Value == "ARGV") {
			return r.input(id.Value, r.eval(e.Key))
		}
	}
	object, key := r.eval(e.Object), r.eval(e.Key)
	switch {
	case object.Kind == "call":
		return item(object, key)
	case object.Kind == "other" && object.Text == "{}" && key.Kind == "literal":
		if i, err := strconv.Atoi(key.Text); err == nil && key.Number && i > 0 && i <= len(object.Args) {
			return object.Args[i-1]
		}
	}
	out := compound(object.Text+"."+key.Text, false, object, key)
	if holdsReply(object) && out.opaque == "" {
		out.opaque = "a value inside a decoded one decides"
	}
	return out
}

func (r *reader) input(name string, index Expr) Expr {
	e := Expr{Kind: "key", Text: name + "[" + clip(index.Text) + "]"}
	if name == "ARGV" {
		e.Kind = "arg"
	}
	if i, err := strconv.Atoi(index.Text); err == nil && index.Kind == "literal" && i > 0 {
		e.Index = i
	}
	return e
}

// item gives one element of a reply; of MGET and HMGET it is as if it had been
// asked for alone.
func item(reply, index Expr) Expr {
	i, err := strconv.Atoi(index.Text)
	if err == nil && index.Kind == "literal" && i > 0 {
		one := reply
		switch {
		case reply.Cmd == "MGET" && i <= len(reply.Args):
			one.Cmd, one.Args = "GET", []Expr{reply.Args[i-1]}
			return one
		case reply.Cmd == "HMGET" && i < len(reply.Args):
			one.Cmd, one.Args = "HGET", []Expr{reply.Args[0], reply.Args[i]}
			return one
		case reply.Cmd == "TIME":
			return compound("TIME["+index.Text+"]", false, reply)
		}
	}
	out := compound(reply.Text+"["+index.Text+"]", false, reply, index)
	out.opaque = "an item of a reply decides"
	return out
}

// holdsReply tells whether a value was computed from a reply.
func holdsReply(e Expr) bool {
	if e.Kind == "call" {
		return true
	}
	for _, a := range e.Args {
		if holdsReply(a) {
			return true
		}
	}
	return false
}

// each gives an item of what a for loop goes over.
func (r *reader) each(e ast.Expr) (Expr, bool) {
	call, ok := e.(*ast.FuncCallExpr)
	if !ok || len(call.Args) != 1 {
		r.eval(e)
		return Expr{}, false
	}
	if id, ok := call.Args[0].(*ast.IdentExpr); ok {
		if _, shadowed := r.lookup(id.Value); !shadowed && (id.Value == "KEYS" || id.Value == "ARGV") {
			return r.input(id.Value, Expr{Text: "each"}), true
		}
	}
	v := r.eval(call.Args[0])
	out := compound("each "+v.Text, false, v)
	if holdsReply(v) {
		out.opaque = "an item of a reply decides"
	}
	return out, true
}

// logical reads a and b, a or b: as a condition and as a default.
func (r *reader) logical(e *ast.LogicalOpExpr) Expr {
	left := r.eval(e.Lhs)
	lt := left.condition()
	first := len(r.effects)
	right := r.eval(e.Rhs)
	// The right side runs only if the left one did not decide.
	for i := range r.effects[first:] {
		own := &r.effects[first+i]
		own.Guards = append(own.Guards, guards(lt, e.Operator == "or")...)
	}
	rt := right.condition()

	t := (&test{op: e.Operator, args: []*test{lt, rt}, size: 1 + lt.size + rt.size}).bounded()
	text := clip(left.Text + " " + e.Operator + " " + right.Text)
	switch {
	case e.Operator == "or" && left.valueLike() && right.plain():
		// x or 0: the value, or another one where it is absent.
		left.absent = true
		left.Number = left.Number && right.Number
		left.test = t
		return left
	case e.Operator == "and" && right.valueLike() && about(lt, right):
		// x and tonumber(x): the value, where it is there.
		right.test = t
		return right
	}
	out := compound(text, false, left, right)
	out.test = t
	out.opaque = ""
	if left.opaque != "" || right.opaque != "" || !left.truthLike() || !right.truthLike() {
		out.opaque = "a value chosen by a condition decides"
	}
	return out
}

// valueLike tells whether a value is a reply or an input itself.
func (e Expr) valueLike() bool { return e.Kind == "call" || e.Kind == "arg" || e.Kind == "key" }

// plain tells whether a value can stand in for an absent one.
func (e Expr) plain() bool { return e.Kind == "literal" || e.Kind == "arg" }

// truthLike tells whether a value is a condition rather than data.
func (e Expr) truthLike() bool {
	return e.test != nil && e.Kind == "other" || yes(e) && !e.Number || no(e)
}

// call reads a function call: a command, a conversion, a function of the
// script.
func (r *reader) call(e *ast.FuncCallExpr) Expr {
	if e.Receiver != nil {
		args := []Expr{r.eval(e.Receiver)}
		for _, a := range e.Args {
			args = append(args, r.eval(a))
		}
		return decided(compound(":"+e.Method, false, args...))
	}
	if r.isCommand(e.Func) {
		return r.command(e.Args)
	}
	id, _ := e.Func.(*ast.IdentExpr)
	if id != nil {
		if f := r.function(id.Value); f != nil {
			return r.follow(id.Value, f, e.Args)
		}
	}
	var args []Expr
	for _, a := range e.Args {
		args = append(args, r.eval(a))
	}
	name := "?"
	if id != nil {
		name = id.Value
	} else if a, ok := e.Func.(*ast.AttrGetExpr); ok {
		if k, ok := a.Key.(*ast.StringExpr); ok {
			name = k.Value
		}
	}
	switch {
	case name == "tonumber" && len(args) > 0:
		v := args[0]
		v.Number = true
		if v.test != nil && v.absent {
			v.test = nil // a number is always there
		}
		return v
	case name == "tostring" && len(args) == 1:
		v := args[0]
		v.Number = false
		return v
	case name == "assert" && len(args) > 0:
		return args[0]
	case name == "unpack":
		return compound("unpack", false, args...)
	case name == "len" || name == "floor" || name == "ceil" || name == "max" || name == "min" || name == "abs":
		return decided(compound(name, true, args...))
	case name == "error" || name == "error_reply" || name == "status_reply":
		return compound(name, false, args...)
	}
	return decided(compound(name+"()", false, args...))
}

// decided marks a value that was computed from a reply: a condition on it is
// out of sight.
func decided(e Expr) Expr {
	if e.opaque == "" && holdsReply(e) {
		e.opaque = "a computed value decides"
	}
	return e
}

// isCommand tells whether f is redis.call, or a variable that was set to it.
func (r *reader) isCommand(f ast.Expr) bool {
	if id, ok := f.(*ast.IdentExpr); ok {
		v, known := r.lookup(id.Value)
		return known && (v.Text == "redis.call" || v.Text == "redis.pcall")
	}
	_, ok := commandFunc(f)
	return ok
}

func commandFunc(f ast.Expr) (string, bool) {
	a, ok := f.(*ast.AttrGetExpr)
	if !ok {
		return "", false
	}
	id, ok1 := a.Object.(*ast.IdentExpr)
	key, ok2 := a.Key.(*ast.StringExpr)
	if !ok1 || !ok2 || id.Value != "redis" && id.Value != "server" || key.Value != "call" && key.Value != "pcall" {
		return "", false
	}
	return "redis." + key.Value, true
}

func (r *reader) command(list []ast.Expr) Expr {
	var args []Expr
	for _, a := range list {
		args = append(args, r.eval(a))
	}
	if len(args) == 0 || args[0].Kind != "literal" {
		r.fail("a command is chosen while the script runs")
		return Expr{Kind: "other", opaque: "a reply of an unknown command decides"}
	}
	cmd := strings.ToUpper(args[0].Text)
	args = args[1:]
	for _, a := range args {
		if a.Text == "unpack" && writes(cmd) {
			r.fail("the words of a command are assembled")
		}
	}
	r.effects = append(r.effects, Effect{
		Cmd: cmd, Args: args, Guards: r.path[:len(r.path):len(r.path)], Stores: stores(cmd, args),
	})
	e := compound("", countReply(cmd), args...)
	var words []string
	for _, a := range args {
		words = append(words, a.Text)
	}
	return Expr{
		Kind: "call", Cmd: cmd, Args: e.Args, Number: e.Number, size: e.size, effect: len(r.effects),
		Text: clip(cmd + " " + strings.Join(words, " ")),
	}
}

// follow runs a function of the script in place. Its result is followed if it
// is one expression.
func (r *reader) follow(name string, f *ast.FunctionExpr, list []ast.Expr) Expr {
	var args []Expr
	for _, a := range list {
		args = append(args, r.eval(a))
	}
	opaque := Expr{Kind: "other", Text: name + "()", opaque: "the result of a function decides"}
	for _, a := range r.active {
		if a == f {
			r.fail("a function calls itself")
			return opaque
		}
	}
	if r.calls++; r.calls > maxCalls {
		r.fail("too many function calls")
		return opaque
	}
	if len(f.Stmts) == 0 {
		return opaque
	}
	path := r.path
	r.active = append(r.active, f)
	r.inline++
	result := opaque
	r.nested(func() {
		for i, n := range f.ParList.Names {
			v := Expr{Kind: "literal", Text: "nil"}
			if i < len(args) {
				v = args[i]
			}
			r.declare(n, v)
		}
		last := len(f.Stmts) - 1
		for _, s := range f.Stmts[:last] {
			if r.stmt(s) {
				return
			}
		}
		ret, ok := f.Stmts[last].(*ast.ReturnStmt)
		if ok && len(ret.Exprs) == 1 && !returns(f.Stmts[:last], 0) {
			result = r.eval(ret.Exprs[0])
			return
		}
		r.stmt(f.Stmts[last])
	})
	r.inline--
	r.active = r.active[:len(r.active)-1]
	r.path = path
	return result
}

// returns tells whether a return stands among statements.
func returns(stmts []ast.Stmt, depth int) bool {
	for _, s := range stmts {
		switch s := s.(type) {
		case *ast.ReturnStmt:
			return true
		case *ast.IfStmt:
			if depth > maxDepth || returns(s.Then, depth+1) || returns(s.Else, depth+1) {
				return true
			}
		case *ast.DoBlockStmt, *ast.WhileStmt, *ast.RepeatStmt, *ast.NumberForStmt, *ast.GenericForStmt:
			return true
		}
	}
	return false
}
