package html

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	dialogs "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/reporttest"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
)

// A browser is one that runs for a test, without a window.
type browser struct {
	t   *testing.T
	ctx context.Context
}

// newBrowser starts Chromium, or skips the test where there is none.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium in PATH (Debian: apt-get install chromium): the page is not tried in a browser")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
	)
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("Chromium does not start: %v", err)
	}
	return &browser{t, ctx}
}

// open opens a report in a new tab. What the browser complains of (scripts that
// fail, or that the policy forbids) fails the test.
func (b *browser) open(t *testing.T, inv *inventory.Inventory, fragment string, before ...step) *browser {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(render(t, &view.Report{Inventory: inv, By: view.Dimensions})), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, stop := chromedp.NewContext(b.ctx)
	t.Cleanup(stop)
	var mu sync.Mutex
	var complaints []string
	err := chromedp.Listen(ctx, func(event any) {
		mu.Lock()
		defer mu.Unlock()
		switch event := event.(type) {
		case *log.EventEntryAdded:
			complaints = append(complaints, event.Entry.Text)
		case *runtime.EventExceptionThrown:
			complaints = append(complaints, fmt.Sprintf("%+v", event.ExceptionDetails))
		case *dialogs.EventJavascriptDialogOpening:
			complaints = append(complaints, "a dialog: "+event.Message)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		for _, c := range complaints {
			t.Errorf("the browser says: %s", c)
		}
	})
	tab := &browser{t, ctx}
	tab.run(command(log.Enable, protocol.Empty{}))
	tab.run(append(before, chromedp.Navigate("file://"+file+fragment))...)
	return tab
}

type step = chromedp.Action[chromedp.Void]

// command is a step that sends a command of the protocol.
func command[P, R any](c protocol.Command[P, R], params P) step {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := protocol.Call(ctx, t, c, params)
		return err
	})
}

func click(selector string) step { return chromedp.Click(chromedp.CSS(selector)) }
func focus(selector string) step { return chromedp.Focus(chromedp.CSS(selector)) }

func keys(selector, keys string) step { return chromedp.SendKeys(chromedp.CSS(selector), keys) }

func (b *browser) run(steps ...step) {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, patience)
	defer stop()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// patience ends a step that waits for what never comes, as a button that is not
// shown.
const patience = 2 * time.Minute

// value is what a script yields, as text.
func (b *browser) value(script string) string {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[any](script))
	if err != nil {
		b.t.Fatal(err)
	}
	return fmt.Sprint(v)
}

func (b *browser) want(script, want string) {
	b.t.Helper()
	if got := b.value(script); got != want {
		b.t.Errorf("%s\ngot  %s\nwant %s", script, got, want)
	}
}

const (
	shown    = `[...document.querySelectorAll('#table > tbody')].filter(r => !r.hidden).map(r => r.querySelector('.open').textContent).join(' ')`
	stories  = `[...document.querySelectorAll('.story')].filter(s => s.checkVisibility()).length`
	expanded = `document.querySelectorAll('[aria-expanded=true]').length`
	focused  = `document.activeElement.textContent`
	status   = `document.getElementById('status').textContent`
)

