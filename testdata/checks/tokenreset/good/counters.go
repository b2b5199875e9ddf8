package good

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/bsm/redislock"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// Meters keeps the readings of meters. Its tokens are counted in an item of their own.
type Meters struct {
	db    *dynamodb.Client
	locks *redislock.Client
	table string
}

// A reading is one item of the table.
type reading struct {
	Meter string `dynamodbav:"meter"`
	Units int64  `dynamodbav:"units"`
	Fence int64  `dynamodbav:"fence"`
}

func num(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

// draw counts the grants of a meter's lock.
func (m *Meters) draw(ctx context.Context, meter string) (int64, error) {
	out, err := m.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 aws.String(m.table + "_grants"),
		Key:                       map[string]types.AttributeValue{"meter": &types.AttributeValueMemberS{Value: meter}},
		UpdateExpression:          aws.String("SET #g = if_not_exists(#g, :none) + :one"),
		ExpressionAttributeNames:  map[string]string{"#g": "grant_no"},
		ExpressionAttributeValues: map[string]types.AttributeValue{":one": num(1), ":none": num(0)},
		ReturnValues:              types.ReturnValueUpdatedNew,
	})
	if err != nil {
		return 0, err
	}
	n, ok := out.Attributes["grant_no"].(*types.AttributeValueMemberN)
	if !ok {
		return 0, errors.New("no number")
	}
	return strconv.ParseInt(n.Value, 10, 64)
}

func (m *Meters) locked(ctx context.Context, meter string, fn func() error) (err error) {
	lock, err := m.locks.Obtain(ctx, "meter:"+meter, 10*time.Second, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	return fn()
}

// Read stores one reading, as a struct.
func (m *Meters) Read(ctx context.Context, meter string, units int64) error {
	return m.locked(ctx, meter, func() error { // verdict: fenced
		fence, err := m.draw(ctx, meter)
		if err != nil {
			return err
		}
		item, err := attributevalue.MarshalMap(reading{Meter: meter, Units: units, Fence: fence})
		if err != nil {
			return err
		}
		_, err = m.db.PutItem(ctx, &dynamodb.PutItemInput{
			TableName:                 &m.table,
			Item:                      item,
			ConditionExpression:       aws.String("attribute_not_exists(fence) OR fence <= :fence"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":fence": num(fence)},
		})
		return err
	})
}

// ReadAll stores the readings of a day in one transaction: the summary compares, and where it is refused so are
// the others.
func (m *Meters) ReadAll(ctx context.Context, meter string, units []int64) error {
	return m.locked(ctx, meter, func() error { // verdict: fenced
		fence, err := m.draw(ctx, meter)
		if err != nil {
			return err
		}
		var sum int64
		var writes []types.TransactWriteItem
		for i, n := range units {
			sum += n
			item := map[string]types.AttributeValue{"meter": &types.AttributeValueMemberS{Value: meter + "/" + strconv.Itoa(i)}, "units": num(n)}
			writes = append(writes, types.TransactWriteItem{Put: &types.Put{TableName: &m.table, Item: item}})
		}
		writes = append(writes, types.TransactWriteItem{Update: &types.Update{
			TableName:                 &m.table,
			Key:                       map[string]types.AttributeValue{"meter": &types.AttributeValueMemberS{Value: meter}},
			UpdateExpression:          aws.String("SET total = :sum, fence = :fence"),
			ConditionExpression:       aws.String("attribute_not_exists(fence) OR fence < :fence"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":sum": num(sum), ":fence": num(fence)},
		}})
		_, err = m.db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: writes})
		return err
	})
}

// Handed: operations that the caller made may have conditions.
func (m *Meters) Handed(ctx context.Context, meter string, writes []types.TransactWriteItem) error {
	return m.locked(ctx, meter, func() error { // verdict: unverified
		_, err := m.db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: writes})
		return err
	})
}

// Serial counts documents up, and what it gets back is compared.
func Serial(ctx context.Context, locks *redislock.Client, db *mongo.Database, name, text string) (err error) {
	lock, err := locks.Obtain(ctx, "page:"+name, 10*time.Second, nil) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	var counter struct {
		Serial int64 `bson:"serial"`
	}
	after := options.FindOneAndUpdate().SetUpsert(true).SetReturnDocument(options.After)
	next := db.Collection("serials").FindOneAndUpdate(ctx, bson.M{"_id": name}, bson.M{"$inc": bson.M{"serial": 1}}, after)
	if err := next.Decode(&counter); err != nil {
		return err
	}
	res, err := db.Collection("pages").UpdateOne(ctx,
		bson.M{"_id": name, "serial": bson.M{"$lt": counter.Serial}}, bson.M{"$set": bson.M{"text": text, "serial": counter.Serial}})
	if err == nil && res.MatchedCount == 0 {
		err = errStale
	}
	return err
}
