package items

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Names of attributes, of which the conditions are made.
const (
	vaultKey = "VaultKey"
	lockID   = "LockID"
	endsAt   = "ExpiresAt"
)

// A Vault keeps its locks among its deeds, under names that are made of theirs.
type Vault struct {
	db    *dynamodb.Client
	table string
}

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: fmt.Sprintf("%d", n)}
}

// lock waits until the deed is free.
func (v *Vault) lock(ctx context.Context, deed, id string) error {
	for {
		now := time.Now()
		_, err := v.db.PutItem(ctx, &dynamodb.PutItemInput{
			TableName: aws.String(v.table),
			Item: map[string]types.AttributeValue{
				vaultKey: text(fmt.Sprintf("LOCK-%s", deed)),
				lockID:   text(id),
				endsAt:   number(now.Add(time.Minute).Unix()),
			},
			ConditionExpression:       aws.String(fmt.Sprintf("attribute_not_exists(%s) OR %s < :now", vaultKey, endsAt)),
			ExpressionAttributeValues: map[string]types.AttributeValue{":now": number(now.Unix())},
		})
		var refused *types.ConditionalCheckFailedException
		if !errors.As(err, &refused) {
			return err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (v *Vault) unlock(ctx context.Context, deed, id string) error {
	_, err := v.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName:                 aws.String(v.table),
		Key:                       map[string]types.AttributeValue{vaultKey: text(fmt.Sprintf("LOCK-%s", deed))},
		ConditionExpression:       aws.String(fmt.Sprintf("%s = :mine", lockID)),
		ExpressionAttributeValues: map[string]types.AttributeValue{":mine": text(id)},
	})
	return err
}

// Burn deletes the deed, and no lock.
func (v *Vault) Burn(ctx context.Context, deed string) error {
	_, err := v.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: aws.String(v.table),
		Key:       map[string]types.AttributeValue{vaultKey: text(deed)},
	})
	return err
}

// Lift deletes the lock, whoever has it: whoever calls that knows what it does.
func (v *Vault) Lift(ctx context.Context, deed string) error {
	_, err := v.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: aws.String(v.table),
		Key:       map[string]types.AttributeValue{vaultKey: text(fmt.Sprintf("LOCK-%s", deed))},
	})
	return err
}

// Sell writes the name of the new owner.
func (v *Vault) Sell(ctx context.Context, deed, id, to string) error {
	if err := v.lock(ctx, deed, id); err != nil { // verdict: unfenced
		return err
	}
	defer v.unlock(context.WithoutCancel(ctx), deed, id)
	_, err := v.db.PutItem(ctx, &dynamodb.PutItemInput{ // want: unfenced
		TableName: aws.String("deeds"),
		Item:      map[string]types.AttributeValue{vaultKey: text(deed), "Belongs": text(to)},
	})
	return err
}
