package engine

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// maxCalls bounds the calls that are listed for one section.
const maxCalls = 8

// endless are the kinds of calls that a section has no bound with, those that
// say most first, and what is said.
var endless = []struct{ kind, text string }{
	{lock.CallPage, "pages through a listing of unknown length"},
	{lock.CallExec, "waits for another program"},
	{lock.CallWait, "waits for an answer without a timeout"},
	{lock.CallCopy, "copies a body of unknown length"},
	{lock.CallLoop, "loop with remote calls"},
	{lock.CallEachRequest, "loop with remote calls"},
	{lock.CallEachQuery, "loop with remote calls"},
	{lock.CallPoll, "waits in a loop without a count"},
}

// Length looks for what makes a section long. Work in goroutines is left out, as
// the section ends without it, unless the lock is given back there. The deadlines of the
// acquire are those of whatever comes, and say nothing about the section.
func (e *Engine) Length(list []summary.Effect, acquire []*term.T) lock.Section {
	var s lock.Section
	for _, x := range list {
		if limit := e.allowed(x, acquire); limit > 0 {
			s.Longest = append(s.Longest, lock.Call{Frame: x.At, Call: cmp.Or(x.At.Callee, "a function value"), Kind: lock.CallGiven, Limit: limit, Here: true})
		}
		if x.Call == nil || x.Open != summary.Closed || x.Reach == summary.ByGoroutine && !x.Carried {
			continue
		}
		if secs := e.waits(x); secs > 0 && !x.Aside {
			if limit, ends := e.deadline(x, true); ends {
				secs = min(secs, limit) // nothing, where that is not constant
			}
			if s.AtLeast += secs; secs > 0 {
				s.Why = "constant sleeps and waits"
			}
		}
		kind, limit := e.slow(x)
		if kind == "" {
			continue
		}
		s.Deadline = max(s.Deadline, limit)
		s.Longest = append(s.Longest, lock.Call{Frame: x.At, Call: x.At.Callee, Kind: kind, Limit: limit, Here: true})
	}
	slices.SortStableFunc(s.Longest, func(a, b lock.Call) int { return cmp.Compare(order(a), order(b)) })
	s.Bounded = true
	if len(s.Longest) > 0 {
		if i := order(s.Longest[0]); i < len(endless) {
			s.Bounded, s.Why = false, endless[i].text
		}
	}
	s.Longest = s.Longest[:min(len(s.Longest), maxCalls)]
	return s
}

// allowed is how many seconds a call out of sight is given by deadlines that were set for
// it; 0 where none was, or how long is not told. That such a call may take time is what
// the deadline is for.
func (e *Engine) allowed(x summary.Effect, acquire []*term.T) float64 {
	if x.Call == nil || x.Open == summary.Closed || x.Tells || x.Reach == summary.ByGoroutine && !x.Carried {
		return 0
	}
	limit, own := 0.0, false
	args := meaning.Args(x.Call)
	if x.Open == summary.Value {
		args = x.Call.Args[1:] // after the function, which may be the one that cancels
	}
	for _, a := range args {
		for _, d := range e.SetDeadlines(a, nil, 0) {
			secs := e.seconds(meaning.Args(d)[1])
			if secs <= 0 {
				return 0
			}
			if limit == 0 || secs < limit {
				limit = secs
			}
			own = own || !slices.Contains(acquire, d)
		}
	}
	if !own {
		return 0
	}
	return limit
}

// order puts calls without an end first, those that say most before the others,
// and sleeps last.
func order(c lock.Call) int {
	i := slices.IndexFunc(endless, func(r struct{ kind, text string }) bool { return r.kind == c.Kind })
	switch {
	case c.Kind == lock.CallSleep:
		return len(endless) + 1
	case i < 0 || c.Limit > 0:
		return len(endless)
	}
	return i
}

