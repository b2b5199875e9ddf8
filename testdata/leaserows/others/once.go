package others

import (
	"bytes"
	"context"
	"database/sql"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Report sends a report once a day: whoever moves the time first, sends it.
func Report(ctx context.Context, db *sql.DB, name string, send func(context.Context) error) error {
	res, err := db.ExecContext(ctx, "UPDATE reports SET sent_at = now() WHERE name = $1 AND sent_at < now() - interval '1 day'", name)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return err
	}
	return send(ctx)
}

// Refresh replaces an answer that is kept in the database, once it is too old.
func Refresh(ctx context.Context, db *sql.DB, question, answer string) error {
	_, err := db.ExecContext(ctx, `INSERT INTO answers (question, answer, expires_at) VALUES ($1, $2, now() + interval '1 hour')
ON CONFLICT (question) DO UPDATE SET answer = excluded.answer, expires_at = excluded.expires_at WHERE answers.expires_at < now()`, question, answer)
	return err
}

// Prolong gives a subscription another month, unless it is over.
func Prolong(ctx context.Context, db *sql.DB, owner string) error {
	_, err := db.ExecContext(ctx, "UPDATE subscriptions SET valid_until = valid_until + interval '1 month' WHERE owner = $1 AND valid_until > now()", owner)
	return err
}

// Resume starts a subscription again that has run out.
func Resume(ctx context.Context, db *sql.DB, id int64, plan string) error {
	_, err := db.ExecContext(ctx, "UPDATE subscriptions SET plan = $2, valid_until = now() + interval '1 month' WHERE id = $1 AND valid_until < now()", id, plan)
	return err
}

// Detect notes a failure unless the same one is noted already, and tells who saw it.
// Old ones are closed, so that they are noted again.
func Detect(ctx context.Context, db *sql.DB, host, by string, alarm func(context.Context) error) error {
	res, err := db.ExecContext(ctx, "INSERT IGNORE INTO failures (host, active, since, seen_by_node) VALUES (?, 1, NOW(), ?)", host, by)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return err
	}
	return alarm(ctx)
}

// Close closes old failures.
func Close(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, "UPDATE failures SET active = 0 WHERE active = 1 AND since < NOW() - INTERVAL 1 HOUR")
	return err
}

// Settings stores a user's settings over those that are there, with who did it.
func Settings(ctx context.Context, db *sql.DB, user, node string) error {
	_, err := db.ExecContext(ctx, "REPLACE INTO settings (user, node, updated_at) VALUES (?, ?, now())", user, node)
	return err
}

// Warm keeps a page in a table of items, until it is a minute old.
func Warm(ctx context.Context, db *dynamodb.Client, page, body string, now, end types.AttributeValue) error {
	_, err := db.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: aws.String("pages"),
		Item: map[string]types.AttributeValue{
			"Page":    &types.AttributeValueMemberS{Value: page},
			"Body":    &types.AttributeValueMemberS{Value: body},
			"Expires": &types.AttributeValueMemberN{Value: "60"},
		},
		ConditionExpression:       aws.String("attribute_not_exists(Page) OR Expires < :now"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":now": now},
	})
	return err
}

// Publish puts a release once. A mistake is deleted by hand.
func Publish(ctx context.Context, client *s3.Client, bucket, name string, body []byte) error {
	_, err := client.PutObject(ctx, &s3.PutObjectInput{Bucket: &bucket, Key: &name, Body: bytes.NewReader(body), IfNoneMatch: aws.String("*")})
	return err
}

// Withdraw deletes a release.
func Withdraw(ctx context.Context, client *s3.Client, bucket, name string) error {
	_, err := client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &bucket, Key: &name})
	return err
}

// Snooze hides an alarm for an hour, by whoever is on duty.
func Snooze(ctx context.Context, db *sql.DB, alarm, now time.Time) error {
	_, err := db.ExecContext(ctx, "UPDATE alarms SET hidden_until = ? WHERE alarm = ? AND hidden_until < ?", now.Add(time.Hour), alarm, now)
	return err
}

// A Shelf keeps files, each of which is written once.
type Shelf struct {
	client *s3.Client
	bucket string
}

// Put writes a file, unless there is one.
func (s *Shelf) Put(ctx context.Context, name string, body []byte) error {
	_, err := s.client.PutObject(ctx, &s3.PutObjectInput{Bucket: &s.bucket, Key: &name, Body: bytes.NewReader(body), IfNoneMatch: aws.String("*")})
	return err
}

// Remove takes a file away.
func (s *Shelf) Remove(ctx context.Context, name string) error {
	_, err := s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &s.bucket, Key: &name})
	return err
}

// Try puts a file on the shelf, looks at it and takes it away again.
func (s *Shelf) Try(ctx context.Context, name string, body []byte, look func(string) error) error {
	if err := s.Put(ctx, name, body); err != nil {
		return err
	}
	defer s.Remove(context.WithoutCancel(ctx), name)
	return look(name)
}
