package bad

import (
	"bytes"
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// SaveSnapshot: an etcd mutex hands out a revision, the object is put without any condition.
func SaveSnapshot(ctx context.Context, cli *clientv3.Client, store *s3.Client, bucket, name string, body []byte) (err error) {
	session, err := concurrency.NewSession(cli, concurrency.WithTTL(20))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	mutex := concurrency.NewMutex(session, "/locks/snapshot/"+name)
	if err := mutex.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	_, err = store.PutObject(session.Ctx(), &s3.PutObjectInput{ // want: unfenced
		Bucket: aws.String(bucket),
		Key:    aws.String(name),
		Body:   bytes.NewReader(body),
	})
	return err
}
