// DynamoDB: conditions of the expression builder.
package dynamoexpr

import (
	"context"
	"crypto/rand"
	"errors"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func TokenFenced(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, body string, version int64, condition expression.ConditionBuilder) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	expr, err := expression.NewBuilder().WithUpdate(expression.Set(expression.Name("body"), expression.Value(body)).Set(expression.Name("last_token"), expression.Value(token))).WithCondition(expression.Name("last_token").LessThan(expression.Value(token))).Build()
	if err != nil {
		return err
	}
	_, err = db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 aws.String("doc"),
		Key:                       doc,
		UpdateExpression:          expr.Update(),
		ConditionExpression:       expr.Condition(),
		ExpressionAttributeNames:  expr.Names(),
		ExpressionAttributeValues: expr.Values(),
	})
	return err
}

// no OwnerFenced: a lease is taken as in the row of DynamoDB's text

// cell: version
func Version(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, body string, version int64, condition expression.ConditionBuilder) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	expr, err := expression.NewBuilder().WithUpdate(expression.Set(expression.Name("body"), expression.Value(body)).Add(expression.Name("version"), expression.Value(1))).WithCondition(expression.Name("version").Equal(expression.Value(version))).Build()
	if err != nil {
		return err
	}
	_, err = db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 aws.String("doc"),
		Key:                       doc,
		UpdateExpression:          expr.Update(),
		ConditionExpression:       expr.Condition(),
		ExpressionAttributeNames:  expr.Names(),
		ExpressionAttributeValues: expr.Values(),
	})
	return err
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, body string, version int64, condition expression.ConditionBuilder) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	expr, err := expression.NewBuilder().WithUpdate(expression.Set(expression.Name("body"), expression.Value(body))).Build()
	if err != nil {
		return err
	}
	_, err = db.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: aws.String("doc"), Key: doc, UpdateExpression: expr.Update(), ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values()})
	return err
}

// cell: none, weakcondition
func WrongWay(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, body string, version int64, condition expression.ConditionBuilder) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	expr, err := expression.NewBuilder().WithUpdate(expression.Set(expression.Name("body"), expression.Value(body)).Set(expression.Name("last_token"), expression.Value(token))).WithCondition(expression.Name("last_token").GreaterThan(expression.Value(token))).Build()
	if err != nil {
		return err
	}
	_, err = db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 aws.String("doc"),
		Key:                       doc,
		UpdateExpression:          expr.Update(),
		ConditionExpression:       expr.Condition(),
		ExpressionAttributeNames:  expr.Names(),
		ExpressionAttributeValues: expr.Values(),
	})
	return err
}

// cell: none, unorderedtoken
func RandomEqual(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, body string, version int64, condition expression.ConditionBuilder) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	id := rand.Text()
	expr, err := expression.NewBuilder().WithUpdate(expression.Set(expression.Name("body"), expression.Value(body)).Set(expression.Name("last_token"), expression.Value(id))).WithCondition(expression.Name("last_token").LessThan(expression.Value(id))).Build()
	if err != nil {
		return err
	}
	_, err = db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 aws.String("doc"),
		Key:                       doc,
		UpdateExpression:          expr.Update(),
		ConditionExpression:       expr.Condition(),
		ExpressionAttributeNames:  expr.Names(),
		ExpressionAttributeValues: expr.Values(),
	})
	return err
}

// cell: none, weakcondition
func NotStored(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, body string, version int64, condition expression.ConditionBuilder) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	expr, err := expression.NewBuilder().WithUpdate(expression.Set(expression.Name("body"), expression.Value(body))).WithCondition(expression.Name("last_token").LessThan(expression.Value(token))).Build()
	if err != nil {
		return err
	}
	_, err = db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 aws.String("doc"),
		Key:                       doc,
		UpdateExpression:          expr.Update(),
		ConditionExpression:       expr.Condition(),
		ExpressionAttributeNames:  expr.Names(),
		ExpressionAttributeValues: expr.Values(),
	})
	return err
}

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, body string, version int64, condition expression.ConditionBuilder) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	got, err := db.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("doc"), Key: doc})
	if err != nil {
		return err
	}
	if last, _ := strconv.ParseInt(got.Item["last_token"].(*types.AttributeValueMemberN).Value, 10, 64); last >= token {
		return errors.New("refused")
	}
	expr, err := expression.NewBuilder().WithUpdate(expression.Set(expression.Name("body"), expression.Value(body))).Build()
	if err != nil {
		return err
	}
	_, err = db.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: aws.String("doc"), Key: doc, UpdateExpression: expr.Update(), ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values()})
	return err
}

