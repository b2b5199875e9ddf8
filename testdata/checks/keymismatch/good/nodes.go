package good

import (
	"errors"

	"github.com/go-zookeeper/zk"
)

// Nodes keeps what a museum's stewards share: who is on duty, and notes.
type Nodes struct {
	conn *zk.Conn
	root string
	name string
}

// TryLock takes a post, and leaves it to the end of the session.
func (n *Nodes) TryLock(post string) bool {
	_, err := n.conn.Create(n.root+"/"+post, []byte(n.name), zk.FlagEphemeral, zk.WorldACL(zk.PermAll))
	return err == nil
}

// Unlock gives a post up, if it is its own.
func (n *Nodes) Unlock(post string) error {
	node := n.root + "/" + post
	data, stat, err := n.conn.Get(node)
	if err != nil {
		return err
	}
	if string(data) != n.name {
		return errBusy
	}
	return n.conn.Delete(node, stat.Version)
}

// forget deletes a node, if nobody wrote to it since.
func (n *Nodes) forget(name string) error {
	node := n.root + "/" + name
	_, stat, err := n.conn.Get(node)
	if errors.Is(err, zk.ErrNoNode) {
		return nil
	}
	if err != nil {
		return err
	}
	return n.conn.Delete(node, stat.Version)
}

// Notes hang in the hall.
type Notes struct{ nodes *Nodes }

// Museum is opened by whoever is on duty.
type Museum struct {
	nodes *Nodes
	notes *Notes
}

// Reopen takes away the note that the house is closed. That is no post.
func (m *Museum) Reopen() error {
	if !m.nodes.TryLock("duty") { // note: redundantlock // verdict: fenced
		return nil
	}
	return m.notes.nodes.forget("closed")
}

// Leave ends the duty.
func (m *Museum) Leave() error { return m.nodes.Unlock("duty") }

// Close takes away the note by the same object, and stays on duty.
func (n *Nodes) Close() error {
	if !n.TryLock("duty") { // note: redundantlock // verdict: fenced
		return nil
	}
	return n.forget("open")
}
