// olivere/elastic: the service before Do.
package elastic

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/olivere/elastic/v7"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func TokenFenced(ctx context.Context, session *concurrency.Session, client *elastic.Client, doc any, seqNo, term int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	_, err := client.Index().Index("docs").Id("1").Version(token).VersionType("external").BodyJson(doc).Do(ctx)
	return err
}

// no OwnerFenced: the lease is a document of its own

// cell: version
func Version(ctx context.Context, session *concurrency.Session, client *elastic.Client, doc any, seqNo, term int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	_, err := client.Index().Index("docs").Id("1").IfSeqNo(seqNo).IfPrimaryTerm(term).BodyJson(doc).Do(ctx)
	return err
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, client *elastic.Client, doc any, seqNo, term int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	_, err := client.Index().Index("docs").Id("1").Refresh("true").BodyJson(doc).Do(ctx)
	return err
}

// no WrongWay: an external version has one direction

// cell: none, unorderedtoken
func RandomEqual(ctx context.Context, session *concurrency.Session, client *elastic.Client, doc any, seqNo, term int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	id := rand.Text()
	_, err := client.Index().Index("docs").Id("1").Version(id).VersionType("external").BodyJson(doc).Do(ctx)
	return err
}

// no NotStored: an external version is stored by the write itself

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, client *elastic.Client, doc any, seqNo, term int64) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	old, err := client.Get().Index("docs").Id("1").Do(ctx)
	if err != nil {
		return err
	}
	if *old.Version >= token {
		return errors.New("refused")
	}
	_, err = client.Index().Index("docs").Id("1").BodyJson(doc).Do(ctx)
	return err
}

// no Dropped: a refusal is an error

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, service *elastic.IndexService, doc any) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	_, err := service.BodyJson(doc).Do(ctx)
	return err
}
