package elasticsearch

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/elastic/go-elasticsearch/v8/esapi"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: unknown
func Script(ctx context.Context, session *concurrency.Session, es *esapi.API, body io.Reader, seqNo, term int, options []func(*esapi.IndexRequest)) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	return answered(es.Update("docs", "1", strings.NewReader(fmt.Sprintf(`{"script": {"source": "if (ctx._source.token >= params.token) { ctx.op = 'noop' }", "params": {"token": %d}}}`, token))))
}
