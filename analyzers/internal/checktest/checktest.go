// Package checktest compares what the checks report about real programs with
// what the programs say about themselves, in comments:
//
//	// want: check[,check]     these checks report on this line
//	// verdict: unfenced       a lock is taken on this line; the verdict of its use
//	// lock: order:%d 15s      its key, and how long it lives; either may be -
//	// gap: FN check reason    this check should report here and does not yet
//	// gap: FP check reason    this check reports here and should not
//	// gap: FN verdict reason  the verdict is another one than the comment says
//	// gap: FN lock reason     the lock is not found
//	// gap: FP lock reason     what is found is no lock
//	// alone: check[,check]    these checks report here package by package, and elsewhere for
//	                           the whole module, which sees what is wrong there
//	// linked                  only what sees the whole module can say so; package by
//	                           package the lock is not seen or its verdict unverified
//
// Everything else that is reported on or above level warning is a failure, and
// so is every lock without a verdict comment. Notes may stay unmentioned. A gap
// fails once it is closed, so that what is known to be wrong stays true.
//
// The programs use the real client libraries. analysistest would read all of
// those from source; here, as in the command, they come as export data.
package checktest

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/tools/go/packages"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/passes/lock"
	"github.com/fencevet/fencevet/passes/testmodule"
	"github.com/fencevet/fencevet/passes/uses"
)

// A Corpus is a module of programs.
type Corpus struct {
	Root     string
	Packages []*packages.Package
}

// Load loads the packages of the module in dir that patterns match. It skips the test if
// that leaves too little of its time, since what they import has to be built first.
func Load(t *testing.T, dir string, patterns ...string) *Corpus {
	t.Helper()
	root, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	var pkgs []*packages.Package
	Building(t, func(ctx context.Context) error {
		pkgs, err = testmodule.Load(ctx, root, t.TempDir(), patterns...)
		return err
	})
	for _, pkg := range pkgs {
		for _, e := range pkg.Errors {
			t.Errorf("%s: %v", pkg.PkgPath, e)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
	if len(pkgs) == 0 {
		t.Fatalf("no packages match %s in %s", strings.Join(patterns, " "), root)
	}
	return &Corpus{Root: root, Packages: pkgs}
}

// Building has the go command build what takes minutes where nothing is built yet: all
// client libraries, a linter. One process does that at a time, as those that go test
// starts side by side would each build all of it. The test is skipped if it takes more
// than half of the time that there is; the next run goes on from there.
func Building(t *testing.T, build func(context.Context) error) {
	t.Helper()
	ctx, cancel := within(t, 1./2)
	defer cancel()
	lock := flock.New(filepath.Join(os.TempDir(), "fencevet-building.lock"))
	defer lock.Close()
	_, err := lock.TryLockContext(ctx, time.Second/4)
	if err == nil {
		err = build(ctx)
	}
	if ctx.Err() != nil {
		t.Skip(tooLittle)
	}
	if err != nil {
		t.Fatal(err)
	}
}

const tooLittle = "there is too little time to build what this test needs: run it once more, or with -timeout 30m"

// within is the context of a test for a share of the time that is left.
func within(t *testing.T, share float64) (context.Context, context.CancelFunc) {
	end, ok := t.Deadline()
	if !ok {
		return context.WithCancel(t.Context())
	}
	return context.WithTimeout(t.Context(), time.Duration(share*float64(time.Until(end))))
}

// Output runs a program in dir and returns what it prints on both streams. It skips the
// test if the program, which may have the go command build things, needs the time that is left.
func Output(t *testing.T, dir, name string, args ...string) ([]byte, error) {
	t.Helper()
	ctx, cancel := within(t, 9./10)
	defer cancel()
	cmd := Command(ctx, dir, name, args...)
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		t.Skip(tooLittle)
	}
	return out, err
}

// Command is a program that ends with ctx, whatever it has started.
func Command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "FENCEVETCACHE=off")
	cmd.WaitDelay = time.Second // compilers that go on hold its output
	return cmd
}

// Module runs checks over all packages of c at once, as the command does.
func (c *Corpus) Module(checks []*check.Check) *Report {
	result := c.Run()
	r := newReport(c.Root)
	for _, u := range result.Uses {
		r.use(u)
	}
	result.Whole = true
	on := make(map[string]bool)
	for _, c := range checks {
		on[c.Name] = true
	}
	for _, f := range check.Suite(checks).Find(result, &check.Settings{Checks: on}) {
		if f.Suppressed == nil {
			r.add(f.At.File, f.At.Line, Item{Name: f.Check, Quiet: f.Level == lock.Note, Text: f.Message})
		}
	}
	return r
}

