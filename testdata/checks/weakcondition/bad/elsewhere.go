package bad

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/go-zookeeper/zk"
	"github.com/google/uuid"
	"github.com/hashicorp/consul/api"
	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// Tariff asks for the version of the rates and writes a bill, which moves nothing of them.
func Tariff(ctx context.Context, session *concurrency.Session, cli *clientv3.Client, house string) error {
	return withToken(ctx, session, "/bills/"+house, func(int64) error { // verdict: unfenced
		rates, err := cli.Get(ctx, "/rates/"+house)
		if err != nil {
			return err
		}
		same := clientv3.Compare(clientv3.ModRevision("/rates/"+house), "=", rates.Kvs[0].ModRevision)
		resp, err := cli.Txn(ctx).If(same).Then(clientv3.OpPut("/totals/"+house, string(rates.Kvs[0].Value))).Commit() // want: weakcondition
		if err == nil && !resp.Succeeded {
			err = errStale
		}
		return err
	})
}

// Panel does so in Consul.
func Panel(ctx context.Context, session *concurrency.Session, kv *api.KV, room string) error {
	return withToken(ctx, session, "/rooms/"+room, func(int64) error { // verdict: unfenced
		plan, _, err := kv.Get("plans/"+room, nil)
		if err != nil {
			return err
		}
		ok, _, _, err := kv.Txn(api.KVTxnOps{ // want: weakcondition
			{Verb: api.KVCheckIndex, Key: "plans/" + room, Index: plan.ModifyIndex},
			{Verb: api.KVSet, Key: "boards/" + room, Value: plan.Value},
		}, nil)
		if err == nil && !ok {
			err = errStale
		}
		return err
	})
}

// Queue asks for the node under which everybody waits.
func Queue(conn *zk.Conn, path string, data []byte) error {
	lock := zk.NewLock(conn, "/queues/board", zk.WorldACL(zk.PermAll))
	if err := lock.Lock(); err != nil { // verdict: unfenced
		return err
	}
	defer lock.Unlock()
	_, stat, err := conn.Exists("/queues/board")
	if err != nil {
		return err
	}
	_, err = conn.Multi(&zk.CheckVersionRequest{Path: "/queues/board", Version: stat.Version}, &zk.SetDataRequest{Path: path, Data: data, Version: -1}) // want: weakcondition
	return err
}

// Seat asks for a version in an item that its update leaves as it is.
func Seat(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, row string) error {
	return withToken(ctx, session, "/seats/"+row, func(int64) error { // verdict: unfenced
		key := map[string]types.AttributeValue{"row": &types.AttributeValueMemberS{Value: row}}
		got, err := db.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("seats"), Key: key, ConsistentRead: aws.Bool(true)})
		if err != nil {
			return err
		}
		_, err = db.UpdateItem(ctx, &dynamodb.UpdateItemInput{ // want: weakcondition
			TableName: aws.String("seats"), Key: key,
			UpdateExpression:          aws.String("SET taken = :taken"),
			ConditionExpression:       aws.String("version = :was"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":taken": got.Item["wanted"], ":was": got.Item["version"]},
		})
		return err
	})
}

// Hall asks for the version of the hall and writes the row.
func Hall(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, hall, row string) error {
	return withToken(ctx, session, "/seats/"+row, func(int64) error { // verdict: unfenced
		name := func(s string) map[string]types.AttributeValue {
			return map[string]types.AttributeValue{"name": &types.AttributeValueMemberS{Value: s}}
		}
		got, err := db.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("halls"), Key: name(hall)})
		if err != nil {
			return err
		}
		_, err = db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{ // want: weakcondition
			{ConditionCheck: &types.ConditionCheck{TableName: aws.String("halls"), Key: name(hall), ConditionExpression: aws.String("version = :v"),
				ExpressionAttributeValues: map[string]types.AttributeValue{":v": got.Item["version"]}}},
			{Update: &types.Update{TableName: aws.String("rows"), Key: name(row), UpdateExpression: aws.String("SET free = :n"),
				ExpressionAttributeValues: map[string]types.AttributeValue{":n": got.Item["free"]}}},
		}})
		return err
	})
}

