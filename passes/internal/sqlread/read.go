package sqlread

import "strings"

// Texts beyond these bounds are Unknown, so that no input costs much.
const (
	maxText  = 1 << 20
	maxDepth = 100
	maxChain = 500
	maxNames = 64 // sources of a statement, conditions taken over from one
)

// Read parses text: one or more statements separated by semicolons.
func Read(text string) []Statement {
	if len(text) > maxText {
		return []Statement{{Verb: "OTHER", Unknown: "the text is too long"}}
	}
	l := lex(text)
	r := &reader{text: text, toks: l.toks}
	var out []Statement
	for r.cur().kind != eof {
		if r.eatOp(";") {
			continue
		}
		st := r.statement()
		if st.Unknown == "" {
			st.Unknown = l.unknown
		}
		for i := range st.Writes {
			if st.Writes[i].Unknown == "" {
				st.Writes[i].Unknown = l.unknown
			}
		}
		out = append(out, st)
	}
	return out
}

// reader is a recursive-descent reader over the tokens. It never goes back
// over a stretch it has read, which keeps it linear.
type reader struct {
	text      string
	toks      []token
	i         int
	depth     int
	st        *Statement
	ctes      map[string]*query
	duplicate bool   // inside ON DUPLICATE KEY UPDATE, where VALUES(c) is a value
	why       string // first thing that could not be followed, since the last take
}

func (r *reader) cur() *token { return r.at(0) }

func (r *reader) at(k int) *token {
	if r.i+k < len(r.toks) {
		return &r.toks[r.i+k]
	}
	return &r.toks[len(r.toks)-1]
}

func (r *reader) isWord(words ...string) bool { return r.isWordAt(0, words...) }

func (r *reader) isWordAt(k int, words ...string) bool {
	t := r.at(k)
	if t.kind != word {
		return false
	}
	for _, w := range words {
		if t.low == w {
			return true
		}
	}
	return false
}

// eat steps over the given words if they all follow in this order.
func (r *reader) eat(words ...string) bool {
	for k, w := range words {
		if !r.isWordAt(k, w) {
			return false
		}
	}
	r.i += len(words)
	return true
}

func (r *reader) isOp(o string) bool { return r.isOpAt(0, o) }

func (r *reader) isOpAt(k int, o string) bool {
	t := r.at(k)
	return t.kind == op && t.low == o
}

func (r *reader) eatOp(o string) bool {
	if r.isOp(o) {
		r.i++
		return true
	}
	return false
}

func (r *reader) fail(why string) {
	if r.why == "" {
		r.why = why
	}
}

// take runs f and gives what f could not follow.
func (r *reader) take(f func()) string {
	outer := r.why
	r.why = ""
	f()
	why := r.why
	r.why = outer
	if why != "" {
		r.fail(why)
	}
	return why
}

// span gives the source text from token i up to the current one.
func (r *reader) span(i int) string {
	if i >= r.i {
		return ""
	}
	return r.text[r.toks[i].pos:r.toks[r.i-1].end]
}

// inside reads a parenthesis with f and leaves the reader behind it, whatever
// f made of it.
func (r *reader) inside(f func()) {
	pair := r.cur().pair
	r.i++
	if pair < 0 {
		r.fail("unbalanced parenthesis")
		return
	}
	if r.depth++; r.depth > maxDepth {
		r.fail("nested too deeply")
	} else {
		f()
		if r.i != pair {
			r.fail("unexpected " + r.near())
		}
	}
	r.depth--
	r.i = pair + 1
}

// near names the current token for a reason.
func (r *reader) near() string {
	t := r.cur()
	if t.kind == eof {
		return "end of text"
	}
	return "text at " + r.text[t.pos:min(t.end, t.pos+24)]
}

// skip steps over one token, or over a whole parenthesis; never out of one.
func (r *reader) skip() {
	if t := r.cur(); t.pair > r.i {
		r.i = t.pair
	} else if t.kind == eof || t.pair >= 0 {
		return
	}
	r.i++
}

// end reports the end of a statement.
func (r *reader) end() bool { return r.cur().kind == eof || r.isOp(";") }

