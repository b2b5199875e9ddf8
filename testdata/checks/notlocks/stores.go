package notlocks

import (
	"bytes"
	"context"
	"errors"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/hashicorp/consul/api"
	clientv3 "go.etcd.io/etcd/client/v3"
)

var errExists = errors.New("exists already")

// Create makes a key once; it has no lease, and nobody takes it away again.
func Create(ctx context.Context, cli *clientv3.Client, name, value string) error {
	key := "/users/" + name
	absent := clientv3.Compare(clientv3.CreateRevision(key), "=", 0)
	resp, err := cli.Txn(ctx).If(absent).Then(clientv3.OpPut(key, value)).Commit()
	if err != nil {
		return err
	}
	if !resp.Succeeded {
		return errExists
	}
	return nil
}

// Announce binds an address to the life of this process: service discovery.
func Announce(ctx context.Context, cli *clientv3.Client, service, addr string) error {
	lease, err := cli.Grant(ctx, 10)
	if err != nil {
		return err
	}
	alive, err := cli.KeepAlive(ctx, lease.ID)
	if err != nil {
		return err
	}
	if _, err := cli.Put(ctx, "/services/"+service+"/"+addr, addr, clientv3.WithLease(lease.ID)); err != nil {
		return err
	}
	for range alive {
	}
	return ctx.Err()
}

// Change is a compare-and-swap of its own.
func Change(ctx context.Context, client *api.Client, key string, edit func([]byte) []byte) error {
	pair, _, err := client.KV().Get(key, (&api.QueryOptions{}).WithContext(ctx))
	if err != nil {
		return err
	}
	if pair == nil {
		return errors.New("no value")
	}
	pair.Value = edit(pair.Value)
	ok, _, err := client.KV().CAS(pair, (&api.WriteOptions{}).WithContext(ctx))
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("changed meanwhile")
	}
	return nil
}

// Keep puts an object where none is yet.
func Keep(ctx context.Context, store *s3.Client, bucket, name string, body []byte) error {
	_, err := store.PutObject(ctx, &s3.PutObjectInput{
		Bucket:      aws.String(bucket),
		Key:         aws.String(name),
		Body:        bytes.NewReader(body),
		IfNoneMatch: aws.String("*"),
	})
	return err
}

// Init creates a file of settings unless there is one.
func Init(path string, settings []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.Write(settings)
	return errors.Join(err, f.Close())
}
