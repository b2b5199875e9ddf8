package meaning

import (
	"slices"
	"strings"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/luaread"
	"github.com/fencevet/fencevet/passes/internal/sqlread"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// A Token is where a value that is compared as a fencing token comes from.
type Token struct {
	Source  string
	Ordered bool
	Reason  string
	Resets  string
	Handle  *term.T // lock that it belongs to; nil for a counter of its own
	Origin  string  // random | clock | host | process | early: no token of any lock
	Call    *term.T
	Counter *term.T // key of the counter that it was drawn from, where that is known
	Member  *term.T // of a hash, where the counter is one of its fields
	Ends    string  // command by which the script that draws it gives that key an end
	Read    bool    // from a record of the store: a token of the lock whose record that is
}

// Early is the origin of numbers that were drawn before the lock was taken.
const Early = "early"

// Token finds the token that a value is made of, or a fresh value that is used
// as one. Arithmetic, formatting and conversions keep it; the arguments of
// other calls do not.
func (r *Reader) Token(t *term.T) (Token, bool) {
	return r.token(t, 0)
}

// Draws reports whether a value is an ordered token, whichever way it comes.
func (r *Reader) Draws(t *term.T) bool {
	alts := t.Alts()
	return len(alts) > 0 && !slices.ContainsFunc(alts, func(a *term.T) bool {
		tok, ok := r.Token(a)
		return !ok || !tok.Ordered || tok.Origin != ""
	})
}

func (r *Reader) token(t *term.T, depth int) (Token, bool) {
	if t == nil || depth > 8 {
		return Token{}, false
	}
	if tok, is, ok := r.resultToken(t); is {
		return tok, ok
	}
	switch t.Kind {
	case term.Field:
		x := t.Args[0]
		if x.Kind == term.Call {
			if e := r.Entry(x); e != nil && e.Token != nil && e.Token.Field == t.Name {
				return Token{
					Source: shortCall(x) + "." + t.Name, Ordered: e.Token.Ordered, Reason: e.Token.Reason, Resets: e.Token.Resets,
					Handle: r.Get(e.Token.Of, x, nil), Call: x,
				}, true
			}
		}
		if tok, ok := r.fieldToken(t); ok {
			return tok, true
		}
		if tok, ok := r.recordToken(t); ok {
			return tok, true
		}
		if x.Kind == term.Out {
			return r.outToken(x, t.Name)
		}
		return r.token(x, depth+1)
	case term.Call:
		e := r.Entry(t)
		if e == nil {
			return Token{}, false
		}
		if e.Token != nil && e.Token.Field == "" {
			return Token{Source: shortCall(t), Ordered: e.Token.Ordered, Reason: e.Token.Reason, Resets: e.Token.Resets, Handle: r.Get(e.Token.Of, t, nil), Call: t}, true
		}
		if e.Origin != nil && e.Origin.Out.IsZero() {
			return Token{Source: shortCall(t), Reason: originReason(e.Origin.Kind), Origin: e.Origin.Kind, Call: t}, true
		}
		if len(e.Command) > 0 {
			words := r.words(e, t)
			texts := make([]string, len(words))
			for i, w := range words {
				texts[i] = constText(w)
			}
			if c := r.Catalog.Command(texts); c != nil && c.Token != nil {
				return Token{Source: "redis " + c.Name, Ordered: c.Token.Ordered, Reason: c.Token.Reason, Resets: c.Token.Resets, Call: t}, true
			} else if c != nil && !c.Script.IsZero() {
				return r.scriptToken(t, 0)
			}
		}
		if !e.Same.IsZero() {
			return r.token(r.Get(e.Same, t, nil), depth+1)
		}
	case term.Elem:
		if tok, ok := r.recordToken(t); ok {
			return tok, true
		}
		if len(t.Args) == 2 && t.Args[1] != nil {
			answer := t.Args[0]
			for answer.Kind == term.Result {
				answer = answer.Args[0]
			}
			if i, ok := t.Args[1].Int(); ok {
				return r.scriptToken(r.outcomeOf(answer), int(i)+1)
			}
		}
	case term.Out:
		return r.outToken(t, "")
	case term.Op, term.Join, term.List, term.Struct:
		for _, a := range t.Args {
			if tok, ok := r.token(a, depth+1); ok {
				return tok, true
			}
		}
	case term.Result:
		return r.token(t.Args[0], depth+1)
	}
	return Token{}, false
}

// outcomeOf is the call whose outcome a call only gives another form.
func (r *Reader) outcomeOf(t *term.T) *term.T {
	for range 4 {
		e := r.Entry(t)
		if e == nil || e.Reads == nil || !e.Reads.Out.IsZero() {
			break
		}
		of := r.Get(e.Reads.Of, t, nil)
		for of != nil && of.Kind == term.Result {
			of = of.Args[0]
		}
		t = of
	}
	return t
}

// resultToken reads a value that a call returned of which one result, or a field
// of one, is a token and the others are not. is reports whether t is such a value
// at all.
func (r *Reader) resultToken(t *term.T) (tok Token, is, ok bool) {
	var path []string
	call := t
	for call.Kind == term.Field {
		path = append([]string{call.Name}, path...)
		call = call.Args[0]
	}
	index := 0
	if call.Kind == term.Result {
		index, call = call.Index, call.Args[0]
	}
	e := r.Entry(call)
	if e == nil || e.Token == nil || e.Token.At.IsZero() {
		return Token{}, false, false
	}
	at := e.Token.At
	if index != at.Index || len(path) < len(at.Path) || !slices.Equal(path[:len(at.Path)], at.Path) {
		return Token{}, true, false
	}
	source := shortCall(call)
	if len(at.Path) > 0 {
		source += "." + strings.Join(at.Path, ".")
	}
	return Token{Source: source, Ordered: e.Token.Ordered, Reason: e.Token.Reason, Resets: e.Token.Resets, Handle: r.Get(e.Token.Of, call, nil), Call: call}, true, true
}

// fieldToken reads a field that the library whose answer it belongs to hands
// out as a token: the index of an entry, the revision in a header.
func (r *Reader) fieldToken(t *term.T) (Token, bool) {
	call := t.Args[0]
	for call.Kind == term.Result || call.Kind == term.Field || call.Kind == term.Elem {
		call = call.Args[0]
	}
	e := r.Entry(call)
	if e == nil || e.Query == nil && e.Acquire == nil && e.Write == nil {
		return Token{}, false
	}
	for _, c := range e.Library.Calls {
		for _, name := range c.Field {
			if c.Token != nil && c.Token.Ordered && methodName(name) == t.Name {
				header := t.Args[0].Kind == term.Field && t.Args[0].Name == "Header"
				return Token{
					Source: shortCall(call) + "." + t.Name, Ordered: true, Reason: c.Token.Reason, Resets: c.Token.Resets,
					Call: call, Read: e.Query != nil && !header,
				}, true
			}
		}
	}
	return Token{}, false
}

// scriptToken finds a counter whose new value is a script's result, or the at-th
// element of that.
func (r *Reader) scriptToken(call *term.T, at int) (Token, bool) {
	for _, tok := range r.Counters(call) {
		if tok.at == at {
			return tok.Token, true
		}
	}
	return Token{}, false
}

// A Drawn is a token that a script answers with.
type Drawn struct {
	Token
	at int // which element of the answer, one-based; 0: the answer itself
}

// Counters lists the counters whose new values a script that call runs answers with.
func (r *Reader) Counters(call *term.T) []Drawn {
	s, args, ok := r.scriptOf(call)
	if !ok {
		return nil
	}
	var out []Drawn
	for _, x := range s.Effects {
		c := r.Catalog.Command([]string{x.Cmd})
		if !x.Returned || c == nil || c.Token == nil {
			continue
		}
		tok := Token{Source: "redis " + x.Cmd + " in a script", Ordered: c.Token.Ordered, Reason: c.Token.Reason, Resets: c.Token.Resets, Call: call, Ends: s.Ends(x)}
		if len(x.Args) > 0 {
			tok.Counter = r.luaTerm(args, x.Args[0])
		}
		if x.Cmd == "HINCRBY" && len(x.Args) > 1 {
			tok.Member = r.luaTerm(args, x.Args[1])
		}
		out = append(out, Drawn{tok, x.At})
	}
	return out
}

// Deleted lists the keys that a script which call runs deletes; told is false where
// call runs none in view.
func (r *Reader) Deleted(call *term.T) (keys []*term.T, told bool) {
	s, args, ok := r.scriptOf(call)
	if !ok {
		return nil, false
	}
	for _, x := range s.Effects {
		if x.Cmd == "DEL" || x.Cmd == "UNLINK" || x.Cmd == "GETDEL" {
			for _, a := range x.Args {
				keys = append(keys, r.luaTerm(args, a))
			}
		}
	}
	return keys, true
}

// scriptOf reads the script that a call runs.
func (r *Reader) scriptOf(call *term.T) (luaread.Script, scriptArgs, bool) {
	e := r.Entry(call)
	if e == nil || len(e.Command) == 0 {
		return luaread.Script{}, scriptArgs{}, false
	}
	words := r.words(e, call)
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = constText(w)
	}
	c := r.Catalog.Command(texts)
	if c == nil || c.Script.IsZero() {
		return luaread.Script{}, scriptArgs{}, false
	}
	text := constText(r.Get(c.Script, call, words))
	return luaread.Read(text), r.scriptArgs(call, words), text != ""
}

