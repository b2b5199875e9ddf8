// Package documents takes leases that are documents of a MongoDB collection.
package documents

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/cenkalti/backoff/v4"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

var ErrLocked = errors.New("somebody else has it")

// A Store keeps its lock in a collection whose name is a setting. A unique index
// refuses a second document with the same key.
type Store struct {
	db  *mongo.Database
	cfg struct{ Locking struct{ Collection string } }
}

type lockDocument struct {
	Key     string    `bson:"key"`
	Process int       `bson:"process"`
	Since   time.Time `bson:"since"`
}

type byKey struct {
	Key string `bson:"key"`
}

const theKey = "migration"

// Lock tries for a minute. Why the last insert failed is lost.
func (s *Store) Lock() error {
	document := lockDocument{Key: theKey, Process: os.Getpid(), Since: time.Now()}
	insert := func() error {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_, err := s.db.Collection(s.cfg.Locking.Collection).InsertOne(ctx, document) // want: acquire
		return err
	}
	if err := backoff.Retry(insert, backoff.WithMaxRetries(backoff.NewConstantBackOff(time.Second), 60)); err != nil {
		return ErrLocked
	}
	return nil
}

// Unlock deletes the document, whoever inserted it.
func (s *Store) Unlock() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_, err := s.db.Collection(s.cfg.Locking.Collection).DeleteMany(ctx, byKey{Key: theKey}) // note: release
	return err
}

// Migrate renames a field under the lock.
func (s *Store) Migrate(ctx context.Context) error {
	if err := s.Lock(); err != nil { // verdict: unfenced
		return err
	}
	defer s.Unlock()
	_, err := s.db.Collection("people").UpdateMany(ctx, bson.M{}, bson.M{"$rename": bson.M{"mail": "email"}}) // want: unfenced
	return err
}

// Tick runs a job on whichever machine inserts the document first. It knows the
// error of a document that is there already.
func Tick(ctx context.Context, db *mongo.Database, host string) error {
	_, err := db.Collection("job_locks").InsertOne(ctx, bson.M{"_id": "tick", "owner": host}) // want: acquire // verdict: unfenced
	if mongo.IsDuplicateKeyError(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer db.Collection("job_locks").DeleteOne(context.WithoutCancel(ctx), bson.M{"_id": "tick", "owner": host})
	_, err = db.Collection("ticks").UpdateOne(ctx, bson.M{"_id": "tick"}, bson.M{"$inc": bson.M{"count": 1}}) // note: unfenced
	return err
}

// Balance takes a document that is absent, over, or its own already. An upsert that
// finds it taken is refused by the unique id.
func Balance(ctx context.Context, leases, accounts *mongo.Collection, me string) error {
	now := time.Now()
	_, err := leases.UpdateOne(ctx, // verdict: unfenced
		bson.M{"_id": "balance", "$or": bson.A{bson.M{"expires_at": bson.M{"$lt": now}}, bson.M{"holder": me}}}, // want: wallclock
		bson.M{"$set": bson.M{"holder": me, "expires_at": now.Add(time.Minute)}},
		options.UpdateOne().SetUpsert(true))
	if mongo.IsDuplicateKeyError(err) {
		return ErrLocked
	}
	if err != nil {
		return err
	}
	defer leases.DeleteOne(context.WithoutCancel(ctx), bson.M{"_id": "balance", "holder": me})
	_, err = accounts.UpdateOne(ctx, bson.M{"_id": "total"}, bson.M{"$set": bson.M{"balanced": true}}) // want: unfenced
	return err
}

// Compact is as Balance, with what it stores and asks for in types.
type lease struct {
	ID      string    `bson:"_id"`
	Holder  string    `bson:"holder"`
	Expires time.Time `bson:"expires"`
}

func Compact(ctx context.Context, leases, segments *mongo.Collection, me string) error {
	now := time.Now()
	filter := bson.D{{Key: "_id", Value: "compact"}, {Key: "expires", Value: bson.D{{Key: "$lte", Value: now}}}}      // want: wallclock
	err := leases.FindOneAndReplace(ctx, filter, lease{ID: "compact", Holder: me, Expires: now.Add(time.Hour)}).Err() // note: redundantlock // verdict: unfenced
	if errors.Is(err, mongo.ErrNoDocuments) {
		return ErrLocked
	}
	if err != nil {
		return err
	}
	_, err = segments.DeleteMany(ctx, bson.M{"old": true}) // note: unfenced
	return err
}
