package bad

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/bsm/redislock"
	"github.com/gomodule/redigo/redis"

	"example.org/locks/checks/owner/entry"
)

// Billing keeps the name of the machine since it was made.
type Billing struct {
	locker *redislock.Client
	owner  string
}

func NewBilling(locker *redislock.Client) (*Billing, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	return &Billing{locker: locker, owner: "billing@" + host}, nil
}

func (b *Billing) Bill(ctx context.Context, work func(context.Context) error) error {
	l, err := b.locker.Obtain(ctx, "bill", time.Minute, &redislock.Options{Token: b.owner}) // want: owner
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	return work(ctx)
}

// Environment takes the name that the machine was given.
func Environment(ctx context.Context, locker *redislock.Client, work func(context.Context) error) error {
	o := &redislock.Options{Token: fmt.Sprintf("%s/%d", os.Getenv("NODE_NAME"), os.Getpid())}
	l, err := locker.Obtain(ctx, "environment", time.Minute, o) // want: owner
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	return work(ctx)
}

var machine string

func init() {
	if machine, _ = os.Hostname(); machine == "" {
		machine = "unknown"
	}
}

// Variable takes the name from a variable of the package.
func Variable(ctx context.Context, locker *redislock.Client, work func(context.Context) error) error {
	return obtain(ctx, locker, machine, work) // want: owner
}

func obtain(ctx context.Context, locker *redislock.Client, who string, work func(context.Context) error) error {
	l, err := locker.Obtain(ctx, "variable", time.Minute, &redislock.Options{Token: who})
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	return work(ctx)
}

// prefixed makes the owner of what it is given.
func prefixed(ctx context.Context, locker *redislock.Client, who string, work func(context.Context) error) error {
	l, err := locker.Obtain(ctx, "prefixed", time.Minute, &redislock.Options{Token: "worker@" + who}) // want: owner
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	return work(ctx)
}

// Prefixed gives it the same each time.
func Prefixed(ctx context.Context, locker *redislock.Client, work func(context.Context) error) error {
	return prefixed(ctx, locker, machine, work)
}

// Entered says who it is to a package that takes the lock.
func Entered(ctx context.Context, c redis.Conn, work func(context.Context) error) error {
	if err := entry.Lock(c, "entered", machine); err != nil { // want: owner
		return err
	}
	defer entry.Unlock(c, "entered", machine)
	return work(ctx)
}

// terms is how a ledger locks.
type terms struct {
	lock redislock.Options
	life time.Duration
}

// Ledger keeps its terms since it was opened, and copies them for each page.
type Ledger struct {
	locker *redislock.Client
	terms  terms
	late   *redislock.Options
}

// Desk is a way to open a ledger.
type Desk func(*Ledger)

// At names the desk.
func At(desk string) Desk { return func(l *Ledger) { l.terms.lock.Token = desk } }

// OpenLedger is done once.
func OpenLedger(locker *redislock.Client, ways ...Desk) *Ledger {
	l := &Ledger{locker: locker, terms: terms{life: time.Minute}, late: &redislock.Options{Token: "late@" + os.Getenv("HOSTNAME"), Metadata: "late"}}
	for _, way := range ways {
		way(l)
	}
	return l
}

// OpenHere is the ledger of this machine.
func OpenHere(locker *redislock.Client) (*Ledger, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	return OpenLedger(locker, At(host)), nil
}

// Enter writes a page in the terms of the ledger.
func (l *Ledger) Enter(ctx context.Context, page string, write func(context.Context) error) error {
	how := l.terms.lock
	held, err := l.locker.Obtain(ctx, "page:"+page, l.terms.life, &how) // want: owner
	if err != nil {
		return err
	}
	defer held.Release(context.WithoutCancel(ctx))
	return write(ctx)
}

// Amend does so later.
func (l *Ledger) Amend(ctx context.Context, page string, write func(context.Context) error) error {
	held, err := l.locker.Obtain(ctx, "page:"+page, l.terms.life, l.late) // want: owner
	if err != nil {
		return err
	}
	defer held.Release(context.WithoutCancel(ctx))
	return write(ctx)
}
