package term

import "testing"

func TestShortName(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"(*github.com/go-redsync/redsync/v4.Mutex).LockContext", "(*redsync.Mutex).LockContext"},
		{"(*github.com/jackc/pgx/v5.Conn).Exec", "(*pgx.Conn).Exec"},
		{"(github.com/redis/go-redis/v9.cmdable).SetNX", "(redis.cmdable).SetNX"},
		{"(*github.com/jackc/pgx/v5/pgxpool.Pool).QueryRow", "(*pgxpool.Pool).QueryRow"},
		{"(*gopkg.in/redsync.v1.Mutex).Lock", "(*redsync.Mutex).Lock"},
		{"(*github.com/nats-io/nats.go.Conn).Publish", "(*nats.Conn).Publish"},
		{"github.com/bsm/redis-lock.Obtain", "lock.Obtain"},
		{"(*database/sql.DB).ExecContext", "(*sql.DB).ExecContext"},
		{"net/http.DefaultClient", "http.DefaultClient"},
		{"context.WithTimeout", "context.WithTimeout"},
		{"main.run$1", "main.run$1"},
		{"example.org/shop/v2.run$1", "shop.run$1"},
		{"(*example.org/a/b.Pool[example.org/c/d/v3.Item]).Get", "(*b.Pool[d.Item]).Get"},
		{"map[string]example.org/a/b.T", "map[string]b.T"},
		{"example.org/vault/v.T", "v.T"},
		{"v2.T", "v2.T"},
		{"call", "call"},
		{"", ""},
	} {
		if got := ShortName(test.name); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}
