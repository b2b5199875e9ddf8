// Package twice reads a record, and reads it once more for its version.
package twice

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/bsm/redislock"
	"github.com/hashicorp/consul/api"
	"github.com/jackc/pgx/v5/pgxpool"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	typed "k8s.io/client-go/kubernetes/typed/core/v1"
)

var (
	errOld  = errors.New("there is a newer version")
	errFull = errors.New("no room left")
)

// An Archive keeps leaves of several kinds.
type Archive struct {
	locks  *redislock.Client
	pool   *pgxpool.Pool
	consul *api.KV
	cli    *clientv3.Client
	client *http.Client
	k8s    kubernetes.Interface
}

type leaf struct {
	text  string
	words int
	rev   int64
}

func (a *Archive) leaf(ctx context.Context, id string) (l leaf, err error) {
	err = a.pool.QueryRow(ctx, "SELECT text, words, rev FROM leaves WHERE id = $1", id).Scan(&l.text, &l.words, &l.rev)
	return l, err
}

func (a *Archive) keep(ctx context.Context, id, text string, rev int64) error {
	tag, err := a.pool.Exec(ctx, "UPDATE leaves SET text = $2, rev = rev + 1 WHERE id = $1 AND rev = $3", id, text, rev) // want: weakcondition
	if err == nil && tag.RowsAffected() == 0 {
		err = errOld
	}
	return err
}

func (a *Archive) store(ctx context.Context, id, text string, rev int64) error {
	tag, err := a.pool.Exec(ctx, "UPDATE leaves SET text = $2, rev = rev + 1 WHERE id = $1 AND rev = $3", id, text, rev)
	if err == nil && tag.RowsAffected() == 0 {
		err = errOld
	}
	return err
}

// Extend takes the text of the first reading and the version of the second.
func (a *Archive) Extend(ctx context.Context, id, more string) (err error) {
	l, err := a.locks.Obtain(ctx, "leaf:"+id, 9*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Release(context.WithoutCancel(ctx))) }()
	old, err := a.leaf(ctx, id)
	if err != nil {
		return err
	}
	text := old.text + more
	now, err := a.leaf(ctx, id)
	if err != nil {
		return err
	}
	return a.keep(ctx, id, text, now.rev)
}

// Shorten reads once more as a whole where it came too late.
func (a *Archive) Shorten(ctx context.Context, id string, by int) (err error) {
	l, err := a.locks.Obtain(ctx, "leaf:"+id, 9*time.Second, nil) // want: redundantlock // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Release(context.WithoutCancel(ctx))) }()
	old, err := a.leaf(ctx, id)
	for range 3 {
		if err != nil {
			return err
		}
		if err = a.store(ctx, id, old.text[:max(0, len(old.text)-by)], old.rev); !errors.Is(err, errOld) {
			return err
		}
		old, err = a.leaf(ctx, id)
	}
	return errOld
}

// Sign reads the version of one leaf and the text of another.
func (a *Archive) Sign(ctx context.Context, id, of string) (err error) {
	l, err := a.locks.Obtain(ctx, "leaf:"+id, 9*time.Second, nil) // want: redundantlock // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Release(context.WithoutCancel(ctx))) }()
	now, err := a.leaf(ctx, id)
	if err != nil {
		return err
	}
	sign, err := a.leaf(ctx, of)
	if err != nil {
		return err
	}
	return a.store(ctx, id, now.text+sign.text, now.rev)
}

func (a *Archive) value(key string) (text []byte, index uint64, err error) {
	pair, _, err := a.consul.Get(key, nil)
	if err != nil || pair == nil {
		return nil, 0, errors.Join(err, errOld)
	}
	return pair.Value, pair.ModifyIndex, nil
}

