package luaread

import (
	"strings"

	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// Scripts beyond these bounds are Unknown, so that no input costs much.
const (
	maxText   = 256 << 10
	maxDepth  = 150
	maxSize   = 400 // nodes of a value or condition
	maxGuards = 100 // conditions on one way
	maxCalls  = 100 // function calls followed
)

// Read parses text and follows every way through it.
func Read(text string) (s Script) {
	if len(text) > maxText {
		return Script{Unknown: "the script is too long"}
	}
	r := &reader{}
	// The parser is generated code over a hand-written scanner; what input
	// makes it panic is not ours to know.
	defer func() {
		if e := recover(); e != nil {
			s = Script{Effects: r.effects, Unknown: "the script cannot be read"}
		}
	}()
	stmts, err := parse.Parse(strings.NewReader(text), "")
	if err != nil {
		return Script{Unknown: "the script does not parse"}
	}
	r.scope = &scope{vars: map[string]Expr{}}
	ends := r.block(stmts)
	for i := range r.effects {
		e := &r.effects[i]
		if e.Unknown = opaque(e.Guards); e.Unknown != "" && writes(e.Cmd) && !compared(e.Guards) {
			r.fail(e.Unknown)
		}
	}
	return Script{Effects: r.effects, Counts: ends && !r.others, Unknown: r.unknown}
}

// reader walks a script once, with what is known of each variable and the
// conditions under which the current statement runs.
type reader struct {
	effects []Effect
	unknown string
	scope   *scope
	path    []Guard
	depth   int
	calls   int
	active  []*ast.FunctionExpr // being followed, to stop at recursion
	inline  int                 // depth of functions: a return there is not the script's
	breaks  bool                // a break was met in the current loop
	others  bool                // the script may answer with something else than a number
}

type scope struct {
	vars  map[string]Expr
	funcs map[string]*ast.FunctionExpr
	outer *scope
}

func (r *reader) fail(why string) {
	if r.unknown == "" {
		r.unknown = why
	}
}

func (r *reader) enter() bool {
	r.depth++
	if r.depth > maxDepth {
		r.fail("nested too deeply")
		return false
	}
	return true
}

func (r *reader) lookup(name string) (Expr, bool) {
	for s := r.scope; s != nil; s = s.outer {
		if e, ok := s.vars[name]; ok {
			return e, true
		}
	}
	return Expr{}, false
}

func (r *reader) function(name string) *ast.FunctionExpr {
	for s := r.scope; s != nil; s = s.outer {
		if f, ok := s.funcs[name]; ok {
			return f
		}
		if _, ok := s.vars[name]; ok {
			return nil
		}
	}
	return nil
}

func (r *reader) declare(name string, e Expr) {
	r.scope.vars[name] = e
	delete(r.scope.funcs, name)
}

func (r *reader) define(name string, f *ast.FunctionExpr) {
	if r.scope.funcs == nil {
		r.scope.funcs = map[string]*ast.FunctionExpr{}
	}
	r.scope.funcs[name] = f
	delete(r.scope.vars, name)
}

// set assigns to the variable where it was declared; a global is declared in
// the outermost scope.
func (r *reader) set(name string, e Expr) {
	s := r.scope
	for ; s.outer != nil; s = s.outer {
		if _, ok := s.vars[name]; ok {
			break
		}
	}
	s.vars[name] = e
}

// nested runs f in a scope of its own.
func (r *reader) nested(f func()) {
	r.scope = &scope{vars: map[string]Expr{}, outer: r.scope}
	f()
	r.scope = r.scope.outer
}

// require adds conditions to the current way.
func (r *reader) require(gs []Guard) {
	if len(r.path)+len(gs) > maxGuards {
		r.fail("too many conditions")
		return
	}
	r.path = append(r.path[:len(r.path):len(r.path)], gs...)
}

// block runs statements; it tells whether control cannot go on behind them.
func (r *reader) block(stmts []ast.Stmt) (done bool) {
	defer func() { r.depth-- }()
	if !r.enter() {
		return false
	}
	for _, s := range stmts {
		if done {
			return true // unreachable
		}
		done = r.stmt(s)
	}
	return done
}

func (r *reader) stmt(s ast.Stmt) (done bool) {
	switch s := s.(type) {
	case *ast.LocalAssignStmt:
		r.local(s)
	case *ast.AssignStmt:
		r.assign(s)
	case *ast.FuncCallStmt:
		r.eval(s.Expr)
	case *ast.DoBlockStmt:
		r.nested(func() { done = r.block(s.Stmts) })
	case *ast.IfStmt:
		return r.branch(s)
	case *ast.NumberForStmt:
		r.eval(s.Init)
		r.eval(s.Limit)
		if s.Step != nil {
			r.eval(s.Step)
		}
		r.loop(s.Stmts, true, func() { r.declare(s.Name, Expr{Kind: "other", Text: s.Name, Number: true}) })
	case *ast.GenericForStmt:
		item := Expr{Kind: "other", Text: "each"}
		for _, e := range s.Exprs {
			if each, ok := r.each(e); ok {
				item = each
			}
		}
		r.loop(s.Stmts, true, func() {
			for i, n := range s.Names {
				r.declare(n, Expr{Kind: "other", Text: n})
				if i == 1 {
					r.declare(n, item)
				}
			}
		})
	case *ast.WhileStmt:
		r.loop(s.Stmts, false, func() { r.require(guards(r.cond(s.Condition), false)) })
	case *ast.RepeatStmt:
		r.loop(s.Stmts, false, func() {})
		r.cond(s.Condition)
	case *ast.FuncDefStmt:
		if id, ok := s.Name.Func.(*ast.IdentExpr); ok && s.Name.Receiver == nil {
			r.define(id.Value, s.Func)
		} else if sends(s.Func.Stmts, 0) {
			r.fail("a method sends commands")
		}
	case *ast.ReturnStmt:
		for _, e := range s.Exprs {
			v := r.eval(e)
			if r.inline == 0 {
				r.returned(v)
				r.others = r.others || !v.Number || v.Kind != "literal" && (v.Kind != "call" || !countReply(v.Cmd))
			}
		}
		r.others = r.others || r.inline == 0 && len(s.Exprs) == 0
		return true
	case *ast.BreakStmt:
		r.breaks = true
		return true
	case *ast.GotoStmt, *ast.LabelStmt:
		r.fail("goto")
	}
	return done
}

// returned marks the command whose reply e is, also as a truth value, and those whose
// replies are elements of it.
func (r *reader) returned(e Expr) {
	if e.effect > 0 {
		r.effects[e.effect-1].Returned = true
		return
	}
	if e.test != nil {
		r.answered(e.test)
	}
	if e.Kind == "other" && e.Text == list {
		for i, a := range e.Args {
			if a.effect > 0 {
				x := &r.effects[a.effect-1]
				x.Returned, x.At = true, i+1
			}
		}
	}
}

func (r *reader) answered(t *test) {
	for _, side := range []Expr{t.left, t.right} {
		if side.effect > 0 {
			r.effects[side.effect-1].Returned = true
		}
	}
	for _, a := range t.args {
		// In "mine and del()" the comparison is not the answer.
		if a.op == "truthy" || a.op == "and" || a.op == "or" {
			r.answered(a)
		}
	}
}

func (r *reader) local(s *ast.LocalAssignStmt) {
	if len(s.Names) == 1 && len(s.Exprs) == 1 {
		if f, ok := s.Exprs[0].(*ast.FunctionExpr); ok {
			r.define(s.Names[0], f)
			return
		}
		if name, ok := commandFunc(s.Exprs[0]); ok {
			r.declare(s.Names[0], Expr{Kind: "other", Text: name})
			return
		}
	}
	values := r.values(s.Exprs, len(s.Names))
	for i, n := range s.Names {
		r.declare(n, values[i])
	}
}

func (r *reader) assign(s *ast.AssignStmt) {
	values := r.values(s.Rhs, len(s.Lhs))
	for i, l := range s.Lhs {
		switch l := l.(type) {
		case *ast.IdentExpr:
			if i < len(s.Rhs) {
				if f, ok := s.Rhs[i].(*ast.FunctionExpr); ok {
					r.define(l.Value, f)
					continue
				}
			}
			if r.function(l.Value) != nil {
				r.fail("a function is replaced")
			}
			r.set(l.Value, values[i])
		case *ast.AttrGetExpr:
			// A field: the table it belongs to is no longer known.
			if id, ok := root(l); ok {
				r.set(id, Expr{Kind: "other", Text: id, opaque: "a value kept in a table decides"})
			}
		}
	}
}

func (r *reader) values(exprs []ast.Expr, n int) []Expr {
	out := make([]Expr, max(n, len(exprs)))
	for i := range out {
		out[i] = Expr{Kind: "literal", Text: "nil"}
		if i < len(exprs) {
			out[i] = r.eval(exprs[i])
		} else if last := len(exprs) - 1; last >= 0 {
			if _, call := exprs[last].(*ast.FuncCallExpr); call {
				out[i] = Expr{Kind: "other", Text: "result", opaque: "a second result decides"}
			}
		}
	}
	return out
}

// branch runs both sides of an if and joins what they leave behind.
func (r *reader) branch(s *ast.IfStmt) (done bool) {
	test := r.cond(s.Condition)
	start, before := r.path, r.snapshot(s)

	yes := guards(test, false)
	r.require(yes)
	r.nested(func() { done = r.block(s.Then) })
	thenPath, thenVars, thenDone := r.path, r.snapshot(s), done

	r.path = start
	r.restore(before)
	no := guards(test, true)
	r.require(no)
	r.nested(func() { done = r.block(s.Else) })
	elsePath, elseVars, elseDone := r.path, r.snapshot(s), done

	switch {
	case thenDone && elseDone:
		return true
	case thenDone:
		return false // the else side goes on, under its conditions
	case elseDone:
		r.path = thenPath
		r.restore(thenVars)
		return false
	}
	for name, a := range thenVars {
		if b := elseVars[name]; !same(a, b) || a.Number != b.Number || a.absent != b.absent {
			r.set(name, join(test, a, b))
		}
	}
	r.path = start
	a, b := thenPath[min(len(start), len(thenPath)):], elsePath[min(len(start), len(elsePath)):]
	if len(a) != len(yes) || len(b) != len(no) {
		// One side leaves on some way: what it demanded of the others stays.
		r.require(disjunction([][]Guard{a, b}))
	}
	return false
}

// loop runs a body that may run any number of times: what it assigns is
// unknown in it and behind it. What a complete pass over all items demanded,
// by returning otherwise, holds behind the loop.
func (r *reader) loop(body []ast.Stmt, all bool, head func()) {
	for name := range assigned(body, nil, 0) {
		if _, ok := r.lookup(name); ok {
			r.set(name, Expr{Kind: "other", Text: name, opaque: "a value that changes in a loop decides"})
		}
	}
	start, outer := r.path, r.breaks
	r.breaks = false
	done := false
	r.nested(func() {
		head()
		done = r.block(body)
	})
	passed := r.path[min(len(start), len(r.path)):]
	r.path = start
	if all && !r.breaks && !done {
		r.require(passed)
	}
	r.breaks = outer
	for name := range assigned(body, nil, 0) {
		if _, ok := r.lookup(name); ok {
			r.set(name, Expr{Kind: "other", Text: name, opaque: "a value that changes in a loop decides"})
		}
	}
}

// snapshot keeps the variables that the branches of s assign to.
func (r *reader) snapshot(s *ast.IfStmt) map[string]Expr {
	out := map[string]Expr{}
	for name := range assigned(s.Else, assigned(s.Then, nil, 0), 0) {
		if e, ok := r.lookup(name); ok {
			out[name] = e
		} else {
			out[name] = Expr{Kind: "literal", Text: "nil"}
		}
	}
	return out
}

func (r *reader) restore(vars map[string]Expr) {
	for name, e := range vars {
		r.set(name, e)
	}
}
