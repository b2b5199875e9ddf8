package bad

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/redis/go-redis/v9"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// SelectThenUpdate: the token can be overtaken between the two statements.
func SelectThenUpdate(ctx context.Context, session *concurrency.Session, db *sql.DB, id, text string) (err error) {
	mutex := concurrency.NewMutex(session, "/locks/select")
	if err := mutex.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	token := mutex.Header().Revision
	var last int64
	if err := db.QueryRowContext(ctx, "SELECT last_token FROM sheet WHERE id = $1", id).Scan(&last); err != nil {
		return err
	}
	if token < last {
		return errStale
	}
	_, err = db.ExecContext(ctx, "UPDATE sheet SET text = $2, last_token = $3 WHERE id = $1", id, text, token) // want: weakcondition
	return err
}

// GetThenSet is the same in Redis.
func GetThenSet(ctx context.Context, session *concurrency.Session, rdb *redis.Client, key, value string) error {
	return withToken(ctx, session, "/locks/get", func(token int64) error { // verdict: unfenced
		last, err := rdb.HGet(ctx, key, "token").Int64()
		if err != nil && !errors.Is(err, redis.Nil) {
			return err
		}
		if last > token {
			return errStale
		}
		return rdb.HSet(ctx, key, "value", value, "token", token).Err() // want: weakcondition
	})
}

// HeadThenPut keeps the token in the metadata of the object.
func HeadThenPut(ctx context.Context, session *concurrency.Session, store *s3.Client, bucket, name string, body []byte) error {
	return withToken(ctx, session, "/locks/head", func(token int64) error { // verdict: unfenced
		head, err := store.HeadObject(ctx, &s3.HeadObjectInput{Bucket: aws.String(bucket), Key: aws.String(name)})
		if err != nil {
			return err
		}
		last, err := strconv.ParseInt(head.Metadata["token"], 10, 64)
		if err != nil {
			return err
		}
		if token < last {
			return errStale
		}
		_, err = store.PutObject(ctx, &s3.PutObjectInput{ // want: weakcondition
			Bucket: aws.String(bucket), Key: aws.String(name), Body: bytes.NewReader(body),
			Metadata: map[string]string{"token": strconv.FormatInt(token, 10)},
		})
		return err
	})
}

// VersionInGo compares a version that was read in the section, but in Go and not in the statement.
func VersionInGo(ctx context.Context, session *concurrency.Session, db *sql.DB, id, text string, expect int64) error {
	return withToken(ctx, session, "/locks/ingo", func(int64) error { // verdict: unfenced
		var version int64
		if err := db.QueryRowContext(ctx, "SELECT version FROM leaf WHERE id = $1", id).Scan(&version); err != nil {
			return err
		}
		if version != expect {
			return errStale
		}
		_, err := db.ExecContext(ctx, "UPDATE leaf SET text = $2, version = $3 WHERE id = $1", id, text, version+1) // want: weakcondition
		return err
	})
}
