// Package kept has locks that are kept in objects, and given back by who is told to.
package kept

import (
	"errors"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/hashicorp/consul/api"
)

var errTaken = errors.New("taken")

// A Key is what a door is opened with again.
type Key interface{ Unlock() error }

type key struct {
	kv      *api.KV
	name    string
	session string
}

// Unlock deletes the key of its lock, if that is still its own.
func (k key) Unlock() error {
	pair, _, err := k.kv.Get(k.name, nil)
	if err != nil || pair == nil {
		return err
	}
	if pair.Session != k.session {
		return errTaken
	}
	ok, _, err := k.kv.DeleteCAS(&api.KVPair{Key: k.name, ModifyIndex: pair.ModifyIndex}, nil)
	if err == nil && !ok {
		err = errTaken
	}
	return err
}

// Janitor has the keys of the doors that he has locked.
type Janitor struct {
	kv      *api.KV
	session string
	keys    map[string]Key
}

func (j *Janitor) lock(door string) (Key, error) {
	name := "doors/" + door
	ok, _, err := j.kv.Acquire(&api.KVPair{Key: name, Session: j.session}, nil)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errTaken
	}
	return key{j.kv, name, j.session}, nil
}

// Round locks the doors, and opens those again that are done.
func (j *Janitor) Round(doors, done <-chan string) error {
	for {
		select {
		case door := <-doors:
			k, err := j.lock(door) // verdict: no-visible-write
			if err != nil {
				return err
			}
			j.keys[door] = k
		case door := <-done:
			if k := j.keys[door]; k != nil {
				if err := k.Unlock(); err != nil {
					return err
				}
				delete(j.keys, door)
			}
		}
	}
}

// Sign writes on a door, which anybody may wipe off again at the version that was read.
func (j *Janitor) Sign(door string, text []byte) error {
	k, err := j.lock(door) // verdict: unfenced
	if err != nil {
		return err
	}
	defer k.Unlock()
	_, err = j.kv.Put(&api.KVPair{Key: "signs/" + door, Value: text}, nil) // want: unfenced
	return err
}

// Wipe deletes what was read under the lock, by its version: another key than the lock's.
func (j *Janitor) Wipe(door string) error {
	k, err := j.lock(door) // verdict: fenced
	if err != nil {
		return err
	}
	defer k.Unlock()
	pair, _, err := j.kv.Get("signs/"+door, nil)
	if err != nil || pair == nil {
		return err
	}
	ok, _, err := j.kv.DeleteCAS(&api.KVPair{Key: pair.Key, ModifyIndex: pair.ModifyIndex}, nil)
	if err == nil && !ok {
		err = errTaken
	}
	return err
}

// A Queue lets those in one by one who wait in ZooKeeper, and sends away who has waited too
// long.
type Queue struct {
	conn *zk.Conn
	path string
	mine string
}

// Lock waits until it is first.
func (q *Queue) Lock() error {
	node, err := q.conn.CreateProtectedEphemeralSequential(q.path+"/lock-", nil, zk.WorldACL(zk.PermAll))
	if err != nil {
		return err
	}
	for {
		first, err := q.first()
		if err != nil {
			return err
		}
		if first == node {
			q.mine = node
			return nil
		}
		if err := q.dismiss(first); err != nil {
			return err
		}
		time.Sleep(time.Second)
	}
}

func (q *Queue) first() (string, error) {
	nodes, _, err := q.conn.Children(q.path)
	if err != nil || len(nodes) == 0 {
		return "", err
	}
	return nodes[0], nil
}

func (q *Queue) dismiss(node string) error {
	_, stat, err := q.conn.Get(q.path + "/" + node)
	if err != nil {
		return err
	}
	return q.conn.Delete(q.path+"/"+node, stat.Version)
}

// Unlock lets the next one in.
func (q *Queue) Unlock() error {
	_, stat, err := q.conn.Get(q.mine)
	if err != nil {
		return err
	}
	return q.conn.Delete(q.mine, stat.Version)
}

// Serve locks twice on its way, and writes nothing.
func (q *Queue) Serve(other *Queue, serve func() int) (int, error) {
	if err := q.Lock(); err != nil { // verdict: no-visible-write
		return 0, err
	}
	defer q.Unlock()
	if err := other.Lock(); err != nil { // verdict: no-visible-write
		return 0, err
	}
	defer other.Unlock()
	return 1, nil
}

// A Tour goes on after it was begun.
type Tour struct {
	j    *Janitor
	done chan struct{}
}

// Begin locks the doors of a tour, which are opened when that ends.
func (j *Janitor) Begin(door string) (*Tour, error) {
	t := &Tour{j, make(chan struct{})}
	k, err := j.lock(door) // verdict: unverified
	if err != nil {
		return nil, err
	}
	go func() {
		<-t.done
		k.Unlock()
	}()
	return t, nil
}

// Hang hangs a picture.
func (t *Tour) Hang(wall string, picture []byte) error {
	_, err := t.j.kv.Put(&api.KVPair{Key: "walls/" + wall, Value: picture}, nil)
	return err
}

// End ends it.
func (t *Tour) End() { close(t.done) }
