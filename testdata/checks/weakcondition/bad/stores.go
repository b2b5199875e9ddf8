package bad

import (
	"context"
	"errors"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/redis/go-redis/v9"
	"go.etcd.io/etcd/client/v3/concurrency"
	"gorm.io/gorm"
)

// Pipelined: WATCH guards a MULTI only, and Pipelined sends none. TxPipelined would.
func Pipelined(ctx context.Context, session *concurrency.Session, rdb *redis.Client, key string) error {
	return withToken(ctx, session, "/locks/pipelined", func(int64) error { // verdict: unfenced
		return rdb.Watch(ctx, func(tx *redis.Tx) error {
			n, err := tx.Get(ctx, key).Int64()
			if err != nil && !errors.Is(err, redis.Nil) {
				return err
			}
			_, err = tx.Pipelined(ctx, func(p redis.Pipeliner) error { // want: weakcondition
				p.Set(ctx, key, n+1, 0)
				return nil
			})
			return err
		}, key)
	})
}

// SaveWhere: where the condition matches no row, Save goes on to write the row without it.
func SaveWhere(ctx context.Context, session *concurrency.Session, db *gorm.DB, id uint, text string) error {
	return withToken(ctx, session, "/locks/savewhere", func(token int64) error { // verdict: unfenced
		page := Page{ID: id, Text: text, LastToken: token}
		res := db.WithContext(ctx).Where("last_token < ?", token).Save(&page) // want: weakcondition
		if res.Error != nil {
			return res.Error
		}
		if res.RowsAffected == 0 {
			return errStale
		}
		return nil
	})
}

func item(id, text string, token int64, set, condition string) *dynamodb.UpdateItemInput {
	return &dynamodb.UpdateItemInput{
		TableName:           aws.String("item"),
		Key:                 map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: id}},
		UpdateExpression:    aws.String(set),
		ConditionExpression: aws.String(condition),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":body":  &types.AttributeValueMemberS{Value: text},
			":token": &types.AttributeValueMemberN{Value: strconv.FormatInt(token, 10)},
		},
	}
}

// ItemUnstored compares with an attribute that it does not set.
func ItemUnstored(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, id, text string) error {
	return withToken(ctx, session, "/locks/item", func(token int64) error { // verdict: unfenced
		_, err := db.UpdateItem(ctx, item(id, text, token, "SET body = :body", "last_token < :token")) // want: weakcondition
		return err
	})
}

// ItemReversed lets the smaller token in.
func ItemReversed(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, id, text string) error {
	return withToken(ctx, session, "/locks/item", func(token int64) error { // verdict: unfenced
		in := item(id, text, token, "SET body = :body, last_token = :token", "last_token > :token")
		_, err := db.UpdateItem(ctx, in) // want: weakcondition
		return err
	})
}
