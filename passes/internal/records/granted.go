package records

import (
	"slices"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// A counter of its own numbers the grants of a lock only if it is drawn from once a grant,
// by whoever has the lock.

// grantee is token for a value that is to say who was granted the lock later: numbers that
// are drawn before anybody has the lock say who asked for it later.
func (j *judge) grantee(t *term.T) (meaning.Token, bool) {
	tok, ok := j.token(t)
	if ok && tok.Origin == "" && tok.Ordered && !tok.Read && tok.Handle == nil && j.e.DrawnBefore(j.st, tok.Call) {
		tok.Ordered, tok.Origin = false, meaning.Early
		tok.Reason = "it is drawn before the lock is taken, so who gets the lock later may have the older number"
	}
	return tok, ok
}

const drawnInTurns = "the number is drawn anew in each turn of a loop, so whoever has lost the lock gets a greater one than the next holder's"

// drawnInTurns reports whether a number of no lock is drawn in a loop of the section, and
// so not once a grant.
func (j *judge) drawnInTurns(tok meaning.Token) bool {
	return tok.Handle == nil && !tok.Read && tok.Call != nil && slices.ContainsFunc(j.st.Effects, func(x summary.Effect) bool {
		return x.Call != nil && x.Open == summary.Closed && x.Turns.Rounds > summary.Counted && sameCall(tok.Call, x.Call)
	})
}
