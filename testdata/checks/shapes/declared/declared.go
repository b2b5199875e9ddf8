// Package declared says of its tables what they hold, and locks rows of some of them.
package declared

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/hashicorp/consul/api"
)

const tables = `
CREATE TABLE recipes (name varchar(40) PRIMARY KEY, steps text NOT NULL, idx varchar(20) NOT NULL DEFAULT '0');
CREATE TABLE menus (name varchar(40) PRIMARY KEY, dishes text NOT NULL, idx bigint NOT NULL DEFAULT 0);
CREATE TABLE spices (name varchar(40) PRIMARY KEY, grams int, idx character varying(20) NOT NULL DEFAULT '');
CREATE TABLE orders (id bigserial PRIMARY KEY, guest text NOT NULL, dish text NOT NULL);
CREATE TABLE seats (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, guest text NOT NULL, chair int NOT NULL UNIQUE);
CREATE TABLE tables (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), guest text NOT NULL, number int NOT NULL);
CREATE UNIQUE INDEX one_guest ON tables (number);
`

var errTaken = errors.New("somebody else has it")

// A Kitchen makes its tables itself.
type Kitchen struct {
	db     *sql.DB
	consul *api.Client
	rs     *redsync.Redsync
	locks  *redislock.Client
}

// Open makes what is not there.
func (k *Kitchen) Open(ctx context.Context) error {
	_, err := k.db.ExecContext(ctx, tables)
	return err
}

// index runs work with the index of the lock.
func (k *Kitchen) index(name string, work func(index uint64) error) (err error) {
	l, err := k.consul.LockKey("kitchen/" + name)
	if err != nil {
		return err
	}
	if _, err := l.Lock(nil); err != nil { // want: renewal
		return err
	}
	defer func() { err = errors.Join(err, l.Unlock()) }()
	pair, _, err := k.consul.KV().Get("kitchen/"+name, nil)
	if err != nil {
		return err
	}
	return work(pair.LockIndex)
}

// Recipe compares numbers that the table keeps as texts.
func (k *Kitchen) Recipe(ctx context.Context, name, steps string) error {
	return k.index(name, func(index uint64) error { // verdict: unfenced // want: tokenreset
		n := strconv.FormatUint(index, 10)
		return one(k.db.ExecContext(ctx, "UPDATE recipes SET steps = $2, idx = $3 WHERE name = $1 AND idx < $3", name, steps, n)) // want: weakcondition
	})
}

// Menu compares numbers.
func (k *Kitchen) Menu(ctx context.Context, name, dishes string) error {
	return k.index(name, func(index uint64) error { // verdict: fenced // want: tokenreset
		n := strconv.FormatUint(index, 10)
		return one(k.db.ExecContext(ctx, "UPDATE menus SET dishes = $2, idx = $3 WHERE name = $1 AND idx < $3", name, dishes, n))
	})
}

// Recipes compares texts of a fixed width.
func (k *Kitchen) Recipes(ctx context.Context, name, steps string) error {
	return k.index(name, func(index uint64) error { // verdict: fenced // want: tokenreset
		n := fmt.Sprintf("%020d", index)
		return one(k.db.ExecContext(ctx, "UPDATE recipes SET steps = $2, idx = $3 WHERE name = $1 AND idx < $3", name, steps, n))
	})
}

// Spice hands over a number for a text, and the database decides how the two are compared.
func (k *Kitchen) Spice(ctx context.Context, name string, grams int) error {
	return k.index(name, func(index uint64) error { // verdict: unverified // want: tokenreset
		return one(k.db.ExecContext(ctx, "UPDATE spices SET grams = ?, idx = ? WHERE name = ? AND idx < ?", grams, index, name, index))
	})
}

