// Azure blobs: the lease and the ETag.
package azure

import (
	"context"
	"errors"
	"strconv"

	azblob "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/lease"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// no TokenFenced: a blob has no condition but its ETag and its lease

// cell: owner
func OwnerFenced(ctx context.Context, client *lease.BlobClient, blob *blockblob.Client, body []byte, options *blockblob.UploadBufferOptions) error {
	got, err := client.AcquireLease(ctx, 60, nil)
	if err != nil {
		return err
	}
	defer client.ReleaseLease(context.WithoutCancel(ctx), nil)
	_, err = blob.UploadBuffer(ctx, body, &blockblob.UploadBufferOptions{AccessConditions: &azblob.AccessConditions{LeaseAccessConditions: &azblob.LeaseAccessConditions{LeaseID: got.LeaseID}}})
	return err
}

// cell: version
func Version(ctx context.Context, session *concurrency.Session, client *lease.BlobClient, blob *blockblob.Client, body []byte, options *blockblob.UploadBufferOptions) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	head, err := blob.GetProperties(ctx, nil)
	if err != nil {
		return err
	}
	_, err = blob.UploadBuffer(ctx, body, &blockblob.UploadBufferOptions{AccessConditions: &azblob.AccessConditions{ModifiedAccessConditions: &azblob.ModifiedAccessConditions{IfMatch: head.ETag}}})
	return err
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, client *lease.BlobClient, blob *blockblob.Client, body []byte, options *blockblob.UploadBufferOptions) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	_, err := blob.UploadBuffer(ctx, body, nil)
	return err
}

// no WrongWay: a blob has no condition but its ETag and its lease

// no RandomEqual: a blob has no condition but its ETag and its lease

// no NotStored: a blob has no condition but its ETag and its lease

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, client *lease.BlobClient, blob *blockblob.Client, body []byte, options *blockblob.UploadBufferOptions) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	head, err := blob.GetProperties(ctx, nil)
	if err != nil {
		return err
	}
	if last, _ := strconv.ParseInt(*head.Metadata["Token"], 10, 64); last >= token {
		return errors.New("refused")
	}
	_, err = blob.UploadBuffer(ctx, body, nil)
	return err
}

// no Dropped: a refusal is an error

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, client *lease.BlobClient, blob *blockblob.Client, body []byte, options *blockblob.UploadBufferOptions) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	_, err := blob.UploadBuffer(ctx, body, options)
	return err
}
