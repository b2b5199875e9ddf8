package audit

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
)

// errLeft says that whoever is asked has left.
var errLeft = errors.New("left")

// A prompt asks one line at a time.
type prompt struct {
	out  io.Writer
	echo bool // whether answers are repeated, as no terminal shows them
	// lines are read by a goroutine, which an interrupt leaves behind: a read from
	// a terminal cannot be called off.
	lines chan string
}

func newPrompt(in io.Reader, out io.Writer, echo bool) *prompt {
	p := &prompt{out: out, echo: echo, lines: make(chan string)}
	go func() {
		defer close(p.lines)
		r := bufio.NewReader(in)
		for {
			line, err := r.ReadString('\n')
			if line != "" {
				p.lines <- strings.TrimRight(line, "\r\n")
			}
			if err != nil {
				return
			}
		}
	}()
	return p
}

// read returns the next answer, or errLeft after q, at the end of the input, and
// on an interrupt.
func (p *prompt) read(ctx context.Context) (string, error) {
	fmt.Fprint(p.out, "> ")
	select {
	case <-ctx.Done():
		fmt.Fprintln(p.out)
		return "", errLeft
	case line, ok := <-p.lines:
		if !ok {
			fmt.Fprintln(p.out)
			return "", errLeft
		}
		line = strings.TrimSpace(view.Printable(line))
		if p.echo {
			fmt.Fprintln(p.out, line)
		}
		if line == "q" {
			return "", errLeft
		}
		return line, nil
	}
}

// ask asks a question that may be answered with nothing, which means fallback.
func (p *prompt) ask(ctx context.Context, question, fallback string) (string, error) {
	if fallback != "" {
		question += " [" + view.Printable(fallback) + "]"
	}
	fmt.Fprintln(p.out, question)
	answer, err := p.read(ctx)
	if answer == "" {
		answer = fallback
	}
	return answer, err
}

// choose asks until one of the words is answered.
func (p *prompt) choose(ctx context.Context, question string, words ...string) (string, error) {
	fmt.Fprintln(p.out, question)
	for {
		answer, err := p.read(ctx)
		if err != nil {
			return "", err
		}
		for _, w := range words {
			if strings.EqualFold(answer, w) {
				return w, nil
			}
		}
		fmt.Fprintf(p.out, "Please answer one of %s, or q to leave.\n", strings.Join(words, ", "))
	}
}
