// DynamoDB: the condition expression.
package dynamodb

import (
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func TokenFenced(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, body, me, version string, input *dynamodb.UpdateItemInput) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	_, err := db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:           aws.String("doc"),
		Key:                 map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: "1"}},
		UpdateExpression:    aws.String("SET body = :body, last_token = :token"),
		ConditionExpression: aws.String("last_token < :token"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":body":  &types.AttributeValueMemberS{Value: body},
			":token": &types.AttributeValueMemberN{Value: strconv.FormatInt(token, 10)},
		},
	})
	return err
}

// cell: owner
func OwnerFenced(ctx context.Context, db *dynamodb.Client, body, me, version string, input *dynamodb.UpdateItemInput) error {
	_, err := db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:           aws.String("doc"),
		Key:                 map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: "1"}},
		UpdateExpression:    aws.String("SET holder = :me, expires = :end"),
		ConditionExpression: aws.String("attribute_not_exists(expires) OR expires < :now"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":me":  &types.AttributeValueMemberS{Value: me},
			":end": &types.AttributeValueMemberN{Value: strconv.FormatInt(time.Now().Add(time.Minute).Unix(), 10)},
			":now": &types.AttributeValueMemberN{Value: strconv.FormatInt(time.Now().Unix(), 10)},
		},
	})
	if err != nil {
		return err
	}
	_, err = db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:           aws.String("doc"),
		Key:                 map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: "1"}},
		UpdateExpression:    aws.String("SET body = :body"),
		ConditionExpression: aws.String("holder = :me"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":body": &types.AttributeValueMemberS{Value: body},
			":me":   &types.AttributeValueMemberS{Value: me},
		},
	})
	return err
}

// cell: version
func Version(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, body, me, version string, input *dynamodb.UpdateItemInput) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	_, err := db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:           aws.String("doc"),
		Key:                 map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: "1"}},
		UpdateExpression:    aws.String("SET body = :body, version = version + :one"),
		ConditionExpression: aws.String("version = :version"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":body":    &types.AttributeValueMemberS{Value: body},
			":version": &types.AttributeValueMemberN{Value: version},
			":one":     &types.AttributeValueMemberN{Value: "1"},
		},
	})
	return err
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, body, me, version string, input *dynamodb.UpdateItemInput) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	_, err := db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:        aws.String("doc"),
		Key:              map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: "1"}},
		UpdateExpression: aws.String("SET body = :body"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":body": &types.AttributeValueMemberS{Value: body},
		},
	})
	return err
}

// cell: none, weakcondition
func WrongWay(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, body, me, version string, input *dynamodb.UpdateItemInput) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	_, err := db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:           aws.String("doc"),
		Key:                 map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: "1"}},
		UpdateExpression:    aws.String("SET body = :body, last_token = :token"),
		ConditionExpression: aws.String("last_token > :token"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":body":  &types.AttributeValueMemberS{Value: body},
			":token": &types.AttributeValueMemberN{Value: strconv.FormatInt(token, 10)},
		},
	})
	return err
}

// cell: none, unorderedtoken
func RandomEqual(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, body, me, version string, input *dynamodb.UpdateItemInput) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	id := rand.Text()
	_, err := db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:           aws.String("doc"),
		Key:                 map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: "1"}},
		UpdateExpression:    aws.String("SET body = :body, last_token = :id"),
		ConditionExpression: aws.String("last_token < :id"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":body": &types.AttributeValueMemberS{Value: body},
			":id":   &types.AttributeValueMemberS{Value: id},
		},
	})
	return err
}

// cell: none, weakcondition
func NotStored(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, body, me, version string, input *dynamodb.UpdateItemInput) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	_, err := db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:           aws.String("doc"),
		Key:                 map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: "1"}},
		UpdateExpression:    aws.String("SET body = :body"),
		ConditionExpression: aws.String("last_token < :token"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":body":  &types.AttributeValueMemberS{Value: body},
			":token": &types.AttributeValueMemberN{Value: strconv.FormatInt(token, 10)},
		},
	})
	return err
}

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, body, me, version string, input *dynamodb.UpdateItemInput) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	got, err := db.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("doc"), Key: map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: "1"}}})
	if err != nil {
		return err
	}
	if last, _ := strconv.ParseInt(got.Item["last_token"].(*types.AttributeValueMemberN).Value, 10, 64); last >= token {
		return errors.New("refused")
	}
	_, err = db.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("doc"), Item: map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: "1"}, "body": &types.AttributeValueMemberS{Value: body}}})
	return err
}

// no Dropped: a refusal is an error

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, body, me, version string, input *dynamodb.UpdateItemInput) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	_, err := db.UpdateItem(ctx, input)
	return err
}
