package bad

import (
	"encoding/json"
	"time"

	"github.com/go-zookeeper/zk"
)

// lockNote is what a holder leaves in its node.
type lockNote struct {
	TTLDeadline time.Time
	Holder      string
}

// queue is where they wait.
type queue struct {
	conn *zk.Conn
	ttl  time.Duration
}

// note tells until when.
func (q *queue) note(node, holder string) error {
	text, err := json.Marshal(lockNote{TTLDeadline: time.Now().Add(q.ttl), Holder: holder})
	if err != nil {
		return err
	}
	_, err = q.conn.Set(node, text, -1)
	return err
}

// push takes the node before away, once that is over by the time of another host.
func (q *queue) push(node string) error {
	text, stat, err := q.conn.Get(node)
	if err != nil {
		return err
	}
	var n lockNote
	if err := json.Unmarshal(text, &n); err != nil {
		return err
	}
	if time.Now().Before(n.TTLDeadline) { // want: wallclock
		return nil
	}
	return q.conn.Delete(node, stat.Version)
}
