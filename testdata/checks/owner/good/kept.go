package good

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"os"
	"time"

	"github.com/bsm/redislock"
	"github.com/gomodule/redigo/redis"

	"example.org/locks/checks/owner/entry"
)

// Billing is given a name, or makes one.
type Billing struct {
	locker *redislock.Client
	owner  string
}

func NewBilling(locker *redislock.Client, owner string) *Billing {
	return &Billing{locker: locker, owner: owner}
}

func (b *Billing) Bill(ctx context.Context, work func(context.Context) error) error {
	l, err := b.locker.Obtain(ctx, "bill", time.Minute, &redislock.Options{Token: b.owner})
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	return work(ctx)
}

// Turn is named for each turn, in a field that has the machine's name at first.
type Turn struct {
	locker *redislock.Client
	owner  string
}

func NewTurn(locker *redislock.Client) *Turn {
	host, _ := os.Hostname()
	return &Turn{locker: locker, owner: host}
}

func (t *Turn) Take(ctx context.Context, work func(context.Context) error) error {
	t.owner = t.owner + "/" + rand.Text()
	l, err := t.locker.Obtain(ctx, "turn", time.Minute, &redislock.Options{Token: t.owner})
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	return work(ctx)
}

// settings are read from a file.
type settings struct {
	owner string
}

func (s *settings) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &s.owner) }

func Configured(ctx context.Context, locker *redislock.Client, text []byte, work func(context.Context) error) error {
	s := &settings{owner: "default"}
	if err := json.Unmarshal(text, s); err != nil {
		return err
	}
	return s.run(ctx, locker, work)
}

func (s *settings) run(ctx context.Context, locker *redislock.Client, work func(context.Context) error) error {
	l, err := locker.Obtain(ctx, "configured", time.Minute, &redislock.Options{Token: s.owner})
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	return work(ctx)
}

// Entered is somebody else each time.
func Entered(ctx context.Context, c redis.Conn, work func(context.Context) error) error {
	return entry.With(ctx, c, "entered", rand.Text(), work)
}

// Duty is held by one machine, which takes it again before it ends.
type Duty struct {
	db   *sql.DB
	host string
}

func NewDuty(db *sql.DB) *Duty {
	host, _ := os.Hostname()
	return &Duty{db: db, host: host}
}

func (d *Duty) Try(ctx context.Context) (bool, error) {
	res, err := d.db.ExecContext(ctx, again, "duty", d.host)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

func (d *Duty) Stand(ctx context.Context, work func(context.Context) error) error {
	for ctx.Err() == nil {
		if on, err := d.Try(ctx); err == nil && on { // verdict: unverified
			if err := work(ctx); err != nil {
				return err
			}
		}
		time.Sleep(20 * time.Second)
	}
	return ctx.Err()
}

// Offer is for others to call, in a loop maybe.
func (d *Duty) Offer(ctx context.Context) (bool, error) { return d.Try(ctx) }

// Ledger keeps how it locks, and who it is only for others to read.
type Ledger struct {
	locker *redislock.Client
	how    redislock.Options
	signed redislock.Options
}

// OpenLedger does not name a token, which is drawn each time then.
func OpenLedger(locker *redislock.Client) (*Ledger, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	return &Ledger{locker: locker, how: redislock.Options{Metadata: host}, signed: redislock.Options{Token: host, Metadata: host}}, nil
}

// Enter writes a page.
func (l *Ledger) Enter(ctx context.Context, page string, write func(context.Context) error) error {
	how := l.how
	held, err := l.locker.Obtain(ctx, "page:"+page, time.Minute, &how)
	if err != nil {
		return err
	}
	defer held.Release(context.WithoutCancel(ctx))
	return write(ctx)
}

// Amend puts a token of its own in the place of the kept one.
func (l *Ledger) Amend(ctx context.Context, page, clerk string, write func(context.Context) error) error {
	how := l.signed
	how.Token = clerk + "/" + rand.Text()
	held, err := l.locker.Obtain(ctx, "page:"+page, time.Minute, &how)
	if err != nil {
		return err
	}
	defer held.Release(context.WithoutCancel(ctx))
	return write(ctx)
}
