package bad

import (
	"context"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Gate is an item that one guard has.
type Gate struct {
	db       *dynamodb.Client
	name, me string
}

func (g *Gate) in(d time.Duration) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(time.Now().Add(d).Unix(), 10)}
}

func (g *Gate) take(ctx context.Context) error {
	_, err := g.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:           aws.String("gates"),
		Key:                 map[string]types.AttributeValue{"gate": &types.AttributeValueMemberS{Value: g.name}},
		UpdateExpression:    aws.String("SET holder = :me, expires = :end"),
		ConditionExpression: aws.String("attribute_not_exists(expires) OR expires < :now"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":me": &types.AttributeValueMemberS{Value: g.me}, ":end": g.in(time.Minute), ":now": g.in(0),
		},
	})
	return err
}

// extend has the key of the item, and no condition.
func (g *Gate) extend(ctx context.Context) error {
	_, err := g.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{ // want: renewal
		TableName:                 aws.String("gates"),
		Key:                       map[string]types.AttributeValue{"gate": &types.AttributeValueMemberS{Value: g.name}},
		UpdateExpression:          aws.String("SET expires = :end"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":end": g.in(time.Minute)},
	})
	return err
}

func (g *Gate) leave(ctx context.Context) error {
	_, err := g.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName:                 aws.String("gates"),
		Key:                       map[string]types.AttributeValue{"gate": &types.AttributeValueMemberS{Value: g.name}},
		ConditionExpression:       aws.String("holder = :me"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":me": &types.AttributeValueMemberS{Value: g.me}},
	})
	return err
}

// Watch stands at the gate.
func (g *Gate) Watch(ctx context.Context, stand func(context.Context) error) error {
	if err := g.take(ctx); err != nil { // verdict: unverified
		return err
	}
	defer g.leave(context.WithoutCancel(ctx))
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go func() {
		for held.Err() == nil {
			time.Sleep(15 * time.Second)
			if err := g.extend(held); err != nil {
				lost(err)
			}
		}
	}()
	return stand(held)
}
