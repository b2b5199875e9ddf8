package world

import (
	"go/constant"

	"golang.org/x/tools/go/ssa"
)

type edge struct{ from, to *ssa.BasicBlock }

// maxBlocks bounds the functions that are explored; generated code above it is
// given up (Region.Limit).
const maxBlocks = 4000

// A Region is the critical section inside one function.
type Region struct {
	Start   ssa.Instruction   // the acquire
	Held    []ssa.Instruction // instructions that run while the lock is held, in block order; not the acquire itself
	After   []ssa.Instruction // instructions that run after it was released
	Stops   []ssa.Instruction // the releases that end it
	Returns []*ssa.Return     // ways out of the function that are reached with the lock held
	Exits   []ssa.Instruction // calls that never return, reached with the lock held
	Again   bool              // control can come back to the acquire with the lock held
	Limit   bool              // the function is too large

	eval *evaluator
}

// Fact is what is known of v in the region.
func (r *Region) Fact(v ssa.Value) Fact {
	if r.eval == nil {
		return Varying
	}
	return r.eval.eval(v)
}

// Results is what is known of each result on all of the ways out together; nil where
// there is none.
func (r *Region) Results() []Fact {
	var facts []Fact
	for _, ret := range r.Returns {
		if facts == nil {
			facts = make([]Fact, len(ret.Results))
		}
		for i, v := range ret.Results {
			facts[i] = Meet(facts[i], r.Fact(v))
		}
	}
	return facts
}

// Comes reports whether control comes from the acquire to a block in the region without
// passing the start of another, be it that of a loop's next turn.
func (r *Region) Comes(to, passing *ssa.BasicBlock) bool {
	if r.eval == nil {
		return true
	}
	at := r.Start.Block()
	seen := map[*ssa.BasicBlock]bool{passing: true, at: true}
	for work := []*ssa.BasicBlock{at}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b == to {
			return true
		}
		for _, next := range b.Succs {
			if r.eval.edges[edge{b, next}] && !seen[next] {
				seen[next] = true
				work = append(work, next)
			}
		}
	}
	return false
}

// An Edge of control: Stop ends the section, End ends the function.
type Verb uint8

const (
	Go   Verb = iota // goes on
	Stop             // releases the lock
	End              // never returns
	Kill             // the lock is taken anew here: this way is another section
)

// state of a block: which of the two worlds reach it.
const (
	held = 1 << iota
	after
)

// Explore follows control from the instruction after start in the world that
// oracle describes. verb says what an instruction does to the section.
func Explore(start ssa.Instruction, oracle Oracle, verb func(ssa.Instruction) Verb) *Region {
	fn := start.Parent()
	r := &Region{Start: start}
	if len(fn.Blocks) > maxBlocks {
		r.Limit = true
		return r
	}
	given, anew := givenAt(start.Block()), reentered(start.Block())
	edges, turn := make(map[edge]bool), make(map[edge]bool)
	// Facts only get weaker as edges are added, so repeating until no edge is
	// added ends; two or three rounds are usual.
	for round := 0; ; round++ {
		evaluating := func(edges map[edge]bool, before map[*ssa.BasicBlock]bool) *evaluator {
			return &evaluator{oracle: oracle, given: given, edges: edges, before: before, memo: make(map[ssa.Value]Fact), busy: make(map[ssa.Value]bool)}
		}
		ev := evaluating(edges, nil)
		first := ev
		if len(anew) > 0 {
			first = evaluating(turn, anew)
		}
		before := len(edges) + len(turn)
		states := flow(r, start, first, ev, verb)
		if len(edges)+len(turn) == before || round > 50 {
			r.eval = ev
			collect(r, start, verb, states)
			return r
		}
	}
}

