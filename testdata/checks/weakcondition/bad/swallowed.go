package bad

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/redis/go-redis/v9"
)

// taken is a lease whose grants are numbered.
type taken struct {
	rdb   *redis.Client
	name  string
	token int64
}

var grant = redis.NewScript(`
if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then
	return redis.call("INCR", KEYS[2])
end
return 0`)

var back = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("DEL", KEYS[1])
end
return 0`)

func take(ctx context.Context, rdb *redis.Client, name, me string) (*taken, error) {
	n, err := grant.Run(ctx, rdb, []string{"{" + name + "}:lease", "{" + name + "}:number"}, me, time.Minute.Milliseconds()).Int64()
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, errors.New("held")
	}
	return &taken{rdb, name, n}, nil
}

func (t *taken) giveBack(ctx context.Context, me string) error {
	n, err := back.Run(context.WithoutCancel(ctx), t.rdb, []string{"{" + t.name + "}:lease"}, me).Int()
	if err == nil && n == 0 {
		err = errors.New("lost")
	}
	return err
}

// Document knows the exception of the refusal, and returns nil.
func Document(ctx context.Context, rdb *redis.Client, api *dynamodb.Client, me, room, guest string) (err error) {
	t, err := take(ctx, rdb, "room", me) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.giveBack(ctx, me)) }()
	return store(ctx, api, room, guest, t.token)
}

func store(ctx context.Context, api *dynamodb.Client, room, guest string, token int64) error {
	_, err := api.UpdateItem(ctx, &dynamodb.UpdateItemInput{ // want: weakcondition
		TableName:           aws.String("rooms"),
		Key:                 map[string]types.AttributeValue{"room": &types.AttributeValueMemberS{Value: room}},
		UpdateExpression:    aws.String("SET guest = :g, token = :n"),
		ConditionExpression: aws.String("attribute_not_exists(token) OR token < :n"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":g": &types.AttributeValueMemberS{Value: guest},
			":n": &types.AttributeValueMemberN{Value: strconv.FormatInt(token, 10)},
		},
	})
	if refused := (*types.ConditionalCheckFailedException)(nil); errors.As(err, &refused) {
		return nil
	}
	return err
}

// Returning takes no row for success.
func Returning(ctx context.Context, rdb *redis.Client, db *sql.DB, me string, id int64, body string) (err error) {
	t, err := take(ctx, rdb, "letter", me) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.giveBack(ctx, me)) }()
	err = letter(ctx, db, id, body, t.token)
	return err
}

func letter(ctx context.Context, db *sql.DB, id int64, body string, token int64) error {
	var at time.Time
	err := db.QueryRowContext(ctx, // want: weakcondition
		"UPDATE letter SET body = $2, token = $3 WHERE id = $1 AND token < $3 RETURNING changed", id, body, token).Scan(&at)
	switch {
	case err == sql.ErrNoRows:
		return nil
	case err != nil:
		return err
	}
	return nil
}

// Counted looks at the number of rows for nothing.
func Counted(ctx context.Context, rdb *redis.Client, db *sql.DB, me string, id int64, body string) (err error) {
	t, err := take(ctx, rdb, "counted", me) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.giveBack(ctx, me)) }()
	return counted(ctx, db, id, body, t.token)
}

func counted(ctx context.Context, db *sql.DB, id int64, body string, token int64) error {
	res, err := db.ExecContext(ctx, "UPDATE counted SET body = $2, token = $3 WHERE id = $1 AND token < $3", id, body, token) // want: weakcondition
	if err != nil {
		return err
	}
	rows, err := res.RowsAffected()
	if err != nil {
		return err
	}
	if rows == 0 {
		return nil
	}
	return nil
}

var errOutdated = errors.New("written by somebody newer")

type shelf struct{ db *sql.DB }

func (s *shelf) put(ctx context.Context, id int64, body string, token int64) error {
	res, err := s.db.ExecContext(ctx, "UPDATE shelf SET body = $2, token = $3 WHERE id = $1 AND token < $3", id, body, token) // want: weakcondition
	if err != nil {
		return err
	}
	if rows, err := res.RowsAffected(); err != nil {
		return err
	} else if rows == 0 {
		return fmt.Errorf("shelf %d: %w", id, errOutdated)
	}
	return nil
}

// Sentinel swallows the error by which the project itself tells the refusal.
func Sentinel(ctx context.Context, rdb *redis.Client, s *shelf, me string, id int64, body string) (err error) {
	t, err := take(ctx, rdb, "shelf", me) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.giveBack(ctx, me)) }()
	return s.replace(ctx, id, body, t.token)
}

func (s *shelf) replace(ctx context.Context, id int64, body string, token int64) error {
	if err := s.put(ctx, id, body, token); err != nil && !errors.Is(err, errOutdated) {
		return err
	}
	return nil
}
