package bad

import (
	"context"
	"database/sql"
	"errors"

	"github.com/hashicorp/consul/api"
	"go.etcd.io/etcd/client/v3/concurrency"
	"gorm.io/gorm"
)

// LeaseID: lease ids grow within one etcd member only.
func LeaseID(ctx context.Context, session *concurrency.Session, db *sql.DB, id, text string) (err error) {
	mutex := concurrency.NewMutex(session, "/locks/doc_h/"+id)
	if err := mutex.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	const set = "UPDATE doc_h SET text = $2, last_token = $3 WHERE id = $1 AND last_token < $3"
	return one(db.ExecContext(ctx, set, id, text, int64(session.Lease()))) // want: unorderedtoken
}

type Doc struct {
	ID        uint
	Text      string
	LastToken int64
}

// ElectionHeader: the header of an election is that of the campaign's first request, not of its victory;
// Rev is the ordered one.
func ElectionHeader(ctx context.Context, session *concurrency.Session, db *gorm.DB, id uint, me, text string) (err error) {
	election := concurrency.NewElection(session, "/election/docs")
	if err := election.Campaign(ctx, me); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, election.Resign(context.WithoutCancel(ctx))) }()

	token := election.Header().Revision
	set := Doc{Text: text, LastToken: token}
	res := db.WithContext(ctx).Model(&Doc{}).Where("id = ? AND last_token < ?", id, token).Updates(set) // want: unorderedtoken
	if res.Error != nil {
		return res.Error
	}
	if res.RowsAffected == 0 {
		return errStale
	}
	return nil
}

// SessionID: a Consul session has a random id.
func SessionID(ctx context.Context, client *api.Client, session string, db *sql.DB, id, text string) (err error) {
	kv, opts := client.KV(), (&api.WriteOptions{}).WithContext(ctx)
	pair := &api.KVPair{Key: "locks/doc_i/" + id, Session: session}
	ok, _, err := kv.Acquire(pair, opts) // verdict: unfenced
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() {
		ok, _, e := kv.Release(pair, opts.WithContext(context.WithoutCancel(ctx)))
		if e == nil && !ok {
			e = errLost
		}
		err = errors.Join(err, e)
	}()

	const set = "UPDATE doc_i SET text = $2, last_token = $3 WHERE id = $1 AND last_token < $3"
	return one(db.ExecContext(ctx, set, id, text, session)) // want: unorderedtoken
}

// held is a lock handle whose wrapper hands the wrong value on as Token.
type held struct {
	mutex *concurrency.Mutex
	Token int64
}

func take(ctx context.Context, session *concurrency.Session, key string) (*held, error) {
	mutex := concurrency.NewMutex(session, key)
	if err := mutex.Lock(ctx); err != nil {
		return nil, err
	}
	return &held{mutex: mutex, Token: int64(session.Lease())}, nil
}

func Wrapped(ctx context.Context, session *concurrency.Session, db *sql.DB, id, text string) (err error) {
	h, err := take(ctx, session, "/locks/doc_j/"+id) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.mutex.Unlock(context.WithoutCancel(ctx))) }()

	const set = "UPDATE doc_j SET text = $2, last_token = $3 WHERE id = $1 AND last_token < $3"
	return one(db.ExecContext(ctx, set, id, text, h.Token)) // want: unorderedtoken
}