// slow says in which way a call takes long, if it does, and after how many
// seconds it is given up; 0 when nothing says that it is. A call with a limit
// of unknown length has the benefit of the doubt.
func (e *Engine) slow(x summary.Effect) (kind string, limit float64) {
	var block *catalog.Blocks
	remote, far, locks := false, false, false
	for _, m := range e.Reader.Of(x.Call) {
		switch m.Role {
		case meaning.Block:
			block = m.Block
			remote = remote || block.Kind == "remote"
		case meaning.Write:
			remote, far = remote || outside(m.Write.Store), far || distant(m.Write.Store)
		case meaning.Query:
			store, _, _ := strings.Cut(m.Store, ":")
			remote, far = remote || outside(store), far || distant(store)
		case meaning.Acquire, meaning.Renew, meaning.Release:
			locks = locks || !m.Raw
		}
	}
	if locks {
		return "", 0
	}
	entry := e.Reader.Entry(x.Call)
	inLoop := x.Turns.Rounds >= summary.Each
	switch {
	case block != nil && block.Page && (inLoop || entry != nil && entry.Runs != nil):
		kind = lock.CallPage
	case block != nil && block.Kind == "exec":
		kind = lock.CallExec
	case block != nil && block.Kind == "copy":
		if kind = e.copies(x, block); kind == "" {
			return "", 0
		}
	case x.Turns.Rounds == summary.Endless && remote:
		kind = lock.CallLoop
	case x.Turns.Rounds == summary.Endless && e.waits(x) > 0:
		kind = lock.CallPoll
	case inLoop && far:
		kind = lock.CallEachRequest
	case inLoop && remote:
		kind = lock.CallEachQuery
	case far && block != nil && block.Kind == "wait" && block.For.IsZero():
		kind = lock.CallWait
	case far && block != nil:
		kind = lock.CallRequest
	case e.waits(x) > 0:
		return lock.CallSleep, 0
	default:
		return "", 0
	}
	whole := inLoop && kind != lock.CallExec && kind != lock.CallCopy
	secs, ends := e.deadline(x, whole)
	if !whole && block != nil && block.Kind == "remote" && !block.For.IsZero() {
		own := e.Reader.Get(block.For, x.Call, nil)
		switch t := e.seconds(own); {
		case t > 0:
			if secs == 0 || t < secs {
				secs = t
			}
			ends = true
		case own.IsZero() || ofDefaultClient(own):
			if !ends {
				kind = lock.CallWait
			}
		}
	}
	if ends && secs == 0 {
		return "", 0
	}
	return kind, secs
}

// outside reports whether a store lies across a network.
func outside(store string) bool {
	switch store {
	case "", "file", "exec", "bbolt":
		return false
	}
	return true
}

// distant reports whether a call of a store takes much longer than a query of
// a database next door: other people's services, objects of any size.
func distant(store string) bool {
	switch store {
	case "http", "rpc", "s3", "gcs", "azblob", "k8s", "cluster", "mail", "net", "elasticsearch", "spanner":
		return true
	}
	return false
}

// ofDefaultClient reports whether a field is that of http.DefaultClient, which
// waits for ever.
func ofDefaultClient(t *term.T) bool {
	return t != nil && t.Kind == term.Field && t.Args[0].Kind == term.Global && t.Args[0].Name == "net/http.DefaultClient"
}

// copies reports whether what a copy reads comes over the network.
func (e *Engine) copies(x summary.Effect, b *catalog.Blocks) string {
	src := e.Reader.Get(b.Of, x.Call, nil)
	if src == nil {
		return ""
	}
	for src.Kind == term.Field || src.Kind == term.Result {
		src = src.Args[0]
	}
	if src.Kind != term.Call || !e.Reader.Reads(src) {
		return ""
	}
	if _, ends := e.deadline(summary.Effect{Call: src}, false); ends {
		return "" // the body ends with the request
	}
	if entry := e.Reader.Entry(src); entry != nil && entry.Blocks != nil && !entry.Blocks.For.IsZero() && e.seconds(e.Reader.Get(entry.Blocks.For, src, nil)) > 0 {
		return ""
	}
	return lock.CallCopy
}

