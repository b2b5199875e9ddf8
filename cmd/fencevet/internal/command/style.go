package command

import (
	"errors"
	"io"
	"os"
	"strconv"

	"golang.org/x/term"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/text"
)

// color is the flag of that name; the zero value is auto.
type color string

func (c *color) String() string { return string(*c) }

func (c *color) Set(s string) error {
	switch s {
	case "auto", "always", "never":
		*c = color(s)
		return nil
	}
	return errors.New("want auto, always or never")
}

// styleOf finds out how text may be shown on w.
func styleOf(w io.Writer, c color) text.Style {
	style := text.Style{Width: 100}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		style.Color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			style.Width = width
		}
	}
	if width, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && width > 0 {
		style.Width = width
	}
	switch c {
	case "always":
		style.Color = true
	case "never":
		style.Color = false
	}
	return style
}
