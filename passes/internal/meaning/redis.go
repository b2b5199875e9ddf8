package meaning

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/luaread"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// words lists the words of the Redis command that a call sends.
func (r *Reader) words(e *catalog.Call, call *term.T) []*term.T {
	var words []*term.T
	for _, w := range e.Command {
		if w.Ref.IsZero() {
			words = append(words, r.Pool.Const("string", w.Literal))
			continue
		}
		t := r.Get(w.Ref, call, nil)
		switch {
		case t == nil:
		case w.Ref.Spread && t.Kind == term.List:
			for _, a := range t.Args {
				if a.Kind == term.List {
					words = append(words, a.Args...)
				} else {
					words = append(words, a)
				}
			}
		default:
			words = append(words, t)
		}
	}
	for i, w := range words {
		words[i] = w.Number() // all is sent as text
	}
	return words
}

// command reads the Redis commands that a call sends, whichever client it is:
// one, as words, or several that were each built as a chain.
func (r *Reader) command(e *catalog.Call, call *term.T) []Meaning {
	words := r.words(e, call)
	var ms []Meaning
	for _, w := range words {
		for _, a := range w.Alts() {
			if built := r.chain(a); built != nil {
				ms = append(ms, r.commandOf(e, call, built)...)
			}
		}
	}
	if ms != nil {
		return ms
	}
	return r.commandOf(e, call, words)
}

// chain lists the words of a command that was built link by link:
// B().Set().Key(k).Value(v).Nx().Build(). It is nil for any other value.
func (r *Reader) chain(t *term.T) []*term.T {
	var links []*term.T
	found := false
	for ; t != nil && t.Kind == term.Call; t = Receiver(t) {
		links = append(links, t)
		if e := r.Entry(t); e != nil && e.Part != nil && e.Part.Kind == "command" {
			found = true
		}
	}
	if !found {
		return nil
	}
	var words []*term.T
	started := false
	for _, l := range slices.Backward(links) {
		e := r.Entry(l)
		named := e != nil && e.Part != nil && e.Part.Kind == "command"
		if named && e.Part.Word != "" {
			words = append(words, r.Pool.Const("string", e.Part.Word))
		}
		if started = started || named; !started {
			continue // the client, before the command begins
		}
		for _, a := range Args(l) {
			if a.Kind == term.List {
				words = append(words, a.Args...)
			} else {
				words = append(words, a)
			}
		}
	}
	return words
}

func (r *Reader) commandOf(e *catalog.Call, call *term.T, words []*term.T) []Meaning {
	if len(words) == 0 {
		return nil
	}
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = constText(w)
	}
	c := r.Catalog.Command(texts)
	if c == nil {
		if texts[0] != "" {
			return nil
		}
		m := r.base(e.Library, Write)
		m.Write = &Change{Store: "redis", Operation: "?", Resource: "redis", Unknown: lock.ReasonLimit, Call: call}
		return []Meaning{m}
	}
	lib := e.Library
	var ms []Meaning
	if !c.Script.IsZero() {
		if text := constText(r.Get(c.Script, call, words)); text != "" {
			return r.script(lib, luaread.Read(text), text, call, words)
		}
		if c.Write != nil { // EVAL_RO writes nothing, whatever its text
			m := r.base(lib, Write)
			m.Write = &Change{Store: "redis", Operation: c.Name, Resource: r.resource("redis", c.Write.Resource, call, words), Unknown: lock.ReasonSHA, Call: call}
			return []Meaning{m}
		}
	}
	if c.Acquire != nil {
		m := r.acquire(lib, c.Acquire, call, words)
		m.Counts = c.Write != nil && c.Write.Reject == "bool"
		ms = append(ms, m)
	}
	if c.Renew != nil && (c.Renew.Stores.IsZero() || r.Get(c.Renew.Stores, call, words) == r.Get(c.Renew.Compares, call, words)) {
		ms = append(ms, r.renew(lib, c.Renew, call, words))
	}
	if c.Release != nil {
		ms = append(ms, r.release(lib, c.Release, call, words))
	}
	if c.Write != nil {
		ms = append(ms, r.change(lib, c.Write, call, words))
	}
	if c.Query != nil {
		m := r.base(lib, Query)
		m.Store = r.resource("redis", c.Query.Resource, call, words)
		m.Key = r.Get(last(c.Query.Resource), call, words)
		ms = append(ms, m)
	}
	return ms
}

