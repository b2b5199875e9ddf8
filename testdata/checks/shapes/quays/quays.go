// Package quays closes what it locks in DynamoDB, in the same store.
package quays

import (
	"context"
	"errors"

	"cirello.io/dynamolock/v2"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

var errStale = errors.New("locked by another one since")

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
