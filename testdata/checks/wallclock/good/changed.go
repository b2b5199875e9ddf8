package good

import (
	"sync/atomic"
	"time"
)

// LeaderWatch hears who leads, and is patient with reports for a while after that has changed.
type LeaderWatch struct {
	changed atomic.Int64
	grace   int64
}

// Hear is told of another leader.
func (w *LeaderWatch) Hear(string) { w.changed.Store(seconds()) }

func seconds() int64 { return time.Now().UnixMilli() / 1000 }

// LeaderChanged tells when that was, as told by this host.
func (w *LeaderWatch) LeaderChanged() int64 { return w.changed.Load() }

// Patient decides about no lease.
func (w *LeaderWatch) Patient() bool {
	now, then := seconds(), w.LeaderChanged()
	return now >= then && now-then < w.grace
}
