// Google Cloud Storage: the generation of an object.
package gcs

import (
	"context"
	"errors"
	"strconv"

	"cloud.google.com/go/storage"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// no TokenFenced: an object has no condition but its generations

// no OwnerFenced: an object has no condition but its generations

// cell: version
func Version(ctx context.Context, session *concurrency.Session, bucket *storage.BucketHandle, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	object := bucket.Object("doc")
	attrs, err := object.Attrs(ctx)
	if err != nil {
		return err
	}
	return put(object.If(storage.Conditions{GenerationMatch: attrs.Generation}).NewWriter(ctx), body)
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, bucket *storage.BucketHandle, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return put(bucket.Object("doc").NewWriter(ctx), body)
}

// no WrongWay: an object has no condition but its generations

// no RandomEqual: an object has no condition but its generations

// no NotStored: an object has no condition but its generations

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, bucket *storage.BucketHandle, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	object := bucket.Object("doc")
	attrs, err := object.Attrs(ctx)
	if err != nil {
		return err
	}
	if last, _ := strconv.ParseInt(attrs.Metadata["token"], 10, 64); last >= token {
		return errors.New("refused")
	}
	return put(object.NewWriter(ctx), body)
}

// no Dropped: a refusal is an error

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, object *storage.ObjectHandle, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return put(object.NewWriter(ctx), body)
}

// cell: none
func Replaced(ctx context.Context, session *concurrency.Session, bucket *storage.BucketHandle, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	object := bucket.Object("doc")
	attrs, err := object.Attrs(ctx)
	if err != nil {
		return err
	}
	conditional := object.If(storage.Conditions{GenerationMatch: attrs.Generation})
	return put(conditional.If(storage.Conditions{MetagenerationMatch: 0}).NewWriter(ctx), body)
}

// cell: none
func Unused(ctx context.Context, session *concurrency.Session, bucket *storage.BucketHandle, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	object := bucket.Object("doc")
	attrs, err := object.Attrs(ctx)
	if err != nil {
		return err
	}
	object.If(storage.Conditions{GenerationMatch: attrs.Generation})
	return put(object.NewWriter(ctx), body)
}

// cell: unique
func Once(ctx context.Context, session *concurrency.Session, bucket *storage.BucketHandle, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return put(bucket.Object("doc").If(storage.Conditions{DoesNotExist: true}).NewWriter(ctx), body)
}

func put(w *storage.Writer, body []byte) error {
	if _, err := w.Write(body); err != nil {
		return err
	}
	return w.Close()
}
