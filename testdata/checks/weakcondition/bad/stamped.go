package bad

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

type Meter struct {
	ID    int64
	Kilos int64
	Turn  int64
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

// Correct stamps the record well, but saves it even if the condition matches nothing.
func (s *Scales) Correct(ctx context.Context, m *Meter) error {
	return s.held(ctx, "m", func(turn int64) error { // verdict: unfenced
		m.Turn = turn
		return s.db.WithContext(ctx).Where("turn < ?", turn).Save(m).Error // want: weakcondition
	})
}

// Reset stamps the record, and does not write the column.
func (s *Scales) Reset(ctx context.Context, m *Meter) error {
	return s.held(ctx, "r", func(turn int64) error { // verdict: unfenced
		m.Turn = turn
		tx := s.db.WithContext(ctx).Where("turn < ?", turn).Select("kilos").Updates(Meter{Kilos: m.Kilos}) // want: weakcondition
		if tx.Error == nil && tx.RowsAffected == 0 {
			return errors.New("a later clerk was here")
		}
		return tx.Error
	})
}

// Weigh stores a turn of its own making beside the one that it compares.
func (s *Scales) Weigh(ctx context.Context, kilos string) error {
	return s.held(ctx, "w", func(turn int64) error { // verdict: unfenced
		n, err := attributevalue.Marshal(turn)
		if err != nil {
			return err
		}
		item := map[string]types.AttributeValue{"kilos": &types.AttributeValueMemberN{Value: kilos}}
		_, err = s.ddb.PutItem(ctx, &dynamodb.PutItemInput{ // want: weakcondition
			TableName:                 aws.String("weighing"),
			Item:                      item,
			ConditionExpression:       aws.String("attribute_not_exists(turn) OR turn < :turn"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":turn": n},
		})
		return err
	})
}
