package good

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"

	"github.com/redis/go-redis/v9"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// Wide keeps all bits.
func Wide(ctx context.Context, session *concurrency.Session, db *sql.DB, page, text string) error {
	return withToken(ctx, session, "/pages/"+page, func(token int64) error { // verdict: fenced
		return one(db.ExecContext(ctx, "UPDATE page SET text = $1, turn = $2 WHERE id = $3 AND turn < $2", text, uint64(token), page))
	})
}

// Parsed comes in digits, and is a number again before it is compared.
func Parsed(ctx context.Context, session *concurrency.Session, docs *mongo.Collection, page, text string) error {
	return withToken(ctx, session, "/pages/"+page, func(token int64) error { // verdict: fenced
		turn, err := strconv.ParseInt(strconv.FormatInt(token, 10), 10, 64)
		if err != nil {
			return err
		}
		res, err := docs.UpdateOne(ctx, bson.M{"_id": page, "turn": bson.M{"$lt": turn}}, bson.M{"$set": bson.M{"text": text, "turn": turn}})
		if err == nil && res.MatchedCount == 0 {
			err = errStale
		}
		return err
	})
}

// Padded keeps digits of one width.
func Padded(ctx context.Context, session *concurrency.Session, docs *mongo.Collection, page, text string) error {
	return withToken(ctx, session, "/pages/"+page, func(token int64) error { // verdict: fenced
		turn := fmt.Sprintf("%020d", token)
		res, err := docs.UpdateOne(ctx, bson.M{"_id": page, "turn": bson.M{"$lt": turn}}, bson.M{"$set": bson.M{"text": text, "turn": turn}})
		if err == nil && res.MatchedCount == 0 {
			err = errStale
		}
		return err
	})
}

// Since counts from a first turn.
func Since(ctx context.Context, session *concurrency.Session, db *sql.DB, page, text string) error {
	return withToken(ctx, session, "/pages/"+page, func(token int64) error { // verdict: fenced
		return one(db.ExecContext(ctx, "UPDATE page SET text = $1, turn = $2 WHERE id = $3 AND turn < $2", text, token-1000, page))
	})
}

var setTurn = redis.NewScript(`
if tonumber(redis.call("HGET", KEYS[1], "turn") or "0") >= tonumber(ARGV[2]) then return 0 end
redis.call("HSET", KEYS[1], "text", ARGV[1], "turn", ARGV[2])
return 1`)

// Sent goes to Redis in digits, and is a number there.
func Sent(ctx context.Context, session *concurrency.Session, rdb *redis.Client, page, text string) error {
	return withToken(ctx, session, "/pages/"+page, func(token int64) error { // verdict: fenced
		n, err := setTurn.Run(ctx, rdb, []string{"page:" + page}, text, strconv.FormatInt(token, 10)).Int()
		if err == nil && n == 0 {
			err = errStale
		}
		return err
	})
}
