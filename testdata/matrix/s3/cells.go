// S3: If-Match and If-None-Match.
package s3

import (
	"context"
	"errors"
	"io"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// no TokenFenced: an object has no condition but its ETag

// no OwnerFenced: an object has no condition but its ETag

// cell: version
func Version(ctx context.Context, session *concurrency.Session, client *s3.Client, body io.Reader, input *s3.PutObjectInput) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	head, err := client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: aws.String("docs"), Key: aws.String("doc")})
	if err != nil {
		return err
	}
	_, err = client.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String("docs"), Key: aws.String("doc"), Body: body, IfMatch: head.ETag})
	return err
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, client *s3.Client, body io.Reader, input *s3.PutObjectInput) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	_, err := client.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String("docs"), Key: aws.String("doc"), Body: body})
	return err
}

// no WrongWay: an object has no condition but its ETag

// no RandomEqual: an object has no condition but its ETag

// no NotStored: an object has no condition but its ETag

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, client *s3.Client, body io.Reader, input *s3.PutObjectInput) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	head, err := client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: aws.String("docs"), Key: aws.String("doc")})
	if err != nil {
		return err
	}
	if last, _ := strconv.ParseInt(head.Metadata["token"], 10, 64); last >= token {
		return errors.New("refused")
	}
	_, err = client.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String("docs"), Key: aws.String("doc"), Body: body, Metadata: map[string]string{"token": strconv.FormatInt(token, 10)}})
	return err
}

// no Dropped: a refusal is an error

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, client *s3.Client, body io.Reader, input *s3.PutObjectInput) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	_, err := client.PutObject(ctx, input)
	return err
}