// Run makes the records of all packages of c at once.
func (c *Corpus) Run() *uses.Result {
	var pkgs []*uses.Package
	for _, pkg := range c.Packages {
		pkgs = append(pkgs, &uses.Package{Fset: pkg.Fset, Files: pkg.Syntax, Types: pkg.Types, Info: pkg.TypesInfo})
	}
	return uses.InModule(pkgs)
}

// A Report is what was reported, by place.
type Report struct {
	root    string
	items   map[place][]Item
	modular bool // made package by package
}

type place struct {
	file string // slash-separated, relative to the root
	line int
}

// An Item is one thing that is reported on a line: by a check, or the verdict of
// a lock that is taken there.
type Item struct {
	Name    string
	Verdict bool   // Name is a verdict; unfenced is the name of a check as well
	Quiet   bool   // may stay unmentioned
	Lock    string // of a verdict: key and time to live
	Text    string // for the reader of a failure
}

func newReport(root string) *Report {
	return &Report{root: root, items: make(map[place][]Item)}
}

func (r *Report) add(file string, line int, item Item) {
	at := place{relative(r.root, file), line}
	r.items[at] = append(r.items[at], item)
}

func (r *Report) use(u *lock.Use) {
	if u.Role == lock.RoleUse {
		r.add(u.Acquire.File, u.Acquire.Line, Item{Name: string(u.Verdict), Verdict: true, Lock: shown(u.Key) + " " + shown(u.TTL.Text), Text: fmt.Sprintf("lock %q by %s", u.Key, u.Call)})
	}
}

