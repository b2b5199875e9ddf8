package bad

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// Berth is a row that one ship has at a time.
type Berth struct {
	db         *sql.DB
	quay, ship string
}

func Moor(ctx context.Context, db *sql.DB, quay string) (*Berth, error) {
	b := &Berth{db: db, quay: quay, ship: rand.Text()}
	res, err := db.ExecContext(ctx, `INSERT INTO berths (quay, owner, until) VALUES ($1, $2, now() + interval '1 minute')
		ON CONFLICT (quay) DO UPDATE SET owner = excluded.owner, until = excluded.until WHERE berths.until < now()`, b.quay, b.ship)
	if err != nil {
		return nil, err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return nil, errors.Join(err, errBusy)
	}
	return b, nil
}

// Stay keeps whichever ship is there.
func (b *Berth) Stay(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(20 * time.Second):
		}
		if _, err := b.db.ExecContext(ctx, "UPDATE berths SET until = now() + interval '1 minute' WHERE quay = $1 AND until > now()", b.quay); err != nil { // want: renewal
			return err
		}
	}
}

func (b *Berth) Leave(ctx context.Context) error {
	_, err := b.db.ExecContext(ctx, "DELETE FROM berths WHERE quay = $1 AND owner = $2", b.quay, b.ship)
	return err
}

// Unload works while the ship stays.
func Unload(ctx context.Context, db *sql.DB, quay string, crate func(context.Context) error) error {
	b, err := Moor(ctx, db, quay) // verdict: unverified
	if err != nil {
		return err
	}
	defer b.Leave(context.WithoutCancel(ctx))
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go func() { lost(b.Stay(held)) }()
	return crate(held)
}

// Desk is a document.
type Desk struct {
	desks *mongo.Collection
	me    string
}

func (d *Desk) take(ctx context.Context, room string) error {
	res, err := d.desks.UpdateOne(ctx,
		bson.M{"room": room, "expires_at": bson.M{"$lt": time.Now()}}, // want: wallclock
		bson.M{"$set": bson.M{"owner": d.me, "expires_at": time.Now().Add(time.Minute)}})
	if err != nil {
		return err
	}
	if res.ModifiedCount == 0 {
		return errBusy
	}
	return nil
}

// renew asks for the room alone.
func (d *Desk) renew(ctx context.Context, room string) error {
	_, err := d.desks.UpdateOne(ctx, bson.M{"room": room}, bson.M{"$set": bson.M{"expires_at": time.Now().Add(time.Minute)}}) // want: renewal
	return err
}

func (d *Desk) leave(ctx context.Context, room string) error {
	_, err := d.desks.UpdateOne(ctx, bson.M{"room": room, "owner": d.me}, bson.M{"$set": bson.M{"owner": nil, "expires_at": nil}})
	return err
}

// Sit works at a desk.
func (d *Desk) Sit(ctx context.Context, room string, work func(context.Context) error) error {
	if err := d.take(ctx, room); err != nil { // verdict: unverified
		return err
	}
	defer d.leave(context.WithoutCancel(ctx), room)
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go func() {
		for held.Err() == nil {
			time.Sleep(15 * time.Second)
			if err := d.renew(held, room); err != nil {
				lost(err)
			}
		}
	}()
	return work(held)
}

// hold renews its own berth only, and says whether it could.
func (b *Berth) hold(ctx context.Context) error {
	res, err := b.db.ExecContext(ctx, "UPDATE berths SET until = now() + interval '1 minute' WHERE quay = $1 AND owner = $2", b.quay, b.ship)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errBusy)
	}
	return nil
}

// Load does not listen.
func Load(ctx context.Context, db *sql.DB, quay string, crate func(context.Context) error) error {
	b, err := Moor(ctx, db, quay) // verdict: unverified
	if err != nil {
		return err
	}
	defer b.Leave(context.WithoutCancel(ctx))
	held, end := context.WithCancel(ctx)
	defer end()
	go func() {
		for held.Err() == nil {
			time.Sleep(15 * time.Second)
			_ = b.hold(held) // want: renewal
		}
	}()
	return crate(held)
}
