package lock

// A Decision is what the source says a lock is for, and that somebody stands for it.
type Decision struct {
	Position        // of the directive
	Kind     Class  // Efficiency: the risk is accepted; Correctness: a fence is demanded
	Reason   string // mandatory for Efficiency
	Owner    string
	Until    string // the last day that it holds, as 2027-06-30; empty: no end
}

// Expired reports whether d held once and does so no longer, on a day given as
// 2027-06-30.
func (d *Decision) Expired(today string) bool { return d.Until != "" && d.Until < today }

// A Directive is a comment of the package that speaks to fencevet.
type Directive struct {
	Position
	Package string // import path
	Text    string // the comment, without what it does not mean
	Kind    string // efficiency | correctness | ignore | acquire | release | token | conditional, or what stands there
	Checks  []string
	Owner   string
	Until   string
	Reason  string
	Fault   string // what is wrong with the comment; empty: it can be read
	// Target is what the directive is about: "line" of code, beside it or below
	// it, "function" or "method" that it documents, or empty: nothing.
	Target string
	// Lines of Target, the last one included: a statement up to the block that it
	// may have, or a whole function.
	From, To int
}

// About reports whether a place is among the lines that d is about.
func (d *Directive) About(p Position) bool {
	return d.Target != "" && p.File == d.File && d.From <= p.Line && p.Line <= d.To
}

// A Suppression says why a finding does not count.
type Suppression struct {
	Position        // of the directive; none for other reasons
	By       string // directive | config
	Reason   string
	Owner    string
}
