package remote

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"math/big"
	"time"
)

// Charge takes the lock of an account and writes to it. The index that the service
// answers with grows with each grant, and goes nowhere.
func Charge(ctx context.Context, locks LockerClient, db *sql.DB, me, account string, cents int64) error {
	r := &Resource{Path: "account/" + account, Owner: me}
	if _, err := locks.Lock(ctx, &LockRequest{Resource: r, TtlInSeconds: 15}); err != nil { // verdict: unfenced
		return err
	}
	defer locks.Release(context.WithoutCancel(ctx), &ReleaseRequest{Resource: r})
	var sum int64
	if err := db.QueryRowContext(ctx, "SELECT cents FROM account WHERE id = $1", account).Scan(&sum); err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, "UPDATE account SET cents = $1 WHERE id = $2", sum-cents, account) // want: unfenced
	return err
}

// Lead holds a lock by taking it again and again. Whoever leaves the loop by a failure stops that, and the lease ends.
func Lead(ctx context.Context, locks LockerClient, me string, turns <-chan time.Time, stop <-chan struct{}) error {
	r := &Resource{Path: "leader", Owner: me}
	held := false
	if _, err := locks.Lock(ctx, &LockRequest{Resource: r, TtlInSeconds: 15}); err == nil { // verdict: no-visible-write
		held = true
	}
	for {
		select {
		case <-stop:
			_, err := locks.Release(context.WithoutCancel(ctx), &ReleaseRequest{Resource: r})
			return err
		case <-turns:
			turn, err := rand.Int(rand.Reader, big.NewInt(1<<62))
			if err != nil {
				return err
			}
			_, err = locks.Lock(ctx, &LockRequest{Resource: r, TtlInSeconds: 15}) // verdict: no-visible-write
			if err != nil && held {
				return fmt.Errorf("lock lost in turn %s: %w", turn, err)
			}
			held = err == nil
		}
	}
}

// Close locks the doors in the evening.
func Close(ctx context.Context, doors DoorsClient, db *sql.DB, names []string) error {
	for _, name := range names {
		if _, err := doors.Lock(ctx, &DoorRequest{Door: name, Duration: 36000}); err != nil {
			return err
		}
		if _, err := db.ExecContext(ctx, "INSERT INTO log (door) VALUES ($1)", name); err != nil {
			return err
		}
	}
	return nil
}

// Open unlocks one.
func Open(ctx context.Context, doors DoorsClient, name string) error {
	_, err := doors.Unlock(ctx, &DoorRequest{Door: name})
	return err
}

// Bar locks an account after a fraud.
func Bar(ctx context.Context, accounts AccountsClient, db *sql.DB, owner string) error {
	if _, err := accounts.Lock(ctx, &AccountRequest{Owner: owner, Reason: "fraud"}); err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, "UPDATE cards SET blocked = true WHERE owner = $1", owner)
	return err
}
