package records

import (
	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/lock"
)

// What a section writes in a transaction is there for the next holder once the
// transaction is committed. Where that is after the release, he reads what was there
// before; that the transaction is on the session which owned the lock helps nobody
// then, for the lock is gone before the write lands.

// committed returns where a write is committed after the release that nothing but the
// lock guards; what the resource compares by itself it compares then as well.
func (j *judge) committed(x summary.Effect, r ruling) lock.Frame {
	session := r.cond == lock.Transaction && !r.own && !r.claimed
	if j.st.Func == nil || r.fault != "" || r.compared != "" || r.cond != lock.None && !session {
		return lock.Frame{}
	}
	at, _ := j.e.Families[code.Root(j.st.Func)].LateCommit(j.st, j.lock, x)
	return at
}
