package world

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Programs ask what an error is by functions of their own, as they do by errors.Is: of no
// error at all they say what follows from their code.

const (
	maxAsked       = 3  // functions that ask one another
	maxAskedBlocks = 64 // of such a function
)

// An ofNone is the world in which a function is asked about no error.
type ofNone struct {
	err   *ssa.Parameter
	depth int
}

func (o ofNone) Value(v ssa.Value) (Fact, bool) {
	if v == ssa.Value(o.err) {
		return Nil, true
	}
	return Fact{}, false
}

func (o ofNone) Stored(ssa.Instruction, ssa.Value) (Fact, bool) { return Fact{}, false }

// asked is what a function of the same package answers about an error that is none. Drivers
// that see one package at a time know as much.
func (e *evaluator) asked(v *ssa.Call, fn *ssa.Function) Fact {
	depth := 0
	if o, ok := e.oracle.(ofNone); ok {
		depth = o.depth + 1
	}
	if depth >= maxAsked || fn.Pkg != v.Parent().Pkg || len(fn.Blocks) == 0 || len(fn.Blocks) > maxAskedBlocks || len(fn.Params) != 1 || !isError(fn.Params[0].Type()) {
		return Varying
	}
	results := fn.Signature.Results()
	if results.Len() != 1 || !types.Identical(results.At(0).Type(), types.Typ[types.Bool]) || e.eval(v.Call.Args[0]).kind != isNil {
		return Varying
	}
	r := Explore(fn.Blocks[0].Instrs[0], ofNone{fn.Params[0], depth}, func(ssa.Instruction) Verb { return Go })
	if facts := r.Results(); len(facts) == 1 {
		return facts[0]
	}
	return Varying
}
