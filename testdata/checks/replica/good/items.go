package good

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/go-redsync/redsync/v4"
)

func number(n int) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.Itoa(n)}
}

// spend runs a function under the lock of a purse.
func spend(ctx context.Context, locks *redsync.Redsync, purse string, fn func(key map[string]types.AttributeValue) error) (err error) {
	mutex := locks.NewMutex("purse:"+purse, redsync.WithExpiry(30*time.Second))
	if err := mutex.LockContext(ctx); err != nil {
		return err
	}
	defer func() {
		ok, e := mutex.UnlockContext(context.WithoutCancel(ctx))
		if e == nil && !ok {
			e = errors.New("lost")
		}
		err = errors.Join(err, e)
	}()
	return fn(map[string]types.AttributeValue{"purse": &types.AttributeValueMemberS{Value: purse}})
}

// Spend asks for the latest state.
func Spend(ctx context.Context, db *dynamodb.Client, locks *redsync.Redsync, purse string, n int) error {
	return spend(ctx, locks, purse, func(key map[string]types.AttributeValue) error { // verdict: unfenced
		old, err := db.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("purse"), Key: key, ConsistentRead: aws.Bool(true)})
		if err != nil {
			return err
		}
		have, err := strconv.Atoi(old.Item["balance"].(*types.AttributeValueMemberN).Value)
		if err != nil {
			return err
		}
		_, err = db.UpdateItem(ctx, &dynamodb.UpdateItemInput{ // want: unfenced
			TableName:                 aws.String("purse"),
			Key:                       key,
			UpdateExpression:          aws.String("SET balance = :left"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":left": number(have - n)},
		})
		return err
	})
}

// Save does not, but the table refuses what was made of an older state.
func Save(ctx context.Context, db *dynamodb.Client, locks *redsync.Redsync, purse string, n int) error {
	return spend(ctx, locks, purse, func(key map[string]types.AttributeValue) error { // verdict: fenced
		old, err := db.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("purse"), Key: key})
		if err != nil {
			return err
		}
		have, err := strconv.Atoi(old.Item["balance"].(*types.AttributeValueMemberN).Value)
		if err != nil {
			return err
		}
		_, err = db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName:                 aws.String("purse"),
			Key:                       key,
			UpdateExpression:          aws.String("SET balance = :left"),
			ConditionExpression:       aws.String("balance = :have"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":left": number(have + n), ":have": number(have)},
		})
		return err
	})
}
