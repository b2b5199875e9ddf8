package good

import (
	"context"
	"errors"
	"time"

	"go.etcd.io/etcd/client/v3/concurrency"
	"google.golang.org/grpc"
)

// Lines are dialled by one at a time.
type Lines struct {
	mutex *concurrency.Mutex
	waits []time.Duration
	opts  []grpc.DialOption
}

// timed calls the service, when somebody does.
func (l *Lines) timed(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, call grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	start := time.Now()
	defer func() { l.waits = append(l.waits, time.Since(start)) }()
	return call(ctx, method, req, reply, cc, opts...)
}

// Prepare says how to dial. Nothing is called by that.
func (l *Lines) Prepare(ctx context.Context) (err error) {
	if err := l.mutex.Lock(ctx); err != nil { // verdict: no-visible-write
		return err
	}
	defer func() { err = errors.Join(err, l.mutex.Unlock(context.WithoutCancel(ctx))) }()
	l.opts = append(l.opts, grpc.WithUnaryInterceptor(l.timed), grpc.WithChainUnaryInterceptor(l.timed, l.timed))
	return nil
}
