package bad

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

// Spend goes on from a balance of which any copy may tell it.
func Spend(ctx context.Context, db *dynamodb.Client, locks *redsync.Redsync, purse string, n int) (err error) {
	mutex := locks.NewMutex("purse:"+purse, redsync.WithExpiry(30*time.Second))
	if err := mutex.LockContext(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() {
		ok, e := mutex.UnlockContext(context.WithoutCancel(ctx))
		if e == nil && !ok {
			e = errors.New("lost")
		}
		err = errors.Join(err, e)
	}()
	key := map[string]types.AttributeValue{"purse": &types.AttributeValueMemberS{Value: purse}}
	old, err := db.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("purse"), Key: key}) // want: replica
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
}