// skipTo steps over everything up to one of the words at this level.
func (r *reader) skipTo(words ...string) {
	for !r.end() && !r.isOp(")") && !r.isWord(words...) {
		r.skip()
	}
}

func (r *reader) statement() Statement {
	st := Statement{Verb: "OTHER"}
	r.st, r.ctes, r.depth = &st, nil, 0
	first := r.i
	st.Unknown = r.take(func() {
		r.dispatch()
		if !r.end() {
			why := "unexpected " + r.near()
			r.fail(why)
			if n := len(st.Writes); n > 0 && st.Writes[n-1].Unknown == "" {
				st.Writes[n-1].Unknown = why
			}
			for !r.end() {
				r.i++
			}
		}
	})
	st.count(r.toks[first:r.i])
	return st
}

// count counts the distinct parameters.
func (st *Statement) count(toks []token) {
	type key struct {
		kind kind
		ord  int
		name string
	}
	var seen map[key]bool
	for _, t := range toks {
		if t.kind != param && t.kind != verb {
			continue
		}
		k := key{kind: t.kind, ord: t.ord}
		if t.ord < 0 {
			k.name = t.name
		}
		if seen[k] {
			continue
		}
		if seen == nil {
			seen = map[key]bool{}
		}
		seen[k] = true
		if t.kind == verb && t.ord >= 0 {
			st.Verbs++
		} else {
			st.Params++
		}
	}
}

func (r *reader) dispatch() {
	if r.isOp("(") {
		r.st.Verb = "SELECT"
		r.main(r.query())
		return
	}
	if r.isWord("with") {
		r.with()
	}
	t := r.cur()
	if t.kind != word {
		r.fail("unexpected " + r.near())
		return
	}
	switch t.low {
	case "select", "values", "table":
		r.st.Verb = "SELECT"
		r.main(r.query())
	case "insert", "update", "delete", "merge", "replace", "upsert":
		r.st.Verb = strings.ToUpper(t.low)
		if t.low == "upsert" {
			r.st.Verb = "INSERT"
		}
		r.st.Returning = r.change().list
	case "truncate":
		r.st.Verb = "TRUNCATE"
		r.truncate()
	case "create", "alter", "drop", "rename", "comment", "grant", "revoke", "reindex":
		r.st.Verb = "DDL"
		r.ddl()
	case "call", "exec", "execute", "do", "perform":
		r.st.Verb = "CALL"
		r.call()
	case "begin", "start":
		r.st.Verb = "BEGIN"
		r.transaction()
	case "commit", "end":
		r.st.Verb = "COMMIT"
		r.skipTo()
	case "rollback", "abort":
		r.st.Verb = "ROLLBACK"
		r.skipTo()
	case "set":
		r.st.Verb = "SET"
		r.skipTo()
	case "lock":
		r.st.Verb = "LOCK"
		r.lock()
	case "copy", "load":
		r.load()
	case "show", "explain", "describe", "desc", "pragma", "use", "vacuum", "analyze", "analyse", "listen", "unlisten",
		"notify", "savepoint", "release", "declare", "fetch", "close", "unlock", "reset", "discard", "deallocate",
		"checkpoint", "print", "go", "attach", "detach", "flush", "kill", "open", "move":
		r.skipTo()
	default:
		r.fail("unexpected " + r.near())
		r.skipTo()
	}
}

// main copies a query into the statement it makes up.
func (r *reader) main(q *query) {
	r.st.Select, r.st.Where = q.list, q.where
}

func (r *reader) write(w Write) { r.st.Writes = append(r.st.Writes, w) }

func (r *reader) truncate() {
	r.i++
	r.eat("table")
	for {
		r.eat("only")
		name := r.name()
		if name == "" {
			r.fail("unexpected " + r.near())
			return
		}
		r.eatOp("*")
		r.write(Write{Op: "TRUNCATE", Table: name})
		if !r.eatOp(",") {
			break
		}
	}
	r.skipTo()
}

