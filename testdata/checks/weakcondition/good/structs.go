package good

import (
	"context"
	"errors"

	"go.etcd.io/etcd/client/v3/concurrency"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

type vat struct {
	ID        string `db:"id" bson:"vat"`
	Litres    int    `db:"litres" bson:"litres"`
	LastToken int64  `db:"last_token" bson:"last_token"`
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