// Result watches the poll and writes its result.
func Result(ctx context.Context, session *concurrency.Session, rdb *redis.Client, poll string) error {
	return withToken(ctx, session, "/polls/"+poll, func(int64) error { // verdict: unfenced
		return rdb.Watch(ctx, func(tx *redis.Tx) error {
			n, err := tx.Get(ctx, "result:"+poll).Int64()
			if err != nil {
				return err
			}
			_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error { // want: weakcondition
				return p.Set(ctx, "result:"+poll, n+1, 0).Err()
			})
			return err
		}, "question:"+poll)
	})
}

// A Note has a version.
type Note struct {
	ID      uint
	Text    string
	Version int64
}

// Itself compares the version with itself.
func Itself(ctx context.Context, session *concurrency.Session, db *gorm.DB, id uint, more string) error {
	return withToken(ctx, session, fmt.Sprint("/notes/", id), func(int64) error { // verdict: unfenced
		var n Note
		if err := db.WithContext(ctx).First(&n, id).Error; err != nil {
			return err
		}
		res := db.WithContext(ctx).Model(&Note{}).Where("id = ? AND version = ?", id, gorm.Expr("notes.version")).
			Updates(map[string]any{"text": n.Text + more, "version": n.Version + 1}) // want: unfenced
		if res.Error == nil && res.RowsAffected == 0 {
			return errStale
		}
		return res.Error
	})
}

// Upsert asks in a WHERE that an INSERT has none of.
func Upsert(ctx context.Context, session *concurrency.Session, db *gorm.DB, id uint, text string) error {
	return withToken(ctx, session, fmt.Sprint("/notes/", id), func(token int64) error { // verdict: unfenced
		res := db.WithContext(ctx).Where("notes.version < ?", token).
			Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "id"}}, DoUpdates: clause.AssignmentColumns([]string{"text", "version"})}).
			Create(&Note{ID: id, Text: text, Version: token}) // want: unfenced
		if res.Error == nil && res.RowsAffected == 0 {
			return errStale
		}
		return res.Error
	})
}

// Afresh forgets what was asked before the session.
func Afresh(ctx context.Context, session *concurrency.Session, db *gorm.DB, id uint, text string) error {
	return withToken(ctx, session, fmt.Sprint("/notes/", id), func(token int64) error { // verdict: unfenced
		asked := db.Where("version < ?", token)
		res := asked.Session(&gorm.Session{NewDB: true}).Model(&Note{}).Where("id = ?", id).Updates(map[string]any{"text": text, "version": token}) // want: unfenced
		if res.Error == nil && res.RowsAffected == 0 {
			return errStale
		}
		return res.Error
	})
}

// Zero leaves the version out where it is zero.
func Zero(ctx context.Context, session *concurrency.Session, db *gorm.DB, id uint, more string) error {
	return withToken(ctx, session, fmt.Sprint("/notes/", id), func(int64) error { // verdict: unverified
		var n Note
		if err := db.WithContext(ctx).First(&n, id).Error; err != nil {
			return err
		}
		res := db.WithContext(ctx).Model(&Note{}).Where(&Note{ID: id, Version: n.Version}).Updates(map[string]any{"text": n.Text + more, "version": n.Version + 1})
		if res.Error == nil && res.RowsAffected == 0 {
			return errStale
		}
		return res.Error
	})
}

// Attempt has a key of its own, so nothing is there before.
func Attempt(ctx context.Context, session *concurrency.Session, db *sql.DB, order string, cents int64) error {
	return withToken(ctx, session, "/orders/"+order, func(int64) error { // verdict: unfenced
		const pay = "INSERT INTO payment (order_id, attempt, cents) VALUES ($1, $2, $3) ON CONFLICT (order_id, attempt) DO NOTHING"
		return one(db.ExecContext(ctx, pay, order, uuid.NewString(), cents)) // want: weakcondition
	})
}

