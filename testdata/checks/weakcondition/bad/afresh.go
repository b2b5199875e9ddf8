package bad

import (
	"context"
	"database/sql"
	"io"
	"log"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/hashicorp/consul/api"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Annotate asks for the version of the sheet once more when its text is ready.
func Annotate(ctx context.Context, session *concurrency.Session, db *sql.DB, sheet, note string) error {
	return withToken(ctx, session, "/sheets/"+sheet, func(int64) error { // verdict: unfenced
		var text string
		if err := db.QueryRowContext(ctx, "SELECT text FROM sheet WHERE id = $1", sheet).Scan(&text); err != nil {
			return err
		}
		text += "\n" + note
		version, err := versionOf(ctx, db, sheet)
		if err != nil {
			return err
		}
		const set = "UPDATE sheet SET text = $3, version = version + 1 WHERE id = $1 AND version = $2"
		return one(db.ExecContext(ctx, set, sheet, version, text)) // want: weakcondition
	})
}

func versionOf(ctx context.Context, db *sql.DB, sheet string) (v int64, err error) {
	err = db.QueryRowContext(ctx, "SELECT version FROM sheet WHERE id = $1", sheet).Scan(&v)
	return v, err
}

// Cross reads the version with the text, and then once more into the same variable.
func Cross(ctx context.Context, session *concurrency.Session, db *sql.DB, draft, note string) error {
	return withToken(ctx, session, "/drafts/"+draft, func(int64) error { // verdict: unfenced
		var text string
		var version int64
		if err := db.QueryRowContext(ctx, "SELECT text, version FROM draft WHERE id = $1", draft).Scan(&text, &version); err != nil {
			return err
		}
		text += "\n" + note
		if err := db.QueryRowContext(ctx, "SELECT version FROM draft WHERE id = $1", draft).Scan(&version); err != nil {
			return err
		}
		const set = "UPDATE draft SET text = $3, version = version + 1 WHERE id = $1 AND version = $2"
		return one(db.ExecContext(ctx, set, draft, version, text)) // want: weakcondition
	})
}

// Subscribe adds a name to a list in Consul under the index that the list has by then.
func Subscribe(ctx context.Context, session *concurrency.Session, kv *api.KV, list, name string) error {
	return withToken(ctx, session, "/lists/"+list, func(int64) error { // verdict: unfenced
		pair, _, err := kv.Get("lists/"+list, nil)
		if err != nil {
			return err
		}
		next := &api.KVPair{Key: "lists/" + list, Value: []byte(string(pair.Value) + "," + name)}
		now, _, err := kv.Get("lists/"+list, nil)
		if err != nil {
			return err
		}
		next.ModifyIndex = now.ModifyIndex
		ok, _, err := kv.CAS(next, nil) // want: weakcondition
		if err == nil && !ok {
			err = errStale
		}
		return err
	})
}

// Rename does so in etcd.
func Rename(ctx context.Context, session *concurrency.Session, cli *clientv3.Client, from, to string) error {
	return withToken(ctx, session, "/names", func(int64) error { // verdict: unfenced
		before, err := cli.Get(ctx, "/names/all")
		if err != nil {
			return err
		}
		all := strings.ReplaceAll(string(before.Kvs[0].Value), from, to)
		now, err := cli.Get(ctx, "/names/all")
		if err != nil {
			return err
		}
		same := clientv3.Compare(clientv3.ModRevision("/names/all"), "=", now.Kvs[0].ModRevision)
		resp, err := cli.Txn(ctx).If(same).Then(clientv3.OpPut("/names/all", all)).Commit() // want: weakcondition
		if err == nil && !resp.Succeeded {
			err = errStale
		}
		return err
	})
}

// Extend takes the tag of the object from its head, which it asks for late.
func Extend(ctx context.Context, session *concurrency.Session, objects *s3.Client, day, line string) error {
	return withToken(ctx, session, "/journal", func(int64) error { // verdict: unfenced
		bucket := aws.String("journal")
		old, err := objects.GetObject(ctx, &s3.GetObjectInput{Bucket: bucket, Key: &day})
		if err != nil {
			return err
		}
		defer old.Body.Close()
		text, err := io.ReadAll(old.Body)
		if err != nil {
			return err
		}
		head, err := objects.HeadObject(ctx, &s3.HeadObjectInput{Bucket: bucket, Key: &day})
		if err != nil {
			return err
		}
		_, err = objects.PutObject(ctx, &s3.PutObjectInput{ // want: weakcondition
			Bucket: bucket, Key: &day, IfMatch: head.ETag,
			Body: strings.NewReader(string(text) + line),
		})
		return err
	})
}

// Publish logs what the answer holds besides the outcome.
func Publish(ctx context.Context, session *concurrency.Session, cli *clientv3.Client, text string) error {
	mutex := concurrency.NewMutex(session, "/press")
	if err := mutex.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	resp, err := cli.Txn(ctx).If(mutex.IsOwner()).Then(clientv3.OpPut("/news", text)).Commit() // want: weakcondition
	if err != nil {
		return err
	}
	log.Printf("published at %d", resp.Header.Revision)
	return nil
}

// Retract does so with a transaction of Consul.
func Retract(kv *api.KV, client *api.Client, id string) error {
	lock, err := client.LockKey("press/lock")
	if err != nil {
		return err
	}
	lost, err := lock.Lock(nil) // verdict: unfenced
	if err != nil || lost == nil {
		return errStale
	}
	defer lock.Unlock()
	pair, _, err := kv.Get("news/"+id, nil)
	if err != nil {
		return err
	}
	ops := api.KVTxnOps{{Verb: api.KVDeleteCAS, Key: pair.Key, Index: pair.ModifyIndex}}
	_, answer, _, err := kv.Txn(ops, nil) // want: weakcondition
	if err != nil {
		return err
	}
	for _, r := range answer.Results {
		log.Printf("%s is gone", r.Key)
	}
	return nil
}

// A Folder keeps sheets in a bucket.
type Folder struct {
	bucket *s3.Client
}

// Sheet is what a folder has of one.
func (f *Folder) Sheet(ctx context.Context, name string) (string, error) {
	out, err := f.bucket.GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String("folder"), Key: aws.String(name)})
	if err != nil {
		return "", err
	}
	defer func() { _ = out.Body.Close() }()
	text, err := io.ReadAll(out.Body)
	return string(text), err
}

// Put asks for the version where it writes.
func (f *Folder) Put(ctx context.Context, name, text string) error {
	now, err := f.bucket.HeadObject(ctx, &s3.HeadObjectInput{Bucket: aws.String("folder"), Key: aws.String(name)})
	if err != nil {
		return err
	}
	_, err = f.bucket.PutObject(ctx, &s3.PutObjectInput{ // want: weakcondition
		Bucket: aws.String("folder"), Key: aws.String(name), Body: strings.NewReader(text), IfMatch: now.ETag,
	})
	return err
}

// Sign adds a name to a sheet: it is read in one function and its version in another.
func Sign(ctx context.Context, session *concurrency.Session, folder *Folder, sheet, name string) error {
	return withToken(ctx, session, "/folder/"+sheet, func(int64) error { // verdict: unfenced
		text, err := folder.Sheet(ctx, sheet)
		if err != nil {
			return err
		}
		return folder.Put(ctx, sheet, text+"\n"+name)
	})
}
