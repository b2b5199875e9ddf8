// Package luaread reads a Redis Lua script and says what it does: which
// commands it sends, and which comparisons must hold before each of them.
//
// It never panics. What it cannot follow it says in Script.Unknown.
package luaread

// Script is what a script does.
type Script struct {
	Effects []Effect // commands in text order
	Counts  bool     // whichever way it takes, it answers with a number
	Unknown string   // why the script, or what decides on a write, could not be followed; "" if it could
}

// Effect is one Redis command.
type Effect struct {
	Cmd      string  // upper-case: SET DEL PEXPIRE INCR HSET GET ...
	Args     []Expr  // words after the command
	Guards   []Guard // must hold on every way to this command
	Returned bool    // the command's reply is the script's result, or an element of that
	At       int     // which element, one-based like Lua; 0: the reply is the result itself
	Stores   []Expr  // values it writes
	Unknown  string  // why a further condition on it could not be followed
}

// Guard is one comparison. Of two sides, what the store holds is on the left
// and what the caller sends on the right.
type Guard struct {
	Left, Right Expr
	Op          string  // == ~= < <= > >= truthy falsy or and; truthy and falsy have no Right
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

	quoted bool    // of a literal: a string
	absent bool    // an "or" gives an absent value another one
	opaque string  // why a decision on this value cannot be followed
	effect int     // of a call: one more than its position in Effects
	either *either // one of two fixed values, by a condition
	test   *test   // what the value says as a condition, beyond being there
	size   int     // nodes below, bounded
}
