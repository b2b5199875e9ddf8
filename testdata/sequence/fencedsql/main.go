// Command fencedsql is the fenced sequence with a PostgreSQL row as the resource: one statement compares
// the token, keeps it and writes, and the number of rows tells whether it was accepted.
// Verdict: fenced.
package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"log"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

func main() {
	etcd := flag.String("etcd", "localhost:2379", "comma-separated etcd endpoints")
	dsn := flag.String("db", "postgres://localhost/documents", "database to write to")
	flag.Parse()
	if err := run(context.Background(), strings.Split(*etcd, ","), *dsn); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, endpoints []string, dsn string) error {
	cli, err := clientv3.New(clientv3.Config{Endpoints: endpoints, DialTimeout: 5 * time.Second})
	if err != nil {
		return fmt.Errorf("connect to etcd: %w", err)
	}
	defer cli.Close()
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	defer db.Close()
	return update(ctx, cli, &Storage{db: db}, "report", "written once")
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

	return store.Write(session.Ctx(), key, value, mutex.Header().Revision)
}