// Order makes a row whose only key is made by the database.
func (k *Kitchen) Order(ctx context.Context, guest, dish string) (err error) {
	l := k.rs.NewMutex("order:" + guest)
	if err := l.LockContext(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { _, e := l.UnlockContext(context.WithoutCancel(ctx)); err = errors.Join(err, e) }()
	_, err = k.db.ExecContext(ctx, "INSERT INTO orders (guest, dish) VALUES ($1, $2) ON CONFLICT DO NOTHING", guest, dish) // want: weakcondition
	return err
}

// Seat makes a row with a key of its own.
func (k *Kitchen) Seat(ctx context.Context, guest string, chair int) (err error) {
	l := k.rs.NewMutex("seat:" + strconv.Itoa(chair))
	if err := l.LockContext(ctx); err != nil { // verdict: fenced // want: redundantlock
		return err
	}
	defer func() { _, e := l.UnlockContext(context.WithoutCancel(ctx)); err = errors.Join(err, e) }()
	_, err = k.db.ExecContext(ctx, "INSERT INTO seats (guest, chair) VALUES ($1, $2) ON CONFLICT DO NOTHING", guest, chair)
	return err
}

// Table makes a row of which an index says that it is the only one.
func (k *Kitchen) Table(ctx context.Context, guest string, number int) (err error) {
	l := k.rs.NewMutex("table:" + strconv.Itoa(number))
	if err := l.LockContext(ctx); err != nil { // verdict: fenced // want: redundantlock
		return err
	}
	defer func() { _, e := l.UnlockContext(context.WithoutCancel(ctx)); err = errors.Join(err, e) }()
	_, err = k.db.ExecContext(ctx, "INSERT INTO tables (guest, number) VALUES ($1, $2) ON CONFLICT DO NOTHING", guest, number)
	return err
}

// Tip locks the row of the waiter, and writes the one of the till.
func (k *Kitchen) Tip(ctx context.Context, waiter, till string, cents int64) error {
	return k.index(till, func(uint64) error { // verdict: unfenced
		return k.tx(ctx, func(tx *sql.Tx) error {
			var have int64
			const read = "SELECT t.cents FROM tills t JOIN waiters w ON w.till = t.name WHERE t.name = $1 AND w.name = $2 FOR UPDATE OF w"
			if err := tx.QueryRowContext(ctx, read, till, waiter).Scan(&have); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, "UPDATE tills SET cents = $2 WHERE name = $1", till, have+cents) // want: unfenced
			return err
		})
	})
}

// Change locks the row that it writes.
func (k *Kitchen) Change(ctx context.Context, waiter, till string, cents int64) error {
	return k.index(till, func(uint64) error { // verdict: fenced
		return k.tx(ctx, func(tx *sql.Tx) error {
			var have int64
			const read = "SELECT t.cents FROM tills t JOIN waiters w ON w.till = t.name WHERE t.name = $1 AND w.name = $2 FOR UPDATE OF t NOWAIT"
			if err := tx.QueryRowContext(ctx, read, till, waiter).Scan(&have); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, "UPDATE tills SET cents = $2 WHERE name = $1", till, have+cents)
			return err
		})
	})
}

func (k *Kitchen) tx(ctx context.Context, work func(*sql.Tx) error) error {
	tx, err := k.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := work(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Stock works out under a lock that others share what is left.
func (k *Kitchen) Stock(ctx context.Context, ware string, used int64) error {
	return k.tx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock_shared(hashtext($1))", ware); err != nil { // verdict: unfenced
			return err
		}
		var left int64
		if err := tx.QueryRowContext(ctx, "SELECT left_over FROM wares WHERE name = $1", ware).Scan(&left); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE wares SET left_over = $2 WHERE name = $1", ware, left-used) // want: weakcondition
		return err
	})
}

// Restock has the lock for itself.
func (k *Kitchen) Restock(ctx context.Context, ware string, more int64) error {
	return k.tx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(hashtext($1))", ware); err != nil { // verdict: fenced
			return err
		}
		var left int64
		if err := tx.QueryRowContext(ctx, "SELECT left_over FROM wares WHERE name = $1", ware).Scan(&left); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE wares SET left_over = $2 WHERE name = $1", ware, left+more)
		return err
	})
}

