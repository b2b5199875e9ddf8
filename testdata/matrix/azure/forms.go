package azure

import (
	"context"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	azblob "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/lease"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: none
func AnyVersion(ctx context.Context, session *concurrency.Session, client *lease.BlobClient, blob *blockblob.Client, body []byte, options *blockblob.UploadBufferOptions) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	whatever := azcore.ETagAny
	_, err := blob.UploadBuffer(ctx, body, &blockblob.UploadBufferOptions{AccessConditions: &azblob.AccessConditions{ModifiedAccessConditions: &azblob.ModifiedAccessConditions{IfMatch: &whatever}}})
	return err
}
