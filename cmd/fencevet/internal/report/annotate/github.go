// Package annotate writes findings as marks beside the lines of a change: for
// GitHub's workflows and for GitLab's reports of code quality.
package annotate

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
	"github.com/fencevet/fencevet/passes/lock"
)

// GitHub writes the findings of r as commands of a GitHub workflow.
func GitHub(w io.Writer, r *view.Report) error {
	out := bufio.NewWriter(w)
	for _, f := range r.Findings {
		if f.Suppressed == nil {
			fmt.Fprintln(out, Command(r.Inventory, f))
		}
	}
	return out.Flush()
}

var commands = map[lock.Level]string{lock.Error: "error", lock.Warning: "warning", lock.Note: "notice"}

// Command is one finding as a command of a GitHub workflow.
func Command(inv *inventory.Inventory, f inventory.Finding) string {
	return command(inv, commands[lock.Level(f.Level)], "fencevet "+f.Check, view.Message(f), f)
}

// GitHubGate writes what fails a gate as commands of a GitHub workflow.
func GitHubGate(w io.Writer, r *view.Report) error {
	out := bufio.NewWriter(w)
	for _, c := range r.Gate.Regressions {
		at := inventory.Finding{File: c.File, Line: c.Line, Column: c.Column, Related: c.Related}
		fmt.Fprintln(out, command(r.Inventory, "error", "fencevet gate: "+c.Kind, view.Printable(view.Regression(c)), at))
	}
	return out.Flush()
}

// command is a command at the place of f, with the places that explain it.
func command(inv *inventory.Inventory, name, title, message string, f inventory.Finding) string {
	for _, r := range f.Related {
		message += "\n" + view.Printable(view.Place(view.InRepository(inv, r.File), r.Line)) + ": " + view.Printable(r.Message)
	}
	return fmt.Sprintf("::%s file=%s,line=%d,col=%d,title=%s::%s", name,
		property(view.InRepository(inv, f.File)), f.Line, f.Column, property(title), data(message))
}

// The escapes of the workflow commands: a line break would end one, and begin
// another.
var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func data(s string) string     { return dataEscapes.Replace(s) }
func property(s string) string { return propertyEscapes.Replace(view.Printable(s)) }
