package gcs

import (
	"context"

	"cloud.google.com/go/storage"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: none
func OfMetadata(ctx context.Context, session *concurrency.Session, bucket *storage.BucketHandle, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	attrs, err := bucket.Object("doc").Attrs(ctx)
	if err != nil {
		return err
	}
	return put(bucket.Object("doc").If(storage.Conditions{MetagenerationMatch: attrs.Metageneration}).NewWriter(ctx), body)
}
