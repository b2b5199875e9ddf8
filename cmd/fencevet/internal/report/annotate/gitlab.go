package annotate

import (
	"encoding/json"
	"io"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
	"github.com/fencevet/fencevet/passes/lock"
)

// An issue is one entry of GitLab's code quality report.
type issue struct {
	Description string   `json:"description"`
	Check       string   `json:"check_name"`
	Fingerprint string   `json:"fingerprint"`
	Severity    string   `json:"severity"` // info | minor | major | critical | blocker
	Location    location `json:"location"`
}

type location struct {
	Path  string `json:"path"`
	Lines lines  `json:"lines"`
}

type lines struct {
	Begin int `json:"begin"`
}

var severities = map[lock.Level]string{lock.Error: "critical", lock.Warning: "major", lock.Note: "info"}

// GitLab writes the findings of r as a code quality report.
func GitLab(w io.Writer, r *view.Report) error {
	issues := []issue{}
	fingerprints := view.Fingerprints(r.Inventory)
	for i, f := range r.Findings {
		if f.Suppressed != nil {
			continue
		}
		issues = append(issues, issue{
			Description: view.Message(f), Check: "fencevet/" + view.Printable(f.Check), Fingerprint: fingerprints[i], Severity: severities[lock.Level(f.Level)],
			Location: location{Path: view.Printable(view.InRepository(r.Inventory, f.File)), Lines: lines{Begin: f.Line}},
		})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(issues)
}
