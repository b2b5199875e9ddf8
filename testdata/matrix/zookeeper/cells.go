// ZooKeeper: the version of a node.
package zookeeper

import (
	"context"
	"errors"
	"slices"
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

// cell: none, weakcondition
func Together(ctx context.Context, session *concurrency.Session, conn *zk.Conn, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	_, stat, err := conn.Get("/doc/head")
	if err != nil {
		return err
	}
	_, err = conn.Multi(
		&zk.CheckVersionRequest{Path: "/doc/head", Version: stat.Version},
		&zk.SetDataRequest{Path: "/doc", Data: body, Version: -1},
	)
	return err
}

// cell: version
func TogetherBoth(ctx context.Context, session *concurrency.Session, conn *zk.Conn, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	_, stat, err := conn.Get("/doc/head")
	if err != nil {
		return err
	}
	_, err = conn.Multi(
		&zk.CheckVersionRequest{Path: "/doc/head", Version: stat.Version},
		&zk.SetDataRequest{Path: "/doc/head", Data: nil, Version: -1},
		&zk.SetDataRequest{Path: "/doc", Data: body, Version: -1},
	)
	return err
}

// cell: none
func TogetherAlways(ctx context.Context, session *concurrency.Session, conn *zk.Conn, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	_, err := conn.Multi(
		&zk.CheckVersionRequest{Path: "/doc/head", Version: -1},
		&zk.SetDataRequest{Path: "/doc", Data: body, Version: -1},
	)
	return err
}

// cell: unknown
func TogetherWithOthers(ctx context.Context, session *concurrency.Session, conn *zk.Conn, others []any) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	_, err := conn.Multi(others...)
	return err
}

// cell: owner
func TogetherWithLock(ctx context.Context, conn *zk.Conn, body []byte) error {
	node, err := conn.Create("/locks/matrix/n-", nil, zk.FlagEphemeral|zk.FlagSequence, zk.WorldACL(zk.PermAll))
	if err != nil {
		return err
	}
	defer conn.Delete(node, -1)
	queue, _, err := conn.Children("/locks/matrix")
	if err != nil {
		return err
	}
	slices.Sort(queue)
	if "/locks/matrix/"+queue[0] != node {
		return errors.New("busy")
	}
	_, err = conn.Multi(
		&zk.CheckVersionRequest{Path: node, Version: 0},
		&zk.SetDataRequest{Path: "/doc", Data: body, Version: -1},
	)
	return err
}
