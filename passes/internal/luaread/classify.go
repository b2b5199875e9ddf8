package luaread

import "slices"

// Fence is a comparison of a stored value with an argument on the way to a
// write.
type Fence struct {
	Key     Expr
	Field   Expr // of a hash or sorted set; Kind "" of a plain value
	Arg     Expr
	Op      string // stored Op incoming: == ~= < <= > >=, or "absent": nothing is stored yet, Arg is what the write stores there
	Numeric bool   // compared as numbers, not as text
	Stored  bool   // under this comparison the script stores that argument where the stored value came from
	Moves   bool   // under this comparison the script stores another value there
	NullOK  bool   // an absent stored value passes too
	// Alternative tells that this is one of several ways to the write, which is
	// as weakly guarded as the weakest of them.
	Alternative bool
	Write       int // position in Effects of the write: the same command may stand on another way too
}

// Writes lists the positions in Effects of those that change data.
func (s Script) Writes() []int {
	var out []int
	for i, e := range s.Effects {
		if writes(e.Cmd) {
			out = append(out, i)
		}
	}
	return out
}

// Fences lists the comparisons of a stored value with an argument on the way
// to each write.
func (s Script) Fences() []Fence {
	var out []Fence
	for _, i := range s.Writes() {
		w := s.Effects[i]
		for _, g := range w.Guards {
			for _, f := range fences(g) {
				f.Write = i
				f.Stored, f.Moves = s.storesUnder(f, g)
				out = append(out, f)
			}
			if f, ok := first(w, g); ok {
				f.Write = i
				out = append(out, f)
			}
		}
	}
	return out
}

// first recognises a write that fills a place because nothing is there yet.
func first(w Effect, g Guard) (Fence, bool) {
	v, ok := absence(g)
	if !ok {
		return Fence{}, false
	}
	for _, p := range puts(w.Cmd, w.Args) {
		if p.value.Kind == "arg" && same(p.key, v.Args[0]) && (len(v.Args) < 2 || same(p.field, v.Args[1])) {
			return Fence{Key: p.key, Field: p.field, Arg: p.value, Op: "absent", Stored: true, NullOK: true}, true
		}
	}
	return Fence{}, false
}

// fences gives the comparisons of one guard; of alternatives only if each of
// them makes one, or finds the value absent.
func fences(g Guard) []Fence {
	switch g.Op {
	case "and":
		var out []Fence
		for _, c := range g.And {
			out = append(out, fences(c)...)
		}
		return out
	case "or":
		var out []Fence
		var empty []Expr
		for _, a := range g.Or {
			found := fences(a)
			if len(found) == 0 {
				v, ok := absence(a)
				if !ok {
					return nil
				}
				empty = append(empty, v)
			}
			for _, f := range found {
				f.Alternative = true
				out = append(out, f)
			}
		}
		for _, v := range empty {
			known := false
			for i := range out {
				if same(out[i].Key, v.Args[0]) {
					out[i].NullOK, known = true, true
				}
			}
			if !known {
				return nil
			}
		}
		return out
	}
	place, ok := reads(g.Left)
	if !ok || g.Right.Kind != "arg" {
		return nil
	}
	return []Fence{{Key: place.key, Field: place.field, Arg: g.Right, Op: g.Op, Numeric: g.Numeric, NullOK: g.NullOK}}
}

// compared tells whether guards compare a stored value with an argument.
func compared(gs []Guard) bool {
	for _, g := range gs {
		if len(fences(g)) > 0 {
			return true
		}
	}
	return false
}

// storesUnder tells whether a command under the same guard stores the
// argument where the compared value came from, and whether one stores
// something else there.
func (s Script) storesUnder(f Fence, g Guard) (arg, another bool) {
	place := slot{key: f.Key, field: f.Field}
	for _, e := range s.Effects {
		if !slices.ContainsFunc(e.Guards, func(own Guard) bool { return sameGuard(own, g) }) {
			continue
		}
		for _, p := range puts(e.Cmd, e.Args) {
			switch {
			case !p.same(place):
			case once(e):
				// what is there stays: the first token, for good
			case same(p.value, f.Arg) || largest(p.value, f.Arg):
				arg = true
			case p.value.Kind != "":
				another = true
			}
		}
	}
	return arg, another && !arg
}

