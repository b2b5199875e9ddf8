// Package namesakes compares who holds a lock by names that others have as well.
package namesakes

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/hashicorp/consul/api"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

var (
	errHeld = errors.New("somebody else has it")
	errGone = errors.New("it was lost")
)

var (
	write = redis.NewScript(2, `if redis.call("GET", KEYS[1]) ~= ARGV[1] then return 0 end redis.call("SET", KEYS[2], ARGV[2]) return 1`)
	leave = redis.NewScript(1, `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
)

// Numbered is named by the number of the process, which others have on other hosts.
func Numbered(conn redis.Conn, choir, song string) (err error) {
	me := fmt.Sprintf("singer-%d", os.Getpid())
	switch _, err := redis.String(conn.Do("SET", "lock:"+choir, me, "NX", "PX", 9000)); { // verdict: unfenced
	case errors.Is(err, redis.ErrNil):
		return errHeld
	case err != nil:
		return err
	}
	defer func() { err = errors.Join(err, told(redis.Int(leave.Do(conn, "lock:"+choir, me)))) }()
	return told(redis.Int(write.Do(conn, "lock:"+choir, "song:"+choir, me, song))) // want: weakcondition
}

// Drawn is named by something that nobody else draws.
func Drawn(conn redis.Conn, choir, song string) (err error) {
	me := fmt.Sprintf("singer-%d-%s", os.Getpid(), rand.Text())
	switch _, err := redis.String(conn.Do("SET", "lock:"+choir, me, "NX", "PX", 9000)); { // verdict: fenced
	case errors.Is(err, redis.ErrNil):
		return errHeld
	case err != nil:
		return err
	}
	defer func() { err = errors.Join(err, told(redis.Int(leave.Do(conn, "lock:"+choir, me)))) }()
	return told(redis.Int(write.Do(conn, "lock:"+choir, "song:"+choir, me, song)))
}

// A Conductor has one name for all that it conducts.
type Conductor struct {
	name string
	conn redis.Conn
}

// NewConductor draws the name.
func NewConductor(conn redis.Conn) *Conductor { return &Conductor{rand.Text(), conn} }

// Conduct is called as often as there are songs, one after the other or not.
func (c *Conductor) Conduct(choir, song string) (err error) {
	switch _, err := redis.String(c.conn.Do("SET", "lock:"+choir, c.name, "NX", "PX", 9000)); { // verdict: unverified
	case errors.Is(err, redis.ErrNil):
		return errHeld
	case err != nil:
		return err
	}
	defer func() { err = errors.Join(err, told(redis.Int(leave.Do(c.conn, "lock:"+choir, c.name)))) }()
	return told(redis.Int(write.Do(c.conn, "lock:"+choir, "song:"+choir, c.name, song)))
}

// A Rehearsal has a name of its own.
type Rehearsal struct {
	choir, name string
	conn        redis.Conn
}

// Rehearse makes one.
func Rehearse(conn redis.Conn, choir, song string) error {
	return (&Rehearsal{choir, rand.Text(), conn}).sing(song)
}

func (r *Rehearsal) sing(song string) (err error) {
	switch _, err := redis.String(r.conn.Do("SET", "lock:"+r.choir, r.name, "NX", "PX", 9000)); { // verdict: fenced
	case errors.Is(err, redis.ErrNil):
		return errHeld
	case err != nil:
		return err
	}
	defer func() { err = errors.Join(err, told(redis.Int(leave.Do(r.conn, "lock:"+r.choir, r.name)))) }()
	return told(redis.Int(write.Do(r.conn, "lock:"+r.choir, "song:"+r.choir, r.name, song)))
}

func told(n int, err error) error {
	if err == nil && n == 0 {
		err = errGone
	}
	return err
}

// On leases a row in the name of the host.
func On(ctx context.Context, db *sql.DB, hall string, seats int) error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	const lease = "UPDATE halls SET holder = ?, until = NOW() + INTERVAL 20 SECOND WHERE name = ? AND until < NOW()"
	if err := one(db.ExecContext(ctx, lease, host, hall)); err != nil { // verdict: unverified
		return err
	}
	return one(db.ExecContext(ctx, "UPDATE halls SET seats = ? WHERE name = ? AND holder = ?", seats, hall, host))
}

// As leases a row in a name that is drawn for it.
func As(ctx context.Context, db *sql.DB, hall string, seats int) error {
	me := rand.Text()
	const lease = "UPDATE halls SET holder = ?, until = NOW() + INTERVAL 20 SECOND WHERE name = ? AND until < NOW()"
	if err := one(db.ExecContext(ctx, lease, me, hall)); err != nil { // verdict: fenced
		return err
	}
	return one(db.ExecContext(ctx, "UPDATE halls SET seats = ? WHERE name = ? AND holder = ?", seats, hall, me))
}

func one(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err == nil && n == 0 {
		err = errGone
	}
	return err
}

// An Usher has a session for all doors.
type Usher struct {
	consul  *api.Client
	session string
}

// Hire makes the session.
func Hire(consul *api.Client) (*Usher, error) {
	session, _, err := consul.Session().Create(&api.SessionEntry{TTL: "15s", Behavior: api.SessionBehaviorDelete}, nil)
	return &Usher{consul, session}, err
}

// Open asks whether its session has the door: it has, once it came back for it.
func (u *Usher) Open(door, who string) error {
	ok, _, err := u.consul.KV().Acquire(&api.KVPair{Key: "doors/" + door, Session: u.session}, nil) // verdict: unverified
	if err != nil {
		return err
	}
	if !ok {
		return errHeld
	}
	defer u.consul.KV().Release(&api.KVPair{Key: "doors/" + door, Session: u.session}, nil)
	return u.let(door, u.session, who)
}

// Close has a session of its own.
func (u *Usher) Close(door, who string) error {
	session, _, err := u.consul.Session().Create(&api.SessionEntry{TTL: "15s", Behavior: api.SessionBehaviorDelete}, nil)
	if err != nil {
		return err
	}
	defer u.consul.Session().Destroy(session, nil)
	ok, _, err := u.consul.KV().Acquire(&api.KVPair{Key: "doors/" + door, Session: session}, nil) // verdict: fenced
	if err != nil {
		return err
	}
	if !ok {
		return errHeld
	}
	return u.let(door, session, who)
}

func (u *Usher) let(door, session, who string) error {
	ok, _, _, err := u.consul.KV().Txn(api.KVTxnOps{
		{Verb: api.KVCheckSession, Key: "doors/" + door, Session: session},
		{Verb: api.KVSet, Key: "in/" + door, Value: []byte(who)},
	}, nil)
	if err == nil && !ok {
		err = errGone
	}
	return err
}

// A Stage answers requests.
type Stage struct {
	cli     *clientv3.Client
	session *concurrency.Session
}

// ServeHTTP has the same session in all requests: the second has the lock at once.
func (s *Stage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := play(r.Context(), s.session, r.FormValue("piece")); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
	}
}

func play(ctx context.Context, session *concurrency.Session, piece string) (err error) {
	m := concurrency.NewMutex(session, "/stage")
	if err := m.Lock(ctx); err != nil { // want: owner // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, m.Unlock(context.WithoutCancel(ctx))) }()
	return put(ctx, session.Client(), m, piece)
}

// Encore has a session for each request.
func (s *Stage) Encore(w http.ResponseWriter, r *http.Request) {
	if err := s.encore(r.Context(), r.FormValue("piece")); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
	}
}

func (s *Stage) encore(ctx context.Context, piece string) (err error) {
	session, err := concurrency.NewSession(s.cli)
	if err != nil {
		return err
	}
	defer session.Close()
	m := concurrency.NewMutex(session, "/stage")
	if err := m.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, m.Unlock(context.WithoutCancel(ctx))) }()
	return put(ctx, s.cli, m, piece)
}

func put(ctx context.Context, cli *clientv3.Client, m *concurrency.Mutex, piece string) error {
	resp, err := cli.Txn(ctx).If(m.IsOwner()).Then(clientv3.OpPut("/playing", piece)).Commit() // want: weakcondition
	if err == nil && !resp.Succeeded {
		err = errGone
	}
	return err
}

// After is named after what it locks.
func After(conn redis.Conn, choir, song string) (err error) {
	me := "conductor of " + choir
	switch _, err := redis.String(conn.Do("SET", "lock:"+choir, me, "NX", "PX", 9000)); { // verdict: unfenced
	case errors.Is(err, redis.ErrNil):
		return errHeld
	case err != nil:
		return err
	}
	defer func() { err = errors.Join(err, told(redis.Int(leave.Do(conn, "lock:"+choir, me)))) }() // want: release
	return told(redis.Int(write.Do(conn, "lock:"+choir, "song:"+choir, me, song)))                // want: weakcondition
}

// Today is named after the day.
func Today(conn redis.Conn, choir, song string) (err error) {
	me := time.Now().Format(time.DateOnly)
	switch _, err := redis.String(conn.Do("SET", "lock:"+choir, me, "NX", "PX", 9000)); { // verdict: unverified
	case errors.Is(err, redis.ErrNil):
		return errHeld
	case err != nil:
		return err
	}
	defer func() { err = errors.Join(err, told(redis.Int(leave.Do(conn, "lock:"+choir, me)))) }()
	return told(redis.Int(write.Do(conn, "lock:"+choir, "song:"+choir, me, song)))
}
