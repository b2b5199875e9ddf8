package bad

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// PrintToday takes the desk over from an editor who has not been seen for a while. The
// paper itself is replaced whatever is there.
func PrintToday(ctx context.Context, client *s3.Client, editor string, paper []byte) (err error) {
	bucket, desk := aws.String("press"), aws.String("desk.lock")
	head, err := client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: bucket, Key: desk})
	if err != nil {
		return err
	}
	if time.Since(*head.LastModified) < 10*time.Minute {
		return errors.New("the desk is taken")
	}
	mine, err := client.PutObject(ctx, &s3.PutObjectInput{Bucket: bucket, Key: desk, Body: bytes.NewReader([]byte(editor)), IfMatch: head.ETag}) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() {
		_, e := client.DeleteObject(context.WithoutCancel(ctx), &s3.DeleteObjectInput{Bucket: bucket, Key: desk, IfMatch: mine.ETag})
		err = errors.Join(err, e)
	}()
	_, err = client.PutObject(ctx, &s3.PutObjectInput{Bucket: bucket, Key: aws.String("today"), Body: bytes.NewReader(paper)}) // want: unfenced
	return err
}
