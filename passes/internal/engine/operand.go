package engine

import (
	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
)

type catalogTold = catalog.Told

var refReceiver = catalog.Ref{Base: catalog.Receiver}

// operand returns the value that ref names in a call, or nil.
func operand(c *ssa.CallCommon, ref catalog.Ref) ssa.Value {
	switch ref.Base {
	case catalog.Receiver:
		if c.IsInvoke() {
			return c.Value
		}
		if c.Signature().Recv() != nil && len(c.Args) > 0 {
			return c.Args[0]
		}
	case catalog.Arg:
		i := ref.Index
		if !c.IsInvoke() && c.Signature().Recv() != nil {
			i++
		}
		if i < len(c.Args) {
			return c.Args[i]
		}
	}
	return nil
}
