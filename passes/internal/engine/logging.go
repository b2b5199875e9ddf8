package engine

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// logs reports whether a call is of a logger, the project's own ones included: a
// function that is told anything at all and answers nothing, and whose name is a
// level or a way to print. That it writes a file is no work of the section's.
// Fatal and Panic are left to those who ask where a function ends.
func logs(c *ssa.CallCommon) bool {
	sig := c.Signature()
	if !sig.Variadic() || sig.Results().Len() > 0 {
		return false
	}
	last := sig.Params().At(sig.Params().Len() - 1).Type().(*types.Slice)
	if i, ok := last.Elem().Underlying().(*types.Interface); !ok || !i.Empty() {
		return false
	}
	return logVerb(methodOf(c))
}

func logVerb(name string) bool {
	l := strings.ToLower(name)
	for _, verb := range []string{"trace", "debug", "info", "notice", "warn", "err", "print", "log"} {
		if strings.HasPrefix(l, verb) {
			return true
		}
	}
	return false
}
