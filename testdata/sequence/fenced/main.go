// Command fenced is the sequence of the article with its fence in place: the lock hands out a growing
// token, the storage compares it before it accepts a write and keeps the greatest.
// Verdict: fenced.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"golang.org/x/sync/errgroup"
)

func main() {
	etcd := flag.String("etcd", "localhost:2379", "comma-separated etcd endpoints")
	flag.Parse()
	if err := run(context.Background(), strings.Split(*etcd, ",")); err != nil {
		log.Fatal(err)
	}
}

// run lets two clients write the same key, each under the lock.
func run(ctx context.Context, endpoints []string) error {
	cli, err := clientv3.New(clientv3.Config{Endpoints: endpoints, DialTimeout: 5 * time.Second})
	if err != nil {
		return fmt.Errorf("connect to etcd: %w", err)
	}
	defer cli.Close()

	store := NewStorage()
	clients, ctx := errgroup.WithContext(ctx)
	for _, name := range []string{"client 1", "client 2"} {
		clients.Go(func() error { return update(ctx, cli, store, "report", "written by "+name) })
	}
	return clients.Wait()
}

func update(ctx context.Context, cli *clientv3.Client, store *Storage, key, value string) (err error) {
	session, err := concurrency.NewSession(cli, concurrency.WithTTL(10))
	if err != nil {
		return fmt.Errorf("open session: %w", err)
	}
	defer func() { err = errors.Join(err, session.Close()) }()

	mutex := concurrency.NewMutex(session, "/locks/"+key)
	if err := mutex.Lock(ctx); err != nil { // verdict: fenced
		return fmt.Errorf("lock %s: %w", key, err)
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	token := mutex.Header().Revision

	select {
	case <-session.Done():
		return fmt.Errorf("lock %s: %w", key, concurrency.ErrSessionExpired)
	default:
	}
	// Here the process may stop for longer than the lease lives: garbage collection, a page
	// fault, a paused virtual machine. Only the storage can tell that the lock is gone.
	return store.Write(key, value, token)
}