// once tells whether a command sets only what is not there yet.
func once(e Effect) bool {
	switch e.Cmd {
	case "SETNX", "HSETNX", "MSETNX":
		return true
	}
	return (e.Cmd == "SET" || e.Cmd == "ZADD") && slices.ContainsFunc(e.Args, func(a Expr) bool { return option(a, "NX") })
}

// largest tells whether a value is the maximum of arg and others.
func largest(value, arg Expr) bool {
	if value.Text != "max" {
		return false
	}
	for _, a := range value.Args {
		if same(a, arg) {
			return true
		}
	}
	return false
}

func sameGuard(a, b Guard) bool {
	if a.Op != b.Op || !same(a.Left, b.Left) || !same(a.Right, b.Right) || len(a.Or) != len(b.Or) || len(a.And) != len(b.And) {
		return false
	}
	for i := range a.Or {
		if !sameGuard(a.Or[i], b.Or[i]) {
			return false
		}
	}
	for i := range a.And {
		if !sameGuard(a.And[i], b.And[i]) {
			return false
		}
	}
	return true
}

// Ends returns the command by which the script gives the key of an effect an end; it is
// empty where there is none.
func (s Script) Ends(x Effect) string {
	if len(x.Args) == 0 {
		return ""
	}
	return s.ends(x.Args[0])
}

// Lapses reports whether the script gives the key of what a fence compares an end, and lets
// everybody in where nothing is there.
func (s Script) Lapses(f Fence) bool { return f.NullOK && s.ends(f.Key) != "" }

func (s Script) ends(key Expr) string {
	for _, e := range s.Effects {
		if len(e.Args) == 0 || !same(e.Args[0], key) {
			continue
		}
		switch e.Cmd {
		case "EXPIRE", "PEXPIRE", "EXPIREAT", "PEXPIREAT", "DEL", "UNLINK", "GETDEL":
			return e.Cmd
		}
		if _, expires := ttl(e); expires {
			return e.Cmd
		}
	}
	return ""
}

// CompareAndDelete reports a release by owner: the stored value is compared
// with an argument before the key is deleted.
func (s Script) CompareAndDelete() (key, arg Expr, ok bool) {
	for _, e := range s.Effects {
		switch e.Cmd {
		case "DEL", "UNLINK", "HDEL", "GETDEL":
			if len(e.Args) == 0 {
				continue
			}
			if arg, ok := owner(e.Guards, e.Args[0]); ok {
				return e.Args[0], arg, true
			}
		}
	}
	return Expr{}, Expr{}, false
}

// CompareAndExpire reports a renewal by owner.
func (s Script) CompareAndExpire() (key, arg Expr, ok bool) {
	e, arg, ok := s.renewal()
	if !ok {
		return Expr{}, Expr{}, false
	}
	return e.Args[0], arg, true
}

// renewal is the command of a renewal by owner, and the owner.
func (s Script) renewal() (e Effect, arg Expr, ok bool) {
	for _, e := range s.Effects {
		if len(e.Args) < 2 {
			continue
		}
		switch e.Cmd {
		case "EXPIRE", "PEXPIRE", "EXPIREAT", "PEXPIREAT", "GETEX", "SET", "SETEX", "PSETEX":
		default:
			continue
		}
		arg, ok := owner(e.Guards, e.Args[0])
		if !ok || s.replaces(e.Args[0], arg) {
			continue
		}
		if p := puts(e.Cmd, e.Args); len(p) > 0 {
			// Setting the key again renews it if it keeps the owner.
			if _, expires := ttl(e); !expires || !same(p[0].value, arg) {
				continue
			}
		}
		return e, arg, true
	}
	return Effect{}, Expr{}, false
}

// replaces reports whether a script that compares a field with an argument stores another
// value there: what was compared is a state that it goes on from, and no owner.
func (s Script) replaces(key, arg Expr) bool {
	for _, e := range s.Effects {
		for _, p := range puts(e.Cmd, e.Args) {
			if p.field.Kind == "" || !same(p.key, key) || same(p.value, arg) {
				continue
			}
			if slices.ContainsFunc(e.Guards, func(g Guard) bool {
				place, ok := reads(g.Left)
				return ok && p.same(place) && same(g.Right, arg)
			}) {
				return true
			}
		}
	}
	return false
}

