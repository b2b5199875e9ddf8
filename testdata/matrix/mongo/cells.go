// MongoDB: the filter.
package mongo

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"go.etcd.io/etcd/client/v3/concurrency"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// cell: token
func TokenFenced(ctx context.Context, session *concurrency.Session, docs *mongo.Collection, body, me string, version int64, filter any) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := docs.UpdateOne(ctx, bson.M{"_id": 1, "last_token": bson.M{"$lt": token}}, bson.M{"$set": bson.M{"body": body, "last_token": token}})
	if err == nil && res.MatchedCount == 0 {
		err = errors.New("refused")
	}
	return err
}

// cell: owner
func OwnerFenced(ctx context.Context, docs *mongo.Collection, body, me string, version int64, filter any) error {
	res, err := docs.UpdateOne(ctx, bson.M{"_id": 1, "expires": bson.M{"$lt": time.Now()}}, bson.M{"$set": bson.M{"holder": me, "expires": time.Now().Add(time.Minute)}})
	if err != nil {
		return err
	}
	if res.MatchedCount == 0 {
		return errors.New("held by somebody else")
	}
	res, err = docs.UpdateOne(ctx, bson.M{"_id": 1, "holder": me}, bson.M{"$set": bson.M{"body": body}})
	if err == nil && res.MatchedCount == 0 {
		err = errors.New("refused")
	}
	return err
}

// cell: version
func Version(ctx context.Context, session *concurrency.Session, docs *mongo.Collection, body, me string, version int64, filter any) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	res, err := docs.UpdateOne(ctx, bson.M{"_id": 1, "version": version}, bson.M{"$set": bson.M{"body": body}, "$inc": bson.M{"version": 1}})
	if err == nil && res.MatchedCount == 0 {
		err = errors.New("refused")
	}
	return err
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, docs *mongo.Collection, body, me string, version int64, filter any) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	res, err := docs.UpdateOne(ctx, bson.M{"_id": 1}, bson.M{"$set": bson.M{"body": body}})
	if err == nil && res.MatchedCount == 0 {
		err = errors.New("refused")
	}
	return err
}

// cell: none, weakcondition
func WrongWay(ctx context.Context, session *concurrency.Session, docs *mongo.Collection, body, me string, version int64, filter any) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := docs.UpdateOne(ctx, bson.M{"_id": 1, "last_token": bson.M{"$gt": token}}, bson.M{"$set": bson.M{"body": body, "last_token": token}})
	if err == nil && res.MatchedCount == 0 {
		err = errors.New("refused")
	}
	return err
}

// cell: none, unorderedtoken
func RandomEqual(ctx context.Context, session *concurrency.Session, docs *mongo.Collection, body, me string, version int64, filter any) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	id := rand.Text()
	res, err := docs.UpdateOne(ctx, bson.M{"_id": 1, "last_token": bson.M{"$lt": id}}, bson.M{"$set": bson.M{"body": body, "last_token": id}})
	if err == nil && res.MatchedCount == 0 {
		err = errors.New("refused")
	}
	return err
}

// cell: none, weakcondition
func NotStored(ctx context.Context, session *concurrency.Session, docs *mongo.Collection, body, me string, version int64, filter any) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := docs.UpdateOne(ctx, bson.M{"_id": 1, "last_token": bson.M{"$lt": token}}, bson.M{"$set": bson.M{"body": body}})
	if err == nil && res.MatchedCount == 0 {
		err = errors.New("refused")
	}
	return err
}

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, docs *mongo.Collection, body, me string, version int64, filter any) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	var d struct{ Token int64 }
	if err := docs.FindOne(ctx, bson.M{"_id": 1}).Decode(&d); err != nil {
		return err
	}
	if d.Token >= token {
		return errors.New("refused")
	}
	_, err := docs.UpdateOne(ctx, bson.M{"_id": 1}, bson.M{"$set": bson.M{"body": body}})
	return err
}

// cell: token, result dropped
func Dropped(ctx context.Context, session *concurrency.Session, docs *mongo.Collection, body, me string, version int64, filter any) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	_, err := docs.UpdateOne(ctx, bson.M{"_id": 1, "last_token": bson.M{"$lt": token}}, bson.M{"$set": bson.M{"body": body, "last_token": token}})
	return err
}

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, docs *mongo.Collection, body, me string, version int64, filter any) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := docs.UpdateOne(ctx, filter, bson.M{"$set": bson.M{"body": body, "last_token": token}})
	if err == nil && res.MatchedCount == 0 {
		err = errors.New("refused")
	}
	return err
}