// outToken finds a token in what a call fills, or in a field of that.
func (r *Reader) outToken(t *term.T, field string) (Token, bool) {
	if e := r.Entry(t.Args[0]); e != nil && e.Origin != nil && !e.Origin.Out.IsZero() {
		return Token{Source: shortCall(t.Args[0]), Reason: originReason(e.Origin.Kind), Origin: e.Origin.Kind, Call: t.Args[0]}, true
	}
	return r.rowToken(t, field)
}

// columnOf is which column of a row something holds that was filled with it: the one that
// a field is named like, or the one at its place. A struct that is filled with several has
// none at its place; the index is -1 then.
func columnOf(list []sqlread.Expr, place int, field string, q *catalog.Query) int {
	if field == "" || len(list) == 1 {
		return place
	}
	at := slices.IndexFunc(list, func(x sqlread.Expr) bool { return x.Kind == "column" && sameField(field, x.Name) })
	if at < 0 && (q == nil || q.Out.IsZero() || q.Out.Spread) {
		return place // sql.NullInt64
	}
	return at
}

// rowToken finds a token in what a statement returned: a sequence, or a
// column that grows with every grant of a lease row. A field of what it was put into
// is the column of that name, where there is one.
func (r *Reader) rowToken(t *term.T, field string) (Token, bool) {
	call := t.Args[0]
	e := r.Entry(call)
	if e == nil {
		return Token{}, false
	}
	var text *term.T
	switch {
	case e.Query != nil && !e.Query.SQL.IsZero():
		text = r.Get(e.Query.SQL, call, nil)
	case e.Write != nil && !e.Write.SQL.IsZero():
		text = r.Get(e.Write.SQL, call, nil)
	default:
		return Token{}, false
	}
	s, ok := sqlText(text)
	if !ok {
		if s, _ = r.prepared(text, nil); s == "" {
			return Token{}, false
		}
	}
	for _, st := range sqlread.Read(s) {
		list := st.Select
		if len(st.Returning) > 0 {
			list = st.Returning
		}
		at := columnOf(list, t.Index, field, e.Query)
		if at < 0 || at >= len(list) {
			continue
		}
		x := list[at]
		switch x.Kind {
		case "call":
			if fn := r.Catalog.SQLFunc(x.Name); fn != nil && fn.Token != nil {
				return Token{Source: "SQL " + x.Name, Ordered: fn.Token.Ordered, Reason: fn.Token.Reason, Resets: fn.Token.Resets, Call: call}, true
			}
		case "column":
			for _, w := range st.Writes {
				if v, ok := w.Stores(x.Name); ok && grows(v, x.Name) {
					return Token{Source: "SQL " + w.Table + "." + x.Name, Ordered: true, Reason: "the statement that takes the lock increases it", Call: call}, true
				}
			}
		}
	}
	return Token{}, false
}