// Stamp looks for the index again and again, with the value of the first time.
func (a *Archive) Stamp(ctx context.Context, key, stamp string) (err error) {
	l, err := a.locks.Obtain(ctx, "stamp:"+key, 9*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Release(context.WithoutCancel(ctx))) }()
	text, index, err := a.value(key)
	if err != nil {
		return err
	}
	text = append(text, stamp...)
	for range 4 {
		ok, _, err := a.consul.CAS(&api.KVPair{Key: key, Value: text, ModifyIndex: index}, nil) // want: weakcondition
		if err != nil || ok {
			return err
		}
		if _, index, err = a.value(key); err != nil {
			return err
		}
	}
	return errOld
}

// Page asks for the tag of a page after it has got the page.
func (a *Archive) Page(ctx context.Context, url, note string) (err error) {
	l, err := a.locks.Obtain(ctx, "page", 9*time.Second, nil) // want: longsection // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Release(context.WithoutCancel(ctx))) }()
	page, err := a.client.Get(url)
	if err != nil {
		return err
	}
	defer page.Body.Close()
	text, err := io.ReadAll(page.Body)
	if err != nil {
		return err
	}
	head, err := a.client.Head(url)
	if err != nil {
		return err
	}
	head.Body.Close()
	put, err := http.NewRequestWithContext(ctx, http.MethodPut, url, bytes.NewReader(append(text, note...)))
	if err != nil {
		return err
	}
	put.Header.Set("If-Match", head.Header.Get("ETag"))
	return answered(a.client.Do(put)) // want: weakcondition
}

// Paper has the tag and the page from one answer.
func (a *Archive) Paper(ctx context.Context, url, note string) (err error) {
	l, err := a.locks.Obtain(ctx, "paper", 9*time.Second, nil) // want: longsection, redundantlock // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Release(context.WithoutCancel(ctx))) }()
	page, err := a.client.Get(url)
	if err != nil {
		return err
	}
	defer page.Body.Close()
	text, err := io.ReadAll(page.Body)
	if err != nil {
		return err
	}
	put, err := http.NewRequestWithContext(ctx, http.MethodPut, url, bytes.NewReader(append(text, note...)))
	if err != nil {
		return err
	}
	put.Header.Set("If-Match", page.Header.Get("ETag"))
	return answered(a.client.Do(put))
}

func answered(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode == http.StatusPreconditionFailed {
		return errOld
	}
	return nil
}

// Label puts the version of a secret that it has read anew on the one that it has changed.
func (a *Archive) Label(ctx context.Context, name, label string) (err error) {
	l, err := a.locks.Obtain(ctx, "twice:label:"+name, 9*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Release(context.WithoutCancel(ctx))) }()
	return relabel(ctx, a.k8s.CoreV1().Secrets("archive"), name, label)
}

func relabel(ctx context.Context, secrets typed.SecretInterface, name, label string) error {
	s, err := secrets.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	s = s.DeepCopy()
	s.Labels = map[string]string{"label": s.Labels["label"] + label}
	now, err := secrets.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	s.SetResourceVersion(now.ResourceVersion)
	_, err = secrets.Update(ctx, s, metav1.UpdateOptions{}) // want: weakcondition
	return err
}

// Seal changes the secret that it has read, and leaves its version alone.
func (a *Archive) Seal(ctx context.Context, name, label string) (err error) {
	l, err := a.locks.Obtain(ctx, "twice:label:"+name, 9*time.Second, nil) // want: redundantlock // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Release(context.WithoutCancel(ctx))) }()
	secrets := a.k8s.CoreV1().Secrets("archive")
	s, err := secrets.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	next := s.DeepCopy()
	next.Data["seal"] = append(s.Data["seal"], label...)
	_, err = secrets.Update(ctx, next, metav1.UpdateOptions{})
	return err
}

// Spread fills a map from a list of rows, and puts it into whatever object is there by then.
func (a *Archive) Spread(ctx context.Context, name string) (err error) {
	l, err := a.locks.Obtain(ctx, "spread:"+name, 9*time.Second, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Release(context.WithoutCancel(ctx))) }()
	maps := a.k8s.CoreV1().ConfigMaps("archive")
	others, err := maps.List(ctx, metav1.ListOptions{LabelSelector: "kind=part"})
	if err != nil {
		return err
	}
	plan := make(map[string]string)
	for _, o := range others.Items {
		plan[o.Name] = o.Data["room"]
	}
	m, err := maps.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	m.Data = plan
	_, err = maps.Update(ctx, m, metav1.UpdateOptions{})
	return err
}

