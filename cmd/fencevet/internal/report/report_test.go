package report

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/reporttest"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/text"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
)

func TestParseOutputs(t *testing.T) {
	for _, test := range []struct{ list, want string }{
		{"text", "text"},
		{"html=locks.html,json=out/locks.json", "html=locks.html json=out/locks.json"},
		{"sarif=a=b.sarif,text", "sarif=a=b.sarif text"},
		{"xml", `no format "xml": want one of text, markdown, json, csv, sarif, html, github, gitlab`},
		{"", `no format "": want`},
		{"text,", `no format "": want`},
		{"text,json", "formats text and json both go to the standard output: write one to a file, as in json=FILE"},
		{"html=a,json=a", "formats html and json both go to a"},
		{"html=", "format html has no file after ="},
		{"Text", `no format "Text"`},
	} {
		outputs, err := ParseOutputs(test.list, Inventory)
		var all []string
		for _, o := range outputs {
			all = append(all, strings.TrimSuffix(o.Format.Name+"="+o.File, "="))
		}
		got := strings.Join(all, " ")
		if err != nil {
			got = err.Error()
		}
		if got != test.want && !(err != nil && strings.HasPrefix(got, test.want)) {
			t.Errorf("%q: got %s, want %s", test.list, got, test.want)
		}
	}
}

// TestWriteAll demands that no output appears if one cannot be made.
func TestWriteAll(t *testing.T) {
	dir := t.TempDir()
	broken := Format{Name: "broken", Write: func(io.Writer, *view.Report, text.Style) error { return errors.New("broken") }}
	var stdout bytes.Buffer
	file := filepath.Join(dir, "a.json")
	err := Write([]Output{{Inventory[0], ""}, {Inventory[2], file}, {broken, filepath.Join(dir, "b")}}, &stdout, &view.Report{Inventory: reporttest.Sample()}, text.Style{Width: 80})
	if err == nil || err.Error() != "format broken: broken" {
		t.Errorf("error: %v", err)
	}
	if entries, _ := os.ReadDir(dir); stdout.Len() > 0 || len(entries) > 0 {
		t.Errorf("printed %q, wrote %v", stdout.String(), entries)
	}
	if err := Write([]Output{{Inventory[0], file}}, &stdout, &view.Report{Inventory: reporttest.Sample()}, text.Style{Width: 80, Color: true}); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); err != nil || bytes.Contains(text, []byte("\x1b")) || len(text) == 0 {
		t.Errorf("%v, colours in a file: %s", err, text)
	}
}

// TestHostile puts into every format text that tries to leave it.
func TestHostile(t *testing.T) {
	story := Format{Name: "story", Write: func(w io.Writer, r *view.Report, style text.Style) error {
		for _, l := range r.Locks {
			if err := text.Story(w, r.Inventory, l, style); err != nil {
				return err
			}
		}
		return nil
	}}
	for _, f := range append(append([]Format{story}, Inventory...), Findings...) {
		for _, inv := range []*inventory.Inventory{reporttest.Hostile(), {}, reporttest.Sample()} {
			var b bytes.Buffer
			r := &view.Report{Inventory: inv, By: view.Dimensions, Trend: view.Compare(reporttest.Hostile(), inv, reporttest.HostileText)}
			if err := f.Write(&b, r, text.Style{Width: 60}); err != nil {
				t.Errorf("%s: %v", f.Name, err)
			}
			if f.Name == "json" {
				continue // as it is in the source, by JSON's own escapes
			}
			for _, bad := range []string{"\x1b", "\u202e", "\u2028", "\x00", "\xff", "\r"} {
				if i := strings.Index(b.String(), bad); i >= 0 {
					t.Errorf("%s: %q in %q", f.Name, bad, b.String()[max(0, i-40):min(b.Len(), i+40)])
				}
			}
		}
	}
}

func TestCSV(t *testing.T) {
	var b bytes.Buffer
	if err := CSV(&b, &view.Report{Inventory: reporttest.Hostile()}); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 2 || len(rows[1]) != len(columns) {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, c := range rows[1] {
		if c != "" && strings.ContainsAny(c[:1], "=+-@\t\r") {
			t.Errorf("%s: %s", rows[0][i], c)
		}
	}
	b.Reset()
	if err := CSV(&b, &view.Report{Inventory: reporttest.Sample()}); err != nil {
		t.Fatal(err)
	}
	rows, _ = csv.NewReader(&b).ReadAll()
	got := make(map[string]string)
	for i, name := range rows[0] {
		got[name] = rows[2][i]
	}
	for name, want := range map[string]string{
		"key": "stock:%d", "ttl_seconds": "8", "resources": "redis:cache:prices", "class": "efficiency", "decided_by": "pricing", "until": "2027-06-30",
		"reason": "prices are computed again", "findings": "", "owners": "'@shop/stock",
	} {
		if got[name] != want {
			t.Errorf("%s: got %q, want %q", name, got[name], want)
		}
	}
	if verdict := rows[3][16]; rows[0][16] != "verdict" || verdict != "" {
		t.Errorf("the wrapper has the verdict %q", verdict)
	}
}

func TestCell(t *testing.T) {
	for in, want := range map[string]string{
		"stock": "stock", "": "", "=1+1": "'=1+1", " =1+1": "' =1+1", "-2": "'-2", "@x": "'@x", "＝1": "'＝1", "\t=1": "' =1", "a=b": "a=b",
	} {
		if got := cell(in); got != want {
			t.Errorf("cell(%q) = %q, want %q", in, got, want)
		}
	}
}

// FuzzFormats writes whatever can be read in every format.
func FuzzFormats(f *testing.F) {
	for _, inv := range []*inventory.Inventory{reporttest.Sample(), reporttest.Hostile(), reporttest.Many(2)} {
		var b bytes.Buffer
		if err := JSON(&b, &view.Report{Inventory: inv}); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		inv, err := inventory.Read(data, "a.json")
		if err != nil {
			return
		}
		r := &view.Report{Inventory: inv, By: view.Dimensions, Trend: view.Compare(reporttest.Sample(), inv, "before.json")}
		for _, format := range Inventory {
			if err := format.Write(io.Discard, r, text.Style{Width: 40}); err != nil {
				t.Errorf("%s: %v", format.Name, err)
			}
		}
		for _, l := range inv.Locks {
			if err := text.Story(io.Discard, inv, l, text.Style{Width: 40}); err != nil {
				t.Error(err)
			}
		}
	})
}
