package meaning

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// library stands in for the clients whose calls the tests make.
const library = `
library: test
family: test
packages: {t: [t]}
calls:
  - func: (*t.DB).Exec
    write: {store: sql, sql: arg 0, args: arg 1..., on: receiver, reject: rows}
  - func: (*t.DB).Query
    query: {store: sql, sql: arg 0, args: arg 1..., on: receiver}
  - func: (*t.DB).Model
    part: {kind: table, args: arg 0}
  - func: (*t.DB).Where
    part: {kind: where, text: arg 0, args: arg 1...}
  - func: (*t.DB).Or
    part: {kind: or, text: arg 0, args: arg 1...}
  - func: (*t.DB).Clauses
    part: {kind: conflict, args: arg 0...}
  - func: (*t.DB).Suffix
    part: {kind: conflict, text: arg 0, args: arg 1...}
  - func: t.Delete
    part: {kind: table, word: delete, text: arg 0}
  - func: (t.Builder).Where
    part: {kind: where, text: arg 0, args: arg 1...}
  - func: (*t.DB).Bind
    same: arg 0
  - func: (*t.DB).Updates
    write: {store: sql, op: UPDATE, args: arg 0, on: receiver, conditions: {at: receiver, kind: builder}, reject: rows}
  - func: (*t.DB).Save
    write: {store: sql, op: SAVE, args: arg 0, on: receiver, reject: none}
  - func: (*t.DB).Create
    write: {store: sql, op: INSERT, args: arg 0, on: receiver, conditions: {at: receiver, kind: builder}, reject: rows}
  - func: (*t.Table).Put
    write: {store: dynamodb, op: PutItem, resource: arg 0.TableName, value: arg 0.Item, args: arg 0.ExpressionAttributeValues, conditions: {at: arg 0.ConditionExpression, kind: expression}, reject: error}
  - func: (*t.KV).Txn
    write: {store: consul, op: Txn, conditions: {at: arg 0, kind: builder}, reject: bool}
  - func: (*t.Bucket).Put
    write: {store: s3, op: Put, resource: arg 0.Key, conditions: [{at: arg 0.IfMatch, kind: version, compare: equal}, {at: arg 0.IfNoneMatch, kind: unique, is: "*"}], reject: error}
  - func: (*t.Bucket).Swap
    write: {store: s3, op: Swap, resource: arg 0, conditions: {at: arg 1, kind: version, compare: index}, reject: bool}
  - func: (*t.Bucket).Get
    query: {store: s3, resource: arg 0}
  - func: (*t.DB).Collection
    part: {kind: table, text: arg 0}
  - func: (*t.Collection).Insert
    write: {store: mongo, op: InsertOne, resource: receiver, args: arg 0, reject: error}
  - func: (*t.Collection).Update
    write: {store: mongo, op: Update, resource: receiver, args: arg 1, conditions: {at: arg 0, kind: filter}, reject: rows}
  - func: (*t.BucketHandle).Object
    part: {kind: table, text: arg 0}
  - func: (*t.Object).If
    part: {kind: if, args: arg 0}
  - func: (*t.Object).NewWriter
    part: {kind: op, word: write}
  - func: (*t.Writer).Close
    acquire: {kind: lease, ttl-none: true, raw: true, try: true}
    write: {store: gcs, op: Close, resource: receiver, conditions: {at: receiver, kind: builder}, reject: error}
  - func: t.Open
    write: {store: file, op: Open, resource: arg 0, conditions: {at: arg 1, kind: unique, is: "&O_EXCL"}, reject: error}
  - func: (*t.File).Write
    write: {store: file, op: Write, resource: receiver}
  - func: (t.Redis).Eval
    command: [EVAL, arg 0, "*", arg 1, arg 2...]
  - func: (t.Redis).Incr
    command: [INCR, arg 0]
  - func: (t.Redis).Send
    command: [arg 0...]
  - func: (*t.Builder).Set
    part: {kind: command, word: SET}
  - func: (*t.Builder).Hset
    part: {kind: command, word: HSET}
  - func: (*t.Builder).Nx
    part: {kind: command, word: NX}
  - func: (*t.Builder).Px
    part: {kind: command, word: PX, args: arg 0}
`

