package good

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
	"gorm.io/gorm"
)

// Revise: a version column that is read in the section and compared by the write.
func Revise(ctx context.Context, locks *redislock.Client, db *sql.DB, id int64, suffix string) (err error) {
	lock, err := locks.Obtain(ctx, "lock:text:"+strconv.FormatInt(id, 10), 10*time.Second, nil) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	var body string
	var version int64
	if err := db.QueryRowContext(ctx, "SELECT body, version FROM text WHERE id = $1", id).Scan(&body, &version); err != nil {
		return err
	}
	const set = "UPDATE text SET body = $3, version = version + 1 WHERE id = $1 AND version = $2"
	return one(db.ExecContext(ctx, set, id, version, body+suffix))
}

// Vote: WATCH makes the pipeline fail where the counter has changed since it was read.
func Vote(ctx context.Context, rdb *redis.Client, poll string) (err error) {
	owner := rand.Text()
	ok, err := rdb.SetNX(ctx, "lock:poll:"+poll, owner, 5*time.Second).Result() // verdict: fenced
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, "lock:poll:"+poll, owner)) }()

	key := "votes:" + poll
	return rdb.Watch(ctx, func(tx *redis.Tx) error {
		n, err := tx.Get(ctx, key).Int64()
		if err != nil && !errors.Is(err, redis.Nil) {
			return err
		}
		_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.Set(ctx, key, n+1, 0)
			return nil
		})
		return err
	}, key)
}

// Extend: the object is replaced only while it is the one that was read.
func Extend(ctx context.Context, rs *redsync.Redsync, store *s3.Client, bucket, name, line string) (err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	mutex := rs.NewMutex("lock:object:"+name, redsync.WithExpiry(20*time.Second))
	if err := mutex.LockContext(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() {
		ok, e := mutex.UnlockContext(context.WithoutCancel(ctx))
		if e == nil && !ok {
			e = errLost
		}
		err = errors.Join(err, e)
	}()

	old, err := store.GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String(bucket), Key: aws.String(name)})
	if err != nil {
		return err
	}
	defer old.Body.Close()
	var lines []string
	if err := json.NewDecoder(old.Body).Decode(&lines); err != nil {
		return err
	}
	body, err := json.Marshal(append(lines, line))
	if err != nil {
		return err
	}
	_, err = store.PutObject(ctx, &s3.PutObjectInput{
		Bucket: aws.String(bucket), Key: aws.String(name), Body: bytes.NewReader(body), IfMatch: old.ETag,
	})
	return err
}

type Draft struct {
	ID      uint
	Text    string
	Version int64
}

// Edit: gorm, with the version in a Where and the count in RowsAffected.
func Edit(ctx context.Context, rs *redsync.Redsync, db *gorm.DB, id uint, text string) (err error) {
	mutex := rs.NewMutex("lock:drafts")
	if err := mutex.LockContext(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() {
		ok, e := mutex.UnlockContext(context.WithoutCancel(ctx))
		if e == nil && !ok {
			e = errLost
		}
		err = errors.Join(err, e)
	}()

	var d Draft
	if err := db.WithContext(ctx).First(&d, id).Error; err != nil {
		return err
	}
	res := db.WithContext(ctx).Model(&Draft{}).Where("id = ? AND version = ?", id, d.Version).
		Updates(map[string]any{"text": text, "version": d.Version + 1})
	if res.Error != nil {
		return res.Error
	}
	if res.RowsAffected == 0 {
		return errStale
	}
	return nil
}

// Register: a unique key decides, whoever holds the lock.
func Register(ctx context.Context, locks *redislock.Client, db *sql.DB, mail string) (err error) {
	lock, err := locks.Obtain(ctx, "lock:register:"+mail, 5*time.Second, nil) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	return one(db.ExecContext(ctx, "INSERT INTO login (mail) VALUES ($1) ON CONFLICT (mail) DO NOTHING", mail))
}

// Prepare: a table can be made once, be it that its maker asks first or not.
func Prepare(ctx context.Context, locks *redislock.Client, db *sql.DB) (err error) {
	lock, err := locks.Obtain(ctx, "lock:prepare", 5*time.Second, nil) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	if _, err := db.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS visit (mail text, day date)"); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "CREATE INDEX visit_day ON visit (day)")
	return err
}

// Reserve: the file is created once; O_EXCL refuses the second one.
func Reserve(ctx context.Context, locks *redislock.Client, path string) (err error) {
	lock, err := locks.Obtain(ctx, "lock:path", 5*time.Second, nil) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	return f.Close()
}

// Archive: the object is put only where none is.
func Archive(ctx context.Context, locks *redislock.Client, store *s3.Client, bucket, name string, body []byte) (err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	lock, err := locks.Obtain(ctx, "lock:archive:"+name, 10*time.Second, nil) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	in := &s3.PutObjectInput{Bucket: aws.String(bucket), Key: aws.String(name), Body: bytes.NewReader(body)}
	in.IfNoneMatch = aws.String("*")
	_, err = store.PutObject(ctx, in)
	return err
}
