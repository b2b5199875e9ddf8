package good

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Permit compares what it stores, which is a number.
func Permit(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, plate, zone string) error {
	return withToken(ctx, session, "/permits/"+plate, func(token int64) error { // verdict: fenced
		in := &dynamodb.PutItemInput{TableName: aws.String("permit")}
		in.Item = map[string]types.AttributeValue{
			"plate": &types.AttributeValueMemberS{Value: plate},
			"zone":  &types.AttributeValueMemberS{Value: zone},
			"turn":  &types.AttributeValueMemberN{Value: strconv.FormatInt(token, 10)},
		}
		in.ConditionExpression = aws.String("attribute_not_exists(turn) OR turn < :turn")
		in.ExpressionAttributeValues = map[string]types.AttributeValue{":turn": in.Item["turn"]}
		_, err := db.PutItem(ctx, in)
		return err
	})
}

// PermitText compares text of a fixed width, which sorts as the numbers do.
func PermitText(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, plate, zone string) error {
	return withToken(ctx, session, "/permits/"+plate, func(token int64) error { // verdict: fenced
		in := dynamodb.PutItemInput{
			TableName: aws.String("permit"),
			Item: map[string]types.AttributeValue{
				"plate": &types.AttributeValueMemberS{Value: plate},
				"turn":  &types.AttributeValueMemberS{Value: fmt.Sprintf("%019d", token)},
			},
			ConditionExpression: aws.String("attribute_not_exists(turn) OR turn < :turn"),
		}
		in.Item["zone"] = &types.AttributeValueMemberS{Value: zone}
		in.ExpressionAttributeValues = map[string]types.AttributeValue{":turn": in.Item["turn"]}
		_, err := db.PutItem(ctx, &in)
		return err
	})
}

// A ticket keeps what it was made of beside the parameters of its statement.
type ticket struct {
	plate string
	turn  int64
	args  []any
}

func (t *ticket) issue(ctx context.Context, db *sql.DB) error {
	return one(db.ExecContext(ctx, "UPDATE ticket SET paid = true, turn = $2 WHERE plate = $1 AND turn < $2", t.args...))
}

// Ticket fills the parameters from the ticket itself.
func Ticket(ctx context.Context, session *concurrency.Session, db *sql.DB, plate string) error {
	return withToken(ctx, session, "/tickets/"+plate, func(token int64) error { // verdict: fenced
		t := &ticket{plate: plate, turn: token}
		t.args = []any{t.plate, t.turn}
		return t.issue(ctx, db)
	})
}
