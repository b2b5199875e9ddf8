package others

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"
)

var ErrSoon = errors.New("there is one already")

// changed is the error of a statement that found nothing to change.
func changed(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, ErrSoon)
	}
	return nil
}

// Forgot makes a link by which a user sets a new password, unless there is one that still works.
func Forgot(ctx context.Context, db *sql.DB, user int64, send func(string) error) error {
	link := uuid.NewString()
	err := changed(db.ExecContext(ctx, "UPDATE users SET link = $2, link_until = now() + interval '1 hour' WHERE id = $1 AND (link IS NULL OR link_until < now())", user, link))
	if err != nil {
		return err
	}
	return send(link)
}

// Choose sets the password, and uses up the link.
func Choose(ctx context.Context, db *sql.DB, link, hash string) error {
	return changed(db.ExecContext(ctx, "UPDATE users SET password = $2, link = NULL, link_until = NULL WHERE link = $1 AND link_until > now()", link, hash))
}

// Open starts a user's session where the last one is over.
func Open(ctx context.Context, db *sql.DB, user int64) (string, error) {
	session := uuid.NewString()
	now := time.Now()
	err := changed(db.ExecContext(ctx, "UPDATE sessions SET session = ?, valid_to = ? WHERE user = ? AND valid_to < ?", session, now.Add(time.Hour), user, now))
	return session, err
}

// Stay prolongs the session that a request brings along.
func Stay(ctx context.Context, db *sql.DB, session string) error {
	return changed(db.ExecContext(ctx, "UPDATE sessions SET valid_to = ? WHERE session = ?", time.Now().Add(time.Hour), session))
}

// Leave ends it.
func Leave(ctx context.Context, db *sql.DB, session string) error {
	return changed(db.ExecContext(ctx, "DELETE FROM sessions WHERE session = ?", session))
}

// Greet opens a session and notes it.
func Greet(ctx context.Context, db *sql.DB, user int64) error {
	session, err := Open(ctx, db, user)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "UPDATE users SET last = ? WHERE id = ?", session, user)
	return err
}

// Edit stores a text, unless a newer one is there.
func Edit(ctx context.Context, db *sql.DB, id int64, body string) error {
	now := time.Now()
	return changed(db.ExecContext(ctx, "UPDATE texts SET body = ?, edited = ? WHERE id = ? AND edited < ?", body, now, id, now))
}

// Confirm says that a text is still right.
func Confirm(ctx context.Context, db *sql.DB, id int64, body string) error {
	return changed(db.ExecContext(ctx, "UPDATE texts SET edited = ? WHERE id = ? AND body = ?", time.Now(), id, body))
}

// Due runs what is due, by whoever moves the next time first.
func Due(ctx context.Context, db *sql.DB, name, machine string, run func(context.Context) error) error {
	now := time.Now()
	err := changed(db.ExecContext(ctx, "UPDATE plans SET next = ?, last_on = ? WHERE name = ? AND next <= ?", now.Add(time.Hour), machine, name, now))
	if err != nil {
		return err
	}
	return run(ctx)
}

// LockUser keeps a user out for an hour, unless he is kept out already.
func LockUser(ctx context.Context, db *sql.DB, user string) error {
	return changed(db.ExecContext(ctx, "UPDATE users SET barred_until = now() + interval '1 hour' WHERE name = $1 AND barred_until < now()", user))
}

// UnlockUser lets him in.
func UnlockUser(ctx context.Context, db *sql.DB, user string) error {
	return changed(db.ExecContext(ctx, "UPDATE users SET barred_until = NULL WHERE name = $1", user))
}

// Bar keeps a user out and writes it down.
func Bar(ctx context.Context, db *sql.DB, user string) error {
	if err := LockUser(ctx, db, user); err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, "INSERT INTO audit (who) VALUES ($1)", user)
	return err
}

// A Desk has tickets with somebody who works on each, and a version.
type Desk struct{ db *dynamodb.Client }

func ticket(id string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: id}}
}

// Assign gives a ticket to somebody. It tries again where the ticket was changed meanwhile.
func (d *Desk) Assign(ctx context.Context, id, to string) error {
	for range 5 {
		got, err := d.db.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("tickets"), Key: ticket(id)})
		if err != nil {
			return err
		}
		version := got.Item["version"].(*types.AttributeValueMemberN)
		n, err := strconv.Atoi(version.Value)
		if err != nil {
			return err
		}
		_, err = d.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: aws.String("tickets"), Key: ticket(id),
			UpdateExpression: aws.String("SET assigned_to = :to, version = :next"), ConditionExpression: aws.String("version = :seen"),
			ExpressionAttributeValues: map[string]types.AttributeValue{
				":to": &types.AttributeValueMemberS{Value: to}, ":next": &types.AttributeValueMemberN{Value: strconv.Itoa(n + 1)}, ":seen": version,
			},
		})
		var refused *types.ConditionalCheckFailedException
		if !errors.As(err, &refused) {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
	return ErrSoon
}

// Unassign takes it from him.
func (d *Desk) Unassign(ctx context.Context, id string) error {
	_, err := d.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: aws.String("tickets"), Key: ticket(id), UpdateExpression: aws.String("REMOVE assigned_to")})
	return err
}
