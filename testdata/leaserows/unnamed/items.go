package unnamed

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// A Range of clay pits is dug by one digger, which counts on as long as it lives. There is no
// end: who wants the range looks whether the count stands still.
type Range struct {
	db     *dynamodb.Client
	digger string
	dead   time.Duration
}

func pit(name string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"Pit": &types.AttributeValueMemberS{Value: name}}
}

func count(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

// count sets the digger, if nobody has counted on since.
func (r *Range) count(ctx context.Context, name string, last int64) error {
	_, err := r.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:           aws.String("pit_leases"),
		Key:                 pit(name),
		UpdateExpression:    aws.String("SET Worker = :digger, Beats = :next"),
		ConditionExpression: aws.String("Beats = :last OR attribute_not_exists(Beats)"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":digger": &types.AttributeValueMemberS{Value: r.digger}, ":next": count(last + 1), ":last": count(last),
		},
	})
	var refused *types.ConditionalCheckFailedException
	if errors.As(err, &refused) {
		return ErrHot
	}
	return err
}

// claim waits until a digger would have counted, and takes the range if none has.
func (r *Range) claim(ctx context.Context, name string) (int64, error) {
	got, err := r.db.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("pit_leases"), Key: pit(name), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return 0, err
	}
	n, _ := got.Item["Beats"].(*types.AttributeValueMemberN)
	if n == nil {
		return 1, r.count(ctx, name, 0)
	}
	last, err := strconv.ParseInt(n.Value, 10, 64)
	if err != nil {
		return 0, err
	}
	time.Sleep(r.dead)
	return last + 1, r.count(ctx, name, last)
}

// Abandon leaves the range, whoever digs there.
func (r *Range) Abandon(ctx context.Context, name string) error {
	_, err := r.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{ // want: release
		TableName: aws.String("pit_leases"), Key: pit(name), UpdateExpression: aws.String("REMOVE Worker"),
	})
	return err
}

// Quit leaves the range as it has counted it last.
func (r *Range) Quit(ctx context.Context, name string, last int64) error {
	_, err := r.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: aws.String("pit_leases"), Key: pit(name), UpdateExpression: aws.String("REMOVE Worker"),
		ConditionExpression:       aws.String("Worker = :digger AND Beats = :last"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":digger": &types.AttributeValueMemberS{Value: r.digger}, ":last": count(last)},
	})
	return err
}

// Dig digs, and leaves the range to anybody.
func (r *Range) Dig(ctx context.Context, name string, p Potter) error {
	if _, err := r.claim(ctx, name); err != nil { // verdict: unverified
		return err
	}
	defer r.Abandon(context.WithoutCancel(ctx), name)
	return p.Burn(ctx, name)
}

// Scrape leaves what is its own only.
func (r *Range) Scrape(ctx context.Context, name string, p Potter) error {
	last, err := r.claim(ctx, name) // verdict: unverified
	if err != nil {
		return err
	}
	defer r.Quit(context.WithoutCancel(ctx), name, last)
	return p.Burn(ctx, name)
}
