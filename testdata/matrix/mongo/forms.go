package mongo

import (
	"context"
	"errors"

	"go.etcd.io/etcd/client/v3/concurrency"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// cell: token
func NotNewer(ctx context.Context, session *concurrency.Session, docs *mongo.Collection, body, me string, version int64, filter any) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := docs.UpdateOne(ctx, bson.M{"_id": 1, "token": bson.M{"$not": bson.M{"$gte": token}}}, bson.M{"$set": bson.M{"body": body, "token": token}})
	if err == nil && res.MatchedCount+res.UpsertedCount == 0 {
		err = errors.New("refused")
	}
	return err
}

// cell: none, weakcondition
func NotOlder(ctx context.Context, session *concurrency.Session, docs *mongo.Collection, body, me string, version int64, filter any) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := docs.UpdateOne(ctx, bson.M{"_id": 1, "token": bson.M{"$not": bson.M{"$lt": token}}}, bson.M{"$set": bson.M{"body": body, "token": token}})
	if err == nil && res.MatchedCount+res.UpsertedCount == 0 {
		err = errors.New("refused")
	}
	return err
}

// cell: token
func NorNewer(ctx context.Context, session *concurrency.Session, docs *mongo.Collection, body, me string, version int64, filter any) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := docs.UpdateOne(ctx, bson.M{"_id": 1, "$nor": bson.A{bson.M{"token": bson.M{"$gte": token}}}}, bson.M{"$set": bson.M{"body": body, "token": token}})
	if err == nil && res.MatchedCount+res.UpsertedCount == 0 {
		err = errors.New("refused")
	}
	return err
}

// cell: token
func UpsertOfKey(ctx context.Context, session *concurrency.Session, docs *mongo.Collection, body, me string, version int64, filter any) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	_, err := docs.UpdateOne(ctx, bson.M{"_id": 1, "token": bson.M{"$lt": token}}, bson.M{"$set": bson.M{"body": body, "token": token}}, options.UpdateOne().SetUpsert(true))
	return err
}

// cell: none, weakcondition
func UpsertOfName(ctx context.Context, session *concurrency.Session, docs *mongo.Collection, body, me string, version int64, filter any) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := docs.UpdateOne(ctx, bson.M{"name": "doc", "token": bson.M{"$lt": token}}, bson.M{"$set": bson.M{"body": body, "token": token}}, options.UpdateOne().SetUpsert(true))
	if err == nil && res.MatchedCount+res.UpsertedCount == 0 {
		err = errors.New("refused")
	}
	return err
}
