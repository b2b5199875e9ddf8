package good

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/hashicorp/consul/api"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Annotate asks for the version of the sheet before its text: the text is of that version
// or a later one, which the update would find.
func Annotate(ctx context.Context, session *concurrency.Session, db *sql.DB, sheet, note string) error {
	return withToken(ctx, session, "/sheets/"+sheet, func(int64) error { // verdict: fenced
		var version int64
		if err := db.QueryRowContext(ctx, "SELECT version FROM sheet WHERE id = $1", sheet).Scan(&version); err != nil {
			return err
		}
		var text string
		if err := db.QueryRowContext(ctx, "SELECT text FROM sheet WHERE id = $1", sheet).Scan(&text); err != nil {
			return err
		}
		const set = "UPDATE sheet SET text = $3, version = version + 1 WHERE id = $1 AND version = $2"
		return one(db.ExecContext(ctx, set, sheet, version, text+"\n"+note))
	})
}

// Cross reads text and version anew where the first ones will not do.
func Cross(ctx context.Context, session *concurrency.Session, db *sql.DB, draft, note string) error {
	return withToken(ctx, session, "/drafts/"+draft, func(int64) error { // verdict: fenced
		var text string
		var version int64
		if err := db.QueryRowContext(ctx, "SELECT text, version FROM draft WHERE id = $1", draft).Scan(&text, &version); err != nil {
			return err
		}
		if text == "" {
			if err := db.QueryRowContext(ctx, "SELECT text, version FROM draft WHERE id = $1 AND text <> ''", draft).Scan(&text, &version); err != nil {
				return err
			}
		}
		const set = "UPDATE draft SET text = $3, version = version + 1 WHERE id = $1 AND version = $2"
		return one(db.ExecContext(ctx, set, draft, version, text+"\n"+note))
	})
}

// Stamp compares a revision that no statement moves: a trigger might.
func Stamp(ctx context.Context, session *concurrency.Session, db *sql.DB, parcel, place string) error {
	return withToken(ctx, session, "/parcels/"+parcel, func(int64) error { // verdict: unverified
		var revision int64
		if err := db.QueryRowContext(ctx, "SELECT revision FROM parcel WHERE id = $1", parcel).Scan(&revision); err != nil {
			return err
		}
		const set = "UPDATE parcel SET place = $3 WHERE id = $1 AND revision = $2"
		return one(db.ExecContext(ctx, set, parcel, revision, place))
	})
}

// Subscribe makes the list from what it read together with its index; what it read before
// is of another list.
func Subscribe(ctx context.Context, session *concurrency.Session, kv *api.KV, list, name string) error {
	return withToken(ctx, session, "/lists/"+list, func(int64) error { // verdict: fenced
		form, _, err := kv.Get("forms/"+list, nil)
		if err != nil {
			return err
		}
		pair, _, err := kv.Get("lists/"+list, nil)
		if err != nil {
			return err
		}
		pair.Value = fmt.Appendf(pair.Value, string(form.Value), name)
		ok, _, err := kv.CAS(pair, nil)
		if err == nil && !ok {
			err = errStale
		}
		return err
	})
}

// Rename looks once more, but gives up where the key has changed since.
func Rename(ctx context.Context, session *concurrency.Session, cli *clientv3.Client, from, to string) error {
	return withToken(ctx, session, "/names", func(int64) error { // verdict: fenced
		before, err := cli.Get(ctx, "/names/all")
		if err != nil {
			return err
		}
		all := strings.ReplaceAll(string(before.Kvs[0].Value), from, to)
		now, err := cli.Get(ctx, "/names/all")
		if err != nil {
			return err
		}
		if now.Kvs[0].ModRevision != before.Kvs[0].ModRevision {
			return errStale
		}
		same := clientv3.Compare(clientv3.ModRevision("/names/all"), "=", now.Kvs[0].ModRevision)
		resp, err := cli.Txn(ctx).If(same).Then(clientv3.OpPut("/names/all", all)).Commit()
		if err == nil && !resp.Succeeded {
			err = errStale
		}
		return err
	})
}

// Retract reads the refusal from the errors in the answer.
func Retract(kv *api.KV, client *api.Client, id string) error {
	lock, err := client.LockKey("press/lock")
	if err != nil {
		return err
	}
	lost, err := lock.Lock(nil) // verdict: fenced
	if err != nil || lost == nil {
		return errStale
	}
	defer lock.Unlock()
	pair, _, err := kv.Get("news/"+id, nil)
	if err != nil {
		return err
	}
	ops := api.KVTxnOps{{Verb: api.KVDeleteCAS, Key: pair.Key, Index: pair.ModifyIndex}}
	_, answer, _, err := kv.Txn(ops, nil)
	if err != nil {
		return err
	}
	if len(answer.Errors) > 0 {
		return errStale
	}
	return nil
}

// Merge reads the version of the one sheet that it changes; the other one, which it read
// before, stays as it is.
func Merge(ctx context.Context, session *concurrency.Session, db *sql.DB, from, into string) error {
	return withToken(ctx, session, "/sheets/"+into, func(int64) error { // verdict: fenced
		var text string
		if err := db.QueryRowContext(ctx, "SELECT text FROM sheet WHERE id = $1", from).Scan(&text); err != nil {
			return err
		}
		var version int64
		if err := db.QueryRowContext(ctx, "SELECT version FROM sheet WHERE id = $1", into).Scan(&version); err != nil {
			return err
		}
		const set = "UPDATE sheet SET text = $3, version = version + 1 WHERE id = $1 AND version = $2"
		return one(db.ExecContext(ctx, set, into, version, text))
	})
}
