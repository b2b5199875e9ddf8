// Package shelved keeps numbers of grants where others come by, or where older ones lie.
package shelved

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"
	"github.com/jackc/pgx/v5"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

var errOld = errors.New("somebody came later")

// A Depot has parcels, and a door for requests.
type Depot struct {
	cli   *clientv3.Client
	db    *sql.DB
	turn  int64
	start sync.Once
	first int64
}

// Weigh is a door: the number of the last who came in is that of all.
func (d *Depot) Weigh(w http.ResponseWriter, r *http.Request) {
	if err := d.weigh(r.Context(), r.FormValue("parcel"), r.FormValue("grams")); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
	}
}

func (d *Depot) weigh(ctx context.Context, parcel, grams string) (err error) {
	session, err := concurrency.NewSession(d.cli)
	if err != nil {
		return err
	}
	defer session.Close()
	m := concurrency.NewMutex(session, "/weigh")
	if err := m.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, m.Unlock(context.WithoutCancel(ctx))) }()
	d.turn = m.Header().Revision
	return one(d.db.ExecContext(ctx, "UPDATE parcels SET grams = $2, turn = $3 WHERE id = $1 AND turn < $3", parcel, grams, d.turn)) // want: weakcondition
}

// Measure is a door as well, and has its own number.
func (d *Depot) Measure(w http.ResponseWriter, r *http.Request) {
	if err := d.measure(r.Context(), r.FormValue("parcel"), r.FormValue("size")); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
	}
}

func (d *Depot) measure(ctx context.Context, parcel, size string) (err error) {
	session, err := concurrency.NewSession(d.cli)
	if err != nil {
		return err
	}
	defer session.Close()
	m := concurrency.NewMutex(session, "/measure")
	if err := m.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, m.Unlock(context.WithoutCancel(ctx))) }()
	turn := m.Header().Revision
	d.turn = turn // for the metrics
	return one(d.db.ExecContext(ctx, "UPDATE parcels SET size = $2, turn = $3 WHERE id = $1 AND turn < $3", parcel, size, turn))
}

// Sort has the number of the first grant for ever.
func (d *Depot) Sort(ctx context.Context, parcel, shelf string) (err error) {
	session, err := concurrency.NewSession(d.cli)
	if err != nil {
		return err
	}
	defer session.Close()
	m := concurrency.NewMutex(session, "/sort/"+parcel)
	if err := m.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, m.Unlock(context.WithoutCancel(ctx))) }()
	d.start.Do(func() { d.first = m.Header().Revision })
	return one(d.db.ExecContext(ctx, "UPDATE parcels SET shelf = $2, sorted = $3 WHERE id = $1 AND sorted <= $3", parcel, shelf, d.first)) // want: weakcondition
}

func one(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err == nil && n == 0 {
		err = errOld
	}
	return err
}

// A Reign belongs to one term of office.
type Reign struct {
	conn *pgx.Conn
	term int64
}

// A Ruler may be elected more than once.
type Ruler struct {
	cli  *clientv3.Client
	conn *pgx.Conn
	term int64
}

func (r *Ruler) elected(ctx context.Context, work func(e *concurrency.Election) error) (err error) {
	session, err := concurrency.NewSession(r.cli)
	if err != nil {
		return err
	}
	defer session.Close()
	e := concurrency.NewElection(session, "/ruler")
	if err := e.Campaign(ctx, "ruler"); err != nil { // want: renewal
		return err
	}
	defer func() { err = errors.Join(err, e.Resign(context.WithoutCancel(ctx))) }()
	return work(e)
}

// Decree keeps the first term.
func (r *Ruler) Decree(ctx context.Context, law string) error {
	return r.elected(ctx, func(e *concurrency.Election) error { // verdict: unfenced
		if r.term == 0 {
			r.term = e.Rev()
		}
		return pass(ctx, r.conn, law, r.term)
	})
}

func pass(ctx context.Context, conn *pgx.Conn, law string, term int64) error {
	tag, err := conn.Exec(ctx, "UPDATE laws SET text = $1, term = $2 WHERE id = 1 AND term <= $2", law, term) // want: weakcondition
	if err == nil && tag.RowsAffected() == 0 {
		err = errOld
	}
	return err
}

// Order makes a Reign for each term.
func (r *Ruler) Order(ctx context.Context, text string) error {
	return r.elected(ctx, func(e *concurrency.Election) error { // verdict: fenced
		reign := &Reign{conn: r.conn}
		if reign.term == 0 {
			reign.term = e.Rev()
		}
		return reign.order(ctx, text)
	})
}

func (r *Reign) order(ctx context.Context, text string) error {
	tag, err := r.conn.Exec(ctx, "UPDATE orders SET text = $1, term = $2 WHERE id = 1 AND term <= $2", text, r.term)
	if err == nil && tag.RowsAffected() == 0 {
		err = errOld
	}
	return err
}

// A Rack keeps notes in memory, with the number of who has put them there.
type Rack struct {
	mu     sync.Mutex
	fences map[string]int64
	notes  map[string]string
}

// Pin puts a note unless a newer one is there.
func (r *Rack) Pin(id, note string, fence int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if fence <= r.fences[id] {
		return errOld
	}
	r.fences[id], r.notes[id] = fence, note
	return nil
}

