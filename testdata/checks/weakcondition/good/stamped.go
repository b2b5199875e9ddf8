package good

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"gorm.io/gorm"
)

// Turn is what a record says of who wrote it last.
type Turn struct{ Turn int64 }

func (t *Turn) at(n int64) { t.Turn = n }

type Meter struct {
	ID    int64
	Kilos int64
	Turn
}

// Scales are read by one clerk at a time.
type Scales struct {
	cli *clientv3.Client
	db  *gorm.DB
	ddb *dynamodb.Client
}

func (s *Scales) held(ctx context.Context, id string, read func(turn int64) error) (err error) {
	sess, err := concurrency.NewSession(s.cli)
	if err != nil {
		return err
	}
	defer sess.Close()
	mu := concurrency.NewMutex(sess, "/scales/"+id)
	if err := mu.Lock(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, mu.Unlock(context.WithoutCancel(ctx))) }()
	return read(mu.Header().Revision)
}

// Correct stamps a record that its caller has made, and then writes it.
func (s *Scales) Correct(ctx context.Context, m *Meter) error {
	return s.held(ctx, "m", func(turn int64) error { // verdict: fenced
		return s.keep(ctx, m, turn)
	})
}

func (s *Scales) keep(ctx context.Context, m *Meter, turn int64) error {
	m.at(turn)
	return found(s.db.WithContext(ctx).Where("turn < ?", turn).Select("kilos", "turn").Updates(m))
}

// Reset names the columns, so that Save is an update and nothing else.
func (s *Scales) Reset(ctx context.Context, m *Meter) error {
	return s.held(ctx, "r", func(turn int64) error { // verdict: fenced
		m.Turn.Turn = turn
		return found(s.db.WithContext(ctx).Where("turn < ?", turn).Select("*").Save(m))
	})
}

func found(tx *gorm.DB) error {
	if tx.Error == nil && tx.RowsAffected == 0 {
		return errors.New("a later clerk was here")
	}
	return tx.Error
}

// Weigh stamps an item that it was given.
func (s *Scales) Weigh(ctx context.Context, item map[string]types.AttributeValue) error {
	return s.held(ctx, "w", func(turn int64) error { // verdict: fenced
		n, err := attributevalue.Marshal(turn)
		if err != nil {
			return err
		}
		item["turn"] = n
		_, err = s.ddb.PutItem(ctx, &dynamodb.PutItemInput{
			TableName:                 aws.String("weighing"),
			Item:                      item,
			ConditionExpression:       aws.String("attribute_not_exists(turn) OR turn < :turn"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":turn": n},
		})
		return err
	})
}

// Tare is given an item that may have its stamp or not: who knows.
func (s *Scales) Tare(ctx context.Context, item map[string]types.AttributeValue, turn types.AttributeValue) error {
	_, err := s.ddb.PutItem(ctx, &dynamodb.PutItemInput{
		TableName:                 aws.String("tare"),
		Item:                      item,
		ConditionExpression:       aws.String("attribute_not_exists(turn) OR turn < :turn"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":turn": turn},
	})
	return err
}

// Balance tares with an item out of sight.
func (s *Scales) Balance(ctx context.Context, items func() map[string]types.AttributeValue) error {
	return s.held(ctx, "b", func(turn int64) error { // verdict: unverified
		n, err := attributevalue.Marshal(turn)
		if err != nil {
			return err
		}
		return s.Tare(ctx, items(), n)
	})
}
