package good

import (
	"sync"
	"time"

	"github.com/go-zookeeper/zk"
)

// A Watchman has a node as long as he has a session, and asks again now and then
// whether it is there.
type Watchman struct {
	conn *zk.Conn
	name string
	seen sync.Map
}

// TryLock is asked in each round.
func (w *Watchman) TryLock(tower string) bool {
	if at, ok := w.seen.Load(tower); ok {
		if time.Since(at.(time.Time)) < 3*time.Second {
			return true
		}
		w.seen.Delete(tower)
	}
	path := "/watch/" + tower
	data, _, err := w.conn.Get(path)
	if err != nil && err != zk.ErrNoNode {
		return false
	}
	if err == zk.ErrNoNode {
		if _, err := w.conn.Create(path, []byte(w.name), zk.FlagEphemeral, zk.WorldACL(zk.PermAll)); err != nil {
			return false
		}
		w.seen.Store(tower, time.Now())
		return true
	}
	if string(data) == w.name {
		w.seen.Store(tower, time.Now())
		return true
	}
	return false
}

// Rounds ends the session when the night is over. No other round of the same watchman goes
// on after that.
func (w *Watchman) Rounds(tower string, dawn <-chan struct{}, ring func()) {
	defer w.conn.Close()
	for {
		select {
		case <-dawn:
			return
		case <-time.After(time.Second):
			if w.TryLock(tower) {
				ring()
			}
		}
	}
}
