package report

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
)

// A column of the CSV, one row per lock.
type column struct {
	name  string
	value func(l inventory.Lock, found []inventory.Finding) string
}

var columns = []column{
	{"id", func(l inventory.Lock, _ []inventory.Finding) string { return l.ID }},
	{"file", func(l inventory.Lock, _ []inventory.Finding) string { return l.Acquire.File }},
	{"line", func(l inventory.Lock, _ []inventory.Finding) string { return strconv.Itoa(l.Acquire.Line) }},
	{"function", func(l inventory.Lock, _ []inventory.Finding) string { return l.Acquire.Function }},
	{"package", func(l inventory.Lock, _ []inventory.Finding) string { return l.Package }},
	{"owners", func(l inventory.Lock, _ []inventory.Finding) string { return strings.Join(l.Owners, " ") }},
	{"role", func(l inventory.Lock, _ []inventory.Finding) string { return l.Role }},
	{"kind", func(l inventory.Lock, _ []inventory.Finding) string { return l.Kind }},
	{"library", func(l inventory.Lock, _ []inventory.Finding) string { return l.Library }},
	{"key", func(l inventory.Lock, _ []inventory.Finding) string { return l.Key }},
	{"ttl", func(l inventory.Lock, _ []inventory.Finding) string { return l.TTL.Text }},
	{"ttl_seconds", func(l inventory.Lock, _ []inventory.Finding) string {
		if l.TTL.Seconds == 0 {
			return ""
		}
		return strconv.FormatFloat(l.TTL.Seconds, 'f', -1, 64)
	}},
	{"renewal", func(l inventory.Lock, _ []inventory.Finding) string { return l.Renewal }},
	{"token", func(l inventory.Lock, _ []inventory.Finding) string { return l.Token.Source }},
	{"resources", func(l inventory.Lock, _ []inventory.Finding) string {
		var all []string
		for _, r := range view.Resources(l) {
			all = append(all, r.Name)
		}
		return strings.Join(all, "; ")
	}},
	{"conditions", func(l inventory.Lock, _ []inventory.Finding) string {
		var all []string
		for _, r := range view.Resources(l) {
			all = append(all, r.Condition)
		}
		return strings.Join(all, "; ")
	}},
	{"verdict", func(l inventory.Lock, _ []inventory.Finding) string {
		if view.IsWrapper(l) {
			return ""
		}
		return l.Verdict
	}},
	{"unseen", func(l inventory.Lock, _ []inventory.Finding) string { return strings.Join(l.Unseen, " ") }},
	{"class", func(l inventory.Lock, _ []inventory.Finding) string {
		if view.IsWrapper(l) {
			return ""
		}
		return l.Class
	}},
	{"suggestion", func(l inventory.Lock, _ []inventory.Finding) string { return l.Suggestion.Class }},
	{"decision", func(l inventory.Lock, _ []inventory.Finding) string { return decided(l).Kind }},
	{"reason", func(l inventory.Lock, _ []inventory.Finding) string { return decided(l).Reason }},
	{"decided_by", func(l inventory.Lock, _ []inventory.Finding) string { return decided(l).Owner }},
	{"until", func(l inventory.Lock, _ []inventory.Finding) string { return decided(l).Until }},
	{"rejections_counted", func(l inventory.Lock, _ []inventory.Finding) string { return strconv.FormatBool(l.Metrics.Rejections) }},
	{"renewals_timed", func(l inventory.Lock, _ []inventory.Finding) string {
		return strconv.FormatBool(l.Metrics.RenewalLatency)
	}},
	{"losses_counted", func(l inventory.Lock, _ []inventory.Finding) string { return strconv.FormatBool(l.Metrics.LeaseLoss) }},
	{"findings", func(l inventory.Lock, found []inventory.Finding) string {
		var all []string
		for _, f := range found {
			if f.Suppressed == nil {
				all = append(all, f.Check)
			}
		}
		return strings.Join(all, " ")
	}},
}

func decided(l inventory.Lock) inventory.Decision {
	if l.Decision == nil {
		return inventory.Decision{}
	}
	return *l.Decision
}

// CSV writes one row per lock.
func CSV(w io.Writer, r *view.Report) error {
	out := csv.NewWriter(w)
	record := make([]string, len(columns))
	for i, c := range columns {
		record[i] = c.name
	}
	out.Write(record) // errors are kept for the end
	found := view.FindingsByLock(r.Inventory)
	for _, l := range r.Locks {
		for i, c := range columns {
			record[i] = cell(c.value(l, found[l.ID]))
		}
		out.Write(record)
	}
	out.Flush()
	return out.Error()
}

// cell keeps a spreadsheet from taking text for a formula: what begins like one
// gets a quote in front, which spreadsheets read as "this is text".
func cell(s string) string {
	s = view.Printable(s)
	// The wide forms are read like the others where East Asian input is usual.
	if strings.IndexAny(strings.TrimLeft(s, " "), "=+-@＝＋－＠") == 0 {
		return "'" + s
	}
	return s
}
