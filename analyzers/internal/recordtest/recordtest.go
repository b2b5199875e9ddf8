// Package recordtest holds checks against lock records written by hand, for
// what no program shows as plainly.
package recordtest

import (
	"fmt"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/passes/lock"
)

// At is a place in a package that is at hand.
func At(file string, line int) lock.Frame {
	return lock.Frame{Position: lock.Position{File: file, Line: line, Column: 3, Pos: token.Pos(line)}}
}

// A Test is one use and what a check reports about it.
type Test struct {
	Name string
	Use  lock.Use
	// Want has one entry per finding: "file:line level: text", where text is a
	// part of the message.
	Want []string
}

// Run holds c against tests.
func Run(t *testing.T, c *check.Check, tests []Test) {
	t.Helper()
	for _, test := range tests {
		found := c.Find([]*lock.Use{&test.Use})
		if len(found) != len(test.Want) {
			t.Errorf("%s: got %d findings, want %q: %+v", test.Name, len(found), test.Want, found)
			continue
		}
		for i, f := range found {
			head, text, _ := strings.Cut(test.Want[i], ": ")
			if got := fmt.Sprintf("%s:%d %s", filepath.Base(f.At.File), f.At.Line, f.Level); got != head || !strings.Contains(f.Message, text) {
				t.Errorf("%s: got %s: %s; want %s", test.Name, got, f.Message, test.Want[i])
			}
			form(t, c, f.Message)
		}
	}
}

// form holds a message against the form that all messages have.
func form(t *testing.T, c *check.Check, message string) {
	t.Helper()
	body, ok := strings.CutSuffix(message, " ["+c.Name+"]")
	if !ok || strings.HasSuffix(body, ".") || strings.ContainsAny(body, "\n\t") || strings.Contains(body, "  ") || strings.Contains(body, "%!") {
		t.Errorf("message has not the form of one: %q", message)
	}
}