func TestBrowser(t *testing.T) {
	b := newBrowser(t)

	t.Run("filter", func(t *testing.T) {
		p := b.open(t, reporttest.Sample(), "")
		all := "stock/stock.go:31 mail/mail.go:31 ping/ping.go:31 billing/billing.go:31 cron/prices.go:31 lock/lock.go:31"
		p.want(shown, all)
		p.want(status, "5 locks and 1 wrapper")
		p.run(keys("#search", "SQL:invoice"))
		p.want(shown, "billing/billing.go:31")
		p.want(status, "1 of 6 shown: 1 lock")
		p.run(keys("#search", "no such"))
		p.want(shown, "")
		p.want(`document.getElementById('empty').checkVisibility()`, "true")
		p.run(click("#clear-empty"))
		p.want(shown, all)
		p.run(click(`input[value=unfenced]`))
		p.want(shown, "mail/mail.go:31 ping/ping.go:31 billing/billing.go:31")
		p.run(click("#clear"))
		p.want(shown, all)
		p.run(keys("select[data-filter=library]", "go-redis"))
		p.want(shown, "cron/prices.go:31 lock/lock.go:31")
		p.run(click(`button.pick[data-value=redislock]`))
		p.want(shown, "mail/mail.go:31")
		p.want(`document.querySelector('select[data-filter=library]').value`, "redislock")
		p.want(`document.querySelectorAll('button.pick[data-filter=owner]').length`, "1")
	})

	t.Run("sort", func(t *testing.T) {
		p := b.open(t, reporttest.Sample(), "")
		p.run(click("button[data-sort=place]"))
		p.want(shown, "billing/billing.go:31 cron/prices.go:31 lock/lock.go:31 mail/mail.go:31 ping/ping.go:31 stock/stock.go:31")
		p.want(`document.querySelector('th.c-lock').ariaSort`, "ascending")
		p.run(click("button[data-sort=place]"))
		p.want(shown, "stock/stock.go:31 ping/ping.go:31 mail/mail.go:31 lock/lock.go:31 cron/prices.go:31 billing/billing.go:31")
		p.run(click("button[data-sort=verdict]"))
		p.want(shown, "stock/stock.go:31 cron/prices.go:31 mail/mail.go:31 billing/billing.go:31 ping/ping.go:31 lock/lock.go:31")
		p.want(`document.querySelector('th.c-lock').ariaSort + document.querySelector('th.c-verdict').ariaSort`, "noneascending")
	})

	t.Run("keyboard", func(t *testing.T) {
		p := b.open(t, reporttest.Sample(), "")
		p.want(stories, "0")
		p.run(chromedp.KeyEvent("/"), chromedp.KeyEvent("billing"))
		p.want(shown, "billing/billing.go:31")
		p.run(focus("tbody:not([hidden]) .open"), chromedp.KeyEvent(kb.Enter))
		p.want(expanded+" + ' ' + "+stories, "1 1")
		p.want(`document.querySelector('.opened .story').textContent.includes('a fencing token is compared and stored')`, "true")
		p.run(chromedp.KeyEvent(" "))
		p.want(expanded+" + ' ' + "+stories, "0 0")
		p.run(click("#clear"), focus(".open"), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown))
		p.want(focused, "ping/ping.go:31")
		p.run(chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent(kb.Enter))
		p.want(`document.querySelector('.opened .open').textContent`, "mail/mail.go:31")
		p.run(click("#open-all"))
		p.want(stories, "6")
		p.run(click("#close-all"))
		p.want(stories, "0")
		p = b.open(t, reporttest.Sample(), "")
		p.run(chromedp.KeyEvent(kb.Tab))
		p.want(focused, "Skip to the locks")
	})

	t.Run("links", func(t *testing.T) {
		inv := reporttest.Sample()
		p := b.open(t, inv, "#lock-"+inv.Locks[3].ID)
		p.want(`document.querySelector('.opened .open').textContent`, "mail/mail.go:31")
		p.run(click("#open-all"), click(".findings a[href='#check-unfenced']"), chromedp.WaitReady(chromedp.CSS("#check-unfenced[open]")))
		p.want(`document.getElementById('check-wallclock').open`, "false")
		p.want(`document.querySelectorAll('.suppressed').length`, "1")
	})

	t.Run("hostile", func(t *testing.T) {
		p := b.open(t, reporttest.Hostile(), "")
		p.run(click("#open-all"))
		p.want(`typeof pwned`, "undefined")
		p.want(`document.querySelectorAll('img, iframe, object, body script ~ *').length`, "0")
		p.want(`document.scripts.length`, "1")
		p.want(`document.querySelector('td.c-key').textContent`, view.Printable(reporttest.HostileText))
		p.want(`document.querySelector('select[data-filter]') === null || document.querySelector('select option:last-child').text !== ''`, "true")
		// Each link leads to somewhere on the page, or nowhere.
		p.want(`[...document.links].every(a => a.getAttribute('href').startsWith('#'))`, "true")
		p.run(click(".findings a"))
	})

	t.Run("many", func(t *testing.T) {
		const n = 2000
		inv := reporttest.Many(n)
		p := b.open(t, inv, "")
		p.want(status, fmt.Sprint(n, " locks"))
		p.run(keys("#search", "lock:1234"))
		p.want(status, "1 of 2000 shown: 1 lock")
		p.run(click("#clear"), click("button[data-sort=key]"), click("button[data-sort=key]"))
		p.want(`document.querySelector('#table tbody .c-key').textContent`, "lock:1999")
		p.run(click("#table tbody .open"))
		p.want(stories, "1")
		p.want(`document.querySelectorAll('.opened .hit').length`, "7")
	})

	t.Run("without scripts", func(t *testing.T) {
		p := b.open(t, reporttest.Sample(), "", command(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))
		p.want(stories, "6")
		p.want(`document.getElementById('filters').checkVisibility()`, "false")
	})

	t.Run("dark", func(t *testing.T) {
		dark := command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}},
		})
		const background = `getComputedStyle(document.body).backgroundColor`
		b.open(t, reporttest.Sample(), "").want(background, "rgb(255, 255, 255)")
		b.open(t, reporttest.Sample(), "", dark).want(background, "rgb(20, 23, 27)")
	})

	t.Run("narrow", func(t *testing.T) {
		for _, width := range []int64{360, 480, 900, 1400} {
			p := b.open(t, reporttest.Sample(), "", chromedp.EmulateViewport(width, 900))
			p.run(click("#open-all"))
			p.want(stories, "6")
			p.want(`document.documentElement.scrollWidth <= innerWidth`, "true")
			p.want(`[...document.querySelectorAll('.open')].every(b => b.offsetHeight < 60)`, "true")
			p.want(`[...document.querySelectorAll('.card')].every(c => c.offsetWidth > innerWidth * .8)`, "true")
		}
	})

	t.Run("print", func(t *testing.T) {
		p := b.open(t, reporttest.Sample(), "#lock-"+reporttest.Sample().Locks[0].ID, command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}))
		p.want(`document.getElementById('filters').checkVisibility()`, "false")
		p.want(stories, "1")
	})

	t.Run("accessible", func(t *testing.T) {
		for _, width := range []int64{1400, 480} {
			p := b.open(t, reporttest.Sample(), "", chromedp.EmulateViewport(width, 900))
			p.run(click("#open-all"))
			tree, err := chromedp.Call(p.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
			if err != nil {
				t.Fatal(err)
			}
			roles := make(map[string]int)
			for _, n := range tree.Nodes {
				if n.Ignored || n.Role == nil {
					continue
				}
				role := strings.Trim(string(n.Role.Value), `"`)
				roles[role]++
				switch role {
				case "button", "link", "checkbox", "searchbox", "combobox", "table", "form", "search":
					if n.Name == nil || len(n.Name.Value) <= len(`""`) {
						t.Errorf("a %s without a name", role)
					}
				}
			}
			for _, role := range []string{"main", "heading", "table", "columnheader", "rowheader", "button", "searchbox", "checkbox", "status"} {
				if roles[role] == 0 {
					t.Errorf("%d wide, no %s: %v", width, role, roles)
				}
			}
		}
	})
}
