// Sources of tokens, with one statement for all of them.
package tokens

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	rand2 "math/rand/v2"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"cloud.google.com/go/storage"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/lease"
	"github.com/go-zookeeper/zk"
	"github.com/google/uuid"
	"github.com/hashicorp/consul/api"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/redis/go-redis/v9"
	"github.com/uptrace/bun"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"gorm.io/gorm"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordination "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"xorm.io/xorm"
)

const save = "UPDATE doc SET body = $1, token = $2 WHERE id = 1 AND token < $3"

var grants atomic.Int64

// token: ordered
func MutexRevision(ctx context.Context, session *concurrency.Session, db *sql.DB, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return one(db.ExecContext(ctx, save, body, mutex.Header().Revision, mutex.Header().Revision))
}

// token: ordered
func ElectionRevision(ctx context.Context, election *concurrency.Election, me string, db *sql.DB, body string) error {
	if err := election.Campaign(ctx, me); err != nil {
		return err
	}
	defer election.Resign(context.WithoutCancel(ctx))
	return one(db.ExecContext(ctx, save, body, election.Rev(), election.Rev()))
}

// token: none
func ElectionHeader(ctx context.Context, election *concurrency.Election, me string, db *sql.DB, body string) error {
	if err := election.Campaign(ctx, me); err != nil {
		return err
	}
	defer election.Resign(context.WithoutCancel(ctx))
	return one(db.ExecContext(ctx, save, body, election.Header().Revision, election.Header().Revision))
}

// token: ordered
func ModifyIndex(ctx context.Context, kv *api.KV, id string, db *sql.DB, body string) error {
	pair := &api.KVPair{Key: "locks/doc", Session: id}
	ok, _, err := kv.Acquire(pair, nil)
	if err != nil || !ok {
		return err
	}
	defer kv.Release(pair, nil)
	held, _, err := kv.Get("locks/doc", nil)
	if err != nil {
		return err
	}
	return one(db.ExecContext(ctx, save, body, held.ModifyIndex, held.ModifyIndex))
}

// token: ordered, may go back
func LockIndex(ctx context.Context, kv *api.KV, id string, db *sql.DB, body string) error {
	pair := &api.KVPair{Key: "locks/doc", Session: id}
	ok, _, err := kv.Acquire(pair, nil)
	if err != nil || !ok {
		return err
	}
	defer kv.Release(pair, nil)
	held, _, err := kv.Get("locks/doc", nil)
	if err != nil {
		return err
	}
	return one(db.ExecContext(ctx, save, body, held.LockIndex, held.LockIndex))
}

// token: none
func ConsulSession(ctx context.Context, kv *api.KV, sessions *api.Session, db *sql.DB, body string) error {
	id, _, err := sessions.Create(&api.SessionEntry{TTL: "30s"}, nil)
	if err != nil {
		return err
	}
	pair := &api.KVPair{Key: "locks/doc", Session: id}
	ok, _, err := kv.Acquire(pair, nil)
	if err != nil || !ok {
		return err
	}
	defer kv.Release(pair, nil)
	return one(db.ExecContext(ctx, save, body, id, id))
}

// token: ordered
func Czxid(ctx context.Context, conn *zk.Conn, db *sql.DB, body string) error {
	path, err := conn.CreateProtectedEphemeralSequential("/locks/doc-", nil, zk.WorldACL(zk.PermAll))
	if err != nil {
		return err
	}
	defer conn.Delete(path, -1)
	_, stat, err := conn.Get(path)
	if err != nil {
		return err
	}
	return one(db.ExecContext(ctx, save, body, stat.Czxid, stat.Czxid))
}

// token: ordered, may go back
func SequenceNode(ctx context.Context, conn *zk.Conn, db *sql.DB, body string) error {
	path, err := conn.CreateProtectedEphemeralSequential("/locks/doc-", nil, zk.WorldACL(zk.PermAll))
	if err != nil {
		return err
	}
	defer conn.Delete(path, -1)
	number, err := strconv.ParseInt(path[len(path)-10:], 10, 64)
	if err != nil {
		return err
	}
	return one(db.ExecContext(ctx, save, body, number, number))
}

// token: no token of the lock
func LeaseTransitions(ctx context.Context, session *concurrency.Session, leases coordination.LeaseInterface, db *sql.DB, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	lease, err := leases.Get(ctx, "doc", metav1.GetOptions{})
	if err != nil {
		return err
	}
	return one(db.ExecContext(ctx, save, body, *lease.Spec.LeaseTransitions, *lease.Spec.LeaseTransitions))
}

