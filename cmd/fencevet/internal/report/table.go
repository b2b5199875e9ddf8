package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/passes/lock"
)

// Table prints the inventory for a reader at a terminal: the locks grouped by
// what they are for, those that need a decision first.
func Table(w io.Writer, inv *inventory.Inventory, style Style) error {
	out := bufio.NewWriter(w)
	t := table{style: style, head: []string{"LOCK", "LIBRARY", "KEY", "TTL", "TOKEN", "RESOURCE", "CONDITION", "VERDICT"}}
	for _, g := range groups {
		locks := slices.DeleteFunc(slices.Clone(inv.Locks), func(l inventory.Lock) bool { return !g.holds(l) })
		if len(locks) == 0 {
			continue
		}
		t.title(fmt.Sprintf("%s (%s)", g.title, count(len(locks), "lock")))
		for _, l := range locks {
			t.lock(l)
		}
	}
	t.write(out)

	closing := Sentence(inv)
	if s := inv.Summary; s.Locks > 0 {
		closing += fmt.Sprintf("; by class %d correctness, %d efficiency, %d undecided", s.Correctness, s.Efficiency, s.Undecided)
	}
	fmt.Fprintf(out, "%s.\n", closing)
	if loud, notes := findings(inv); loud+notes > 0 {
		fmt.Fprintf(out, "%s", count(loud, "finding"))
		if notes > 0 {
			fmt.Fprintf(out, " and %s", count(notes, "note"))
		}
		fmt.Fprintf(out, ": fencevet -level=note prints them, fencevet explain CHECK gives the reasons.\n")
	}
	if n := len(inv.Incomplete); n > 0 {
		fmt.Fprintf(out, "\n%s not analysed:\n", count(n, "package"))
		for _, p := range inv.Incomplete {
			fmt.Fprintf(out, "  %s: %s\n", printable(p.Package), printable(p.Reason))
		}
	}
	return out.Flush()
}

// findings counts those that interrupt people and those that do not.
func findings(inv *inventory.Inventory) (loud, notes int) {
	for _, f := range inv.Findings {
		switch {
		case f.Suppressed != nil:
		case f.Level == string(lock.Note):
			notes++
		default:
			loud++
		}
	}
	return loud, notes
}

// A group is a part of the table.
type group struct {
	title string
	holds func(inventory.Lock) bool
}

var groups = []group{
	{"undecided, looks like correctness", undecided(lock.Correctness)},
	{"undecided, purpose unclear", undecided(lock.Unclear)},
	{"undecided, looks like efficiency", undecided(lock.Efficiency)},
	{"correctness", decided(lock.Correctness)},
	{"efficiency, risk accepted", decided(lock.Efficiency)},
	{"taken for callers, who are listed above as far as they are in view", func(l inventory.Lock) bool { return l.Role == string(lock.RoleWrapper) }},
}

func undecided(suggested lock.Class) func(inventory.Lock) bool {
	return func(l inventory.Lock) bool {
		return l.Role == string(lock.RoleUse) && l.Class == string(lock.Undecided) && l.Suggestion.Class == string(suggested)
	}
}

func decided(class lock.Class) func(inventory.Lock) bool {
	return func(l inventory.Lock) bool {
		return l.Role == string(lock.RoleUse) && l.Class == string(class)
	}
}

// A table is laid out once all rows are known.
type table struct {
	style Style
	head  []string
	rows  []row
}

type row struct {
	title string // spans all columns
	cells []string
	color string // of the last cell
	note  string // beside the first cell, where it stands alone
}

func (t *table) title(text string) { t.rows = append(t.rows, row{title: text}) }

// lock adds the rows of one lock: the first shows it with one of its resources,
// the others one resource each.
func (t *table) lock(l inventory.Lock) {
	resources := resources(l)
	first := row{
		cells: []string{
			t.style.place(l.Acquire.File, l.Acquire.Line), l.Library, orDash(l.Key), ttl(l), token(l),
			resources[0][0], resources[0][1], verdict(l),
		},
		color: verdictColor[lock.Verdict(l.Verdict)],
		note:  printable(l.Acquire.Function),
	}
	t.rows = append(t.rows, first)
	for _, r := range resources[1:] {
		t.rows = append(t.rows, row{cells: []string{"", "", "", "", "", r[0], r[1], ""}})
	}
}

// resources pairs each thing that a lock's section writes with the condition
// under which it accepts the write.
func resources(l inventory.Lock) [][2]string {
	const most = 6
	var all [][2]string
	for _, w := range l.Writes {
		name := w.Resource
		if name == "" {
			name = w.Call
		}
		if pair := [2]string{orDash(name), w.Condition}; !slices.Contains(all, pair) {
			all = append(all, pair)
		}
	}
	if len(all) == 0 {
		return [][2]string{{"-", "-"}}
	}
	if more := len(all) - most; more > 1 {
		all = append(all[:most:most], [2]string{fmt.Sprintf("and %d more", more), ""})
	}
	return all
}