// reentered are the blocks before which a loop begins anew in which b is: those that lead to
// b on every way, and that control comes to again from there. What a variable is at their
// start depends on whether the section has come round to them.
func reentered(b *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	reached := make(map[*ssa.BasicBlock]bool)
	work := []*ssa.BasicBlock{b}
	for len(work) > 0 {
		next := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range next.Succs {
			if !reached[s] {
				reached[s] = true
				work = append(work, s)
			}
		}
	}
	var anew map[*ssa.BasicBlock]bool
	for d := b; d != nil; d = d.Idom() {
		if reached[d] {
			if anew == nil {
				anew = make(map[*ssa.BasicBlock]bool)
			}
			anew[d] = true
		}
	}
	return anew
}

// flow propagates the states once around, adding the edges it finds. In the turn of a loop
// in which the section begins, what was set before that turn is as first says, which knows
// the edges of that turn alone: a leader that was none so far begins its work.
func flow(r *Region, start ssa.Instruction, first, ev *evaluator, verb func(ssa.Instruction) Verb) map[*ssa.BasicBlock]uint8 {
	states := make(map[*ssa.BasicBlock]uint8)
	type item struct {
		block *ssa.BasicBlock
		from  int
		state uint8
		ev    *evaluator
	}
	type visit struct {
		block *ssa.BasicBlock
		state uint8
		ev    *evaluator
	}
	seen := make(map[visit]bool)
	work := []item{{start.Block(), indexOf(start) + 1, held, first}}
	for len(work) > 0 {
		it := work[len(work)-1]
		work = work[:len(work)-1]
		state, ended := it.state, false
		for _, in := range it.block.Instrs[it.from:] {
			if in == start {
				ended = true // taken again: a new section
				r.Again = r.Again || state == held
				break
			}
			v := Go
			if state == held {
				v = verb(in)
			}
			if v == Stop {
				state = after
			}
			if v == End || v == Kill {
				ended = true
				break
			}
		}
		if ended {
			continue
		}
		for _, next := range successors(it.block, it.ev) {
			ev.edges[edge{it.block, next}] = true
			it.ev.edges[edge{it.block, next}] = true
			states[next] |= state
			v := visit{next, state, it.ev}
			if first.before[next] {
				v.ev = ev
			}
			if !seen[v] {
				seen[v] = true
				work = append(work, item{next, 0, state, v.ev})
			}
		}
	}
	return states
}

// successors returns the successors that the facts allow.
func successors(b *ssa.BasicBlock, ev *evaluator) []*ssa.BasicBlock {
	if len(b.Instrs) > 0 {
		if br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
			switch f := ev.eval(br.Cond); {
			case f.kind == known && f.val.Kind() == constant.Bool:
				if constant.BoolVal(f.val) {
					return b.Succs[:1]
				}
				return b.Succs[1:2]
			}
		}
	}
	return b.Succs
}

func collect(r *Region, start ssa.Instruction, verb func(ssa.Instruction) Verb, states map[*ssa.BasicBlock]uint8) {
	stopped := make(map[ssa.Instruction]bool)
	note := func(instrs []ssa.Instruction, state uint8) {
		for _, in := range instrs {
			if in == start {
				return
			}
			if state == after {
				r.After = append(r.After, in)
				continue
			}
			switch verb(in) {
			case Stop:
				if !stopped[in] {
					stopped[in] = true
					r.Stops = append(r.Stops, in)
				}
				state = after
				continue
			case End:
				r.Exits = append(r.Exits, in)
				return
			case Kill:
				return
			}
			r.Held = append(r.Held, in)
			if ret, ok := in.(*ssa.Return); ok {
				r.Returns = append(r.Returns, ret)
			}
		}
	}
	first := start.Block()
	note(first.Instrs[indexOf(start)+1:], held)
	for _, b := range start.Parent().Blocks {
		if states[b]&held != 0 {
			note(b.Instrs, held)
		}
	}
	for _, b := range start.Parent().Blocks {
		// What is reached both ways counts as held only.
		if states[b] == after {
			note(b.Instrs, after)
		}
	}
}
