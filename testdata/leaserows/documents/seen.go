package documents

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// A Shift belongs to the nurse who was seen last on the ward, until that is too long ago.
type Shift struct {
	db          *mongo.Database
	ward, nurse string
	patience    time.Duration
}

func (s *Shift) acquireLease(ctx context.Context) (bool, error) {
	now := time.Now()
	res, err := s.db.Collection("ward_lease").UpdateOne(ctx,
		bson.M{"ward": s.ward, "seenAt": bson.M{"$lt": now.Add(-s.patience)}}, // want: wallclock
		bson.M{"$set": bson.M{"holder": s.nurse, "seenAt": now}},
		options.UpdateOne().SetUpsert(true))
	if mongo.IsDuplicateKeyError(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return res.ModifiedCount > 0 || res.UpsertedCount > 0, nil
}

func (s *Shift) seen(ctx context.Context) (bool, error) {
	res := s.db.Collection("ward_lease").FindOneAndUpdate(ctx, bson.M{"ward": s.ward, "holder": s.nurse}, bson.M{"$set": bson.M{"seenAt": time.Now()}})
	if errors.Is(res.Err(), mongo.ErrNoDocuments) {
		return false, nil
	}
	return res.Err() == nil, res.Err()
}

func (s *Shift) end(ctx context.Context) error {
	_, err := s.db.Collection("ward_lease").DeleteOne(ctx, bson.M{"ward": s.ward, "holder": s.nurse})
	return err
}

// Nurse gives what is due until nobody sees it any more.
func (s *Shift) Nurse(ctx context.Context, due <-chan string) (err error) {
	if ok, err := s.acquireLease(ctx); err != nil || !ok { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, s.end(context.WithoutCancel(ctx))) }()
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			if on, err := s.seen(ctx); err != nil || !on {
				return err
			}
		case patient := <-due:
			if _, err := s.db.Collection("doses").UpdateOne(ctx, bson.M{"patient": patient}, bson.M{"$set": bson.M{"given": true}}); err != nil { // want: unfenced
				return err
			}
		}
	}
}
