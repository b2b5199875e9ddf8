package bad

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/redis/go-redis/v9"
)

var errLeased = errors.New("leased by another host")

// Barns are leased by items of a table.
type Barns struct {
	db    *dynamodb.Client
	table string
	host  string
}

const leaseEnd = "LeaseTimeout"

// TakeLease looks until when the other one has it.
func (b *Barns) TakeLease(ctx context.Context, barn string) error {
	key := map[string]types.AttributeValue{"Barn": &types.AttributeValueMemberS{Value: barn}}
	out, err := b.db.GetItem(ctx, &dynamodb.GetItemInput{TableName: &b.table, Key: key})
	if err != nil {
		return err
	}
	if v, ok := out.Item[leaseEnd]; ok {
		end, err := time.Parse(time.RFC3339Nano, v.(*types.AttributeValueMemberS).Value)
		if err != nil {
			return err
		}
		if time.Now().UTC().Before(end) { // want: wallclock
			return errLeased
		}
	}
	return b.put(ctx, barn)
}

func (b *Barns) put(ctx context.Context, barn string) error {
	_, err := b.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: &b.table, Item: map[string]types.AttributeValue{
		"Barn":   &types.AttributeValueMemberS{Value: barn},
		"Farmer": &types.AttributeValueMemberS{Value: b.host},
		leaseEnd: &types.AttributeValueMemberS{Value: time.Now().UTC().Add(time.Minute).Format(time.RFC3339Nano)},
	}})
	return err
}

// leaseLives reads a hash, in which numbers are texts.
func leaseLives(ctx context.Context, rdb *redis.Client, barn string) (bool, error) {
	fields, err := rdb.HGetAll(ctx, "barn:"+barn).Result()
	if err != nil {
		return false, err
	}
	end, err := strconv.ParseInt(fields["lease_until"], 10, 64)
	return err == nil && time.Now().Unix() < end, nil // want: wallclock
}

// Enter goes in where nobody is.
func Enter(ctx context.Context, rdb *redis.Client, barn string) error {
	leased, err := leaseLives(ctx, rdb, barn)
	if err != nil || leased {
		return errors.Join(err, errLeased)
	}
	return nil
}