type world struct {
	*Reader
	p *term.Pool
}

func newWorld(t *testing.T) world {
	t.Helper()
	lib, err := catalog.Load("test.yaml", []byte(library))
	if err != nil {
		t.Fatal(err)
	}
	p := term.NewPool()
	r := NewReader(catalog.Builtin(), p)
	for _, c := range lib.Calls {
		c.Library = lib
		for _, fn := range c.Func {
			r.Register(fn, []*catalog.Call{c})
		}
	}
	return world{r, p}
}

func (w world) str(s string) *term.T { return w.p.Const("string", s) }

// v is a value that nothing is known of but its name.
func (w world) v(name string) *term.T { return w.p.Global(name) }

func (w world) mapping(typ string, kv ...any) *term.T {
	var names []string
	var args []*term.T
	for i := 0; i < len(kv); i += 2 {
		names, args = append(names, kv[i].(string)), append(args, kv[i+1].(*term.T))
	}
	return w.p.Struct(typ, "", names, args)
}

func (w world) call(fn string, args ...*term.T) *term.T { return w.p.Call(fn, fn, args...) }

func (w world) exec(text string, args ...*term.T) *term.T {
	return w.call("(*t.DB).Exec", w.v("db"), w.str(text), w.p.List(args...))
}

// show renders the writes of a call: resource, guards, what is unknown.
func (w world) show(call *term.T) string {
	var out []string
	for _, m := range w.Of(call) {
		switch m.Role {
		case Acquire:
			out = append(out, "acquire "+m.Key.Text())
		case Write:
			s := m.Write.Resource
			for _, g := range m.Write.Guards {
				s += " [" + showGuard(g) + "]"
			}
			if m.Write.Ignored {
				s += " ignored"
			}
			if m.Write.Unknown != "" {
				s += " unknown:" + string(m.Write.Unknown)
			}
			out = append(out, s)
		case Query:
			s := "read " + m.Store
			if m.Keeps {
				s += " locked"
			}
			out = append(out, s)
		}
	}
	return strings.Join(out, "; ")
}

func operator(t *term.T) string {
	if t.Kind == term.Op && len(t.Args) == 0 {
		return t.Name
	}
	return ""
}

func showGuard(g Guard) string {
	s := strings.TrimSpace(g.Column + " " + g.Op)
	if g.Value != nil && g.Op != "other" {
		s += " " + strings.TrimSpace(g.Value.Text()+" "+operator(g.Value))
	}
	for _, f := range []struct {
		on   bool
		text string
	}{{g.Stored, "stored"}, {g.Moves, "moves"}, {g.NullOK, "null"}, {g.AsText, "text"}} {
		if f.on {
			s += " " + f.text
		}
	}
	for _, a := range g.Alts {
		s += " (" + showGuard(a) + ")"
	}
	return s
}

