package others

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

var ErrExists = errors.New("there is one of that name")

type account struct {
	Name  string    `bson:"_id"`
	Owner string    `bson:"owner"`
	Until time.Time `bson:"valid_until"`
}

// Enrol makes an account; its name is unique. It is taken back where the mailbox fails.
func Enrol(ctx context.Context, db *mongo.Database, a account) error {
	_, err := db.Collection("accounts").InsertOne(ctx, a)
	if mongo.IsDuplicateKeyError(err) {
		return ErrExists
	}
	if err != nil {
		return err
	}
	if _, err := db.Collection("mailboxes").InsertOne(ctx, bson.M{"_id": a.Name}); err != nil {
		_, undone := db.Collection("accounts").DeleteOne(ctx, bson.M{"_id": a.Name})
		return errors.Join(err, undone)
	}
	return nil
}

// Block keeps a user out until Unblock.
func Block(ctx context.Context, db *mongo.Database, user, reason string) error {
	_, err := db.Collection("account_locks").InsertOne(ctx, bson.M{"_id": user, "reason": reason})
	return err
}

// Unblock lets the user in.
func Unblock(ctx context.Context, db *mongo.Database, user string) error {
	_, err := db.Collection("account_locks").DeleteOne(ctx, bson.M{"_id": user})
	return err
}

// Seen handles an event once; a TTL index forgets it after a day.
func Seen(ctx context.Context, db *mongo.Database, event, host string) error {
	_, err := db.Collection("seen").InsertOne(ctx, bson.M{"_id": event, "host": host, "expires_at": time.Now().Add(24 * time.Hour)})
	if mongo.IsDuplicateKeyError(err) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = db.Collection("totals").UpdateOne(ctx, bson.M{"_id": "events"}, bson.M{"$inc": bson.M{"n": 1}})
	return err
}

// Next takes whichever job is due. Nobody else sees it for five minutes.
func Next(ctx context.Context, jobs *mongo.Collection, worker string) error {
	now := time.Now()
	return jobs.FindOneAndUpdate(ctx,
		bson.M{"locked_until": bson.M{"$lt": now}},
		bson.M{"$set": bson.M{"locked_by": worker, "locked_until": now.Add(5 * time.Minute)}},
		options.FindOneAndUpdate().SetSort(bson.M{"priority": 1})).Err()
}

// Cached keeps an answer for an hour and replaces one that is older.
func Cached(ctx context.Context, answers *mongo.Collection, question, answer string) error {
	now := time.Now()
	_, err := answers.UpdateOne(ctx,
		bson.M{"_id": question, "expires_at": bson.M{"$lt": now}},
		bson.M{"$set": bson.M{"answer": answer, "expires_at": now.Add(time.Hour)}},
		options.UpdateOne().SetUpsert(true))
	return err
}
