// Package ebbing keeps the last token in places where something else puts it back, or takes it
// away, so that whoever has lost the lock comes in again.
package ebbing

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"net/http"

	"github.com/gomodule/redigo/redis"
	"github.com/jackc/pgx/v5/pgxpool"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

var errLate = errors.New("somebody else came later")

// A Harbour has berths, tides and pilots.
type Harbour struct {
	cli  *clientv3.Client
	pool *pgxpool.Pool
	db   *sql.DB
}

// hold runs work with the number of the grant.
func (h *Harbour) hold(ctx context.Context, key string, work func(term int64) error) (err error) {
	session, err := concurrency.NewSession(h.cli, concurrency.WithTTL(8))
	if err != nil {
		return err
	}
	defer session.Close()
	e := concurrency.NewElection(session, key)
	if err := e.Campaign(ctx, "harbour"); err != nil { // want: renewal
		return err
	}
	defer func() { err = errors.Join(err, e.Resign(context.WithoutCancel(ctx))) }()
	return work(e.Rev())
}

// Assign compares with a number that Vacate puts back.
func (h *Harbour) Assign(ctx context.Context, berth, ship string) error {
	return h.hold(ctx, "/berths/"+berth, func(term int64) error { // verdict: unfenced
		tag, err := h.pool.Exec(ctx, "UPDATE berths SET ship = $2, term = $3 WHERE name = $1 AND term < $3", berth, ship, term) // want: weakcondition
		if err == nil && tag.RowsAffected() == 0 {
			err = errLate
		}
		return err
	})
}

// Vacate makes a berth as good as new.
func (h *Harbour) Vacate(ctx context.Context, berth string) error {
	_, err := h.pool.Exec(ctx, "UPDATE berths SET ship = NULL, term = 0 WHERE name = $1", berth) // note: bypass // linked
	return err
}

// Measure compares with a number that nothing puts back: Calibrate changes another column.
func (h *Harbour) Measure(ctx context.Context, gauge string, level float64) error {
	return h.hold(ctx, "/gauges/"+gauge, func(term int64) error { // verdict: fenced
		tag, err := h.pool.Exec(ctx, "UPDATE gauges SET level = $2, term = $3 WHERE name = $1 AND term < $3", gauge, level, term)
		if err == nil && tag.RowsAffected() == 0 {
			err = errLate
		}
		return err
	})
}

// Calibrate sets what a gauge starts from.
func (h *Harbour) Calibrate(ctx context.Context, gauge string) error {
	_, err := h.pool.Exec(ctx, "UPDATE gauges SET base = 0 WHERE name = $1", gauge)
	return err
}

// Book makes the row anew that Cancel takes away.
func (h *Harbour) Book(ctx context.Context, pilot, ship string) error {
	const book = `INSERT INTO pilots (name, ship, term) VALUES ($1, $2, $3)
		ON CONFLICT (name) DO UPDATE SET ship = excluded.ship, term = excluded.term WHERE pilots.term < excluded.term`
	return h.hold(ctx, "/pilots/"+pilot, func(term int64) error { // verdict: unverified
		return once(h.db.ExecContext(ctx, book, pilot, ship, term))
	})
}

// Cancel removes a booking.
func (h *Harbour) Cancel(ctx context.Context, pilot string) error {
	_, err := h.db.ExecContext(ctx, "DELETE FROM pilots WHERE name = $1", pilot)
	return err
}

// Forecast makes rows of which only old ones are taken away.
func (h *Harbour) Forecast(ctx context.Context, day, tide string) error {
	const forecast = `INSERT INTO tides (day, tide, term) VALUES ($1, $2, $3)
		ON CONFLICT (day) DO UPDATE SET tide = excluded.tide, term = excluded.term WHERE tides.term < excluded.term`
	return h.hold(ctx, "/tides/"+day, func(term int64) error { // verdict: fenced
		return once(h.db.ExecContext(ctx, forecast, day, tide, term))
	})
}

// Sweep forgets tides that are long over.
func (h *Harbour) Sweep(ctx context.Context) error {
	_, err := h.db.ExecContext(ctx, "DELETE FROM tides WHERE made_at < now() - interval '90 days'")
	return err
}

func once(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err == nil && n == 0 {
		err = errLate
	}
	return err
}

var store = redis.NewScript(2, `
local last = tonumber(redis.call("GET", KEYS[2]) or "0")
if tonumber(ARGV[2]) <= last then
	return 0
end
redis.call("SET", KEYS[2], ARGV[2])
redis.call("SET", KEYS[1], ARGV[1])
return 1`)

