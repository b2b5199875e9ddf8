// Command client is the half that holds the lock, in the manner of etcd's own demonstration of fencing: it
// sends the id of its lease along with the write. From here nobody can see whether the other side compares it.
// Lease ids are not ordered, so it cannot be compared by greater and smaller; the other half (../server)
// compares for equality, which does not hold either.
// Verdict: unverified.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

type request struct {
	Key     string `json:"key"`
	Value   string `json:"value"`
	Version int64  `json:"version"`
}

func main() {
	etcd := flag.String("etcd", "localhost:2379", "etcd endpoint")
	url := flag.String("storage", "http://localhost:8080/write", "where the storage listens")
	value := flag.String("value", "", "value to write")
	flag.Parse()

	cli, err := clientv3.New(clientv3.Config{Endpoints: []string{*etcd}, DialTimeout: 5 * time.Second})
	if err != nil {
		log.Fatal(err)
	}
	defer cli.Close()
	if err := write(context.Background(), cli, *url, *value); err != nil {
		log.Print(err)
	}
}

func write(ctx context.Context, cli *clientv3.Client, url, value string) (err error) {
	session, err := concurrency.NewSession(cli, concurrency.WithTTL(1))
	if err != nil {
		return fmt.Errorf("open session: %w", err)
	}
	defer func() { err = errors.Join(err, session.Close()) }()

	mutex := concurrency.NewMutex(session, "/locks/demo")
	if err := mutex.Lock(ctx); err != nil { // verdict: unverified
		return fmt.Errorf("lock: %w", err)
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	// doubt: a reader who knows the server would report unorderedtoken at the request below
	body, err := json.Marshal(request{Key: "demo", Value: value, Version: int64(session.Lease())})
	if err != nil {
		return fmt.Errorf("encode request: %w", err)
	}
	req, err := http.NewRequestWithContext(session.Ctx(), http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("write refused: %s", resp.Status)
	}
	return nil
}
