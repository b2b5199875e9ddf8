package s3

import (
	"context"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: none, weakcondition
func OfAnother(ctx context.Context, session *concurrency.Session, client *s3.Client, body io.Reader, input *s3.PutObjectInput) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	head, err := client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: aws.String("docs"), Key: aws.String("draft")})
	if err != nil {
		return err
	}
	_, err = client.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String("docs"), Key: aws.String("doc"), Body: body, IfMatch: head.ETag})
	return err
}

// cell: unknown
func Sometimes(ctx context.Context, session *concurrency.Session, client *s3.Client, body io.Reader, input *s3.PutObjectInput) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	put := &s3.PutObjectInput{Bucket: aws.String("docs"), Key: aws.String("doc"), Body: body}
	if head, err := client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: aws.String("docs"), Key: aws.String("doc")}); err == nil {
		put.IfMatch = head.ETag
	}
	_, err := client.PutObject(ctx, put)
	return err
}

// cell: version
func Either(ctx context.Context, session *concurrency.Session, client *s3.Client, body io.Reader, input *s3.PutObjectInput) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	put := &s3.PutObjectInput{Bucket: aws.String("docs"), Key: aws.String("doc"), Body: body}
	if head, err := client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: aws.String("docs"), Key: aws.String("doc")}); err == nil {
		put.IfMatch = head.ETag
	} else {
		put.IfNoneMatch = aws.String("*")
	}
	_, err := client.PutObject(ctx, put)
	return err
}

// cell: token
func NamedByToken(ctx context.Context, session *concurrency.Session, client *s3.Client, body io.Reader, input *s3.PutObjectInput) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	_, err := client.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String("docs"), Key: aws.String(fmt.Sprintf("doc/%020d", token)), Body: body})
	return err
}