// Wipe forgets all.
func (r *Rack) Wipe() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.fences)
	clear(r.notes)
}

// A Board forgets notes, and not who has put them there.
type Board struct {
	mu     sync.Mutex
	fences map[string]int64
	notes  map[string]string
}

// Pin puts a note unless a newer one is there.
func (b *Board) Pin(id, note string, fence int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if fence <= b.fences[id] {
		return errOld
	}
	b.fences[id], b.notes[id] = fence, note
	return nil
}

// Take takes a note off.
func (b *Board) Take(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.notes, id)
}

// Note pins to what forgets.
func (r *Ruler) Note(ctx context.Context, rack *Rack, id, note string) error {
	return r.elected(ctx, func(e *concurrency.Election) error { return rack.Pin(id, note, e.Rev()) }) // verdict: unverified
}

// Post pins to what does not.
func (r *Ruler) Post(ctx context.Context, board *Board, id, note string) error {
	return r.elected(ctx, func(e *concurrency.Election) error { return board.Pin(id, note, e.Rev()) }) // verdict: fenced
}

var free = redis.NewScript(1, `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Paint draws a number whether it has the lock or not.
func Paint(ctx context.Context, conn redis.Conn, db *sql.DB, wall, colour, me string) (err error) {
	got, err := redis.Bool(conn.Do("SET", "lock:"+wall, me, "NX", "PX", time.Minute.Milliseconds())) // want: acquire // verdict: unfenced
	if err != nil && !errors.Is(err, redis.ErrNil) {
		return err
	}
	if !got {
		slog.Warn("somebody paints there", "wall", wall)
	}
	defer func() { err = errors.Join(err, freed(redis.Int(free.Do(conn, "lock:"+wall, me)))) }()
	n, err := redis.Int64(conn.Do("INCR", "coats:"+wall))
	if err != nil {
		return err
	}
	return one(db.ExecContext(ctx, "UPDATE walls SET colour = $2, coat = $3 WHERE name = $1 AND coat < $3", wall, colour, n)) // want: weakcondition
}

// Varnish draws one if it has the lock.
func Varnish(ctx context.Context, conn redis.Conn, db *sql.DB, wall, varnish, me string) (err error) {
	_, err = redis.String(conn.Do("SET", "lock:"+wall, me, "NX", "PX", time.Minute.Milliseconds())) // verdict: fenced
	if errors.Is(err, redis.ErrNil) {
		slog.Warn("somebody paints there", "wall", wall)
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, freed(redis.Int(free.Do(conn, "lock:"+wall, me)))) }()
	n, err := redis.Int64(conn.Do("INCR", "coats:"+wall))
	if err != nil {
		return err
	}
	return one(db.ExecContext(ctx, "UPDATE walls SET varnish = $2, coat = $3 WHERE name = $1 AND coat < $3", wall, varnish, n))
}

func freed(n int, err error) error {
	if err == nil && n == 0 {
		err = errOld
	}
	return err
}

type grant struct{ number int64 }

// A Mill has a grant, or several by name, that all who grind look at.
type Mill struct {
	cli    *clientv3.Client
	db     *sql.DB
	grant  *grant
	grants map[string]int64
}

// Run grinds sacks, several at a time.
func (m *Mill) Run(ctx context.Context, sacks <-chan string) {
	for range 4 {
		go func() {
			for sack := range sacks {
				if err := errors.Join(m.grind(ctx, sack), m.sift(ctx, sack), m.fill(ctx, sack)); err != nil {
					slog.Error("mill", "err", err)
				}
			}
		}()
	}
}

func (m *Mill) hold(ctx context.Context, work func(l *concurrency.Mutex) error) (err error) {
	session, err := concurrency.NewSession(m.cli)
	if err != nil {
		return err
	}
	defer session.Close()
	l := concurrency.NewMutex(session, "/mill")
	if err := l.Lock(ctx); err != nil { // want: renewal
		return err
	}
	defer func() { err = errors.Join(err, l.Unlock(context.WithoutCancel(ctx))) }()
	return work(l)
}

func (m *Mill) grind(ctx context.Context, sack string) error {
	return m.hold(ctx, func(l *concurrency.Mutex) error { // verdict: unfenced
		m.grant = &grant{l.Header().Revision}
		return one(m.db.ExecContext(ctx, "UPDATE sacks SET ground = true, number = $2 WHERE id = $1 AND number <= $2", sack, m.grant.number)) // want: weakcondition
	})
}

func (m *Mill) sift(ctx context.Context, sack string) error {
	return m.hold(ctx, func(l *concurrency.Mutex) error { // verdict: unfenced
		m.grants[sack] = l.Header().Revision
		return one(m.db.ExecContext(ctx, "UPDATE sacks SET sifted = true, number = $2 WHERE id = $1 AND number <= $2", sack, m.grants[sack])) // want: weakcondition
	})
}

func (m *Mill) fill(ctx context.Context, sack string) error {
	return m.hold(ctx, func(l *concurrency.Mutex) error { // verdict: fenced
		g := &grant{l.Header().Revision}
		return one(m.db.ExecContext(ctx, "UPDATE sacks SET filled = true, number = $2 WHERE id = $1 AND number <= $2", sack, g.number))
	})
}
