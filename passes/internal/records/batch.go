package records

import (
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/lock"
)

// writes lists what a call writes: what was queued in the section, where it
// sends a batch. A batch that was filled before stays out of sight.
func (j *judge) writes(ms []meaning.Meaning) []*meaning.Change {
	var out []*meaning.Change
	for _, m := range ms {
		if m.Role != meaning.Write {
			continue
		}
		queued := j.queued(m.Write)
		if len(queued) == 0 {
			queued = []*meaning.Change{m.Write}
		}
		out = append(out, queued...)
	}
	return out
}

func (j *judge) queued(sent *meaning.Change) []*meaning.Change {
	if sent.Batch == nil {
		return nil
	}
	var out []*meaning.Change
	for _, x := range j.st.Effects {
		if x.Call == nil || x.Open != summary.Closed {
			continue
		}
		for _, m := range j.e.Reader.Of(x.Call) {
			if m.Role == meaning.Queued && m.On == sent.Batch {
				c := *m.Write
				c.On, c.Call, c.Batch, c.Heard = sent.On, sent.Call, sent.Batch, x.Checked == 1
				out = append(out, &c)
			}
		}
	}
	return out
}

// sent adds what the way a write is sent says about its condition.
func sent(b summary.Batch, r ruling) ruling {
	if r.cond != lock.None {
		return r
	}
	switch b {
	case summary.Watched:
		return ruling{cond: lock.Version, note: "in a transaction that fails where what was read has changed"}
	case summary.Loose:
		if r.fault == "" {
			r.fault = "what is watched guards a transaction only, and this is none"
		}
	}
	return r
}
