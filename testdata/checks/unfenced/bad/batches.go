package bad

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/bsm/redislock"
)

// Crates keeps what is in which crate.
type Crates struct {
	db    *dynamodb.Client
	locks *redislock.Client
}

func (c *Crates) lock(ctx context.Context, site string) (*redislock.Lock, error) {
	return c.locks.Obtain(ctx, "crates:"+site, 10*time.Second, nil)
}

// shift counts the shifts of a site.
func (c *Crates) shift(ctx context.Context, site string) (string, error) {
	out, err := c.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 aws.String("shift"),
		Key:                       map[string]types.AttributeValue{"site": &types.AttributeValueMemberS{Value: site}},
		UpdateExpression:          aws.String("ADD shift_no :one"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":one": &types.AttributeValueMemberN{Value: "1"}},
		ReturnValues:              types.ReturnValueUpdatedNew,
	})
	if err != nil {
		return "", err
	}
	n, ok := out.Attributes["shift_no"].(*types.AttributeValueMemberN)
	if !ok {
		return "", errors.New("no number")
	}
	return n.Value, nil
}

func crate(site, shift string, i int) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"crate":    &types.AttributeValueMemberS{Value: site + strconv.Itoa(i)},
		"shift_no": &types.AttributeValueMemberN{Value: shift},
	}
}

// Fill stores the number with each crate; a batch compares it with nothing.
func (c *Crates) Fill(ctx context.Context, site string, n int) (err error) {
	lock, err := c.lock(ctx, site) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	shift, err := c.shift(ctx, site)
	if err != nil {
		return err
	}
	var puts []types.WriteRequest
	for i := range n {
		puts = append(puts, types.WriteRequest{PutRequest: &types.PutRequest{Item: crate(site, shift, i)}})
	}
	out, err := c.db.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"crate": puts}}) // want: unfenced
	if err == nil && len(out.UnprocessedItems) > 0 {
		err = errors.New("half done")
	}
	return err
}

// Swap sends two crates in one transaction, of which neither asks.
func (c *Crates) Swap(ctx context.Context, site string, a, b int) (err error) {
	lock, err := c.lock(ctx, site) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	_, err = c.db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{ // want: unfenced
		{Put: &types.Put{TableName: aws.String("crate"), Item: crate(site, "0", a)}},
		{Put: &types.Put{TableName: aws.String("crate"), Item: crate(site, "0", b)}},
	}})
	return err
}
