package good

import (
	"context"
	"errors"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/go-zookeeper/zk"
	"github.com/hashicorp/consul/api"
	"go.etcd.io/etcd/client/v3/concurrency"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// Item: a condition expression of DynamoDB refuses the write with an error.
func Item(ctx context.Context, session *concurrency.Session, db *dynamodb.Client, id, text string) (err error) {
	mutex := concurrency.NewMutex(session, "/locks/item/"+id)
	if err := mutex.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	token := strconv.FormatInt(mutex.Header().Revision, 10)
	_, err = db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:           aws.String("item"),
		Key:                 map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: id}},
		UpdateExpression:    aws.String("SET body = :body, last_token = :token"),
		ConditionExpression: aws.String("attribute_not_exists(last_token) OR last_token < :token"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":body":  &types.AttributeValueMemberS{Value: text},
			":token": &types.AttributeValueMemberN{Value: token},
		},
	})
	return err
}

// Node: the data of a node is set at the version that was read in the section.
func Node(ctx context.Context, session *concurrency.Session, conn *zk.Conn, path, suffix string) (err error) {
	mutex := concurrency.NewMutex(session, "/locks/node")
	if err := mutex.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	data, stat, err := conn.Get(path)
	if err != nil {
		return err
	}
	_, err = conn.Set(path, append(data, suffix...), stat.Version)
	return err
}

// CheckSession: one transaction of Consul asks for the lock's session and writes.
func CheckSession(ctx context.Context, client *api.Client, session, key string, value []byte) (err error) {
	kv, opts := client.KV(), (&api.WriteOptions{}).WithContext(ctx)
	pair := &api.KVPair{Key: "locks/checked", Session: session}
	ok, _, err := kv.Acquire(pair, opts) // verdict: fenced
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

	ok, _, _, err = kv.Txn(api.KVTxnOps{
		{Verb: api.KVCheckSession, Key: pair.Key, Session: session},
		{Verb: api.KVSet, Key: key, Value: value},
	}, (&api.QueryOptions{}).WithContext(ctx))
	if err == nil && !ok {
		err = errStale
	}
	return err
}

// CAS: the key is set at the index that was read in the section.
func CAS(ctx context.Context, session *concurrency.Session, client *api.Client, key, suffix string) (err error) {
	mutex := concurrency.NewMutex(session, "/locks/cas")
	if err := mutex.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	pair, _, err := client.KV().Get(key, (&api.QueryOptions{}).WithContext(ctx))
	if err != nil {
		return err
	}
	if pair == nil {
		return errors.New("no value")
	}
	pair.Value = append(pair.Value, suffix...)
	ok, _, err := client.KV().CAS(pair, (&api.WriteOptions{}).WithContext(ctx))
	if err == nil && !ok {
		err = errStale
	}
	return err
}

// ConfigMap: an update carries the resourceVersion of what was read.
func ConfigMap(ctx context.Context, lock resourcelock.Interface, core corev1.CoreV1Interface, failed chan<- error) {
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{ // verdict: fenced
		Lock:          lock,
		LeaseDuration: leaseDuration,
		RenewDeadline: renewDeadline,
		RetryPeriod:   retryPeriod,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				maps := core.ConfigMaps("shop")
				m, err := maps.Get(ctx, "plan", metav1.GetOptions{})
				if err != nil {
					failed <- err
					return
				}
				m.Data = map[string]string{"leader": lock.Identity()}
				_, err = maps.Update(ctx, m, metav1.UpdateOptions{})
				failed <- err
			},
			OnStoppedLeading: func() { close(failed) },
		},
	})
}