// Keys lists the keys of a command or script that names several, as far as they
// are known one by one; it is empty for any other call.
func (r *Reader) Keys(call *term.T) []*term.T {
	e := r.Entry(call)
	if e == nil || len(e.Command) == 0 {
		return nil
	}
	words := r.words(e, call)
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = constText(w)
	}
	c := r.Catalog.Command(texts)
	if c == nil {
		return nil
	}
	if !c.Script.IsZero() {
		return r.scriptArgs(call, words).keys
	}
	for _, m := range r.Of(call) {
		if m.Key != nil && m.Key.Kind == term.List {
			return m.Key.Args
		}
	}
	return nil
}

func last(refs []catalog.Ref) catalog.Ref {
	if len(refs) == 0 {
		return catalog.Ref{}
	}
	return refs[len(refs)-1]
}

// scriptArgs puts a script's KEYS and ARGV in place. The words of EVAL are
// the command, the text, the number of keys, then keys and arguments; typed
// clients pass keys and arguments as two lists, whose lengths then tell.
type scriptArgs struct{ keys, argv []*term.T }

func (r *Reader) scriptArgs(call *term.T, words []*term.T) scriptArgs {
	e := r.Entry(call)
	var lists []*term.T
	for _, w := range e.Command[min(2, len(e.Command)):] {
		if w.Ref.IsZero() {
			continue
		}
		if t := r.Get(w.Ref, call, nil); t != nil {
			lists = append(lists, t)
		}
	}
	// KEYS come as a []string in its own argument, then ARGV.
	if len(lists) >= 2 && lists[0].Kind == term.List {
		argv := lists[1].Alts()[0].Args
		if len(argv) == 1 && argv[0].Kind == term.List {
			argv = argv[0].Args // go-redis (commands.go, appendArgs) takes one slice for what is in it
		}
		return scriptArgs{lists[0].Args, argv}
	}
	if len(words) > 3 {
		n, ok := words[2].Int()
		if ok && 3+int(n) <= len(words) {
			return scriptArgs{words[3 : 3+n], words[3+n:]}
		}
	}
	// The number of keys is with the script (redigo), which names them all.
	if len(words) > 3 {
		n := min(max(keysNamed(constText(words[1])), 1), len(words)-3)
		return scriptArgs{words[3 : 3+n], words[3+n:]}
	}
	return scriptArgs{}
}

// keysNamed is the greatest index by which a script names one of its keys.
func keysNamed(text string) int {
	most := 0
	for _, after := range strings.Split(text, "KEYS[")[1:] {
		index, _, _ := strings.Cut(after, "]")
		if n, err := strconv.Atoi(strings.TrimSpace(index)); err == nil {
			most = max(most, n)
		}
	}
	return most
}

func (r *Reader) luaTerm(s scriptArgs, x luaread.Expr) *term.T {
	pick := func(list []*term.T, what string) *term.T {
		if x.Index >= 1 && x.Index <= len(list) {
			return list[x.Index-1].Number()
		}
		return r.Pool.Unknown(what)
	}
	switch x.Kind {
	case "key":
		return pick(s.keys, "KEYS")
	case "arg":
		return pick(s.argv, "ARGV")
	case "literal":
		return r.Pool.Const("string", x.Text)
	case "call":
		args := make([]*term.T, len(x.Args))
		for i, a := range x.Args {
			args[i] = r.luaTerm(s, a)
		}
		return r.Pool.Op("redis:"+x.Cmd, args...)
	}
	return r.Pool.Unknown("lua")
}