// Prolongs gives the time to live that a renewal by owner sets; Kind is empty where that
// is a point in time, or nothing of the sort.
func (s Script) Prolongs() Expr {
	e, _, ok := s.renewal()
	switch {
	case !ok:
		return Expr{}
	case e.Cmd == "EXPIRE" || e.Cmd == "PEXPIRE":
		return e.Args[1]
	case e.Cmd == "SET" && (has(e, "EXAT") || has(e, "PXAT")):
		return Expr{}
	}
	x, _ := ttl(e)
	return x
}

// owner finds the guard that compares the value under key with an argument.
func owner(guards []Guard, key Expr) (Expr, bool) {
	for _, g := range guards {
		if place, ok := reads(g.Left); ok && g.Op == "==" && !g.NullOK && g.Right.Kind == "arg" && same(place.key, key) {
			return g.Right, true
		}
		if g.Op == "==" && g.Left.Kind == "call" && g.Left.Cmd == "HEXISTS" || isMember(g) {
			// A hash whose field is the owner.
			if len(g.Left.Args) == 2 && g.Left.Args[1].Kind == "arg" && same(g.Left.Args[0], key) && isMember(g) {
				return g.Left.Args[1], true
			}
		}
	}
	return Expr{}, false
}

// isMember recognises HEXISTS k f == 1, and what amounts to it.
func isMember(g Guard) bool {
	if g.Left.Cmd != "HEXISTS" || g.Right.Kind != "literal" {
		return false
	}
	return g.Op == "==" && g.Right.Text == "1" || (g.Op == "~=" || g.Op == ">") && g.Right.Text == "0"
}

// Acquires reports the taking of a lock: a set-if-absent with its value and
// time to live. ttl has no Kind if the lock never expires. Scripts fill in records,
// move them and mark what they have done by the same commands: see keepsRecord and
// carriesOn.
func (s Script) Acquires() (key, value, expiry Expr, ok bool) {
	for i, e := range s.Effects {
		if len(e.Args) < 2 {
			continue
		}
		key = e.Args[0]
		switch e.Cmd {
		case "SET", "SETNX", "SETEX", "PSETEX":
			value = puts(e.Cmd, e.Args)[0].value
			if !once(e) && (!vacant(e.Guards, key) || s.ordered(key) || outranks(e.Guards, value)) {
				continue
			}
		case "HSET", "HMSET", "HSETNX":
			p := puts(e.Cmd, e.Args)
			if len(p) == 0 || !once(e) && !vacant(e.Guards, key) || s.ordered(key) {
				continue
			}
			value = p[0].value
			if value.Kind != "arg" {
				value = p[0].field
			}
		case "HINCRBY":
			if !vacant(e.Guards, key) {
				continue
			}
			value = e.Args[1]
		default:
			continue
		}
		expiry, _ = ttl(e)
		for _, x := range s.Effects {
			if expiry.Kind == "" && (x.Cmd == "EXPIRE" || x.Cmd == "PEXPIRE") && len(x.Args) > 1 && same(x.Args[0], key) {
				expiry = x.Args[1]
			}
		}
		if s.keepsRecord(e, expiry) || s.carriesOn(i) {
			continue
		}
		return key, value, expiry, true
	}
	return Expr{}, Expr{}, Expr{}, false
}

// keepsRecord reports whether an effect that finds its place empty fills in a record and
// takes no lock: other parts of the same record have to be there already; it is a hash that
// never ends; or it never ends and is filled with what another key had to hold, as where
// something is moved from owner to owner.
func (s Script) keepsRecord(e Effect, expiry Expr) bool {
	if once(e) {
		return false
	}
	hash := e.Cmd == "HSET" || e.Cmd == "HMSET"
	if hash && expiry.Kind == "" {
		return true
	}
	for _, g := range e.Guards {
		place, ok := reads(g.Left)
		if !ok || g.Op != "==" || g.NullOK || g.Right.Kind != "arg" {
			continue
		}
		if same(place.key, e.Args[0]) && hash || !same(place.key, e.Args[0]) && expiry.Kind == "" {
			return true
		}
	}
	return false
}

