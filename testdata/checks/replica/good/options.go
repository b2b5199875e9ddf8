package good

import (
	"context"
	"errors"

	"go.etcd.io/etcd/client/v3/concurrency"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
)

type yardOptions struct {
	name string
	from *readpref.ReadPref
}

// A YardOption sets one thing of a Yard.
type YardOption func(*yardOptions)

// Nearby has lists read wherever it is near.
func Nearby() YardOption { return func(o *yardOptions) { o.from = readpref.Nearest() } }

// A Yard counts containers. Only its lists are read from wherever the options say.
type Yard struct{ boxes, lists *mongo.Collection }

// NewYard puts its own options before those of its caller.
func NewYard(db *mongo.Database, opts ...YardOption) *Yard {
	o := yardOptions{name: "boxes", from: readpref.Primary()}
	for _, set := range append([]YardOption{Nearby()}, opts...) {
		set(&o)
	}
	return &Yard{
		boxes: db.Collection(o.name, options.Collection().SetReadPreference(readpref.Primary())),
		lists: db.Collection(o.name, options.Collection().SetReadPreference(o.from)),
	}
}

// Full lists, without a lock.
func (y *Yard) Full(ctx context.Context) (int64, error) {
	return y.lists.CountDocuments(ctx, bson.M{"count": bson.M{"$gt": 99}})
}

// Take reads from where it writes.
func (y *Yard) Take(ctx context.Context, sess *concurrency.Session, row string, n int64) error {
	mu := concurrency.NewMutex(sess, "/rows/"+row)
	if err := mu.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer mu.Unlock(context.WithoutCancel(ctx))
	turn := mu.Header().Revision
	var cur struct{ Count int64 }
	if err := y.boxes.FindOne(ctx, bson.M{"_id": row}).Decode(&cur); err != nil {
		return err
	}
	res, err := y.boxes.UpdateOne(ctx, bson.M{"_id": row, "turn": bson.M{"$lt": turn}}, bson.M{"$set": bson.M{"count": cur.Count - n, "turn": turn}})
	if err == nil && res.MatchedCount == 0 {
		err = errors.New("a later turn was here")
	}
	return err
}