// waits is how many seconds an effect sleeps or waits, in all its turns; 0
// where that is not constant. A timeout is waited for to its end.
func (e *Engine) waits(x summary.Effect) float64 {
	if x.Call == nil || x.Open != summary.Closed {
		return 0
	}
	for _, m := range e.Reader.Of(x.Call) {
		if m.Role == meaning.Block && m.Secs > 0 {
			switch m.Block.Kind {
			case "sleep", "wait", "tick":
				if len(m.Spans) > 0 {
					return throughout(m.Spans, x.Turns.Count())
				}
				return m.Secs * float64(x.Turns.Count())
			}
		}
	}
	return 0
}

// throughout is how long a loop waits that takes its waits from a table: all of them
// where it has as many turns, or else the longest.
func throughout(table []float64, turns int) float64 {
	longest, sum := 0.0, 0.0
	for _, s := range table {
		longest, sum = max(longest, s), sum+s
	}
	if turns < len(table) {
		return longest
	}
	return sum
}

// deadline returns the seconds after which the context of a call ends, as far
// as they are constant, and whether it ends at all. Of a loop only those
// deadlines count that hold for all of its turns.
func (e *Engine) deadline(x summary.Effect, loop bool) (secs float64, ends bool) {
	for _, d := range e.Deadlines(x) {
		if loop && slices.Contains(x.Fresh, d.Site) {
			continue
		}
		ends = true
		if s := e.longest(meaning.Args(d)[1]); s > 0 && (secs == 0 || s < secs) {
			secs = s
		}
	}
	return secs, ends
}

// longest is how many seconds a duration is at most, as far as it is constant: of one that
// is not told, its default.
func (e *Engine) longest(t *term.T) float64 {
	if t.Kind != term.Join && !IsOp(t, "or") {
		return e.seconds(t)
	}
	most := 0.0
	for _, a := range t.Args {
		most = max(most, e.longest(a))
	}
	return most
}

// seconds is how many seconds a constant duration is, or at most one that is kept in a
// field (of an object, or of a client in it) which code in view sets to constants only; 0
// for others.
func (e *Engine) seconds(t *term.T) float64 {
	if secs := meaning.Seconds(t); secs > 0 || t == nil || t.Kind != term.Field {
		return secs
	}
	most := 0.0
	for _, v := range e.Values(t) {
		secs := meaning.Seconds(v)
		if secs <= 0 {
			return 0
		}
		most = max(most, secs)
	}
	return most
}

// Deadlines lists the calls that set a deadline of the context that a call is
// given: directly, or in what it is built from (a request, a command). A variable
// that is set anew (ctx, cancel = context.WithTimeout(ctx, d)) stands for its
// earlier value as well; it is taken to have the deadline everywhere. A loop around
// the call ends with the contexts that it watches.
func (e *Engine) Deadlines(x summary.Effect) []*term.T {
	var list []*term.T
	for _, ctx := range x.Until {
		list = e.SetDeadlines(ctx, list, 0)
	}
	call := x.Call
	if recv := meaning.Receiver(call); recv != nil && recv.Kind == term.Call {
		if entry := e.Reader.Entry(recv); entry != nil && entry.Part != nil {
			list = e.SetDeadlines(recv, list, 0)
		}
	}
	if args := meaning.Args(call); len(args) > 0 {
		list = e.SetDeadlines(args[0], list, 0)
	}
	return list
}

