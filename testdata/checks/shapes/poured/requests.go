package poured

import (
	"bytes"
	"context"
	"errors"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// Stores are where the crews of a Cellar write.
type Stores struct {
	*Cellar
	items *dynamodb.Client
	files *s3.Client
	docs  *mongo.Collection
}

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

func request(vat string, litres int64) *dynamodb.UpdateItemInput {
	return &dynamodb.UpdateItemInput{
		TableName:                 aws.String("vats"),
		Key:                       map[string]types.AttributeValue{"vat": &types.AttributeValueMemberS{Value: vat}},
		UpdateExpression:          aws.String("SET litres = :l"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":l": number(litres)},
	}
}

// inTurn adds the condition to a request.
func inTurn(r *dynamodb.UpdateItemInput, turn int64) *dynamodb.UpdateItemInput {
	r.UpdateExpression = aws.String(*r.UpdateExpression + ", turn = :t")
	r.ConditionExpression = aws.String("attribute_not_exists(turn) OR turn < :t")
	r.ExpressionAttributeValues[":t"] = number(turn)
	return r
}

// Item sends what inTurn returns.
func (s *Stores) Item(ctx context.Context, vat string, litres int64) (err error) {
	turn, leave, err := s.enter(ctx, vat) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	_, err = s.items.UpdateItem(ctx, inTurn(request(vat, litres), turn))
	return err
}

// Literal gives it a request that is made on the spot.
func (s *Stores) Literal(ctx context.Context, vat string, litres int64) (err error) {
	turn, leave, err := s.enter(ctx, vat) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	_, err = s.items.UpdateItem(ctx, inTurn(&dynamodb.UpdateItemInput{
		TableName:                 aws.String("vats"),
		Key:                       map[string]types.AttributeValue{"vat": &types.AttributeValueMemberS{Value: vat}},
		UpdateExpression:          aws.String("SET litres = :l"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":l": number(litres)},
	}, turn))
	return err
}

// Changed takes what inTurn has done to the request, and not what it returns.
func (s *Stores) Changed(ctx context.Context, vat string, litres int64) (err error) {
	turn, leave, err := s.enter(ctx, vat) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	r := request(vat, litres)
	inTurn(r, turn)
	_, err = s.items.UpdateItem(ctx, r)
	return err
}

// numbered stores the turn, and asks for nothing.
func numbered(r *dynamodb.UpdateItemInput, turn int64) *dynamodb.UpdateItemInput {
	r.UpdateExpression = aws.String(*r.UpdateExpression + ", turn = :t")
	r.ExpressionAttributeValues[":t"] = number(turn)
	return r
}

// Numbered writes whatever is there.
func (s *Stores) Numbered(ctx context.Context, vat string, litres int64) (err error) {
	turn, leave, err := s.enter(ctx, vat) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	_, err = s.items.UpdateItem(ctx, numbered(request(vat, litres), turn)) // want: unfenced
	return err
}

// Freed takes the condition off again.
func (s *Stores) Freed(ctx context.Context, vat string, litres int64) (err error) {
	turn, leave, err := s.enter(ctx, vat) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	r := inTurn(request(vat, litres), turn)
	r.ConditionExpression = nil
	_, err = s.items.UpdateItem(ctx, r) // want: unfenced
	return err
}

// Forced does so on some ways.
func (s *Stores) Forced(ctx context.Context, vat string, litres int64, force bool) (err error) {
	turn, leave, err := s.enter(ctx, vat) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	r := inTurn(request(vat, litres), turn)
	if force {
		r.ExpressionAttributeValues[":t"] = number(1 << 60)
	}
	_, err = s.items.UpdateItem(ctx, r)
	return err
}

func ifStrict(r *dynamodb.UpdateItemInput, turn int64, strict bool) {
	if strict {
		inTurn(r, turn)
	}
}

// Strict has a condition on some ways.
func (s *Stores) Strict(ctx context.Context, vat string, litres int64, strict bool) (err error) {
	turn, leave, err := s.enter(ctx, vat) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	r := request(vat, litres)
	ifStrict(r, turn, strict)
	_, err = s.items.UpdateItem(ctx, r)
	return err
}

func replacing(p *s3.PutObjectInput, tag *string) *s3.PutObjectInput {
	p.IfMatch = tag
	return p
}

func object(vat string, body []byte) *s3.PutObjectInput {
	return &s3.PutObjectInput{Bucket: aws.String("vats"), Key: aws.String(vat), Body: bytes.NewReader(body)}
}

// File replaces the version that was read.
func (s *Stores) File(ctx context.Context, vat string) (err error) {
	_, leave, err := s.enter(ctx, vat) // verdict: fenced // want: redundantlock
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	old, err := s.files.GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String("vats"), Key: aws.String(vat)})
	if err != nil {
		return err
	}
	defer old.Body.Close()
	text := new(bytes.Buffer)
	if _, err := text.ReadFrom(old.Body); err != nil {
		return err
	}
	_, err = s.files.PutObject(ctx, replacing(object(vat, append(text.Bytes(), '\n')), old.ETag))
	return err
}

func named(vat string) bson.M { return bson.M{"_id": vat} }

func before(filter bson.M, turn int64) bson.M {
	filter["turn"] = bson.M{"$lt": turn}
	return filter
}

// Document asks in the filter.
func (s *Stores) Document(ctx context.Context, vat string, litres int64) (err error) {
	turn, leave, err := s.enter(ctx, vat) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	set := bson.M{"litres": litres}
	set["turn"] = turn
	res, err := s.docs.UpdateOne(ctx, before(named(vat), turn), bson.M{"$set": set})
	if err == nil && res.MatchedCount == 0 {
		return errLate
	}
	return err
}

// Unasked has a filter that names the document alone.
func (s *Stores) Unasked(ctx context.Context, vat string, litres int64) (err error) {
	turn, leave, err := s.enter(ctx, vat) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	_, err = s.docs.UpdateOne(ctx, named(vat), bson.M{"$set": bson.M{"litres": litres, "turn": turn}}) // want: unfenced
	return err
}