// token: ordered, may go back
func IncrAlone(ctx context.Context, session *concurrency.Session, rdb *redis.Client, db *sql.DB, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token, err := rdb.Incr(ctx, "doc:token").Result()
	if err != nil {
		return err
	}
	return one(db.ExecContext(ctx, save, body, token, token))
}

// token: ordered, may go back
func IncrInScript(ctx context.Context, rdb *redis.Client, me string, db *sql.DB, body string) error {
	token, err := rdb.Eval(ctx, `if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", 30000) then return redis.call("INCR", KEYS[2]) end return 0`, []string{"{doc}:lock", "{doc}:token"}, me).Int64()
	if err != nil || token == 0 {
		return err
	}
	defer rdb.Eval(context.WithoutCancel(ctx), `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`, []string{"{doc}:lock"}, me)
	return one(db.ExecContext(ctx, save, body, token, token))
}

// token: ordered, may go back
func Nextval(ctx context.Context, session *concurrency.Session, db *sql.DB, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	var token int64
	if err := db.QueryRowContext(ctx, "SELECT nextval('grants')").Scan(&token); err != nil {
		return err
	}
	return one(db.ExecContext(ctx, save, body, token, token))
}

// token: ordered
func Returning(ctx context.Context, me string, db *sql.DB, body string) error {
	var token int64
	if err := db.QueryRowContext(ctx, "UPDATE leases SET holder = $1, term = term + 1, expires = now() + interval '1 minute' WHERE name = 'doc' AND expires < now() RETURNING term", me).Scan(&token); err != nil {
		return err
	}
	return one(db.ExecContext(ctx, save, body, token, token))
}

// token: ordered, may go back
func AutoIncrement(ctx context.Context, session *concurrency.Session, db *sql.DB, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	res, err := db.ExecContext(ctx, "INSERT INTO grants (name) VALUES ('doc')")
	if err != nil {
		return err
	}
	token, err := res.LastInsertId()
	if err != nil {
		return err
	}
	return one(db.ExecContext(ctx, save, body, token, token))
}

// token: no token of the lock
func Maximum(ctx context.Context, session *concurrency.Session, db *sql.DB, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	var token int64
	if err := db.QueryRowContext(ctx, "SELECT max(number) + 1 FROM grants").Scan(&token); err != nil {
		return err
	}
	return one(db.ExecContext(ctx, save, body, token, token))
}

// token: no token of the lock
func Generation(ctx context.Context, session *concurrency.Session, object *storage.ObjectHandle, db *sql.DB, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	attrs, err := object.Attrs(ctx)
	if err != nil {
		return err
	}
	return one(db.ExecContext(ctx, save, body, attrs.Generation, attrs.Generation))
}

// token: ordered
func StoreRevision(ctx context.Context, kv jetstream.KeyValue, db *sql.DB, body string) error {
	token, err := kv.Create(ctx, "locks.doc", nil)
	if err != nil {
		return err
	}
	defer kv.Delete(context.WithoutCancel(ctx), "locks.doc")
	return one(db.ExecContext(ctx, save, body, token, token))
}

// token: ordered, may go back
func KeyVersion(ctx context.Context, session *concurrency.Session, client *clientv3.Client, db *sql.DB, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	got, err := client.Get(ctx, mutex.Key())
	if err != nil {
		return err
	}
	return one(db.ExecContext(ctx, save, body, got.Kvs[0].Version, got.Kvs[0].Version))
}

// token: none
func BlobLease(ctx context.Context, blob *lease.BlobClient, db *sql.DB, body string) error {
	if _, err := blob.AcquireLease(ctx, 30, nil); err != nil {
		return err
	}
	defer blob.ReleaseLease(context.WithoutCancel(ctx), nil)
	return one(db.ExecContext(ctx, save, body, *blob.LeaseID(), *blob.LeaseID()))
}

// token: none
func SessionLease(ctx context.Context, session *concurrency.Session, db *sql.DB, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return one(db.ExecContext(ctx, save, body, int64(session.Lease()), int64(session.Lease())))
}

// token: none
func RandomText(ctx context.Context, session *concurrency.Session, db *sql.DB, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := rand.Text()
	return one(db.ExecContext(ctx, save, body, token, token))
}