// shown stands for what is not known by a dash.
func shown(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func relative(root, file string) string {
	if rel, err := filepath.Rel(root, file); err == nil {
		file = rel
	}
	return filepath.ToSlash(file)
}

// Check fails t where r differs from the comments in the packages of c.
func (c *Corpus) Check(t *testing.T, r *Report) {
	t.Helper()
	expected := make(map[place]Line)
	for _, pkg := range c.Packages {
		for _, file := range pkg.CompiledGoFiles {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for n, text := range bytes.Split(source, []byte("\n")) {
				line, err := Parse(string(text))
				if err != nil {
					t.Errorf("%s:%d: %v", relative(c.Root, file), n+1, err)
				}
				if !line.empty() {
					expected[place{relative(c.Root, file), n + 1}] = line
				}
			}
		}
	}
	places := slices.Collect(maps.Keys(expected))
	for at := range r.items {
		if _, ok := expected[at]; !ok {
			places = append(places, at)
		}
	}
	slices.SortFunc(places, func(a, b place) int {
		return strings.Compare(fmt.Sprintf("%s:%6d", a.file, a.line), fmt.Sprintf("%s:%6d", b.file, b.line))
	})
	for _, at := range places {
		line := expected[at]
		compare := line.Compare
		if r.modular && line.Linked {
			compare = line.Unlinked
		} else if r.modular {
			line.Want = append(line.Want, line.Alone...)
			compare = line.Compare
		}
		for _, problem := range compare(r.items[at]) {
			t.Errorf("%s:%d: %s", at.file, at.line, problem)
		}
	}
}

// A Line is what the comments of one line say.
type Line struct {
	Want    []string // checks
	Alone   []string // checks, package by package
	Verdict []string // of the locks taken here
	Lock    string   // key and time to live of one of them; empty: not said
	Missed  []string // gaps: false negatives
	Wrong   []string // gaps: false positives
	Linked  bool
}

func (l Line) empty() bool {
	return len(l.Want)+len(l.Alone)+len(l.Verdict)+len(l.Missed)+len(l.Wrong) == 0 && l.Lock == "" && !l.Linked
}

// Unlinked returns what is wrong with what is reported on a line whose comments hold
// for the whole module, where one package is analysed at a time: anything but an
// open verdict.
func (l Line) Unlinked(reported []Item) []string {
	open := func(i Item) bool { return i.Verdict && i.Name == string(lock.Unverified) }
	return Line{}.Compare(slices.DeleteFunc(slices.Clone(reported), open))
}

var (
	wantComment    = regexp.MustCompile(`//.*\bwant:\s*([a-z]+(?:\s*,\s*[a-z]+)*)`)
	aloneComment   = regexp.MustCompile(`//.*\balone:\s*([a-z]+(?:\s*,\s*[a-z]+)*)`)
	verdictComment = regexp.MustCompile(`//.*\bverdict:\s*([a-z-]+(?:\s*,\s*[a-z-]+)*)`)
	lockComment    = regexp.MustCompile(`//\s*lock:\s*(\S+)(?:\s+(\S+))?\s*($|//)`)
	linkedComment  = regexp.MustCompile(`//\s*linked\s*($|//)`)
	gapComment     = regexp.MustCompile(`\bgap:\s*(\S*)\s*(\S*)\s*([^/]*)`)
	comma          = regexp.MustCompile(`\s*,\s*`)
)

// Parse reads the comments of a line of source.
func Parse(source string) (Line, error) {
	var l Line
	if m := wantComment.FindStringSubmatch(source); m != nil {
		l.Want = comma.Split(m[1], -1)
	}
	if m := aloneComment.FindStringSubmatch(source); m != nil {
		l.Alone = comma.Split(m[1], -1)
	}
	if m := verdictComment.FindStringSubmatch(source); m != nil {
		l.Verdict = comma.Split(m[1], -1)
		for _, v := range l.Verdict {
			if !isVerdict(v) {
				return l, fmt.Errorf("no such verdict: %s", v)
			}
		}
	}
	if m := lockComment.FindStringSubmatch(source); m != nil {
		l.Lock = m[1] + " " + shown(m[2])
	}
	l.Linked = linkedComment.MatchString(source)
	_, comments, _ := strings.Cut(source, "//")
	for _, m := range gapComment.FindAllStringSubmatch(comments, -1) {
		kind, item, reason := m[1], m[2], m[3]
		switch {
		case item == "" || strings.TrimSpace(reason) == "":
			return l, fmt.Errorf("want gap: FN|FP item reason")
		case kind == "FN":
			l.Missed = append(l.Missed, item)
		case kind == "FP":
			l.Wrong = append(l.Wrong, item)
		default:
			return l, fmt.Errorf("gap is FN or FP, not %s", kind)
		}
	}
	return l, nil
}

func isVerdict(name string) bool {
	switch lock.Verdict(name) {
	case lock.Fenced, lock.Unfenced, lock.Unverified, lock.NoVisibleWrite:
		return true
	}
	return false
}

// Compare returns how what is reported on a line differs from what it says.
func (l Line) Compare(reported []Item) []string {
	var problems []string
	problem := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }

	checks, verdicts := make(map[string]bool), make(map[string]bool)
	for _, item := range reported {
		if item.Verdict {
			verdicts[item.Name] = true
		} else {
			checks[item.Name] = true
		}
	}
	missed := func(name string) bool { return slices.Contains(l.Missed, name) }
	wrong := func(name string) bool { return slices.Contains(l.Wrong, name) }

	for _, name := range l.Want {
		if !checks[name] && !missed(name) {
			problem("missing: %s", name)
		}
	}
	right := true
	for _, name := range l.Verdict {
		right = right && verdicts[name]
		if !verdicts[name] && !missed("verdict") && !missed("lock") {
			problem("missing: lock with verdict %s", name)
		}
	}
	if l.Lock != "" && len(verdicts) > 0 && !slices.ContainsFunc(reported, func(i Item) bool { return i.Lock == l.Lock }) {
		for _, item := range reported {
			if item.Verdict {
				problem("not lock %s but %s", l.Lock, item.Lock)
			}
		}
	}
	for _, item := range reported {
		switch {
		case item.Quiet:
		case item.Verdict:
			if !slices.Contains(l.Verdict, item.Name) && !missed("verdict") && !wrong("lock") {
				problem("unexpected: %s: %s", item.Name, item.Text)
			}
		case !slices.Contains(l.Want, item.Name) && !missed(item.Name) && !wrong(item.Name):
			problem("unexpected: %s: %s", item.Name, item.Text)
		}
	}

	for _, name := range l.Missed {
		if checks[name] || name == "lock" && len(verdicts) > 0 || name == "verdict" && right {
			problem("gap closed: %s is found; drop the gap and want it", name)
		}
	}
	for _, name := range l.Wrong {
		if !checks[name] && !(name == "lock" && len(verdicts) > 0) {
			problem("gap closed: %s is no longer found; drop the gap", name)
		}
	}
	return problems
}