func (a *Archive) hold(ctx context.Context, key string, work func(session *concurrency.Session) error) (err error) {
	session, err := concurrency.NewSession(a.cli, concurrency.WithTTL(6))
	if err != nil {
		return err
	}
	defer session.Close()
	m := concurrency.NewMutex(session, key)
	if err := m.Lock(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Unlock(context.WithoutCancel(ctx))) }()
	return work(session)
}

// Fill works out before the transaction what it puts.
func (a *Archive) Fill(ctx context.Context, box string) error {
	return a.hold(ctx, "/fill", func(*concurrency.Session) error { // verdict: unfenced
		got, err := a.cli.Get(ctx, box)
		if err != nil || len(got.Kvs) == 0 {
			return errors.Join(err, errOld)
		}
		n, err := strconv.Atoi(string(got.Kvs[0].Value))
		if err != nil {
			return err
		}
		_, err = concurrency.NewSTM(a.cli, func(s concurrency.STM) error {
			if s.Rev(box) == 0 {
				return errOld
			}
			s.Put(box, strconv.Itoa(n+1)) // want: weakcondition
			return nil
		})
		return err
	})
}

// Empty works it out in the transaction.
func (a *Archive) Empty(ctx context.Context, box string) error {
	return a.hold(ctx, "/fill", func(*concurrency.Session) error { // want: redundantlock // verdict: fenced
		_, err := concurrency.NewSTM(a.cli, func(s concurrency.STM) error {
			n, err := strconv.Atoi(s.Get(box))
			if err != nil || n == 0 {
				return errors.Join(err, errFull)
			}
			s.Put(box, strconv.Itoa(n-1))
			return nil
		})
		return err
	})
}

// Mark reads nothing in the transaction.
func (a *Archive) Mark(ctx context.Context, box, mark string) error {
	return a.hold(ctx, "/fill", func(*concurrency.Session) error { // verdict: unfenced
		_, err := concurrency.NewSTM(a.cli, func(s concurrency.STM) error {
			s.Put(box+"/mark", mark) // want: weakcondition
			return nil
		})
		return err
	})
}

// Copy reads the text before put has the lock.
func (a *Archive) Copy(ctx context.Context, id string) error {
	var text string
	if err := a.pool.QueryRow(ctx, "SELECT text FROM copies WHERE id = $1", id).Scan(&text); err != nil {
		return err
	}
	return a.put(ctx, id, text+text)
}

func (a *Archive) put(ctx context.Context, id, text string) (err error) {
	l, err := a.locks.Obtain(ctx, "copy:"+id, 9*time.Second, nil) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Release(context.WithoutCancel(ctx))) }()
	var rev int64
	if err := a.pool.QueryRow(ctx, "SELECT rev FROM copies WHERE id = $1", id).Scan(&rev); err != nil {
		return err
	}
	tag, err := a.pool.Exec(ctx, "UPDATE copies SET text = $2, rev = rev + 1 WHERE id = $1 AND rev = $3", id, text, rev)
	if err == nil && tag.RowsAffected() == 0 {
		err = errOld
	}
	return err
}

// Pair puts the index of a pair that it has read anew on the one that it has changed.
func (a *Archive) Pair(ctx context.Context, key, more string) (err error) {
	l, err := a.locks.Obtain(ctx, "pair:"+key, 9*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Release(context.WithoutCancel(ctx))) }()
	pair, _, err := a.consul.Get(key, nil)
	if err != nil {
		return err
	}
	pair.Value = append(pair.Value, more...)
	now, _, err := a.consul.Get(key, nil)
	if err != nil {
		return err
	}
	pair.ModifyIndex = now.ModifyIndex
	ok, _, err := a.consul.CAS(pair, nil) // want: weakcondition
	if err == nil && !ok {
		err = errOld
	}
	return err
}