func TestStatements(t *testing.T) {
	w := newWorld(t)
	id, tok := w.v("id"), w.v("tok")
	for _, c := range []struct{ text, want string }{
		{"UPDATE d SET x = 1, last = $2 WHERE id = $1 AND last < $2", "sql:d [id = id] [last < tok stored]"},
		{"UPDATE d SET x = 1 WHERE id = $1 AND last < $2", "sql:d [id = id] [last < tok]"},
		{"UPDATE d SET last = last + 1 WHERE id = $1 AND last < $2", "sql:d [id = id] [last < tok moves]"},
		{"UPDATE d SET last = GREATEST(last, $2) WHERE id = $1 AND last < $2", "sql:d [id = id] [last < tok stored]"},
		{"UPDATE d SET last = LEAST(last, $2) WHERE id = $1 AND last < $2", "sql:d [id = id] [last < tok moves]"},
		{"UPDATE d SET last = $2 WHERE id = $1 AND (last < $2 OR open)", `sql:d [id = id] [or (last < tok stored) (open = "true")]`},
		{"INSERT INTO d (id, last) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET last = EXCLUDED.last WHERE d.last < EXCLUDED.last", "sql:d [last < tok stored]"},
		{"INSERT INTO d (id, last) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET x = 1 WHERE d.last < EXCLUDED.last", "sql:d [last < tok]"},
		{"INSERT INTO d (id) VALUES ($1) ON CONFLICT DO NOTHING", "sql:d [absent]"},
		{"UPDATE d SET paid = now() WHERE id = $1 AND paid IS NULL", "sql:d [id = id] [paid is null moves]"},
		{"UPDATE d SET x = 1 WHERE id = $1 AND paid IS NULL", "sql:d [id = id] [paid is null]"},
		{"SELECT x FROM d WHERE id = $1 FOR UPDATE", "read sql:d locked"},
		{"SELECT x FROM d WHERE id = $1", "read sql:d"},
		{"SELECT save_text($1, $2)", "read sql; sql unknown:stored-procedure"},
		{"SELECT lower($1)", "read sql"},
		{"SELECT f(x) FROM d WHERE id = $1", "read sql:d"},
		{"UPDATE l SET owner = $2, until = now() + interval '1 minute' WHERE name = $1 AND until < now()", "acquire id; sql:l [name = id] [until < sql:now moves]"},
	} {
		if got := w.show(w.exec(c.text, id, tok)); got != c.want {
			t.Errorf("%s\n got  %s\n want %s", c.text, got, c.want)
		}
	}
}

// TestMadeText reads statements that were made before they are sent: by a builder,
// or by a call that names their arguments.
func TestMadeText(t *testing.T) {
	w := newWorld(t)
	del := w.call("(t.Builder).Where", w.call("t.Delete", w.str("jobs")), w.str("done < ?"), w.p.List(w.v("then")))
	if got, want := w.show(w.call("(*t.DB).Exec", w.v("db"), del, w.p.List())), "sql:jobs [done < then]"; got != want {
		t.Errorf("built: got %s, want %s", got, want)
	}
	text, job := w.str("UPDATE jobs SET version = version + 1 WHERE id = :id AND version = :version"), w.v("job")
	bound := w.p.Result(w.call("(*t.DB).Bind", w.v("db"), text, job), 1)
	if got, want := w.show(w.call("(*t.DB).Exec", w.v("db"), text, w.p.List(bound))), "sql:jobs [id = job.id] [version = job.version moves]"; got != want {
		t.Errorf("bound: got %s, want %s", got, want)
	}
	tagged := w.p.Struct("t.Job", "", []string{"Number"}, []*term.T{w.v("n")})
	bound = w.p.Result(w.call("(*t.DB).Bind", w.v("db"), text, tagged), 1)
	if got := w.show(w.call("(*t.DB).Exec", w.v("db"), text, w.p.List(bound))); strings.Contains(got, "zero") {
		t.Errorf("a field that a tag names is taken for zero: %s", got)
	}
}