// script reads a Lua script: a lock, renewal or release by owner, a token, or
// writes with the comparisons on the way to them.
func (r *Reader) script(lib *catalog.Library, s luaread.Script, text string, call *term.T, words []*term.T) []Meaning {
	args := r.scriptArgs(call, words)
	var ms []Meaning
	owner := func(role Role, key, arg luaread.Expr) {
		m := r.base(lib, role)
		m.Key, m.Value, m.Checked, m.Raw, m.Counts = r.luaTerm(args, key), r.luaTerm(args, arg), true, true, s.Counts
		ms = append(ms, m)
	}
	if key, value, ttl, ok := s.Acquires(); ok {
		m := r.base(lib, Acquire)
		m.Kind, m.Raw, m.Try, m.Counts = lock.Lease, true, true, s.Counts
		m.Key, m.Value, m.Mine = r.luaTerm(args, key), r.luaTerm(args, value), s.Reenters(key, value)
		m.lasts(r.luaTerm(args, ttl), s.Seconds(ttl))
		if key, _, del := s.CompareAndDelete(); del && key.Kind == "key" {
			m.Evidence = append(m.Evidence, "script compares the owner value")
		}
		ms = append(ms, m)
		return ms
	}
	if key, arg, ok := s.CompareAndDelete(); ok {
		owner(Release, key, arg)
	}
	if key, arg, ok := s.CompareAndExpire(); ok {
		owner(Renew, key, arg)
		if expiry := s.Prolongs(); expiry.Kind == "arg" {
			ms[len(ms)-1].lasts(r.luaTerm(args, expiry), s.Seconds(expiry))
		}
	}
	fences, writes := s.Fences(), s.Writes()
	reject := "reply"
	if strings.Contains(text, "error_reply") || strings.Contains(text, "err=") || strings.Contains(text, "err =") || strings.Contains(text, "error(") {
		reject = "error"
	}
	for _, at := range writes {
		eff := s.Effects[at]
		if keepsToken(eff, fences) && slices.ContainsFunc(writes, func(w int) bool { return !keepsToken(s.Effects[w], fences) }) {
			continue // the fence's own record; whether it moves is told with the data
		}
		c := &Change{Store: "redis", Operation: "EVAL " + eff.Cmd, Resource: "redis", Reject: reject, Call: call}
		if len(eff.Args) > 0 {
			c.Key = r.luaTerm(args, eff.Args[0])
			c.Resource = place("redis", c.Key)
		}
		for _, v := range eff.Stores {
			c.Sets = append(c.Sets, Setting{Value: r.luaTerm(args, v)})
		}
		var either []Guard
		for _, f := range fences {
			if f.Write != at {
				continue
			}
			g := Guard{
				Column: f.Field.Text, Table: r.luaTerm(args, f.Key).Pattern(), Op: luaOp(f.Op), Value: r.luaTerm(args, f.Arg),
				Stored: f.Stored, Moves: f.Moves && f.Op == "==", NullOK: f.NullOK, AsText: !f.Numeric && strings.ContainsAny(f.Op, "<>"),
				At: r.luaTerm(args, f.Key), Lapses: s.Lapses(f),
			}
			if g.Column == "" {
				g.Column = g.Table
			}
			if f.Alternative {
				either = append(either, g)
			} else {
				c.Guards = append(c.Guards, g)
			}
		}
		if len(either) > 0 {
			c.Guards = append(c.Guards, Guard{Op: "or", Alts: either})
		}
		if s.Unknown != "" {
			c.Unknown = lock.ReasonLimit
		}
		m := r.base(lib, Write)
		m.Write = c
		ms = append(ms, m)
	}
	if len(ms) == 0 && s.Unknown != "" {
		m := r.base(lib, Write)
		m.Write = &Change{Store: "redis", Operation: "EVAL", Resource: "redis", Unknown: lock.ReasonLimit, Call: call}
		ms = append(ms, m)
	}
	return ms
}

// lasts says how long a script lets a lease live.
func (m *Meaning) lasts(ttl *term.T, seconds bool) {
	p := props{ttl: ttl, unit: "ms"}
	if seconds {
		p.unit = "s"
	}
	m.TTL, m.Span, m.Unit = p.lease(false), p.ttl, p.unit
}

// keepsToken reports whether a command does nothing but keep what a fence of
// the script compares.
func keepsToken(e luaread.Effect, fences []luaread.Fence) bool {
	return slices.ContainsFunc(fences, func(f luaread.Fence) bool {
		return f.Field.Kind == "" && len(e.Args) > 0 && sameExprs([]luaread.Expr{f.Key}, e.Args[:1]) && f.Op != "absent"
	})
}

func luaOp(op string) string {
	switch op {
	case "==":
		return "="
	case "~=":
		return "<>"
	}
	return op
}

func sameExprs(x, y []luaread.Expr) bool {
	for i := range x {
		if x[i].Kind != y[i].Kind || x[i].Index != y[i].Index || strings.TrimSpace(x[i].Text) != strings.TrimSpace(y[i].Text) {
			return false
		}
	}
	return true
}
