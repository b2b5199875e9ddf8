package elasticsearch

import (
	"context"
	"io"

	"github.com/elastic/go-elasticsearch/v8/esapi"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token, result dropped
func Closed(ctx context.Context, session *concurrency.Session, es *esapi.API, body io.Reader, seqNo, term int, options []func(*esapi.IndexRequest)) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	res, err := es.Index("docs", body, es.Index.WithDocumentID("1"), es.Index.WithVersion(int(token)), es.Index.WithVersionType("external"))
	if err != nil {
		return err
	}
	return res.Body.Close()
}