// TestStoredAlike: a value that is asked for twice is the same value.
func TestStoredAlike(t *testing.T) {
	w := newWorld(t)
	first, second := w.p.Call("t.Rev", "a.go:1:1"), w.p.Call("t.Rev", "a.go:1:9")
	call := w.exec("UPDATE d SET last = ? WHERE last < ?", first, second)
	if got, want := w.show(call), "sql:d [last < t.Rev(...) stored]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestChains(t *testing.T) {
	w := newWorld(t)
	id, tok, db := w.v("id"), w.v("tok"), w.v("db")
	row := func(kv ...any) *term.T { return w.mapping("app.Row", kv...) }
	model := w.call("(*t.DB).Model", db, row())
	where := func(of *term.T, text string, args ...*term.T) *term.T {
		return w.call("(*t.DB).Where", of, w.str(text), w.p.List(args...))
	}
	fence := where(where(model, "id = ?", id), "last_token < ?", tok)
	updates := func(of, set *term.T) *term.T { return w.call("(*t.DB).Updates", of, set) }
	clause := func(kv ...any) *term.T {
		return w.call("(*t.DB).Clauses", db, w.p.List(w.mapping("clause.OnConflict", kv...)))
	}
	yes := w.p.Const("bool", "true")
	for _, c := range []struct {
		name string
		call *term.T
		want string
	}{
		{"map", updates(fence, w.mapping("map", "last_token", tok)), "sql:row [id = id] [last_token < tok stored]"},
		{"struct", updates(fence, row("LastToken", tok)), "sql:row [id = id] [last_token < tok stored]"},
		{"tag", updates(fence, row("Seen", tok)), "sql:row [id = id] [last_token < tok stored]"},
		{"unstored", updates(fence, row("Text", w.v("text"))), "sql:row [id = id] [last_token < tok]"},
		{"values out of sight", updates(fence, w.v("set")), "sql:row [id = id] [other]"},
		{"or", updates(w.call("(*t.DB).Or", fence, w.str("x = 1"), w.p.List()), row("LastToken", tok)), "sql:row [or (and (id = id) (last_token < tok stored)) (and (x = \"1\"))]"},
		{"branch", updates(w.p.Join(fence, model), row("LastToken", tok)), "sql:row unknown:dynamic-sql"},
		{"equal struct", updates(w.call("(*t.DB).Where", model, row("ID", id, "Version", tok), w.p.List()), row("Version", w.v("next"))), "sql:row [id = id] [version = tok moves]"},
		{"save", w.call("(*t.DB).Save", where(model, "last_token < ?", tok), row("LastToken", tok)), "sql:row [last_token < tok stored] ignored"},
		{"create", w.call("(*t.DB).Create", db, row("ID", id)), "sql:row"},
		{"do nothing", w.call("(*t.DB).Create", clause("DoNothing", yes), row("ID", id)), "sql:row [absent]"},
		{"update all", w.call("(*t.DB).Create", clause("UpdateAll", yes), row("ID", id)), "sql:row"},
		{"conflict where", w.call("(*t.DB).Create", clause("Where", w.v("w")), row("ID", id)), "sql:row unknown:dynamic-sql"},
		{"suffix", w.call("(*t.DB).Create", w.call("(*t.DB).Suffix", db, w.str("ON CONFLICT (id) DO UPDATE SET last = ? WHERE d.last < ?"), w.p.List(tok, tok)), row("ID", id)), "sql:row [last < tok stored]"},
		{"suffix returning", w.call("(*t.DB).Create", w.call("(*t.DB).Suffix", db, w.str("RETURNING id"), w.p.List()), row("ID", id)), "sql:row"},
	} {
		if got := w.show(c.call); got != c.want {
			t.Errorf("%s\n got  %s\n want %s", c.name, got, c.want)
		}
	}
}