// carriesOn reports whether a script that sets something if it is absent goes on to store
// other data all the same, or does so on a way that never asked: the mark is one of its own,
// and its answer says nothing of it.
func (s Script) carriesOn(i int) bool {
	set := s.Effects[i]
	if set.Cmd != "SETNX" && !(set.Cmd == "SET" && has(set, "NX")) {
		return false
	}
	for _, e := range s.Effects[i+1:] {
		switch e.Cmd {
		case "SET", "SETEX", "PSETEX", "HSET", "HMSET", "MSET", "LPUSH", "RPUSH", "XADD":
		default:
			continue // counters, expiries, indexes and messages go with locks
		}
		if len(e.Args) > 0 && !same(e.Args[0], set.Args[0]) && !slices.ContainsFunc(e.Guards, set.answered) {
			return true
		}
	}
	return false
}

// answered reports whether a condition asks for the reply of a command.
func (e Effect) answered(g Guard) bool {
	return g.Op != "or" && g.Left.Kind == "call" && g.Left.Cmd == e.Cmd && sameAll(g.Left.Args, e.Args)
}

// Reenters reports whether a script that takes a lock also lets in whoever stored
// the value that is there.
func (s Script) Reenters(key, value Expr) bool {
	mine := func(g Guard) bool {
		place, ok := reads(g.Left)
		return ok && g.Op == "==" && same(place.key, key) && same(g.Right, value)
	}
	for _, e := range s.Effects {
		if len(e.Args) == 0 || !same(e.Args[0], key) || e.Cmd == "DEL" || e.Cmd == "UNLINK" {
			continue
		}
		for _, g := range e.Guards {
			if mine(g) {
				return true
			}
			for _, a := range g.Or {
				if mine(a) {
					return true
				}
			}
		}
	}
	return false
}

// ordered tells whether the value under key is compared by order, as a token
// is and an owner is not.
func (s Script) ordered(key Expr) bool {
	for _, f := range s.Fences() {
		if same(f.Key, key) && len(f.Op) > 0 && (f.Op[0] == '<' || f.Op[0] == '>') {
			return true
		}
	}
	return false
}

// outranks tells whether what is stored has an argument in it that had to be the greater or
// the smaller one: a document with its token, and no owner.
func outranks(guards []Guard, value Expr) bool {
	if value.Kind == "arg" {
		return false
	}
	for _, g := range guards {
		if outranks(g.Or, value) || outranks(g.And, value) {
			return true
		}
		if g.Op != "" && (g.Op[0] == '<' || g.Op[0] == '>') && g.Right.Kind == "arg" && within(g.Right, value) {
			return true
		}
	}
	return false
}

// within tells whether an expression is part of another one.
func within(x, value Expr) bool {
	return same(x, value) || slices.ContainsFunc(value.Args, func(a Expr) bool { return within(x, a) })
}

// vacant tells whether guards let a command through where key is not there.
func vacant(guards []Guard, key Expr) bool {
	for _, g := range guards {
		if v, ok := absence(g); ok && same(v.Args[0], key) {
			return true
		}
		if g.Op == "or" && vacant(g.Or, key) {
			return true
		}
		if g.Op == "==" && g.NullOK && g.Left.Kind == "call" && len(g.Left.Args) > 0 && same(g.Left.Args[0], key) {
			return true // free, or mine already
		}
	}
	return false
}

func has(e Effect, name string) bool {
	for _, a := range e.Args[2:] {
		if option(a, name) {
			return true
		}
	}
	return false
}

// Seconds reports whether a time to live that the script sets counts seconds: of SETEX,
// EX and EXPIRE. That of PSETEX, PX and PEXPIRE counts milliseconds.
func (s Script) Seconds(expiry Expr) bool {
	return slices.ContainsFunc(s.Effects, func(e Effect) bool {
		switch {
		case e.Cmd == "EXPIRE":
			return len(e.Args) > 1 && same(e.Args[1], expiry)
		case e.Cmd == "SETEX", e.Cmd == "SET" && (has(e, "EX") || has(e, "EXAT")):
			x, ok := ttl(e)
			return ok && same(x, expiry)
		}
		return false
	})
}

// ttl gives the time to live that a command sets itself.
func ttl(e Effect) (Expr, bool) {
	if (e.Cmd == "SETEX" || e.Cmd == "PSETEX") && len(e.Args) > 2 {
		return e.Args[1], true
	}
	for i := 2; e.Cmd == "SET" && i+1 < len(e.Args); i++ {
		if option(e.Args[i], "EX", "PX", "EXAT", "PXAT") {
			return e.Args[i+1], true
		}
	}
	return Expr{}, false
}
