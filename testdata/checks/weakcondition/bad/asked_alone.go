package bad

import (
	"context"
	"errors"

	"cirello.io/dynamolock/v2"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/hashicorp/consul/api"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Dredge asks whether the mutex is held in one transaction, and writes after it.
func Dredge(ctx context.Context, session *concurrency.Session, harbour, depth string) (err error) {
	mutex := concurrency.NewMutex(session, "/harbours/"+harbour)
	if err := mutex.Lock(ctx); err != nil { // verdict: unfenced
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
	_, err = session.Client().Put(ctx, "/depths/"+harbour, depth) // want: weakcondition
	return err
}

// Quays are kept in DynamoDB.
type Quays struct {
	db    *dynamodb.Client
	locks *dynamolock.Client
}

func (q *Quays) held(lock *dynamolock.Lock, key string) types.TransactWriteItem {
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: aws.String("locks"), Key: map[string]types.AttributeValue{"key": words(key)},
		ConditionExpression:       aws.String("ownerName = :me"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":me": words(lock.OwnerName())},
	}}
}

// Close asks for the owner of the lock's record first, and then closes the quay.
func (q *Quays) Close(ctx context.Context, quay string) (err error) {
	lock, err := q.locks.AcquireLockWithContext(ctx, "quay/"+quay) // verdict: unfenced
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
	check := &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{q.held(lock, "quay/"+quay)}}
	if _, err := q.db.TransactWriteItems(ctx, check); err != nil {
		return err
	}
	_, err = q.db.PutItem(ctx, &dynamodb.PutItemInput{ // want: weakcondition
		TableName: aws.String("quay"),
		Item:      map[string]types.AttributeValue{"id": words(quay), "closed": &types.AttributeValueMemberBOOL{Value: true}},
	})
	return err
}

// Pilot asks Consul for the session of the lock, and writes after it.
func Pilot(kv *api.KV, session, ship string) error {
	ok, _, err := kv.Acquire(&api.KVPair{Key: "locks/pilot", Session: session}, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	if !ok {
		return errStale
	}
	defer kv.Release(&api.KVPair{Key: "locks/pilot", Session: session}, nil)
	ok, _, _, err = kv.Txn(api.KVTxnOps{{Verb: api.KVCheckSession, Key: "locks/pilot", Session: session}}, nil)
	if err != nil {
		return err
	}
	if !ok {
		return errStale
	}
	_, err = kv.Put(&api.KVPair{Key: "pilot", Value: []byte(ship)}, nil) // want: weakcondition
	return err
}
