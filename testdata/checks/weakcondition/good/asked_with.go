package good

import (
	"context"
	"errors"

	"cirello.io/dynamolock/v2"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Dredge looks once before the long work, and asks again in the transaction that writes.
func Dredge(ctx context.Context, session *concurrency.Session, harbour, depth string) (err error) {
	mutex := concurrency.NewMutex(session, "/harbours/"+harbour)
	if err := mutex.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()
	resp, err := session.Client().Txn(ctx).If(mutex.IsOwner()).Then(clientv3.OpGet("/depths/" + harbour)).Commit()
	if err != nil {
		return err
	}
	if !resp.Succeeded {
		return errStale
	}
	resp, err = session.Client().Txn(ctx).If(mutex.IsOwner()).Then(clientv3.OpPut("/depths/"+harbour, depth)).Commit()
	if err != nil {
		return err
	}
	if !resp.Succeeded {
		return errStale
	}
	return nil
}

// Quays are kept in DynamoDB.
type Quays struct {
	db    *dynamodb.Client
	locks *dynamolock.Client
}

// Close asks for the owner of the lock's record in the transaction that closes the piers.
func (q *Quays) Close(ctx context.Context, quay string, piers []string) (err error) {
	lock, err := q.locks.AcquireLockWithContext(ctx, "quay/"+quay) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() {
		ok, e := q.locks.ReleaseLockWithContext(context.WithoutCancel(ctx), lock)
		if e == nil && !ok {
			e = errStale
		}
		err = errors.Join(err, e)
	}()
	items := make([]types.TransactWriteItem, 0, len(piers)+1)
	items = append(items, types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName:                 aws.String("locks"),
		Key:                       map[string]types.AttributeValue{"key": &types.AttributeValueMemberS{Value: "quay/" + quay}},
		ConditionExpression:       aws.String("ownerName = :me"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":me": &types.AttributeValueMemberS{Value: lock.OwnerName()}},
	}})
	for _, pier := range piers {
		items = append(items, types.TransactWriteItem{Put: &types.Put{
			TableName: aws.String("pier"),
			Item:      map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: pier}},
		}})
	}
	_, err = q.db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: items})
	return err
}
