package bad

import (
	"context"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.etcd.io/etcd/client/v3/concurrency"
)

func words(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// Permit compares what it stores, which is text.
func Permit(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, plate, zone string) error {
	return withToken(ctx, session, "/permits/"+plate, func(token int64) error { // verdict: unfenced
		in := &dynamodb.PutItemInput{TableName: aws.String("permit")}
		in.Item = map[string]types.AttributeValue{
			"plate": words(plate), "zone": words(zone), "turn": words(strconv.FormatInt(token, 10)),
		}
		in.ConditionExpression = aws.String("attribute_not_exists(turn) OR turn < :turn")
		in.ExpressionAttributeValues = map[string]types.AttributeValue{":turn": in.Item["turn"]}
		_, err := db.PutItem(ctx, in) // want: weakcondition
		return err
	})
}
