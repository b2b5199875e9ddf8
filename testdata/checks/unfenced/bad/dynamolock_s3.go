package bad

import (
	"bytes"
	"context"
	"errors"

	"cirello.io/dynamolock/v2"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// SaveState: a DynamoDB lock around an object that anybody may overwrite.
func SaveState(ctx context.Context, locks *dynamolock.Client, store *s3.Client, bucket, name string, state []byte) (err error) {
	lock, err := locks.AcquireLockWithContext(ctx, name) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() {
		ok, e := locks.ReleaseLockWithContext(context.WithoutCancel(ctx), lock)
		if e == nil && !ok {
			e = errLost
		}
		err = errors.Join(err, e)
	}()
	if lock.IsExpired() {
		return errLost
	}
	in := &s3.PutObjectInput{Bucket: aws.String(bucket), Key: aws.String(name), Body: bytes.NewReader(state)}
	_, err = store.PutObject(ctx, in) // want: unfenced
	return err
}