// token: none
func RandomNumber(ctx context.Context, session *concurrency.Session, db *sql.DB, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := rand2.Int64()
	return one(db.ExecContext(ctx, save, body, token, token))
}

// token: none
func Clock(ctx context.Context, session *concurrency.Session, db *sql.DB, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := time.Now().UnixNano()
	return one(db.ExecContext(ctx, save, body, token, token))
}

// token: none
func ClockText(ctx context.Context, session *concurrency.Session, db *sql.DB, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := time.Now().Format(time.RFC3339Nano)
	return one(db.ExecContext(ctx, save, body, token, token))
}

// token: none
func TimeID(ctx context.Context, session *concurrency.Session, db *sql.DB, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token, err := uuid.NewV7()
	if err != nil {
		return err
	}
	return one(db.ExecContext(ctx, save, body, token.String(), token.String()))
}

// token: none
func InProcess(ctx context.Context, session *concurrency.Session, db *sql.DB, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := grants.Add(1)
	return one(db.ExecContext(ctx, save, body, token, token))
}

// token: none
func Process(ctx context.Context, session *concurrency.Session, db *sql.DB, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := os.Getpid()
	return one(db.ExecContext(ctx, save, body, token, token))
}

// token: none
func Host(ctx context.Context, session *concurrency.Session, db *sql.DB, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token, err := os.Hostname()
	if err != nil {
		return err
	}
	return one(db.ExecContext(ctx, save, body, token, token))
}

func one(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err == nil && n == 0 {
		err = errors.New("refused")
	}
	return err
}

// token: ordered, may go back
func GormRaw(ctx context.Context, db *gorm.DB, mutex *concurrency.Mutex, body string) error {
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	var token int64
	if err := db.WithContext(ctx).Raw("SELECT nextval('grants')").Scan(&token).Error; err != nil {
		return err
	}
	return rows(db.Exec(save, body, token, token))
}

// token: ordered, may go back
func GormRow(ctx context.Context, db *gorm.DB, mutex *concurrency.Mutex, body string) error {
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	var token int64
	if err := db.Raw("SELECT nextval('grants')").Row().Scan(&token); err != nil {
		return err
	}
	return rows(db.Exec(save, body, token, token))
}

func rows(res *gorm.DB) error {
	if res.Error == nil && res.RowsAffected == 0 {
		return errors.New("stale")
	}
	return res.Error
}

// token: ordered, may go back
func SqlxGet(ctx context.Context, db *sqlx.DB, mutex *concurrency.Mutex, body string) error {
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	var token int64
	if err := db.GetContext(ctx, &token, "SELECT nextval('grants')"); err != nil {
		return err
	}
	return one(db.ExecContext(ctx, save, body, token, token))
}

// token: ordered, may go back
func BunRaw(ctx context.Context, db *bun.DB, mutex *concurrency.Mutex, body string) error {
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	var token int64
	if err := db.NewRaw("SELECT nextval('grants')").Scan(ctx, &token); err != nil {
		return err
	}
	return one(db.ExecContext(ctx, save, body, token, token))
}

// token: ordered, may go back
func XormSQL(ctx context.Context, db *xorm.Engine, conn *sql.DB, mutex *concurrency.Mutex, body string) error {
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	var token int64
	if _, err := db.SQL("SELECT nextval('grants')").Get(&token); err != nil {
		return err
	}
	return one(conn.ExecContext(ctx, save, body, token, token))
}

// token: ordered, may go back
func PgxRow(ctx context.Context, pool *pgxpool.Pool, mutex *concurrency.Mutex, body string) error {
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	var token int64
	if err := pool.QueryRow(ctx, "SELECT nextval('grants')").Scan(&token); err != nil {
		return err
	}
	tag, err := pool.Exec(ctx, save, body, token, token)
	if err == nil && tag.RowsAffected() == 0 {
		err = errors.New("stale")
	}
	return err
}

// token: ordered, may go back
func Prepared(ctx context.Context, db *sql.DB, mutex *concurrency.Mutex, body string) error {
	draw, err := db.PrepareContext(ctx, "SELECT nextval('grants')")
	if err != nil {
		return err
	}
	defer draw.Close()
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	var token int64
	if err := draw.QueryRowContext(ctx).Scan(&token); err != nil {
		return err
	}
	return one(db.ExecContext(ctx, save, body, token, token))
}
