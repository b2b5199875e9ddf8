package good

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"gorm.io/gorm"
)

// Both asks for the version of one key and writes it with another.
func Both(ctx context.Context, session *concurrency.Session, cli *clientv3.Client, house string) error {
	return withToken(ctx, session, "/bills/"+house, func(int64) error { // verdict: fenced
		got, err := cli.Get(ctx, "/rates/"+house)
		if err != nil {
			return err
		}
		text := string(got.Kvs[0].Value)
		same := clientv3.Compare(clientv3.ModRevision("/rates/"+house), "=", got.Kvs[0].ModRevision)
		resp, err := cli.Txn(ctx).If(same).Then(clientv3.OpPut("/rates/"+house, text+"+"), clientv3.OpPut("/totals/"+house, text)).Commit()
		if err == nil && !resp.Succeeded {
			err = errStale
		}
		return err
	})
}

// Seat moves the version that it asks for.
func Seat(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, row string) error {
	return withToken(ctx, session, "/seats/"+row, func(int64) error { // verdict: fenced
		key := map[string]types.AttributeValue{"row": &types.AttributeValueMemberS{Value: row}}
		got, err := db.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("seats"), Key: key})
		if err != nil {
			return err
		}
		_, err = db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: aws.String("seats"), Key: key,
			UpdateExpression:    aws.String("SET taken = :taken ADD version :one"),
			ConditionExpression: aws.String("version = :was"),
			ExpressionAttributeValues: map[string]types.AttributeValue{
				":taken": got.Item["wanted"], ":was": got.Item["version"], ":one": &types.AttributeValueMemberN{Value: "1"},
			},
		})
		return err
	})
}

// Rows moves the version of one row, and writes the next in the same transaction.
func Rows(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, row, next string) error {
	return withToken(ctx, session, "/seats/"+row, func(int64) error { // verdict: fenced
		name := func(s string) map[string]types.AttributeValue {
			return map[string]types.AttributeValue{"name": &types.AttributeValueMemberS{Value: s}}
		}
		got, err := db.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("rows"), Key: name(row)})
		if err != nil {
			return err
		}
		_, err = db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
			{Update: &types.Update{TableName: aws.String("rows"), Key: name(row), UpdateExpression: aws.String("SET free = :n, version = version + :one"),
				ConditionExpression: aws.String("version = :v"),
				ExpressionAttributeValues: map[string]types.AttributeValue{
					":n": got.Item["free"], ":v": got.Item["version"], ":one": &types.AttributeValueMemberN{Value: "1"},
				}}},
			{Update: &types.Update{TableName: aws.String("rows"), Key: name(next), UpdateExpression: aws.String("SET free = :n"),
				ExpressionAttributeValues: map[string]types.AttributeValue{":n": got.Item["free"]}}},
		}})
		return err
	})
}

// Result writes what it watches, and what goes with that.
func Result(ctx context.Context, session *concurrency.Session, rdb *redis.Client, poll string) error {
	return withToken(ctx, session, "/polls/"+poll, func(int64) error { // verdict: fenced
		return rdb.Watch(ctx, func(tx *redis.Tx) error {
			n, err := tx.Get(ctx, "result:"+poll).Int64()
			if err != nil {
				return err
			}
			_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
				p.Set(ctx, "result:"+poll, n+1, 0)
				p.Set(ctx, "seen:"+poll, n+1, 0)
				return nil
			})
			return err
		}, "result:"+poll)
	})
}

// A Note has a version.
type Note struct {
	ID      uint
	Text    string
	Version int64
}

// Newer has a token in a struct, which is never zero.
func Newer(ctx context.Context, session *concurrency.Session, db *gorm.DB, id uint, text string) error {
	return withToken(ctx, session, fmt.Sprint("/notes/", id), func(token int64) error { // verdict: fenced
		res := db.WithContext(ctx).Session(&gorm.Session{PrepareStmt: true}).Model(&Note{}).Where("id = ? AND version < ?", id, gorm.Expr("?", token)).
			Updates(Note{Text: text, Version: token})
		if res.Error == nil && res.RowsAffected == 0 {
			return errStale
		}
		return res.Error
	})
}

// Payment is unique by its order, whatever its own name.
func Payment(ctx context.Context, session *concurrency.Session, db *sql.DB, order string, cents int64) error {
	return withToken(ctx, session, "/orders/"+order, func(int64) error { // verdict: fenced
		const pay = "INSERT INTO payment (id, order_id, cents) VALUES ($1, $2, $3) ON CONFLICT (order_id) DO NOTHING"
		_, err := db.ExecContext(ctx, pay, uuid.NewString(), order, cents)
		return err
	})
}

// Named puts the name of the table, and a dialect, into the statement.
func Named(ctx context.Context, session *concurrency.Session, db *sql.DB, page, text string) error {
	return withToken(ctx, session, "/pages/"+page, func(token int64) error { // verdict: fenced
		set := strings.ReplaceAll("UPDATE {pages} SET text = ?, turn = ? WHERE id = ? AND turn < ?;", "{pages}", "page")
		set = strings.TrimSuffix(strings.Replace(set, "turn < ?", "COALESCE(turn, 0) < ?", 1), ";")
		return one(db.ExecContext(ctx, set, text, token, page, token))
	})
}
