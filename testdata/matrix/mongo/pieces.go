package mongo

import (
	"context"
	"errors"

	"go.etcd.io/etcd/client/v3/concurrency"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// cell: token
func Several(ctx context.Context, session *concurrency.Session, docs *mongo.Collection, body, me string, version int64, filter any) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := docs.BulkWrite(ctx, []mongo.WriteModel{
		mongo.NewUpdateOneModel().SetFilter(bson.M{"_id": 1, "token": bson.M{"$lt": token}}).SetUpdate(bson.M{"$set": bson.M{"body": body, "token": token}}),
	})
	if err == nil && res.MatchedCount == 0 {
		err = errors.New("refused")
	}
	return err
}

// cell: none
func SeveralAndOne(ctx context.Context, session *concurrency.Session, docs *mongo.Collection, body, me string, version int64, filter any) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := docs.BulkWrite(ctx, []mongo.WriteModel{
		mongo.NewUpdateOneModel().SetFilter(bson.M{"_id": 1, "token": bson.M{"$lt": token}}).SetUpdate(bson.M{"$set": bson.M{"body": body, "token": token}}),
		mongo.NewUpdateOneModel().SetFilter(bson.M{"_id": 2}).SetUpdate(bson.M{"$set": bson.M{"body": body}}),
	})
	if err == nil && res.MatchedCount == 0 {
		err = errors.New("refused")
	}
	return err
}