// Bill names its file after the moment.
func (k *Kitchen) Bill(ctx context.Context, dir string, text []byte) (err error) {
	l, err := k.locks.Obtain(ctx, "bill", 20*time.Second, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Release(context.WithoutCancel(ctx))) }()
	f, err := os.OpenFile(dir+"/bill-"+strconv.FormatInt(time.Now().UnixMilli(), 36), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// Closing names its file after the day, of which there is one.
func (k *Kitchen) Closing(ctx context.Context, dir string, text []byte) (err error) {
	l, err := k.locks.Obtain(ctx, "closing", 20*time.Second, nil) // verdict: fenced // want: redundantlock
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Release(context.WithoutCancel(ctx))) }()
	f, err := os.OpenFile(dir+"/closing-"+time.Now().Format("2006-01-02"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// Price goes by the day of the last change, which is the same for all changes of a day.
func (k *Kitchen) Price(ctx context.Context, dish string, more int64) (err error) {
	l, err := k.locks.Obtain(ctx, "price:"+dish, 20*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Release(context.WithoutCancel(ctx))) }()
	var cents int64
	var day time.Time
	if err := k.db.QueryRowContext(ctx, "SELECT cents, changed FROM prices WHERE dish = $1", dish).Scan(&cents, &day); err != nil {
		return err
	}
	return one(k.db.ExecContext(ctx, "UPDATE prices SET cents = $2, changed = CURRENT_DATE WHERE dish = $1 AND changed = $3", dish, cents+more, day)) // want: weakcondition
}

// Discount goes by the moment of the last change.
func (k *Kitchen) Discount(ctx context.Context, dish string, less int64) (err error) {
	l, err := k.locks.Obtain(ctx, "price:"+dish, 20*time.Second, nil) // verdict: fenced // want: redundantlock
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Release(context.WithoutCancel(ctx))) }()
	var cents int64
	var at time.Time
	if err := k.db.QueryRowContext(ctx, "SELECT cents, changed FROM discounts WHERE dish = $1", dish).Scan(&cents, &at); err != nil {
		return err
	}
	return one(k.db.ExecContext(ctx, "UPDATE discounts SET cents = $2, changed = clock_timestamp() WHERE dish = $1 AND changed = $3", dish, cents-less, at))
}

// Shift compares with the last number of its own host.
func (k *Kitchen) Shift(ctx context.Context, cook, plan string) error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	return k.index(cook, func(index uint64) error { // verdict: unfenced // want: tokenreset
		return k.tx(ctx, func(tx *sql.Tx) error {
			const mark = `INSERT INTO marks (host, idx) VALUES ($1, $2)
				ON CONFLICT (host) DO UPDATE SET idx = excluded.idx WHERE marks.idx < excluded.idx`
			if err := one(tx.ExecContext(ctx, mark, host, index)); err != nil { // want: weakcondition
				return err
			}
			_, err := tx.ExecContext(ctx, "UPDATE shifts SET plan = $2 WHERE cook = $1", cook, plan) // want: unfenced
			return err
		})
	})
}

// Holiday compares with the last number of the cook, and notes the host.
func (k *Kitchen) Holiday(ctx context.Context, cook, plan string) error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	return k.index(cook, func(index uint64) error { // verdict: fenced // want: tokenreset
		return k.tx(ctx, func(tx *sql.Tx) error {
			const mark = `INSERT INTO cooks (cook, idx, host) VALUES ($1, $2, $3)
				ON CONFLICT (cook) DO UPDATE SET idx = excluded.idx, host = excluded.host WHERE cooks.idx < excluded.idx`
			if err := one(tx.ExecContext(ctx, mark, cook, index, host)); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, "UPDATE holidays SET plan = $2 WHERE cook = $1", cook, plan)
			return err
		})
	})
}

func one(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err == nil && n == 0 {
		err = errTaken
	}
	return err
}
