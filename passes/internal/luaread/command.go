package luaread

import "strings"

// writes tells whether a command changes data. What is not known to read
// counts as writing.
func writes(cmd string) bool {
	switch cmd {
	case "GET", "MGET", "EXISTS", "TTL", "PTTL", "EXPIRETIME", "PEXPIRETIME", "TYPE", "STRLEN", "GETRANGE", "SUBSTR", "GETBIT", "BITCOUNT",
		"BITPOS", "HGET", "HMGET", "HGETALL", "HEXISTS", "HLEN", "HKEYS", "HVALS", "HSTRLEN", "HSCAN", "HRANDFIELD", "LRANGE", "LLEN",
		"LINDEX", "LPOS", "SMEMBERS", "SISMEMBER", "SMISMEMBER", "SCARD", "SRANDMEMBER", "SINTER", "SUNION", "SDIFF", "SSCAN",
		"ZSCORE", "ZMSCORE", "ZRANGE", "ZREVRANGE", "ZRANGEBYSCORE", "ZREVRANGEBYSCORE", "ZRANGEBYLEX", "ZCARD", "ZCOUNT", "ZLEXCOUNT",
		"ZRANK", "ZREVRANK", "ZSCAN", "XLEN", "XRANGE", "XREVRANGE", "XREAD", "XPENDING", "XINFO", "SCAN", "KEYS", "RANDOMKEY", "DBSIZE",
		"OBJECT", "TIME", "PING", "ECHO", "SELECT", "INFO", "PFCOUNT", "GEOPOS", "GEODIST", "DUMP", "PUBLISH", "SPUBLISH", "CONFIG":
		return false
	}
	return true
}

// countReply tells whether a command answers with an integer.
func countReply(cmd string) bool {
	switch cmd {
	case "EXISTS", "TTL", "PTTL", "EXPIRETIME", "PEXPIRETIME", "STRLEN", "HLEN", "HEXISTS", "HSTRLEN", "LLEN", "SCARD", "SISMEMBER",
		"ZCARD", "ZCOUNT", "INCR", "INCRBY", "DECR", "DECRBY", "HINCRBY", "DEL", "UNLINK", "HDEL", "HSET", "HSETNX", "SETNX", "EXPIRE",
		"PEXPIRE", "EXPIREAT", "PEXPIREAT", "PERSIST", "SADD", "SREM", "ZADD", "ZREM", "LPUSH", "RPUSH", "LREM", "PUBLISH", "APPEND",
		"ZRANK", "XLEN", "XACK", "XDEL", "RENAMENX", "MSETNX":
		return true
	}
	return false
}

// slot is a place in the store: a key, or a field of it.
type slot struct {
	key, field Expr
}

func (s slot) same(o slot) bool { return same(s.key, o.key) && same(s.field, o.field) }

// reads gives the place whose value a reply is.
func reads(e Expr) (slot, bool) {
	if e.Kind != "call" {
		return slot{}, false
	}
	switch {
	case (e.Cmd == "GET" || e.Cmd == "GETEX" || e.Cmd == "GETSET" || e.Cmd == "GETDEL") && len(e.Args) > 0:
		return slot{key: e.Args[0]}, true
	case (e.Cmd == "HGET" || e.Cmd == "ZSCORE") && len(e.Args) > 1:
		return slot{key: e.Args[0], field: e.Args[1]}, true
	}
	return slot{}, false
}

// stored is a value written to a place.
type stored struct {
	slot
	value Expr
}

// puts gives what a command writes where.
func puts(cmd string, args []Expr) []stored {
	at := func(i int) Expr {
		if i < len(args) {
			return args[i]
		}
		return Expr{}
	}
	var out []stored
	switch cmd {
	case "SET", "SETNX", "GETSET", "APPEND":
		out = append(out, stored{slot{key: at(0)}, at(1)})
	case "SETEX", "PSETEX":
		out = append(out, stored{slot{key: at(0)}, at(2)})
	case "MSET", "MSETNX":
		for i := 0; i+1 < len(args); i += 2 {
			out = append(out, stored{slot{key: args[i]}, args[i+1]})
		}
	case "HSET", "HMSET", "HSETNX":
		for i := 1; i+1 < len(args); i += 2 {
			out = append(out, stored{slot{key: args[0], field: args[i]}, args[i+1]})
		}
	case "ZADD":
		i := 1
		for i < len(args) && option(args[i], "NX", "XX", "GT", "LT", "CH", "INCR") {
			i++
		}
		for ; i+1 < len(args); i += 2 {
			out = append(out, stored{slot{key: args[0], field: args[i+1]}, args[i]})
		}
	case "LPUSH", "RPUSH", "LPUSHX", "RPUSHX", "SADD":
		for i := 1; i < len(args); i++ {
			out = append(out, stored{slot{key: args[0]}, args[i]})
		}
	case "XADD":
		for i := 2; i+1 < len(args); i += 2 {
			out = append(out, stored{slot{key: args[0], field: args[i]}, args[i+1]})
		}
	}
	return out
}

func stores(cmd string, args []Expr) []Expr {
	var out []Expr
	for _, p := range puts(cmd, args) {
		if p.value.Kind != "" {
			out = append(out, p.value)
		}
	}
	return out
}

func option(e Expr, names ...string) bool {
	if e.Kind != "literal" {
		return false
	}
	for _, n := range names {
		if strings.EqualFold(e.Text, n) {
			return true
		}
	}
	return false
}
