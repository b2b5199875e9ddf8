package bad

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

var errFerry = errors.New("ferry is taken")

// Board takes over a ferry whose time is over by the clock of this host.
func Board(ctx context.Context, ferries *mongo.Collection, ferry, captain string) error {
	over := bson.D{{Key: "_id", Value: ferry}, {Key: "until", Value: bson.D{{Key: "$lt", Value: time.Now()}}}} // want: wallclock
	err := ferries.FindOneAndUpdate(ctx, over,
		bson.D{{Key: "$set", Value: bson.D{{Key: "captain", Value: captain}, {Key: "owner", Value: captain}, {Key: "until", Value: time.Now().Add(time.Minute)}}}},
		options.FindOneAndUpdate().SetUpsert(true)).Err()
	if mongo.IsDuplicateKeyError(err) {
		return errFerry
	}
	return err
}
