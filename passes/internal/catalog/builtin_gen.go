// Code generated from data/*.yaml by go generate. DO NOT EDIT.

package catalog

var builtin = []source{
	{
		lib: &Library{Library: "redsync",
			Family: "redis",
			Locks:  true,
			Calls: []*Call{
				&Call{Func: []string{"pools.NewPool"}, New: &New{Parent: Ref{Base: 1}}, Pos: "data/redsync.yaml:21:5"},
				&Call{Func: []string{"redsync.New"}, New: &New{Parent: Ref{Base: 1, Spread: true}}, Pos: "data/redsync.yaml:23:5"},
				&Call{Func: []string{"(*redsync.Redsync).NewMutex"}, New: &New{Key: Ref{Base: 1}, TTLDefault: "8s", Options: Ref{Base: 1, Index: 1, Spread: true}, Parent: Ref{Base: 2}}, Pos: "data/redsync.yaml:25:5"},
				&Call{Func: []string{"redsync.WithExpiry", "redsync.SetExpiry"}, Option: &Option{TTL: Ref{Base: 1}}, Pos: "data/redsync.yaml:28:5"},
				&Call{Func: []string{"redsync.WithValue"}, Option: &Option{Value: Ref{Base: 1}}, Pos: "data/redsync.yaml:30:5"},
				&Call{Func: []string{"redsync.WithGenValueFunc", "redsync.SetGenValueFunc"}, Option: &Option{Value: Ref{Base: 1}}, Pos: "data/redsync.yaml:32:5"},
				&Call{Func: []string{"redsync.WithTries", "redsync.WithRetryDelay", "redsync.WithRetryDelayFunc", "redsync.WithSetNXOnExtend", "redsync.WithDriftFactor", "redsync.WithTimeoutFactor", "redsync.WithFailFast", "redsync.WithShufflePools", "redsync.SetTries", "redsync.SetRetryDelay", "redsync.SetRetryDelayFunc", "redsync.SetDriftFactor", "(*redsync.Mutex).Name"}, Pure: true, Pos: "data/redsync.yaml:34:5"},
				&Call{Func: []string{"(*redsync.Mutex).Lock"}, Acquire: &Acquire{Kind: "lease", Handle: Ref{Base: 2}, TTLDefault: "8s"}, Blocks: &Blocks{Kind: "remote"}, Pos: "data/redsync.yaml:50:5"},
				&Call{Func: []string{"(*redsync.Mutex).LockContext"}, Acquire: &Acquire{Kind: "lease", Handle: Ref{Base: 2}, TTLDefault: "8s"}, Blocks: &Blocks{Kind: "remote"}, Pos: "data/redsync.yaml:53:5"},
				&Call{Func: []string{"(*redsync.Mutex).TryLock", "(*redsync.Mutex).TryLockContext"}, Acquire: &Acquire{Kind: "lease", Handle: Ref{Base: 2}, TTLDefault: "8s", Try: true}, Blocks: &Blocks{Kind: "remote"}, Pos: "data/redsync.yaml:56:5"},
				&Call{Func: []string{"(*redsync.Mutex).Extend", "(*redsync.Mutex).ExtendContext"}, Renew: &Renew{Handle: Ref{Base: 2}, Checked: true, Result: Ref{Base: 3}}, Blocks: &Blocks{Kind: "remote"}, Pos: "data/redsync.yaml:59:5"},
				&Call{Func: []string{"(*redsync.Mutex).Unlock"}, Release: &Release{Handle: Ref{Base: 2}, Checked: true, Result: Ref{Base: 3}}, Blocks: &Blocks{Kind: "remote"}, Pos: "data/redsync.yaml:62:5"},
				&Call{Func: []string{"(*redsync.Mutex).UnlockContext"}, Release: &Release{Handle: Ref{Base: 2}, Context: Ref{Base: 1}, Checked: true, Result: Ref{Base: 3}}, Blocks: &Blocks{Kind: "remote"}, Pos: "data/redsync.yaml:65:5"},
				&Call{Func: []string{"(*redsync.Mutex).Valid", "(*redsync.Mutex).ValidContext"}, Loss: &Loss{Handle: Ref{Base: 2}, How: "poll", Result: Ref{Base: 3}}, Blocks: &Blocks{Kind: "remote"}, Pos: "data/redsync.yaml:68:5"},
				&Call{Func: []string{"(*redsync.Mutex).Until"}, Loss: &Loss{Handle: Ref{Base: 2}, How: "poll", Result: Ref{Base: 3}}, Token: &Token{Of: Ref{Base: 2}, Reason: "the local clock's idea of the expiry, not a number the lock service hands out"}, Clock: "now", Pos: "data/redsync.yaml:71:5"},
				&Call{Func: []string{"(*redsync.Mutex).Value"}, Token: &Token{Of: Ref{Base: 2}, Reason: "random owner id: unique, but without order"}, Pos: "data/redsync.yaml:75:5"},
			},
		},
		packages: []alias{
			{"pools", []string{"github.com/go-redsync/redsync/v4/redis/goredis", "github.com/go-redsync/redsync/v4/redis/goredis/v7", "github.com/go-redsync/redsync/v4/redis/goredis/v8", "github.com/go-redsync/redsync/v4/redis/goredis/v9", "github.com/go-redsync/redsync/v4/redis/redigo", "github.com/go-redsync/redsync/v4/redis/rueidis", "github.com/go-redsync/redsync/v4/redis/valkeygo"}},
			{"redsync", []string{"github.com/go-redsync/redsync/v4", "github.com/go-redsync/redsync/v3", "github.com/go-redsync/redsync/v2", "github.com/go-redsync/redsync", "gopkg.in/redsync.v1", "github.com/RichardKnop/redsync"}},
		},
	},
}

// builtinPaths is sorted.
var builtinPaths = []imported{
	{"github.com/RichardKnop/redsync", true},
	{"github.com/go-redsync/redsync", true},
	{"github.com/go-redsync/redsync/v2", true},
	{"github.com/go-redsync/redsync/v3", true},
	{"github.com/go-redsync/redsync/v4", true},
	{"github.com/go-redsync/redsync/v4/redis/goredis", true},
	{"github.com/go-redsync/redsync/v4/redis/goredis/v7", true},
	{"github.com/go-redsync/redsync/v4/redis/goredis/v8", true},
	{"github.com/go-redsync/redsync/v4/redis/goredis/v9", true},
	{"github.com/go-redsync/redsync/v4/redis/redigo", true},
	{"github.com/go-redsync/redsync/v4/redis/rueidis", true},
	{"github.com/go-redsync/redsync/v4/redis/valkeygo", true},
	{"gopkg.in/redsync.v1", true},
}
