// Pages that are played, clicked and looked at.

package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"overhear/internal/files"
)

// Page is a page that a test drives.
type Page struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	requests []string
	said     []string
}

// Drive opens a page of its own, with nothing that other pages have left, in the browser of this program's tests.
func (b Browser) Drive(t *testing.T) *Page {
	t.Helper()
	p, err := b.page(t)
	for again := 0; err != nil && again < 2; again++ { // where much else is at work, Chromium may end as it starts
		p, err = b.page(t)
	}
	p.must(err)
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		if _, err := cdp.Call(ctx, t, network.Enable, network.EnableParams{}); err != nil {
			return err
		}
		_, err := cdp.Call(ctx, t, log.Enable, cdp.Empty{})
		return err
	}))
	return p
}

// running is the browser of this program's tests: to start one takes longer than many of them.
var running struct {
	sync.Mutex
	ctx context.Context // nil: none has been started
	end context.CancelFunc
}

// Main runs a package's tests and ends the browser that they have driven.
func Main(m *testing.M) int {
	defer func() {
		running.Lock()
		defer running.Unlock()
		if running.ctx != nil {
			running.end()
		}
	}()
	return m.Run()
}

// started starts the browser, if it does not run.
func (b Browser) started() (context.Context, error) {
	running.Lock()
	defer running.Unlock()
	if running.ctx != nil {
		select {
		case <-chromedp.FromContext(running.ctx).Browser.LostConnection:
			running.end()
		default:
			return running.ctx, nil
		}
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(string(b)),
		chromedp.NoSandbox, chromedp.Flag("disable-gpu", true), chromedp.Flag("hide-scrollbars", true))
	all, endAll := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, end := chromedp.NewContext(all)
	running.ctx, running.end = ctx, func() { end(); endAll() }
	if err := chromedp.Do(ctx); err != nil {
		running.end()
		running.ctx = nil
		return nil, err
	}
	return ctx, nil
}

// page opens a page and hears what it loads and says.
func (b Browser) page(t *testing.T) (*Page, error) {
	p := &Page{t: t}
	ctx, err := b.started()
	if err != nil {
		return p, err
	}
	ctx, end := chromedp.NewContext(ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	p.ctx = ctx
	return p, chromedp.Listen(ctx, func(event any) {
		p.mu.Lock()
		defer p.mu.Unlock()
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			p.requests = append(p.requests, e.Request.URL)
		case *log.EventEntryAdded:
			p.said = append(p.said, e.Entry.Text)
		case *runtime.EventExceptionThrown:
			p.said = append(p.said, e.ExceptionDetails.Text)
			if e.ExceptionDetails.Exception != nil {
				p.said = append(p.said, e.ExceptionDetails.Exception.Description)
			}
		}
	})
}

func (p *Page) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatalf("driving the browser: %v; the page said %q", err, p.Said())
	}
}

// Most is how long a step may take: tests of other packages may be at work beside this one.
const most = time.Minute

func (p *Page) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, end := context.WithTimeout(p.ctx, most)
	defer end()
	p.must(chromedp.Do(ctx, steps...))
}

// Show gives the window a size, and the page light or dark colours.
func (p *Page) Show(width, height int, dark bool) {
	p.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	p.do(chromedp.EmulateViewport(int64(width), int64(height)), chromedp.Func(func(ctx context.Context,
		t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		return err
	}))
}

// Open goes to an address and waits until a condition in JavaScript holds.
func (p *Page) Open(address, ready string) {
	p.t.Helper()
	p.do(chromedp.Navigate(address))
	p.Wait(ready)
}

// Wait waits until a condition in JavaScript holds.
func (p *Page) Wait(condition string) {
	p.t.Helper()
	for end := time.Now().Add(most); !Ask[bool](p, "!!("+condition+")"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("%s does not become true; the page said %q", condition, p.Said())
		}
	}
}

// Ask evaluates JavaScript, and waits for it if it is a promise.
func Ask[T any](p *Page, script string) T {
	p.t.Helper()
	ctx, end := context.WithTimeout(p.ctx, most)
	defer end()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	p.must(err)
	return v
}

// Text is the text of an element.
func (p *Page) Text(selector string) string {
	p.t.Helper()
	return Ask[string](p, fmt.Sprintf("document.querySelector(%q).innerText", selector))
}

// Press presses keys. What a key types comes with its going down, as from a keyboard, so that it types nothing where
// the page prevents that; chromedp.KeyEvent types it all the same.
func (p *Page) Press(keys string) {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		for _, key := range keys {
			events := kb.Encode(key)
			for k, event := range events {
				switch {
				case event.Type == kb.KeyChar:
					continue
				case k+1 < len(events) && events[k+1].Type == kb.KeyChar:
					event.Text = events[k+1].Text
				}
				if _, err := cdp.Call(ctx, t, input.DispatchKeyEvent, *event); err != nil {
					return err
				}
			}
		}
		return nil
	}))
}

// Click clicks at a point of the window.
func (p *Page) Click(x, y float64) {
	p.t.Helper()
	p.do(chromedp.MouseClickXY(x, y))
}

// ClickOn clicks on the middle of an element, which is scrolled into view.
func (p *Page) ClickOn(selector string) {
	p.t.Helper()
	// The browser may scroll back once, when what was scrolled before is settled.
	at := Ask[[]float64](p, fmt.Sprintf(`(async () => { const e = document.querySelector(%q);
		for (let still = 0, tries = 0, y; still < 3 && tries < 100; tries++) {
			e.scrollIntoView({block: "center"});
			await new Promise(requestAnimationFrame);
			const b = e.getBoundingClientRect();
			still = b.y === y && b.y >= 0 && b.bottom <= innerHeight ? still + 1 : 0;
			y = b.y;
		}
		const b = e.getBoundingClientRect();
		return [b.x + b.width / 2, b.y + b.height / 2]; })()`, selector))
	p.Click(at[0], at[1])
}

// Shoot writes what is seen to a file of OVERHEAR_SCREENSHOTS, if that is set.
func (p *Page) Shoot(name string) {
	p.t.Helper()
	dir := os.Getenv("OVERHEAR_SCREENSHOTS")
	if dir == "" {
		return
	}
	ctx, end := context.WithTimeout(p.ctx, most)
	defer end()
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	p.must(err)
	p.must(os.MkdirAll(dir, 0o755))
	p.must(files.WriteBytes(filepath.Join(dir, name), png))
}

// Requests are the addresses that were asked for.
func (p *Page) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// Said is what the browser logged and the page threw.
func (p *Page) Said() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.said)
}