// Light stores a state beside the last number, which Dim deletes.
func (h *Harbour) Light(ctx context.Context, conn redis.Conn, beacon, state string) error {
	return h.hold(ctx, "/beacons/"+beacon, func(term int64) error { // verdict: unverified
		return kept(redis.Int(store.Do(conn, "beacon:"+beacon, "beacon:last:"+beacon, state, term)))
	})
}

// Dim forgets a beacon.
func (h *Harbour) Dim(conn redis.Conn, beacon string) error {
	_, err := conn.Do("DEL", "beacon:last:"+beacon)
	return err
}

// Signal stores a state beside a number that nothing deletes: Lower deletes the state.
func (h *Harbour) Signal(ctx context.Context, conn redis.Conn, mast, state string) error {
	return h.hold(ctx, "/masts/"+mast, func(term int64) error { // verdict: fenced
		return kept(redis.Int(store.Do(conn, "mast:"+mast, "mast:last:"+mast, state, term)))
	})
}

// Lower forgets a signal.
func (h *Harbour) Lower(conn redis.Conn, mast string) error {
	_, err := conn.Do("DEL", "mast:"+mast)
	return err
}

func kept(n int, err error) error {
	if err == nil && n == 0 {
		err = errLate
	}
	return err
}

// Buoy keeps the last number with the state, and Drift gives both an end.
func (h *Harbour) Buoy(ctx context.Context, conn redis.Conn, buoy, state string) error {
	return h.hold(ctx, "/buoys/"+buoy, func(term int64) error { // verdict: unverified
		return kept(redis.Int(store.Do(conn, "buoy:"+buoy, "buoy:last:"+buoy, state, term)))
	})
}

// Drift lets a buoy go in a while.
func (h *Harbour) Drift(conn redis.Conn, buoy string) error {
	_, err := conn.Do("EXPIRE", "buoy:last:"+buoy, 3600)
	return err
}

var mark = redis.NewScript(1, `
local last = tonumber(redis.call("HGET", KEYS[1], "term") or "0")
if tonumber(ARGV[2]) <= last then
	return 0
end
redis.call("HSET", KEYS[1], "depth", ARGV[1], "term", ARGV[2])
return 1`)

// Sound keeps the number in a hash, where Dredge sets it back.
func (h *Harbour) Sound(ctx context.Context, conn redis.Conn, place string, depth int) error {
	return h.hold(ctx, "/places/"+place, func(term int64) error { // verdict: unverified
		return kept(redis.Int(mark.Do(conn, "place:"+place, depth, term)))
	})
}

// Dredge makes all depths unknown.
func (h *Harbour) Dredge(conn redis.Conn, place string) error {
	_, err := conn.Do("HSET", "place:"+place, "term", 0)
	return err
}

// Chart keeps the number in a hash, of which Draw sets other members.
func (h *Harbour) Chart(ctx context.Context, conn redis.Conn, reef string, depth int) error {
	return h.hold(ctx, "/reefs/"+reef, func(term int64) error { // verdict: fenced
		return kept(redis.Int(mark.Do(conn, "reef:"+reef, depth, term)))
	})
}

// Draw counts how often a reef was drawn.
func (h *Harbour) Draw(conn redis.Conn, reef string) error {
	_, err := conn.Do("HSET", "reef:"+reef, "drawn", 0)
	return err
}

// Report tells an office by a request of which nothing is read.
func (h *Harbour) Report(ctx context.Context, client *http.Client, gauge string, level float64) error {
	return h.hold(ctx, "/gauges/"+gauge, func(term int64) error { // verdict: unverified
		tag, err := h.pool.Exec(ctx, "UPDATE gauges SET level = $2, term = $3 WHERE name = $1 AND term < $3", gauge, level, term)
		if err == nil && tag.RowsAffected() == 0 {
			err = errLate
		}
		if err != nil {
			return err
		}
		resp, err := client.Get("https://office.example.org/measured?gauge=" + gauge)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	})
}

// Ask reads what the office says of a gauge.
func (h *Harbour) Ask(ctx context.Context, client *http.Client, gauge string) error {
	return h.hold(ctx, "/gauges/"+gauge, func(term int64) error { // verdict: fenced
		resp, err := client.Get("https://office.example.org/gauges?gauge=" + gauge)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		said, err := io.ReadAll(resp.Body)
		if err != nil {
			return err
		}
		tag, err := h.pool.Exec(ctx, "UPDATE gauges SET said = $2, term = $3 WHERE name = $1 AND term < $3", gauge, said, term)
		if err == nil && tag.RowsAffected() == 0 {
			err = errLate
		}
		return err
	})
}
