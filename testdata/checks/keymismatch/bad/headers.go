package bad

import (
	"crypto/rand"
	"errors"
	"log"
	"net/http"

	"github.com/gomodule/redigo/redis"
)

var letGo = redis.NewScript(1, `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Once lets one request of a kind through at a time. Nothing here is named for what it does:
// that a value drawn on the spot is compared before the delete tells.
func Once(pool *redis.Pool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind := r.Header.Get("Kind")
		conn := pool.Get()
		defer conn.Close()
		name, me := "under-way:"+kind, rand.Text()
		_, err := redis.String(conn.Do("SET", name, me, "NX", "PX", 30000)) // verdict: unverified
		if errors.Is(err, redis.ErrNil) {
			http.Error(w, "wait", http.StatusConflict)
			return
		}
		if err != nil {
			http.Error(w, "later", http.StatusServiceUnavailable)
			return
		}
		defer func() {
			if n, err := redis.Int(letGo.Do(conn, kind, me)); err != nil || n == 0 { // want: keymismatch
				log.Printf("%s not freed: %v", kind, err)
			}
		}()
		next.ServeHTTP(w, r)
	})
}
