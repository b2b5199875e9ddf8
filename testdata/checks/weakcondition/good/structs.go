package good

import (
	"context"
	"errors"

	"github.com/jmoiron/sqlx"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

type vat struct {
	ID        string `db:"id" bson:"vat"`
	Litres    int    `db:"litres" bson:"litres"`
	LastToken int64  `db:"last_token" bson:"last_token"`
}

// Draw binds a struct that was read, with the token put in.
func Draw(ctx context.Context, session *concurrency.Session, db *sqlx.DB, id string, by int) error {
	return withToken(ctx, session, "/vats/draw", func(token int64) error { // verdict: fenced
		var v vat
		if err := db.GetContext(ctx, &v, "SELECT id, litres, last_token FROM vat WHERE id = $1", id); err != nil {
			return err
		}
		v.Litres -= by
		v.LastToken = token
		const set = "UPDATE vat SET litres = :litres, last_token = :last_token WHERE id = :id AND last_token < :last_token"
		return one(db.NamedExecContext(ctx, set, v))
	})
}

func findVat(ctx context.Context, vats *mongo.Collection, id string) (vat, error) {
	v := vat{ID: id}
	err := vats.FindOne(ctx, bson.M{"vat": id}).Decode(&v)
	if errors.Is(err, mongo.ErrNoDocuments) {
		err = nil
	}
	return v, err
}

// Pour sets all of a document that was read, with the token put in.
func Pour(ctx context.Context, session *concurrency.Session, vats *mongo.Collection, id string, litres int) error {
	return withToken(ctx, session, "/vats/pour", func(token int64) error { // verdict: fenced
		v, err := findVat(ctx, vats, id)
		if err != nil {
			return err
		}
		v.Litres += litres
		v.LastToken = token
		filter := bson.D{{Key: "vat", Value: id}, {Key: "last_token", Value: bson.D{{Key: "$lt", Value: v.LastToken}}}}
		res, err := vats.UpdateOne(ctx, filter, bson.D{{Key: "$set", Value: v}})
		if err == nil && res.MatchedCount == 0 {
			err = errStale
		}
		return err
	})
}
