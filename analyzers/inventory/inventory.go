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
	Directory  string       `json:"directory"` // of the module within its repository; empty if it is the root
	Locks      []Lock       `json:"locks"`
	Findings   []Finding    `json:"findings"`
	Incomplete []Incomplete `json:"incomplete"`
	Summary    Summary      `json:"summary"`
	Source     []Source     `json:"source,omitempty"` // lines that the places above stand on, where they were asked for
}

// Tool is what made the inventory.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Go      string `json:"go"`
}

// A Lock is one place where a lock is taken.
type Lock struct {
	ID         string     `json:"id" jsonschema:"pattern=^[0-9a-f]+$"`                                   // fingerprint without line numbers
	Role       string     `json:"role" jsonschema:"enum=use,enum=wrapper"`                               // whether the section is in view, or the lock is taken for callers
	Kind       string     `json:"kind" jsonschema:"enum=lease,enum=session,enum=election,enum=advisory"` // what ends the lock when its holder does not
	Library    string     `json:"library"`
	Package    string     `json:"package"` // import path
	Owners     []string   `json:"owners"`  // of the file, by CODEOWNERS
	Acquire    Acquire    `json:"acquire"`
	Via        []Step     `json:"via"`      // from the use down to the library call
	Evidence   []string   `json:"evidence"` // why a raw command counts as a lock
	Key        string     `json:"key"`
	TTL        TTL        `json:"ttl"`
	Renewal    string     `json:"renewal" jsonschema:"enum=none,enum=library,enum=goroutine,enum=explicit,enum=unknown"`
	Release    []string   `json:"release"`
	Token      Token      `json:"token"`
	Writes     []Write    `json:"writes"`
	Unseen     []string   `json:"unseen"`
	Verdict    string     `json:"verdict" jsonschema:"enum=fenced,enum=unfenced,enum=unverified,enum=no-visible-write"`
	Class      string     `json:"class" jsonschema:"enum=correctness,enum=efficiency,enum=undecided"`
	Suggestion Suggestion `json:"suggestion"`
	Decision   *Decision  `json:"decision"`
	Metrics    Metrics    `json:"metrics"`
	Section    Section    `json:"section"`
}

// Acquire is the call that takes the lock.
type Acquire struct {
	File     string `json:"file"`
	Line     int    `json:"line" jsonschema:"minimum=0"`
	Column   int    `json:"column" jsonschema:"minimum=0"`
	Function string `json:"function"`
	Call     string `json:"call"`
}

// A Step is one call on the way from a use down to the library, or from the
// section to a write.
type Step struct {
	File     string `json:"file"`
	Line     int    `json:"line" jsonschema:"minimum=0"`
	Function string `json:"function"`       // that it stands in
	Call     string `json:"call,omitempty"` // that is called there
	Text     string `json:"text,omitempty"` // what happens there, where it is no plain call
}

// TTL is how long the lease lives without renewal.
type TTL struct {
	Text    string  `json:"text"`
	Seconds float64 `json:"seconds"` // 0 when not known
	Source  string  `json:"source" jsonschema:"enum=constant,enum=default,enum=parameter,enum=config,enum=none,enum=unknown"`
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
	Line      int    `json:"line" jsonschema:"minimum=0"`
	Function  string `json:"function"`
	Call      string `json:"call"`
	Operation string `json:"operation"`
	Resource  string `json:"resource"`
	Condition string `json:"condition" jsonschema:"enum=none,enum=token,enum=owner,enum=version,enum=unique,enum=transaction,enum=unknown"`
	Reached   string `json:"reached" jsonschema:"enum=direct,enum=call,enum=callback,enum=interface,enum=goroutine"`
	Checked   *bool  `json:"checked"` // whether a refusal is looked at; null: not applicable, or out of sight
	Note      string `json:"note"`
	Trail     []Step `json:"trail"` // from the section to the write; empty where that is in the same function
}

// Suggestion is what an undecided lock seems to be for.
type Suggestion struct {
	Class   string   `json:"class" jsonschema:"enum=correctness,enum=efficiency,enum=unclear"`
	Reasons []string `json:"reasons"`
}

// Decision is what the source says about the risk.
type Decision struct {
	Kind   string `json:"kind" jsonschema:"enum=correctness,enum=efficiency"`
	Reason string `json:"reason"`
	Owner  string `json:"owner"`
	Until  string `json:"until"`
	File   string `json:"file"`
	Line   int    `json:"line" jsonschema:"minimum=0"`
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
	Bounded         bool    `json:"bounded"`
	AtLeastSeconds  float64 `json:"atLeastSeconds" jsonschema:"minimum=0"`
	Why             string  `json:"why"`
	DeadlineSeconds float64 `json:"deadlineSeconds" jsonschema:"minimum=0"` // the latest limit of what takes long; 0: none of it has one
	Slow            []Slow  `json:"slow"`                                   // some of what takes long, the worst first
}

// Slow is a call of the critical section that takes long.
type Slow struct {
	File         string  `json:"file"`
	Line         int     `json:"line" jsonschema:"minimum=0"`
	Call         string  `json:"call"`
	Kind         string  `json:"kind"`                                // what makes it slow, in words
	LimitSeconds float64 `json:"limitSeconds" jsonschema:"minimum=0"` // after which it is given up; 0: never
}

// A Finding is what a check reports.
type Finding struct {
	Check      string       `json:"check"`
	Level      string       `json:"level" jsonschema:"enum=error,enum=warning,enum=note"`
	File       string       `json:"file"`
	Line       int          `json:"line" jsonschema:"minimum=0"`
	Column     int          `json:"column" jsonschema:"minimum=0"`
	Message    string       `json:"message"`
	Lock       string       `json:"lock"` // ID of the lock
	Related    []Related    `json:"related"`
	Suppressed *Suppression `json:"suppressed"`
}

// Related is a place that explains a finding.
type Related struct {
	File    string `json:"file"`
	Line    int    `json:"line" jsonschema:"minimum=0"`
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

// Source is what some lines of a file say. Quote adds it.
type Source struct {
	File  string       `json:"file"`
	Lines []SourceLine `json:"lines"` // in order, with gaps
}

// A SourceLine is a line with its number.
type SourceLine struct {
	Line int    `json:"line" jsonschema:"minimum=1"`
	Text string `json:"text"`
}