// no Dropped: a refusal is an error

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, body string, version int64, condition expression.ConditionBuilder) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	expr, err := expression.NewBuilder().WithUpdate(expression.Set(expression.Name("body"), expression.Value(body)).Set(expression.Name("last_token"), expression.Value(token))).WithCondition(condition).Build()
	if err != nil {
		return err
	}
	_, err = db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 aws.String("doc"),
		Key:                       doc,
		UpdateExpression:          expr.Update(),
		ConditionExpression:       expr.Condition(),
		ExpressionAttributeNames:  expr.Names(),
		ExpressionAttributeValues: expr.Values(),
	})
	return err
}

// cell: token
func OrAbsent(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, body string, version int64, condition expression.ConditionBuilder) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	expr, err := expression.NewBuilder().WithUpdate(expression.Set(expression.Name("body"), expression.Value(body)).Set(expression.Name("last_token"), expression.Value(token))).WithCondition(expression.Or(expression.AttributeNotExists(expression.Name("last_token")), expression.LessThan(expression.Name("last_token"), expression.Value(token)))).Build()
	if err != nil {
		return err
	}
	_, err = db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 aws.String("doc"),
		Key:                       doc,
		UpdateExpression:          expr.Update(),
		ConditionExpression:       expr.Condition(),
		ExpressionAttributeNames:  expr.Names(),
		ExpressionAttributeValues: expr.Values(),
	})
	return err
}

// cell: none, weakcondition
func OrAnything(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, body string, version int64, condition expression.ConditionBuilder) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	expr, err := expression.NewBuilder().WithUpdate(expression.Set(expression.Name("body"), expression.Value(body)).Set(expression.Name("last_token"), expression.Value(token))).WithCondition(expression.Name("last_token").LessThan(expression.Value(token)).Or(expression.Name("body").NotEqual(expression.Value("")))).Build()
	if err != nil {
		return err
	}
	_, err = db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 aws.String("doc"),
		Key:                       doc,
		UpdateExpression:          expr.Update(),
		ConditionExpression:       expr.Condition(),
		ExpressionAttributeNames:  expr.Names(),
		ExpressionAttributeValues: expr.Values(),
	})
	return err
}

// cell: token
func Turned(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, body string, version int64, condition expression.ConditionBuilder) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	expr, err := expression.NewBuilder().WithUpdate(expression.Set(expression.Name("body"), expression.Value(body)).Set(expression.Name("last_token"), expression.Value(token))).WithCondition(expression.Value(token).GreaterThan(expression.Name("last_token"))).Build()
	if err != nil {
		return err
	}
	_, err = db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 aws.String("doc"),
		Key:                       doc,
		UpdateExpression:          expr.Update(),
		ConditionExpression:       expr.Condition(),
		ExpressionAttributeNames:  expr.Names(),
		ExpressionAttributeValues: expr.Values(),
	})
	return err
}

// cell: unknown
func Negated(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, body string, version int64, condition expression.ConditionBuilder) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	expr, err := expression.NewBuilder().WithUpdate(expression.Set(expression.Name("body"), expression.Value(body)).Set(expression.Name("last_token"), expression.Value(token))).WithCondition(expression.Not(expression.Name("last_token").LessThan(expression.Value(token)))).Build()
	if err != nil {
		return err
	}
	_, err = db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 aws.String("doc"),
		Key:                       doc,
		UpdateExpression:          expr.Update(),
		ConditionExpression:       expr.Condition(),
		ExpressionAttributeNames:  expr.Names(),
		ExpressionAttributeValues: expr.Values(),
	})
	return err
}

var doc = map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: "1"}}
