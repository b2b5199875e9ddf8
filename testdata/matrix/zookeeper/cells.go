// ZooKeeper: the version of a node.
package zookeeper

import (
	"context"
	"errors"
	"strconv"

	"github.com/go-zookeeper/zk"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// no TokenFenced: a node has no condition but its version

// no OwnerFenced: the lock is a node of its own

// cell: version
func Version(ctx context.Context, session *concurrency.Session, conn *zk.Conn, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	_, stat, err := conn.Get("/doc")
	if err != nil {
		return err
	}
	_, err = conn.Set("/doc", body, stat.Version)
	return err
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, conn *zk.Conn, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	_, err := conn.Set("/doc", body, -1)
	return err
}

// no WrongWay: a node has no condition but its version

// no RandomEqual: a node has no condition but its version

// no NotStored: a node has no condition but its version

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, conn *zk.Conn, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	old, _, err := conn.Get("/doc/token")
	if err != nil {
		return err
	}
	if last, _ := strconv.ParseInt(string(old), 10, 64); last >= token {
		return errors.New("refused")
	}
	_, err = conn.Set("/doc", body, -1)
	return err
}

// no Dropped: a refusal is an error

// no Unknown: the version is an argument of the call
