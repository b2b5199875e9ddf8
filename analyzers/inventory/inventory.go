// Package inventory puts the records of all locks into the form in which they
// are published: fencevet.inventory/v1.
//
// Everything is sorted and no array is null, so that the same input gives the
// same bytes and readers need no special cases. New keys may be added; the
// present ones keep their meaning.
package inventory

// Schema names the version of the format.
const Schema = "fencevet.inventory/v1"

// An Inventory is the whole document. Paths are slash-separated and relative to
// the module root, or to the workspace root under go.work.
type Inventory struct {
	Schema     string       `json:"schema"`
	Tool       Tool         `json:"tool"`
	Modules    []string     `json:"modules"`
	Locks      []Lock       `json:"locks"`
	Findings   []Finding    `json:"findings"`
	Incomplete []Incomplete `json:"incomplete"`
	Summary    Summary      `json:"summary"`
}

// Tool is what made the inventory.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Go      string `json:"go"`
}

// A Lock is one place where a lock is taken.
type Lock struct {
	ID         string     `json:"id"`   // fingerprint without line numbers
	Role       string     `json:"role"` // use | wrapper
	Kind       string     `json:"kind"` // lease | session | election | advisory
	Library    string     `json:"library"`
	Acquire    Acquire    `json:"acquire"`
	Via        []Step     `json:"via"`      // from the use down to the library call
	Evidence   []string   `json:"evidence"` // why a raw command counts as a lock
	Key        string     `json:"key"`
	TTL        TTL        `json:"ttl"`
	Renewal    string     `json:"renewal"` // none | library | goroutine | unknown
	Release    []string   `json:"release"`
	Token      Token      `json:"token"`
	Writes     []Write    `json:"writes"`
	Unseen     []string   `json:"unseen"`
	Verdict    string     `json:"verdict"` // fenced | unfenced | unverified | no-visible-write
	Class      string     `json:"class"`   // correctness | efficiency | undecided
	Suggestion Suggestion `json:"suggestion"`
	Decision   *Decision  `json:"decision"`
	Metrics    Metrics    `json:"metrics"`
	Section    Section    `json:"section"`
}

// Acquire is the call that takes the lock.
type Acquire struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Function string `json:"function"`
	Call     string `json:"call"`
}

// A Step is one call on the way from a use down to the library.
type Step struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Function string `json:"function"`
}

// TTL is how long the lease lives without renewal.
type TTL struct {
	Text    string  `json:"text"`
	Seconds float64 `json:"seconds"` // 0 when not known
	Source  string  `json:"source"`  // constant | default | parameter | config | none | unknown
}

// Token is what a resource could compare.
type Token struct {
	Source  string `json:"source"` // accessor, or "none"
	Ordered *bool  `json:"ordered"`
	Reason  string `json:"reason"`
}

// A Write is a change of a resource inside the critical section.
type Write struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Function  string `json:"function"`
	Call      string `json:"call"`
	Operation string `json:"operation"`
	Resource  string `json:"resource"`
	Condition string `json:"condition"` // none | token | owner | version | unique | transaction | unknown
	Reached   string `json:"reached"`   // direct | call | callback | interface | goroutine
	Checked   *bool  `json:"checked"`   // whether a refusal is looked at
	Note      string `json:"note"`
}

// Suggestion is what an undecided lock seems to be for.
type Suggestion struct {
	Class   string   `json:"class"` // correctness | efficiency | unclear
	Reasons []string `json:"reasons"`
}

// Decision is what the source says about the risk.
type Decision struct {
	Kind   string `json:"kind"` // correctness | efficiency
	Reason string `json:"reason"`
	Owner  string `json:"owner"`
	Until  string `json:"until"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	// Expired says that its last day is over: the lock is undecided again.
	Expired bool `json:"expired"`
}

// Metrics tells what the program counts about its lock.
type Metrics struct {
	Rejections     bool `json:"rejections"`
	RenewalLatency bool `json:"renewalLatency"`
	LeaseLoss      bool `json:"leaseLoss"`
}

// Section tells how long the critical section may last.
type Section struct {
	Bounded        bool    `json:"bounded"`
	AtLeastSeconds float64 `json:"atLeastSeconds"`
	Why            string  `json:"why"`
}

// A Finding is what a check reports.
type Finding struct {
	Check      string       `json:"check"`
	Level      string       `json:"level"` // error | warning | note
	File       string       `json:"file"`
	Line       int          `json:"line"`
	Column     int          `json:"column"`
	Message    string       `json:"message"`
	Lock       string       `json:"lock"` // ID of the lock
	Related    []Related    `json:"related"`
	Suppressed *Suppression `json:"suppressed"`
}

// Related is a place that explains a finding.
type Related struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Message string `json:"message"`
}

// A Suppression says why a finding does not count.
type Suppression struct {
	By     string `json:"by"` // directive | config
	Reason string `json:"reason"`
	Owner  string `json:"owner"`
	File   string `json:"file"` // of the directive; empty for config
	Line   int    `json:"line"`
}

// Incomplete is a package that could not be analysed.
type Incomplete struct {
	Package string `json:"package"`
	Reason  string `json:"reason"`
}

// Summary counts the uses. Wrappers are listed among the locks but not counted:
// what they guard is decided by their callers, who are uses themselves.
type Summary struct {
	Locks          int `json:"locks"`
	Fenced         int `json:"fenced"`
	Unfenced       int `json:"unfenced"`
	Unverified     int `json:"unverified"`
	NoVisibleWrite int `json:"noVisibleWrite"`
	Correctness    int `json:"correctness"`
	Efficiency     int `json:"efficiency"`
	Undecided      int `json:"undecided"`
}
