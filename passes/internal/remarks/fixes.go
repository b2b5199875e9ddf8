package remarks

import (
	"go/ast"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/lock"
)

// keepMonotonic takes the conversions that only drop the monotonic reading out of a
// comparison of times, where both sides then have one. A comparison has the same
// outcome in every location.
func (c *clocks) keepMonotonic(in *ssa.Call) *lock.Fix {
	_, expr := c.e.CallExpr(in)
	if expr == nil {
		return nil
	}
	fix := &lock.Fix{Message: "compare with the monotonic reading"}
	for _, a := range in.Call.Args {
		x := c.e.Argument(in, expr, a)
		for {
			conv, isCall := a.(*ssa.Call)
			inner, nested := ast.Unparen(x).(*ast.CallExpr)
			if !isCall || !nested || inner.Lparen != conv.Pos() {
				break
			}
			strips := onlyStrips(conv)
			recv := c.e.Receiver(conv, inner)
			if recv == nil || !strips && code.CalleeName(&conv.Call) != "(time.Time).Add" {
				break
			}
			if strips {
				fix.Edits = append(fix.Edits, lock.Edit{Pos: recv.End(), End: inner.End()})
			}
			a, x = conv.Call.Args[0], recv
		}
		if lost(c.readings(), a) != "" {
			return nil
		}
	}
	if len(fix.Edits) == 0 {
		return nil
	}
	return fix
}

// onlyStrips reports whether a call changes nothing of a time but how it is shown.
func onlyStrips(call *ssa.Call) bool {
	switch code.CalleeName(&call.Call) {
	case "(time.Time).UTC", "(time.Time).Local":
		return true
	case "(time.Time).Round", "(time.Time).Truncate":
		n, ok := code.ConstInt(call.Call.Args[1])
		return ok && n <= 0
	}
	return false
}
