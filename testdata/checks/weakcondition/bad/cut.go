package bad

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"

	"go.etcd.io/etcd/client/v3/concurrency"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"gorm.io/gorm"
)

// A stamp is what goes to the table with a page.
type stamp struct {
	page string
	turn uint16
}

// Stamp has room for few turns.
func Stamp(ctx context.Context, session *concurrency.Session, db *sql.DB, page, text string) error {
	return withToken(ctx, session, "/pages/"+page, func(token int64) error { // verdict: unfenced
		s := stamp{page: page, turn: uint16(token)}
		return one(db.ExecContext(ctx, "UPDATE page SET text = $1, turn = $2 WHERE id = $3 AND turn < $2", text, s.turn, s.page)) // want: weakcondition
	})
}

// Era counts the turns by the hundred, and lets equal eras in.
func Era(ctx context.Context, session *concurrency.Session, docs *mongo.Collection, page, text string) error {
	return withToken(ctx, session, "/pages/"+page, func(token int64) error { // verdict: unfenced
		era := token / 100
		res, err := docs.UpdateOne(ctx, bson.M{"_id": page, "era": bson.M{"$lte": era}}, bson.M{"$set": bson.M{"text": text, "era": era}}) // want: weakcondition
		if err == nil && res.MatchedCount == 0 {
			err = errStale
		}
		return err
	})
}

// Shares keeps the turn as a small float.
func Shares(ctx context.Context, session *concurrency.Session, db *sql.DB, page, text string) error {
	return withToken(ctx, session, "/pages/"+page, func(token int64) error { // verdict: unfenced
		turn := float32(token)
		return one(db.ExecContext(ctx, "UPDATE page SET text = $1, turn = $2 WHERE id = $3 AND turn <= $2", text, turn, page)) // want: weakcondition
	})
}

// Countdown counts backwards.
func Countdown(ctx context.Context, session *concurrency.Session, db *sql.DB, page, text string) error {
	return withToken(ctx, session, "/pages/"+page, func(token int64) error { // verdict: unfenced
		left := 1<<60 - token
		return one(db.ExecContext(ctx, "UPDATE page SET text = $1, turn = $2 WHERE id = $3 AND turn < $2", text, left, page)) // want: weakcondition
	})
}

// Word keeps the turn in half a word, which the store's revision outgrows some day.
func Word(ctx context.Context, session *concurrency.Session, db *sql.DB, page, text string) error {
	return withToken(ctx, session, "/pages/"+page, func(token int64) error { // verdict: unverified
		return one(db.ExecContext(ctx, "UPDATE page SET text = $1, turn = $2 WHERE id = $3 AND turn < $2", text, int32(token), page))
	})
}

// Digits keeps the turn as a string.
func Digits(ctx context.Context, session *concurrency.Session, docs *mongo.Collection, page, text string) error {
	return withToken(ctx, session, "/pages/"+page, func(token int64) error { // verdict: unfenced
		turn := strconv.FormatUint(uint64(token), 10)
		set := bson.D{{Key: "$set", Value: bson.D{{Key: "text", Value: text}, {Key: "turn", Value: turn}}}}
		res, err := docs.UpdateOne(ctx, bson.D{{Key: "_id", Value: page}, {Key: "turn", Value: bson.D{{Key: "$lt", Value: turn}}}}, set) // want: weakcondition
		if err == nil && res.MatchedCount == 0 {
			err = errStale
		}
		return err
	})
}

// A Sheet has its turn in hexadecimal digits.
type Sheet struct {
	ID   uint
	Text string
	Turn string
}

// Hex compares hexadecimal digits.
func Hex(ctx context.Context, session *concurrency.Session, db *gorm.DB, id uint, text string) error {
	return withToken(ctx, session, fmt.Sprint("/sheets/", id), func(token int64) error { // verdict: unfenced
		turn := fmt.Sprintf("%x", token)
		res := db.WithContext(ctx).Model(&Sheet{}).Where("id = ? AND turn < ?", id, turn).Updates(Sheet{Text: text, Turn: turn}) // want: weakcondition
		if res.Error == nil && res.RowsAffected == 0 {
			return errStale
		}
		return res.Error
	})
}
