package unnamed

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// A Mutex is a document that is taken once its time is over; what collection it is in, its
// maker knows.
type Mutex struct {
	docs *mongo.Collection
	id   string
	term int64
}

type mutexDoc struct {
	Term int64 `bson:"term"`
}

// TryLock takes it by the clock of this host.
func (m *Mutex) TryLock(ctx context.Context) error {
	var doc mutexDoc
	now := time.Now()
	err := m.docs.FindOneAndUpdate(ctx,
		bson.D{{Key: "_id", Value: m.id}, {Key: "over", Value: bson.D{{Key: "$lte", Value: now}}}}, // want: wallclock
		bson.D{{Key: "$set", Value: bson.D{{Key: "over", Value: now.Add(time.Minute)}}}, {Key: "$inc", Value: bson.D{{Key: "term", Value: 1}}}},
		options.FindOneAndUpdate().SetReturnDocument(options.After)).Decode(&doc)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return ErrHot
	}
	m.term = doc.Term
	return err
}

// Unlock ends its time, if the term is this holder's.
func (m *Mutex) Unlock(ctx context.Context) error {
	res, err := m.docs.UpdateOne(ctx, bson.M{"_id": m.id, "term": m.term}, bson.M{"$set": bson.M{"over": time.Unix(0, 0)}})
	if err != nil {
		return err
	}
	if res.MatchedCount == 0 {
		return ErrCold
	}
	return nil
}

// Glaze burns under the lock.
func Glaze(ctx context.Context, m *Mutex, p Potter) (err error) {
	if err := m.TryLock(ctx); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, m.Unlock(context.WithoutCancel(ctx))) }()
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	return p.Burn(ctx, m.id)
}

// A Dryer belongs to whichever pod is in it, and has been seen there.
type Dryer struct {
	racks *mongo.Collection
	pod   string
}

func (d *Dryer) enter(ctx context.Context, rack string) error {
	now := time.Now()
	_, err := d.racks.UpdateOne(ctx,
		bson.M{"_id": rack, "$or": bson.A{bson.M{"pod": nil}, bson.M{"warm": bson.M{"$lt": now.Add(-time.Minute)}}}}, // want: wallclock
		bson.M{"$set": bson.M{"pod": d.pod, "warm": now}}, options.UpdateOne().SetUpsert(true))
	if mongo.IsDuplicateKeyError(err) {
		return ErrHot
	}
	return err
}

// Warm keeps it. Whoever dries for longer calls it in between.
func (d *Dryer) Warm(ctx context.Context, rack string) error {
	res, err := d.racks.UpdateOne(ctx, bson.M{"_id": rack, "pod": d.pod}, bson.M{"$set": bson.M{"warm": time.Now()}})
	if err != nil {
		return err
	}
	if res.MatchedCount == 0 {
		return ErrCold
	}
	return nil
}

func (d *Dryer) leave(ctx context.Context, rack string) error {
	_, err := d.racks.UpdateOne(ctx, bson.M{"_id": rack}, bson.M{"$unset": bson.M{"pod": ""}}) // want: release
	return err
}

// Dry burns what is on a rack.
func (d *Dryer) Dry(ctx context.Context, rack string, p Potter) error {
	if err := d.enter(ctx, rack); err != nil { // verdict: unverified
		return err
	}
	defer d.leave(context.WithoutCancel(ctx), rack)
	return p.Burn(ctx, rack)
}