// TestBuiltCommands reads commands that were built link by link.
func TestBuiltCommands(t *testing.T) {
	w := newWorld(t)
	link := func(name string, recv *term.T, args ...*term.T) *term.T {
		return w.call("(*t.Builder)."+name, append([]*term.T{recv}, args...)...)
	}
	begin := w.call("(t.Redis).B", w.v("client"))
	set := link("Build", link("Px", link("Nx", link("Value", link("Key", link("Set", begin), w.str("lock:a")), w.v("me"))), w.p.Const("int", "5000")))
	hset := link("Build", link("Value", link("Key", link("Hset", begin), w.str("data:a")), w.v("x")))
	tests := []struct {
		name string
		sent []*term.T
		want string
	}{
		{"a lock", []*term.T{set}, `acquire "lock:a"; redis:lock:a [absent]`},
		{"a write", []*term.T{hset}, "redis:data:a"},
		{"several", []*term.T{hset, set}, `redis:data:a; acquire "lock:a"; redis:lock:a [absent]`},
		{"words", []*term.T{w.str("HSET"), w.str("data:b"), w.str("f"), w.v("x")}, "redis:data:b"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := w.show(w.call("(t.Redis).Send", w.v("client"), w.p.List(test.sent...))); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestColumnName(t *testing.T) {
	for in, want := range map[string]string{"LastToken": "last_token", "ID": "id", "UserID": "user_id", "last_token": "last_token", "t.Version": "version", "HTTPPath": "http_path"} {
		if got := columnName(in); got != want {
			t.Errorf("columnName(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestItems(t *testing.T) {
	w := newWorld(t)
	tok := w.v("tok")
	put := func(kv ...any) *term.T {
		return w.call("(*t.Table).Put", w.v("db"), w.mapping("dynamodb.PutItemInput", append([]any{"TableName", w.str("item")}, kv...)...))
	}
	values := func(member string) *term.T {
		return w.mapping("map", ":new_token", w.mapping("types.AttributeValueMember"+member, "Value", tok))
	}
	const set, less = "SET body = :body, last = :new_token", "attribute_not_exists(last) OR last < :new_token"
	for _, c := range []struct {
		name string
		call *term.T
		want string
	}{
		{"token", put("UpdateExpression", w.str(set), "ConditionExpression", w.str(less), "ExpressionAttributeValues", values("N")), "dynamodb:item [last < tok stored null]"},
		{"as text", put("UpdateExpression", w.str(set), "ConditionExpression", w.str(less), "ExpressionAttributeValues", values("S")), "dynamodb:item [last < tok stored null text]"},
		{"unstored", put("UpdateExpression", w.str("SET body = :body REMOVE last"), "ConditionExpression", w.str(less), "ExpressionAttributeValues", values("N")), "dynamodb:item [last < tok moves null]"},
		{"alias", put("UpdateExpression", w.str("SET #l = :new_token"), "ConditionExpression", w.str("#l < :new_token"), "ExpressionAttributeNames", w.mapping("map", "#l", w.str("last")), "ExpressionAttributeValues", values("N")), "dynamodb:item [last < tok stored]"},
		{"item", put("Item", w.mapping("map", "last", w.mapping("types.AttributeValueMemberN", "Value", tok)), "ConditionExpression", w.str("last < :new_token"), "ExpressionAttributeValues", values("N")), "dynamodb:item [last < tok stored]"},
		{"once", put("ConditionExpression", w.str("attribute_not_exists(id)")), "dynamodb:item [id absent]"},
		{"none", put(), "dynamodb:item"},
		{"built", put("ConditionExpression", w.v("condition")), "dynamodb:item [other]"},
		{"out of sight", w.call("(*t.Table).Put", w.v("db"), w.v("in")), "dynamodb:in.TableName [other]"},
	} {
		if got := w.show(c.call); got != c.want {
			t.Errorf("%s\n got  %s\n want %s", c.name, got, c.want)
		}
	}
}

func TestConsulOperations(t *testing.T) {
	w := newWorld(t)
	op := func(verb string) *term.T {
		return w.mapping("api.KVTxnOp", "Verb", w.str(verb), "Key", w.str("k"), "Session", w.v("session"), "Index", w.v("index"))
	}
	for _, c := range []struct {
		ops  []*term.T
		want string
	}{
		{[]*term.T{op("check-session"), op("set")}, "consul:k [owner session]"},
		{[]*term.T{op("set")}, "consul:k"},
		{[]*term.T{op("set"), op("cas")}, "consul:k; consul:k [version index]"},
		{[]*term.T{op("check-index"), op("get")}, ""},
		{[]*term.T{w.v("op")}, "consul:op.Key unknown:limit"},
	} {
		if got := w.show(w.call("(*t.KV).Txn", w.v("kv"), w.p.List(c.ops...), w.p.Nil())); got != c.want {
			t.Errorf("%v\n got  %s\n want %s", c.ops, got, c.want)
		}
	}
}

func TestDocuments(t *testing.T) {
	w := newWorld(t)
	tok, id := w.v("tok"), w.v("id")
	m := func(kv ...any) *term.T { return w.mapping("map", kv...) }
	d := func(key string, v *term.T) *term.T {
		return w.p.List(w.mapping("primitive.E", "Key", w.str(key), "Value", v))
	}
	less := m("last", m("$lt", tok))
	for _, c := range []struct {
		name           string
		filter, update *term.T
		want           string
	}{
		{"token", m("_id", id, "last", m("$lt", tok)), m("$set", m("last", tok)), "mongo:c [_id = id] [last < tok stored]"},
		{"list", d("last", d("$lt", tok)), d("$set", d("last", tok)), "mongo:c [last < tok stored]"},
		{"greatest", less, m("$max", m("last", tok)), "mongo:c [last < tok stored]"},
		{"other value", less, m("$inc", m("last", w.p.Const("int", "1"))), "mongo:c [last < tok moves]"},
		{"unstored", less, m("$set", m("x", id)), "mongo:c [last < tok]"},
		{"version", m("version", tok), m("$inc", m("version", w.p.Const("int", "1"))), "mongo:c [version = tok moves]"},
		{"or", m("$or", w.p.List(less, m("open", w.p.Const("bool", "true")))), m("$set", m("last", tok)), "mongo:c [or (and (last < tok stored)) (and (open = true))]"},
		{"absent", m("last", m("$exists", w.p.Const("bool", "false"))), m("$set", m("last", tok)), "mongo:c [last is null moves]"},
		{"expression", m("$expr", id), m("$set", m("last", tok)), "mongo:c [other]"},
		{"update out of sight", less, w.v("update"), "mongo:c [other]"},
		{"filter out of sight", w.v("filter"), m("$set", m("last", tok)), "mongo:c [other]"},
	} {
		if got := w.show(w.call("(*t.Collection).Update", w.v("c"), c.filter, c.update, w.p.Nil())); got != c.want {
			t.Errorf("%s\n got  %s\n want %s", c.name, got, c.want)
		}
	}
}

func TestConditionedHandles(t *testing.T) {
	w := newWorld(t)
	object := w.call("(*t.BucketHandle).Object", w.v("bucket"), w.str("o"))
	cond := func(of *term.T, field string, v *term.T) *term.T {
		return w.call("(*t.Object).If", of, w.mapping("storage.Conditions", field, v))
	}
	match := cond(object, "GenerationMatch", w.v("gen"))
	for _, c := range []struct {
		name string
		on   *term.T
		want string
	}{
		{"none", object, "gcs:o"},
		{"generation", match, "[version gen]"},
		{"zero", cond(object, "GenerationMatch", w.p.Const("int", "0")), ""},
		{"once", cond(object, "DoesNotExist", w.p.Const("bool", "true")), "[absent]"},
		{"not match", cond(object, "GenerationNotMatch", w.v("gen")), ""},
		{"replaced", cond(match, "GenerationNotMatch", w.v("gen")), ""},
		{"from elsewhere", w.v("handle"), "[other]"},
	} {
		call := w.call("(*t.Writer).Close", w.call("(*t.Object).NewWriter", c.on, w.v("ctx")))
		got := w.show(call)
		if i := strings.IndexByte(got, '['); i >= 0 {
			got = got[i:]
		} else if c.want == "" {
			got = ""
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
	closed := func(on *term.T) string {
		return w.show(w.call("(*t.Writer).Close", w.call("(*t.Object).NewWriter", on, w.v("ctx"))))
	}
	if got, want := closed(cond(object, "DoesNotExist", w.p.Const("bool", "true"))), `acquire "o"; gcs:o [absent]`; got != want {
		t.Errorf("created once: got %s, want %s", got, want)
	}
	if got, want := closed(match), "gcs:o [version gen]"; got != want {
		t.Errorf("replaced: got %s, want %s", got, want)
	}
}

func TestOptionFields(t *testing.T) {
	w := newWorld(t)
	put := func(in *term.T) *term.T { return w.call("(*t.Bucket).Put", w.v("b"), in) }
	swap := func(version *term.T) *term.T { return w.call("(*t.Bucket).Swap", w.v("bucket"), w.str("k"), version) }
	in := func(kv ...any) *term.T { return w.mapping("s3.Input", append([]any{"Key", w.str("k")}, kv...)...) }
	got := w.call("(*t.Bucket).Get", w.v("b"), w.str("k"))
	for _, c := range []struct {
		name string
		call *term.T
		want string
	}{
		{"none", put(in()), "s3:k"},
		{"match", put(in("IfMatch", w.p.Field(got, "ETag"))), "s3:k [version s3.Get]"},
		{"none match", put(in("IfNoneMatch", w.str("*"))), `s3:k [absent "*"]`},
		{"other value", put(in("IfNoneMatch", w.str("tag"))), "s3:k"},
		{"match on some ways", put(in("IfMatch", w.p.Join(w.p.Nil(), w.p.Field(got, "ETag")))), "s3:k [other]"},
		{"caller's", put(w.p.Param("f", 0, "in")), "s3:in.Key [other] [other]"},
		{"swap", swap(w.p.Field(got, "ETag")), "s3:k [version s3.Get]"},
		{"swap or create", swap(w.p.Join(w.p.Nil(), w.p.Field(got, "ETag"))), "s3:k [version s3.Get]"},
	} {
		if got := strings.ReplaceAll(w.show(c.call), "(*t.Bucket).Get(...).ETag", "s3.Get"); got != c.want {
			t.Errorf("%s\n got  %s\n want %s", c.name, got, c.want)
		}
	}
}

func TestFiles(t *testing.T) {
	w := newWorld(t)
	for flags, want := range map[int]string{0x41: "file:f", 0xc1: "file:f [absent 193]"} {
		open := w.call("t.Open", w.str("f"), w.p.Const("int", fmt.Sprint(flags)))
		if got := w.show(open); got != want {
			t.Errorf("flags %#x: got %s, want %s", flags, got, want)
		}
		write := w.show(w.call("(*t.File).Write", open))
		if strings.Contains(want, "absent") != strings.Contains(write, "absent") {
			t.Errorf("flags %#x: written as %s", flags, write)
		}
	}
}

func TestScripts(t *testing.T) {
	w := newWorld(t)
	const fence = `
if tonumber(ARGV[2]) < tonumber(redis.call("GET", KEYS[2]) or "0") then return 0 end
redis.call("SET", KEYS[1], ARGV[1])
redis.call("SET", KEYS[2], ARGV[2])
return 1`
	eval := func(text string) *term.T {
		return w.call("(t.Redis).Eval", w.v("rdb"), w.str(text), w.p.List(w.str("data"), w.str("fence")), w.p.List(w.v("val"), w.v("tok")))
	}
	for _, c := range []struct{ name, text, want string }{
		{"fence", fence, "redis:data [fence <= tok stored null]"},
		{"text", strings.ReplaceAll(fence, "tonumber", ""), "redis:data [fence <= tok stored null text]"},
		{"unstored", strings.Replace(fence, `redis.call("SET", KEYS[2], ARGV[2])`, "", 1), "redis:data [fence <= tok null]"},
		{"unguarded", `redis.call("SET", KEYS[1], ARGV[1])`, "redis:data"},
	} {
		if got := w.show(eval(c.text)); got != c.want {
			t.Errorf("%s\n got  %s\n want %s", c.name, got, c.want)
		}
	}
	for text, want := range map[string]string{fence: "reply", strings.Replace(fence, "return 0", `return redis.error_reply("stale")`, 1): "error"} {
		if got := w.Of(eval(text))[0].Write.Reject; got != want {
			t.Errorf("reject told by %s, want %s", got, want)
		}
	}
}

func TestTokens(t *testing.T) {
	w := newWorld(t)
	rdb := w.v("rdb")
	const take = `if redis.call("SET", KEYS[1], ARGV[1], "NX") then return redis.call("INCR", KEYS[2]) end return 0`
	eval := func(text string) *term.T {
		return w.call("(t.Redis).Eval", rdb, w.str(text), w.p.List(w.str("k"), w.str("n")), w.p.List(w.v("me")))
	}
	query := func(text string, column int) *term.T {
		return w.p.Out(w.call("(*t.DB).Query", w.v("db"), w.str(text), w.p.List()), column)
	}
	incr := w.call("(t.Redis).Incr", rdb, w.str("n"))
	for _, c := range []struct {
		name    string
		value   *term.T
		ordered bool
	}{
		{"incr", incr, true},
		{"formatted", w.p.Op("format", w.str("%020d"), incr), true},
		{"script", eval(take), true},
		{"script without counter", eval(`return redis.call("SET", KEYS[1], ARGV[1], "NX")`), false},
		{"sequence", query("SELECT nextval('s')", 0), true},
		{"counted row", query("UPDATE l SET n = n + 1 WHERE id = 1 RETURNING id, n", 1), true},
		{"other column", query("UPDATE l SET n = n + 1 WHERE id = 1 RETURNING id, n", 0), false},
		{"read column", query("SELECT n FROM l", 0), false},
	} {
		tok, ok := w.Token(c.value)
		if (ok && tok.Ordered) != c.ordered {
			t.Errorf("%s: token %v %+v, want ordered %v", c.name, ok, tok, c.ordered)
		}
	}
}

func TestHeaderGuard(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct{ name, value, want string }{
		{"If-Match", "tag", "version"}, {"If-Match", "*", "sent"}, {"if-none-match", "*", "absent"}, {"If-None-Match", "tag", "sent"}, {"Fencing-Token", "7", "sent"},
	} {
		if got := headerGuard(c.name, w.str(c.value)).Op; got != c.want {
			t.Errorf("%s: %s is %s, want %s", c.name, c.value, got, c.want)
		}
	}
}

// A script that may only read is no write, even where its text is out of sight.
func TestReadOnlyScript(t *testing.T) {
	p := term.NewPool()
	r := NewReader(catalog.Builtin(), p)
	var eval *catalog.Call
	for _, lib := range catalog.Builtin().Libraries() {
		for _, c := range lib.Calls {
			if slices.ContainsFunc(c.Func, func(name string) bool { return strings.HasSuffix(name, ".EvalRO") }) {
				eval = c
			}
		}
	}
	if eval == nil {
		t.Fatal("no EvalRO in the catalogue")
	}
	r.Register("(redis.cmdable).EvalRO", []*catalog.Call{eval})
	param := func(i int) *term.T { return p.Param("f", i, "p") }
	for _, m := range r.Of(p.Call("(redis.cmdable).EvalRO", "f.go:1:1", param(0), param(1), param(2), param(3), param(4))) {
		if m.Role != Query {
			t.Errorf("got %v", m.Role)
		}
	}
}

func TestQuotients(t *testing.T) {
	p := term.NewPool()
	d := func(ns string) *term.T { return p.Const("duration", ns) }
	over := func(x, y *term.T) *term.T { return p.Op("/", x, y) }
	for _, c := range []struct {
		t    *term.T
		unit string
		want float64
	}{
		{over(d("15000000000"), d("1000000000")), "s", 15}, // int64(ttl / time.Second)
		{over(d("15000000000"), d("1000000")), "ms", 15},   // int(ttl / time.Millisecond)
		{over(d("15000000000"), d("3")), "ns", 5},          // ttl / 3
		{over(p.Const("int", "30"), p.Const("int", "2")), "s", 15},
		{over(d("15000000000"), d("1000000000")), "unix", 0},
	} {
		if got := seconds(c.t, c.unit); got != c.want {
			t.Errorf("%s in %s: got %v, want %v", c.t.Text(), c.unit, got, c.want)
		}
	}
}

func TestProducts(t *testing.T) {
	p := term.NewPool()
	for _, c := range []struct {
		x, y *term.T
		want float64
	}{
		{p.Const("duration", "1000000000"), p.Const("int", "15"), 15}, // time.Second * 15
		{p.Const("int", "15"), p.Const("duration", "1000000000"), 15}, // time.Duration(n) * time.Second
		{p.Param("f", 0, "n"), p.Const("duration", "1000000000"), 0},
	} {
		if got := seconds(p.Op("*", c.x, c.y), "ns"); got != c.want {
			t.Errorf("%s * %s: got %v, want %v", c.x.Text(), c.y.Text(), got, c.want)
		}
	}
}
