package command

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := &progress{phase: make(chan string), done: make(chan struct{})}
		go p.show(&out, 2*time.Second)

		p.say("loading packages")
		time.Sleep(1900 * time.Millisecond)
		synctest.Wait()
		if out.Len() > 0 {
			t.Errorf("says %q before one begins to wonder", out.String())
		}
		time.Sleep(200 * time.Millisecond)
		synctest.Wait()
		if got, want := out.String(), "fencevet: loading packages\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		p.say("reading 12 packages")
		p.stop()
		if got, want := out.String(), "fencevet: loading packages\nfencevet: reading 12 packages\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestProgressIsForTerminals(t *testing.T) {
	var out bytes.Buffer
	p := startProgress(&out)
	p.say("loading")
	p.stop()
	if out.Len() > 0 {
		t.Errorf("printed %q to what is no terminal", out.String())
	}
}

func TestShorten(t *testing.T) {
	for _, test := range []struct{ dir, file, want string }{
		{"/m", "stock/stock.go", "stock/stock.go"},
		{"/m/stock", "stock/stock.go", "stock.go"},
		{"/m/cmd/shopd", "stock/stock.go", "../../stock/stock.go"},
		{"/m/a/b/c/d", "stock/stock.go", "/m/stock/stock.go"},
		{"/m", "/elsewhere/x.go", "/elsewhere/x.go"},
	} {
		if got := shorten(test.dir, "/m", test.file); got != test.want {
			t.Errorf("shorten(%q, %q) = %q, want %q", test.dir, test.file, got, test.want)
		}
	}
}

func TestStyle(t *testing.T) {
	t.Setenv("COLUMNS", "")
	if s := styleOf(&bytes.Buffer{}, "auto"); s.Width != 100 || s.Color {
		t.Errorf("%+v for what is no terminal", s)
	}
	t.Setenv("COLUMNS", "72")
	if s := styleOf(&bytes.Buffer{}, "auto"); s.Width != 72 {
		t.Errorf("%+v with COLUMNS=72", s)
	}
	if s := styleOf(&bytes.Buffer{}, "always"); !s.Color {
		t.Error("no colour where it is demanded")
	}
}