func ttl(l inventory.Lock) string {
	text := duration(l.TTL.Text)
	switch {
	case text == "" && l.TTL.Source == "none":
		return "none"
	case text == "":
		text = "?"
	}
	switch {
	case l.Renewal == "library" || l.Renewal == "goroutine":
		text += ", renewed"
	case l.TTL.Source == "default":
		text += " default"
	}
	return text
}

// duration drops the parts of a duration that are zero: 1m0s is 1m.
func duration(text string) string {
	if short, ok := strings.CutSuffix(text, "m0s"); ok {
		text = short + "m"
	}
	if short, ok := strings.CutSuffix(text, "h0m"); ok {
		text = short + "h"
	}
	return text
}

func token(l inventory.Lock) string {
	if l.Token.Source == "" || l.Token.Source == "none" {
		return "none"
	}
	text := l.Token.Source
	// The receiver says nothing that the library column does not.
	if i := strings.Index(text, ")."); strings.HasPrefix(text, "(") && i > 0 {
		text = text[i+2:]
	}
	if l.Token.Ordered != nil && !*l.Token.Ordered {
		text += ", not ordered"
	}
	return text
}

func verdict(l inventory.Lock) string {
	if l.Role == string(lock.RoleWrapper) {
		return "-" // its callers' sections decide
	}
	if len(l.Unseen) > 0 && l.Verdict == string(lock.Unverified) {
		return l.Verdict + " (" + strings.Join(l.Unseen, ", ") + ")"
	}
	return l.Verdict
}

var verdictColor = map[lock.Verdict]string{
	lock.Fenced:         green,
	lock.Unfenced:       red,
	lock.Unverified:     yellow,
	lock.NoVisibleWrite: dim,
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

const (
	gap      = 2  // between columns
	minWidth = 10 // of a column that must give way
)

func (t *table) write(w io.Writer) {
	if len(t.rows) == 0 {
		return
	}
	widths := make([]int, len(t.head))
	for i, h := range t.head {
		widths[i] = utf8.RuneCountInString(h)
	}
	for _, r := range t.rows {
		for i := range r.cells {
			r.cells[i] = printable(r.cells[i])
			widths[i] = max(widths[i], utf8.RuneCountInString(r.cells[i]))
		}
	}
	// The first column holds a path, which should stay in one piece. Where the
	// terminal is too narrow for all columns it stands on a line of its own.
	need := gap * (len(widths) - 1)
	for _, n := range widths {
		need += n
	}
	stacked := need > t.style.Width
	if stacked {
		widths[0] = 0
		fit(widths[1:], t.style.Width-gap*(len(widths)-1))
	}

	t.line(w, row{cells: t.head}, widths, dim, stacked)
	for _, r := range t.rows {
		if r.title != "" {
			fmt.Fprintf(w, "\n%s\n", t.style.paint(bold, r.title))
		} else {
			t.line(w, r, widths, "", stacked)
		}
	}
	fmt.Fprintln(w)
}

// fit narrows the widest columns until all fit into total.
func fit(widths []int, total int) {
	sum := 0
	for _, n := range widths {
		sum += n
	}
	for ; sum > total; sum-- {
		widest := 0
		for i, n := range widths {
			if n > widths[widest] {
				widest = i
			}
		}
		if widths[widest] <= minWidth {
			return
		}
		widths[widest]--
	}
}

// line writes one row, on several lines where a cell does not fit.
func (t *table) line(w io.Writer, r row, widths []int, color string, stacked bool) {
	cells := make([][]string, len(r.cells))
	height := 1
	for i, c := range r.cells {
		if i == 0 && stacked {
			if c != "" {
				fmt.Fprintln(w, strings.TrimRight(t.style.paint(color, c)+"  "+t.style.paint(dim, r.note), " "))
			}
			cells[i] = []string{""}
			continue
		}
		cells[i] = wrap(c, widths[i])
		height = max(height, len(cells[i]))
	}
	for n := range height {
		var line strings.Builder
		pad := 0 // held back, so that no line ends in blanks
		for i := range cells {
			text := ""
			if n < len(cells[i]) {
				text = cells[i][n]
			}
			if text != "" {
				line.WriteString(strings.Repeat(" ", pad))
				pad = 0
				c := color
				if i == len(cells)-1 && r.color != "" {
					c = r.color
				}
				line.WriteString(t.style.paint(c, text))
			}
			pad += widths[i] - utf8.RuneCountInString(text) + gap
		}
		fmt.Fprintln(w, line.String())
	}
}

// wrap cuts text into lines of at most width characters, after a character at
// which paths, names and sentences may be broken if there is one.
func wrap(text string, width int) []string {
	runes := []rune(text)
	var lines []string
	for len(runes) > width {
		cut := width
		for i := width; i > width/4; i-- {
			if strings.ContainsRune(" /:.,_-)", runes[i-1]) {
				cut = i
				break
			}
		}
		lines = append(lines, strings.TrimRight(string(runes[:cut]), " "))
		for runes = runes[cut:]; len(runes) > 0 && runes[0] == ' '; {
			runes = runes[1:]
		}
	}
	return append(lines, string(runes))
}
