// Package luaread reads a Redis Lua script and says what it does: which
// commands it sends, and which comparisons must hold before each of them.
//
// It never panics. What it cannot follow it says in Script.Unknown.
package luaread

// Script is what a script does.
type Script struct {
	Effects []Effect // commands in text order
	Unknown string   // why the script could not be followed; "" if it was
}

// Effect is one Redis command.
type Effect struct {
	Cmd      string  // upper-case: SET DEL PEXPIRE INCR HSET GET ...
	Args     []Expr  // words after the command
	Guards   []Guard // must hold on every way to this command
	Returned bool    // the command's reply is the script's result
	Stores   []Expr  // values it writes
}

// Guard is one comparison. Of two sides, what the store holds is on the left
// and what the caller sends on the right.
type Guard struct {
	Left, Right Expr
	Op          string  // == ~= < <= > >= truthy falsy or other
	Numeric     bool    // both sides are numbers (tonumber, literal, arithmetic): compared as numbers, not as text
	NullOK      bool    // an absent stored value passes too
	Or          []Guard // Op "or": the alternatives
	And         []Guard // Op "and" (only inside Or): what an alternative consists of
}

// Expr is a value expression.
type Expr struct {
	Kind   string // key arg call literal other
	Index  int    // of KEYS[i] or ARGV[i], one-based like Lua; 0 if not constant
	Cmd    string // of a call: the Redis command
	Args   []Expr // of a call: the words after the command
	Text   string
	Number bool // went through tonumber, or is a number
}

// Fence is a comparison of a stored value with an argument on the way to a write.
type Fence struct {
	Key, Arg Expr
	Op       string // stored Op incoming
	Numeric  bool
	Stored   bool // the script stores that argument where the stored value came from
	NullOK   bool
	Write    Effect
}

// Read parses text.
func Read(text string) Script { return Script{} }

// CompareAndDelete reports a release by owner: the stored value is compared
// with an argument before the key is deleted.
func (s Script) CompareAndDelete() (key, arg Expr, ok bool) { return }

// CompareAndExpire reports a renewal by owner.
func (s Script) CompareAndExpire() (key, arg Expr, ok bool) { return }

// Acquires reports the taking of a lock: a set-if-absent with its value and
// time to live.
func (s Script) Acquires() (key, value, ttl Expr, ok bool) { return }

// Fences lists the comparisons of a stored value with an argument on the way
// to each write.
func (s Script) Fences() []Fence { return nil }

// Writes lists the effects that change data.
func (s Script) Writes() []Effect { return nil }
