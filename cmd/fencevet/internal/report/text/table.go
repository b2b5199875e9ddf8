package text

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
	"github.com/fencevet/fencevet/passes/lock"
)

// Inventory prints the locks grouped by what they are for, those that need a
// decision first.
func Inventory(w io.Writer, r *view.Report, style Style) error {
	out := bufio.NewWriter(w)
	if style.Width < tableWidth {
		list(out, r.Inventory, style)
	} else {
		tabulate(out, r.Inventory, style)
	}
	zeroRejections(out, r.Inventory, style)
	for _, d := range r.By {
		numbers(out, r.Inventory, d, style)
	}
	if r.Trend != nil {
		trend(out, r, style)
	}

	closing := view.Sentence(r.Inventory)
	if s := r.Summary; s.Locks > 0 {
		closing += fmt.Sprintf("; by class %d correctness, %d efficiency, %d undecided", s.Correctness, s.Efficiency, s.Undecided)
	}
	fmt.Fprintf(out, "%s.\n", closing)
	if loud, notes := view.Loud(r.Inventory); loud+notes > 0 {
		fmt.Fprintf(out, "%s", view.Count(loud, "finding"))
		if notes > 0 {
			fmt.Fprintf(out, " and %s", view.Count(notes, "note"))
		}
		fmt.Fprintf(out, ": fencevet -level=note prints them, fencevet explain CHECK gives the reasons.\n")
	}
	if len(r.Locks) > 0 {
		fmt.Fprintf(out, "fencevet explain ID tells the story of one lock.\n")
	}
	if n := len(r.Incomplete); n > 0 {
		fmt.Fprintf(out, "\n%s not analysed:\n", view.Count(n, "package"))
		for _, p := range r.Incomplete {
			fmt.Fprintf(out, "  %s: %s\n", view.Printable(p.Package), view.Printable(p.Reason))
		}
	}
	return out.Flush()
}

// tableWidth is the least that all columns need.
const tableWidth = 80

// tabulate prints the locks as a table.
func tabulate(w io.Writer, inv *inventory.Inventory, style Style) {
	short := view.ShortIDs(inv.Locks)
	t := table{style: style, head: []string{"LOCK", "ID", "LIBRARY", "KEY", "TTL", "TOKEN", "RESOURCE", "CONDITION", "VERDICT"}, lead: 2}
	for _, g := range view.Groups(inv) {
		t.title(fmt.Sprintf("%s (%s)", g.Title, view.Count(len(g.Locks), "lock")))
		for _, l := range g.Locks {
			t.lock(l, short(l.ID))
		}
	}
	t.write(w)
}

// list prints the locks one below the other, where a table has no room.
func list(w io.Writer, inv *inventory.Inventory, style Style) {
	short := view.ShortIDs(inv.Locks)
	for _, g := range view.Groups(inv) {
		fmt.Fprintf(w, "%s\n", style.paint(bold, fmt.Sprintf("%s (%s)", g.Title, view.Count(len(g.Locks), "lock"))))
		for _, l := range g.Locks {
			var b strings.Builder
			fmt.Fprintf(&b, "%s  %s\n", style.place(l.Acquire.File, l.Acquire.Line), style.paint(dim, short(l.ID)))
			if !view.IsWrapper(l) {
				fmt.Fprintf(&b, "  %s\n", style.verdict(l, view.Verdict(l)))
			}
			style.fill(&b, "  ", "    ", fmt.Sprintf("%s %s, lease %s, token %s", l.Library, l.Key, view.TTL(l), view.Token(l)))
			for _, r := range shown(l) {
				style.fill(&b, "  ", "    ", r.Name+" "+r.Condition)
			}
			if text := view.Decision(l); text != "" {
				style.fill(&b, "  ", "    ", text)
			}
			fmt.Fprint(w, b.String())
		}
		fmt.Fprintln(w)
	}
}

// zeroRejections says for each fenced lock what it would mean if no write under
// it was ever refused. Locks of which the same is to be said share a sentence.
func zeroRejections(w io.Writer, inv *inventory.Inventory, style Style) {
	var order []string
	places := make(map[string][]string)
	for _, l := range inv.Locks {
		sentence := view.ZeroRejections(l)
		if sentence == "" {
			continue
		}
		if places[sentence] == nil {
			order = append(order, sentence)
		}
		places[sentence] = append(places[sentence], style.place(l.Acquire.File, l.Acquire.Line))
	}
	var b strings.Builder
	for _, sentence := range order {
		for _, place := range places[sentence] {
			fmt.Fprintln(&b, place)
		}
		style.fill(&b, "  ", "  ", sentence)
	}
	if b.Len() > 0 {
		fmt.Fprintln(w, b.String())
	}
}

