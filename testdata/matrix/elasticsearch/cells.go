// Elasticsearch: sequence numbers and external versions.
package elasticsearch

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/elastic/go-elasticsearch/v8/esapi"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func TokenFenced(ctx context.Context, session *concurrency.Session, es *esapi.API, body io.Reader, seqNo, term int, options []func(*esapi.IndexRequest)) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return answered(es.Index("docs", body, es.Index.WithContext(ctx), es.Index.WithDocumentID("1"), es.Index.WithVersion(int(token)), es.Index.WithVersionType("external")))
}

// no OwnerFenced: the lease is a document of its own

// cell: version
func Version(ctx context.Context, session *concurrency.Session, es *esapi.API, body io.Reader, seqNo, term int, options []func(*esapi.IndexRequest)) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return answered(es.Index("docs", body, es.Index.WithContext(ctx), es.Index.WithDocumentID("1"), es.Index.WithIfSeqNo(seqNo), es.Index.WithIfPrimaryTerm(term)))
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, es *esapi.API, body io.Reader, seqNo, term int, options []func(*esapi.IndexRequest)) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return answered(es.Index("docs", body, es.Index.WithContext(ctx), es.Index.WithDocumentID("1"), es.Index.WithRefresh("true")))
}

// no WrongWay: an external version has one direction

// no RandomEqual: a version is a number, and the store takes any that is greater

// no NotStored: an external version is stored by the write itself

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, es *esapi.API, body io.Reader, seqNo, term int, options []func(*esapi.IndexRequest)) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := es.Get("docs", "1")
	if err != nil {
		return err
	}
	var old struct{ Token int64 }
	if err := json.NewDecoder(res.Body).Decode(&old); err != nil {
		return err
	}
	if old.Token >= token {
		return errors.New("refused")
	}
	return answered(es.Index("docs", body, es.Index.WithDocumentID("1")))
}

// cell: token, result dropped
func Dropped(ctx context.Context, session *concurrency.Session, es *esapi.API, body io.Reader, seqNo, term int, options []func(*esapi.IndexRequest)) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	_, err := es.Index("docs", body, es.Index.WithDocumentID("1"), es.Index.WithVersion(int(token)), es.Index.WithVersionType("external_gte"))
	return err
}

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, es *esapi.API, body io.Reader, seqNo, term int, options []func(*esapi.IndexRequest)) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return answered(es.Index("docs", body, options...))
}

// cell: version
func WithoutType(ctx context.Context, session *concurrency.Session, es *esapi.API, body io.Reader, seqNo, term int, options []func(*esapi.IndexRequest)) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return answered(es.Index("docs", body, es.Index.WithContext(ctx), es.Index.WithDocumentID("1"), es.Index.WithVersion(int(token))))
}

// cell: unique
func Once(ctx context.Context, session *concurrency.Session, es *esapi.API, body io.Reader, seqNo, term int, options []func(*esapi.IndexRequest)) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return answered(es.Index("docs", body, es.Index.WithContext(ctx), es.Index.WithDocumentID("1"), es.Index.WithOpType("create")))
}

// cell: token
func Request(ctx context.Context, session *concurrency.Session, body io.Reader, transport esapi.Transport) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	version := int(token)
	return answered(esapi.IndexRequest{Index: "docs", DocumentID: "1", Body: body, Version: &version, VersionType: "external"}.Do(ctx, transport))
}

// cell: version
func RequestWithoutType(ctx context.Context, session *concurrency.Session, body io.Reader, transport esapi.Transport) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	version := int(token)
	return answered(esapi.IndexRequest{Index: "docs", DocumentID: "1", Body: body, Version: &version}.Do(ctx, transport))
}

func answered(res *esapi.Response, err error) error {
	if err == nil && res.IsError() {
		err = errors.New("refused")
	}
	return err
}