// ddl names the object and reads its columns. It leaves the rest unread: bodies of functions
// and triggers hold statements that do not run now.
func (r *reader) ddl() {
	verb := r.cur().low
	r.i++
	body, missing := false, verb == "create" && !r.isWord("or") // replace
	of, unique := "", false
	for r.cur().kind == word {
		unique = unique || r.isWord("unique")
		if r.isWord("table", "index") {
			of = r.cur().low
		}
		switch r.cur().low {
		case "function", "procedure", "trigger", "package", "event":
			body = true
			r.i++
			continue
		case "or", "replace", "temp", "temporary", "unlogged", "global", "local", "unique", "clustered", "nonclustered",
			"materialized", "recursive", "table", "view", "sequence", "schema", "database", "type", "role", "user",
			"extension", "column", "if", "not", "exists", "only", "constraint", "force", "foreign", "virtual":
			r.i++
			continue
		case "index":
			r.i++
			if r.eat("concurrently") {
				r.eat("if", "not", "exists")
			}
			if verb == "create" {
				r.skipTo("on")
				r.eat("on")
				r.eat("only")
			}
		case "on":
			r.i++
			continue
		}
		break
	}
	w := Write{Op: "DDL", Table: r.name(), Missing: missing && !body}
	switch {
	case of == "table" && verb == "create" && r.isOp("("):
		w.Columns = r.columns()
	case of == "table" && verb == "alter":
		w.Columns = r.altered()
	case of == "index" && verb == "create" && unique:
		for !r.end() && !r.isOp("(") {
			r.i++
		}
		w.Columns = r.names()
	}
	r.write(w)
	if !body {
		r.skipTo()
		return
	}
	for r.cur().kind != eof {
		r.i++
	}
}

// call reads the arguments of a procedure; what it does is out of sight.
func (r *reader) call() {
	do := r.cur().low == "do"
	r.i++
	if do {
		if r.cur().kind == str || r.isWord("language") {
			r.fail("an anonymous block")
			r.skipTo()
			return
		}
		r.exprs()
		return
	}
	if r.cur().kind == param && r.isOpAt(1, "=") {
		r.i += 2
	}
	start := r.i
	if name := r.name(); name != "" {
		c := Call{Name: unqualified(name)}
		if r.isOp("(") {
			r.inside(func() {
				if !r.isOp(")") {
					c.Args = r.exprs()
				}
			})
		}
		r.st.Functions = append(r.st.Functions, c)
	} else if r.i == start {
		r.i++
	}
	r.fail("a stored procedure")
	r.skipTo()
}

func (r *reader) transaction() {
	r.i++
	for r.isWord("transaction", "tran", "work", "immediate", "deferred", "exclusive", "concurrent", "read", "write", "only",
		"isolation", "level", "serializable", "repeatable", "committed", "uncommitted", "snapshot", "with", "consistent",
		"deferrable", "not") || r.isOp(",") || r.cur().kind == verb {
		r.i++
	}
	if !r.end() {
		r.fail("a procedural block")
		r.skipTo()
	}
}

func (r *reader) lock() {
	r.i++
	if !r.eat("tables") {
		r.eat("table")
	}
	for {
		r.eat("only")
		if name := r.name(); name != "" {
			r.st.Tables = append(r.st.Tables, name)
		}
		for r.isWord("read", "write", "local", "low_priority", "as") {
			r.i++
		}
		if !r.eatOp(",") {
			break
		}
	}
	r.skipTo()
}

// load reads COPY t FROM and LOAD DATA ... INTO TABLE t, which insert rows.
func (r *reader) load() {
	if r.eat("copy") {
		if r.isOp("(") {
			r.skip()
			r.skipTo()
			return
		}
		name := r.name()
		if r.isOp("(") {
			r.skip()
		}
		if r.isWord("from") {
			r.st.Verb = "INSERT"
			r.write(Write{Op: "INSERT", Table: name})
		} else {
			r.st.Tables = append(r.st.Tables, name)
		}
		r.skipTo()
		return
	}
	w := Write{Op: "INSERT"}
	r.skipTo("ignore", "replace", "into")
	if r.eat("ignore") {
		w.Conflict = "nothing"
	} else if r.eat("replace") {
		w.Op = "REPLACE"
	}
	r.skipTo("table")
	r.eat("table")
	if w.Table = r.name(); w.Table != "" {
		r.st.Verb = w.Op
		r.write(w)
	}
	r.skipTo()
}

func unqualified(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
