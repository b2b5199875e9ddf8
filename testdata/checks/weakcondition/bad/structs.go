package bad

import (
	"context"
	"errors"

	"github.com/jmoiron/sqlx"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

type tank struct {
	ID     string `db:"id" bson:"tank"`
	Litres int    `db:"litres" bson:"litres"`
	Epoch  int64  `db:"epoch" bson:"epoch"`
}

// Drain binds a struct that was read, with the token put in, and lets older ones through.
func Drain(ctx context.Context, session *concurrency.Session, db *sqlx.DB, id string, by int) error {
	return withToken(ctx, session, "/tanks/drain", func(token int64) error { // verdict: unfenced
		var t tank
		if err := db.GetContext(ctx, &t, "SELECT id, litres, epoch FROM tank WHERE id = $1", id); err != nil {
			return err
		}
		t.Litres -= by
		t.Epoch = token
		const set = "UPDATE tank SET litres = :litres, epoch = :epoch WHERE id = :id AND epoch > :epoch"
		return one(db.NamedExecContext(ctx, set, t)) // want: weakcondition
	})
}

// Draw does as Drain, the right way round.
func Draw(ctx context.Context, session *concurrency.Session, db *sqlx.DB, id string, by int) error {
	return withToken(ctx, session, "/tanks/draw", func(token int64) error { // verdict: fenced
		var v tank
		if err := db.GetContext(ctx, &v, "SELECT id, litres, epoch FROM tank WHERE id = $1", id); err != nil {
			return err
		}
		v.Litres -= by
		v.Epoch = token
		const set = "UPDATE tank SET litres = :litres, epoch = :epoch WHERE id = :id AND epoch < :epoch"
		return one(db.NamedExecContext(ctx, set, v))
	})
}

func findTank(ctx context.Context, tanks *mongo.Collection, id string) (tank, error) {
	t := tank{ID: id}
	err := tanks.FindOne(ctx, bson.M{"tank": id}).Decode(&t)
	if errors.Is(err, mongo.ErrNoDocuments) {
		err = nil
	}
	return t, err
}

// Fill stores the token in a new document only.
func Fill(ctx context.Context, session *concurrency.Session, tanks *mongo.Collection, id string, litres int) error {
	return withToken(ctx, session, "/tanks/fill", func(token int64) error { // verdict: unfenced
		filter := bson.M{"_id": id, "epoch": bson.M{"$lt": token}}
		set := bson.M{"$set": bson.M{"litres": litres}, "$setOnInsert": bson.M{"epoch": token}}
		res, err := tanks.UpdateOne(ctx, filter, set) // want: weakcondition
		if err == nil && res.MatchedCount == 0 {
			err = errStale
		}
		return err
	})
}

// Top makes another document of a tank that was filled since, unless an index refuses that.
func Top(ctx context.Context, session *concurrency.Session, tanks *mongo.Collection, id string, litres int) error {
	return withToken(ctx, session, "/tanks/top", func(token int64) error { // verdict: unverified
		t, err := findTank(ctx, tanks, id)
		if err != nil {
			return err
		}
		t.Litres += litres
		t.Epoch = token
		filter := bson.D{{Key: "tank", Value: id}, {Key: "epoch", Value: bson.D{{Key: "$lt", Value: t.Epoch}}}}
		res, err := tanks.UpdateOne(ctx, filter, bson.D{{Key: "$set", Value: t}}, options.UpdateOne().SetUpsert(true))
		if err == nil && res.MatchedCount+res.UpsertedCount == 0 {
			err = errStale
		}
		return err
	})
}