// SetDeadlines adds to list the contexts with a deadline that t is, or is made of.
func (e *Engine) SetDeadlines(t *term.T, list []*term.T, depth int) []*term.T {
	if t == nil || depth > 8 {
		return list
	}
	switch t.Kind {
	case term.Result:
		return e.SetDeadlines(t.Args[0], list, depth+1)
	case term.Join:
		for _, a := range t.Args {
			if more := e.SetDeadlines(a, nil, depth+1); len(more) > 0 {
				return append(list, more...)
			}
		}
	case term.Call:
		entry := e.Reader.Entry(t)
		switch {
		case entry == nil:
		case entry.Part != nil && entry.Part.Kind == "deadline":
			if len(meaning.Args(t)) > 1 {
				list = append(list, t)
			}
			return e.SetDeadlines(e.Reader.Get(entry.Part.Of, t, nil), list, depth+1)
		case !entry.Same.IsZero():
			return e.SetDeadlines(e.Reader.Get(entry.Same, t, nil), list, depth+1)
		case entry.Part != nil:
			for _, a := range t.Args {
				list = e.SetDeadlines(a, list, depth+1)
			}
		case entry.New != nil:
			return e.SetDeadlines(e.Reader.Get(entry.New.Context, t, nil), list, depth+1)
		case !entry.Same.IsZero():
			return e.SetDeadlines(e.Reader.Get(entry.Same, t, nil), list, depth+1)
		}
	}
	return list
}

// Waiting says what a receive or select waits for: a timer or ticker. The call
// that makes the timer does not wait.
func (f *Family) Waiting(in ssa.Instruction) []summary.Effect {
	var chans []ssa.Value
	var until []*term.T
	switch in := in.(type) {
	case *ssa.UnOp:
		chans = append(chans, in.X)
	case *ssa.Select:
		if !in.Blocking {
			return nil // it has a default
		}
		for _, s := range in.States {
			chans = append(chans, s.Chan)
			if ctx := f.answering(s.Chan, "Done"); ctx != nil && code.IsContext(ctx.Type()) {
				until = union(until, []*term.T{f.Get(ctx)})
			}
		}
	}
	var longest summary.Effect
	for _, c := range chans {
		t := f.Get(c)
		if t.Kind == term.Field {
			t = t.Args[0]
		}
		if t.Kind != term.Call || !f.Timer(t) {
			continue
		}
		x := summary.Effect{Call: t, At: f.Frame(in, ""), Until: until}
		// The timeout of a loop, beside its ticker, is the longer of the two.
		if longest.Call == nil || f.Engine.waits(x) > f.Engine.waits(longest) {
			longest = x
		}
	}
	if longest.Call == nil {
		return nil
	}
	return []summary.Effect{longest}
}

// Timer reports whether a call makes a channel that sends after a time.
func (f *Family) Timer(t *term.T) bool {
	entry := f.Engine.Reader.Entry(t)
	return entry != nil && entry.Blocks != nil && entry.Clock == "now" && (entry.Blocks.Kind == "wait" || entry.Blocks.Kind == "tick")
}

// spine marks the waits that do not lie on the longest way through a function,
// or through the section in it: branches exclude each other. held tells which
// blocks count.
func (e *Engine) spine(entry *ssa.BasicBlock, lists map[*ssa.BasicBlock][]summary.Effect, held func(*ssa.BasicBlock) bool) {
	weight := make(map[*ssa.BasicBlock]float64)
	for b, list := range lists {
		for _, x := range list {
			if w := e.waits(x); w > 0 && !x.Aside {
				weight[b] += w
			}
		}
	}
	if len(weight) < 2 {
		return
	}
	type way struct {
		length float64
		next   *ssa.BasicBlock
	}
	memo := make(map[*ssa.BasicBlock]way)
	var longest func(b *ssa.BasicBlock) float64
	longest = func(b *ssa.BasicBlock) float64 {
		if w, ok := memo[b]; ok {
			return w.length
		}
		w := way{}
		memo[b] = w // ends a cycle that is no natural loop
		for _, s := range b.Succs {
			if s.Dominates(b) || !held(s) {
				continue
			}
			if n := longest(s); w.next == nil || n > w.length {
				w = way{n, s}
			}
		}
		w.length += weight[b]
		memo[b] = w
		return w.length
	}
	longest(entry)
	on := make(map[*ssa.BasicBlock]bool)
	for b := entry; b != nil && !on[b]; b = memo[b].next {
		on[b] = true
	}
	for b := range weight {
		if on[b] {
			continue
		}
		for i := range lists[b] {
			lists[b][i].Aside = true
		}
	}
}
