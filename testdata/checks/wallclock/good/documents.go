package good

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

var errFerry = errors.New("ferry is taken")

// Board asks the database for the time, both when it compares and when it stores.
func Board(ctx context.Context, ferries *mongo.Collection, ferry, captain string) error {
	over := bson.D{{Key: "_id", Value: ferry}, {Key: "$expr", Value: bson.D{{Key: "$lt", Value: bson.A{"$until", "$$NOW"}}}}}
	err := ferries.FindOneAndUpdate(ctx, over,
		mongo.Pipeline{{{Key: "$set", Value: bson.D{{Key: "owner", Value: captain}, {Key: "until", Value: bson.D{{Key: "$add", Value: bson.A{"$$NOW", 60000}}}}}}}},
		options.FindOneAndUpdate().SetUpsert(true)).Err()
	if mongo.IsDuplicateKeyError(err) {
		return errFerry
	}
	return err
}