// numbers counts the locks by one dimension.
func numbers(w io.Writer, inv *inventory.Inventory, d view.Dimension, style Style) {
	t := table{style: style, head: []string{strings.ToUpper(string(d)), "LOCKS", "FENCED", "UNFENCED", "UNVERIFIED", "NO VISIBLE WRITE", "UNDECIDED"}}
	for _, n := range view.Numbers(inv, d) {
		t.rows = append(t.rows, row{cells: []string{
			n.Name, strconv.Itoa(n.Locks), countOrDash(n.Fenced), countOrDash(n.Unfenced), countOrDash(n.Unverified), countOrDash(n.NoVisibleWrite), countOrDash(n.Undecided),
		}})
	}
	t.write(w)
}

func countOrDash(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

// trend prints what became of the locks of an earlier inventory.
func trend(w io.Writer, r *view.Report, style Style) {
	fmt.Fprintln(w, view.Printable(r.Trend.Sentence()))
	for _, l := range r.Trend.Lines() {
		fmt.Fprintf(w, "  %s %s  %s\n", l.Sign, style.place(l.Lock.Acquire.File, l.Lock.Acquire.Line), view.Printable(l.What))
	}
	for _, d := range r.Trend.Deltas(r.Summary) {
		if d.Before != d.Now {
			fmt.Fprintf(w, "  %s: %d before, %d now\n", d.Name, d.Before, d.Now)
		}
	}
	fmt.Fprintln(w)
}

func (s Style) verdict(l inventory.Lock, text string) string {
	return s.paint(verdictColor[lock.Verdict(l.Verdict)], view.Printable(text))
}

// A table is laid out once all rows are known.
type table struct {
	style Style
	head  []string
	rows  []row
	lead  int // columns that go on a line of their own where all together are too wide
}

type row struct {
	title string // spans all columns
	below string // likewise, under the row before it
	cells []string
	color string // of the last cell
	note  string // beside the first cells, where they stand alone
}

func (t *table) title(text string) { t.rows = append(t.rows, row{title: text}) }

// lock adds the rows of one lock: the first shows it with one of its resources,
// the others one resource each.
func (t *table) lock(l inventory.Lock, id string) {
	resources := shown(l)
	if len(resources) == 0 {
		resources = []view.Resource{{Name: "-", Condition: "-"}}
	}
	t.rows = append(t.rows, row{
		cells: []string{
			t.style.place(l.Acquire.File, l.Acquire.Line), id, l.Library, orDash(l.Key), view.TTL(l), view.Token(l),
			resources[0].Name, resources[0].Condition, view.Verdict(l),
		},
		color: verdictColor[lock.Verdict(l.Verdict)],
		note:  view.Printable(l.Acquire.Function),
	})
	for _, r := range resources[1:] {
		t.rows = append(t.rows, row{cells: []string{"", "", "", "", "", "", r.Name, r.Condition, ""}})
	}
	if text := view.Decision(l); text != "" {
		t.rows = append(t.rows, row{below: text})
	}
}

// shown are the resources of l as far as there is room.
func shown(l inventory.Lock) []view.Resource {
	const most = 6
	all := view.Resources(l)
	for i := range all {
		all[i].Name = orDash(all[i].Name)
	}
	if more := len(all) - most; more > 1 {
		all = append(all[:most:most], view.Resource{Name: fmt.Sprintf("and %d more", more)})
	}
	return all
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
			r.cells[i] = view.Printable(r.cells[i])
			widths[i] = max(widths[i], utf8.RuneCountInString(r.cells[i]))
		}
	}
	// The leading columns hold a path, which should stay in one piece. Where the
	// terminal is too narrow for all columns they stand on a line of their own.
	need := gap * (len(widths) - 1)
	for _, n := range widths {
		need += n
	}
	lead := 0
	if need > t.style.Width {
		lead = t.lead
		indent := 0
		if lead > 0 {
			indent = gap
		}
		fit(widths[lead:], t.style.Width-gap*(len(widths)-lead-1)-indent)
	}

	t.line(w, row{cells: t.head}, widths, dim, lead)
	for _, r := range t.rows {
		switch {
		case r.title != "":
			fmt.Fprintf(w, "\n%s\n", t.style.paint(bold, r.title))
		case r.below != "":
			var b strings.Builder
			t.style.fill(&b, "  ", "  ", r.below)
			fmt.Fprint(w, b.String())
		default:
			t.line(w, r, widths, "", lead)
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
func (t *table) line(w io.Writer, r row, widths []int, color string, lead int) {
	if lead > 0 && r.cells[0] != "" {
		line := t.style.paint(color, r.cells[0])
		for _, text := range append([]string{r.note}, r.cells[1:lead]...) {
			if text != "" {
				line += strings.Repeat(" ", gap) + t.style.paint(dim, text)
			}
		}
		fmt.Fprintln(w, line)
	}
	widths = widths[lead:]
	cells := make([][]string, len(widths))
	height := 1
	for i, c := range r.cells[lead:] {
		cells[i] = wrap(c, widths[i])
		height = max(height, len(cells[i]))
	}
	indent := 0
	if lead > 0 {
		indent = gap
	}
	for n := range height {
		var line strings.Builder
		pad := indent // held back, so that no line ends in blanks
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