func originReason(kind string) string {
	switch kind {
	case "random":
		return "a random id says nothing about who came later"
	case "clock":
		return "clocks of two machines differ, and a clock can be set back"
	case "host":
		return "a host name is the same for every acquisition"
	}
	return "a counter of one process knows nothing of other processes"
}

// shortCall renders the accessor: (*concurrency.Mutex).Header().
func shortCall(t *term.T) string {
	s := t.Text()
	if n := len("(...)"); len(s) > n {
		return s[:len(s)-n] + "()"
	}
	return s
}

// Reads reports whether a value was read from a resource outside the process.
func (r *Reader) Reads(t *term.T) bool { return len(r.Queries(t)) > 0 }

// Queries lists the reads of resources that a value comes from.
func (r *Reader) Queries(t *term.T) []Meaning {
	var found []Meaning
	var walk func(t *term.T, depth int)
	walk = func(t *term.T, depth int) {
		if t == nil || depth > 8 || len(found) > 8 {
			return
		}
		switch t.Kind {
		case term.Call:
			for _, m := range r.Of(t) {
				if m.Role == Query {
					found = append(found, m)
				}
			}
			if e := r.Entry(t); e != nil && !e.Same.IsZero() {
				walk(r.Get(e.Same, t, nil), depth+1)
			}
		case term.Elem:
			walk(t.Args[0], depth+1) // not the index
		case term.Out, term.Result, term.Field, term.Op, term.Join:
			for _, a := range t.Args {
				walk(a, depth+1)
			}
		}
	}
	walk(t, 0)
	return found
}