// Ticket puts an item under a name that nobody else has.
func Ticket(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, order string) error {
	return withToken(ctx, session, "/orders/"+order, func(int64) error { // verdict: unfenced
		item := map[string]types.AttributeValue{"order": &types.AttributeValueMemberS{Value: order}, "ticket": &types.AttributeValueMemberS{Value: uuid.NewString()}}
		_, err := db.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("tickets"), Item: item, ConditionExpression: aws.String("attribute_not_exists(ticket)")}) // want: weakcondition
		return err
	})
}

// Next makes another node each time.
func Next(conn *zk.Conn, order string, data []byte) error {
	lock := zk.NewLock(conn, "/orders/"+order, zk.WorldACL(zk.PermAll))
	if err := lock.Lock(); err != nil { // verdict: unfenced
		return err
	}
	defer lock.Unlock()
	_, err := conn.Create("/payments/"+order+"-", data, zk.FlagSequence, zk.WorldACL(zk.PermAll)) // want: unfenced
	return err
}

var putNewer = redis.NewScript(`
if tonumber(redis.call("GET", KEYS[2]) or "0") > tonumber(ARGV[2]) then return 0 end
redis.call("SET", KEYS[1], ARGV[1])
redis.call("SET", KEYS[2], ARGV[2])
return 1`)

// Own finds the last token by the token.
func Own(ctx context.Context, session *concurrency.Session, rdb *redis.Client, page, text string) error {
	return withToken(ctx, session, "/pages/"+page, func(token int64) error { // verdict: unfenced
		n, err := putNewer.Run(ctx, rdb, []string{"page:" + page, "last:" + page + ":" + strconv.FormatInt(token, 10)}, text, token).Int() // want: weakcondition
		if err == nil && n == 0 {
			err = errStale
		}
		return err
	})
}

var putForAWhile = redis.NewScript(`
if tonumber(redis.call("GET", KEYS[2]) or "0") > tonumber(ARGV[2]) then return 0 end
redis.call("SET", KEYS[1], ARGV[1])
redis.call("SET", KEYS[2], ARGV[2])
redis.call("EXPIRE", KEYS[2], 30)
return 1`)

// Forgets lets everybody in half a minute after the last write.
func Forgets(ctx context.Context, session *concurrency.Session, rdb *redis.Client, page, text string) error {
	return withToken(ctx, session, "/pages/"+page, func(token int64) error { // verdict: unverified
		n, err := putForAWhile.Run(ctx, rdb, []string{"page:" + page, "last:" + page}, text, token).Int()
		if err == nil && n == 0 {
			err = errStale
		}
		return err
	})
}

const guarded = "UPDATE page SET text = $2, turn = $3 WHERE id = $1 AND turn < $3"

// Forced takes the guard off for some.
func Forced(ctx context.Context, session *concurrency.Session, db *sql.DB, page, text string, force bool) error {
	return withToken(ctx, session, "/pages/"+page, func(token int64) error { // verdict: unverified
		set := guarded
		if force {
			set = strings.TrimSuffix(set, " AND turn < $3")
		}
		return one(db.ExecContext(ctx, set, page, text, token))
	})
}

// Cut takes what stands before the guard.
func Cut(ctx context.Context, session *concurrency.Session, db *sql.DB, page, text string, all bool) error {
	return withToken(ctx, session, "/pages/"+page, func(token int64) error { // verdict: unverified
		set := guarded
		if before, _, ok := strings.Cut(set, " AND "); ok && all {
			set = before
		}
		return one(db.ExecContext(ctx, set, page, text, token))
	})
}

// Replaced has another condition in the place of the guard.
func Replaced(ctx context.Context, session *concurrency.Session, db *sql.DB, page, text string) error {
	return withToken(ctx, session, "/pages/"+page, func(token int64) error { // verdict: unfenced
		set := strings.Replace(guarded, "turn < $3", "$3 > 0", 1)
		return one(db.ExecContext(ctx, set, page, text, token)) // want: weakcondition
	})
}

// Short has room for a part of the statement.
func Short(ctx context.Context, session *concurrency.Session, db *sql.DB, page, text string) error {
	return withToken(ctx, session, "/pages/"+page, func(token int64) error { // verdict: unverified
		return one(db.ExecContext(ctx, fmt.Sprintf("%.50s", guarded), page, text, token))
	})
}
