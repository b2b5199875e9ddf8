package bad

import (
	"context"
	"errors"

	"go.etcd.io/etcd/client/v3/concurrency"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
)

type depotOptions struct {
	name string
	from *readpref.ReadPref
}

// A DepotOption sets one thing of a Depot.
type DepotOption func(*depotOptions)

// Named sets the collection.
func Named(name string) DepotOption { return func(o *depotOptions) { o.name = name } }

// Nearby reads wherever it is near.
func Nearby() DepotOption { return func(o *depotOptions) { o.from = readpref.Nearest() } }

// A Depot counts pallets, and is told where to read by a list of options.
type Depot struct{ pallets *mongo.Collection }

// NewDepot puts its own options before those of its caller.
func NewDepot(db *mongo.Database, opts ...DepotOption) *Depot {
	o := depotOptions{name: "pallets", from: readpref.Primary()}
	for _, set := range append([]DepotOption{Nearby()}, opts...) {
		set(&o)
	}
	return &Depot{pallets: db.Collection(o.name, options.Collection().SetReadPreference(o.from))}
}

// Take reads a count that may be an old one.
func (d *Depot) Take(ctx context.Context, sess *concurrency.Session, hall string, n int64) error {
	mu := concurrency.NewMutex(sess, "/halls/"+hall)
	if err := mu.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer mu.Unlock(context.WithoutCancel(ctx))
	turn := mu.Header().Revision
	var cur struct{ Count int64 }
	if err := d.pallets.FindOne(ctx, bson.M{"_id": hall}).Decode(&cur); err != nil { // want: replica
		return err
	}
	res, err := d.pallets.UpdateOne(ctx, bson.M{"_id": hall, "turn": bson.M{"$lt": turn}}, bson.M{"$set": bson.M{"count": cur.Count - n, "turn": turn}})
	if err == nil && res.MatchedCount == 0 {
		err = errors.New("a later turn was here")
	}
	return err
}
