// Package browser has Chromium look at pages, for tests: nothing is logged as an error, figures have content, labels
// do not overlap or leave their figure, and nothing is wider than the window.
package browser

import (
	"context"
	"encoding/json"
	"errors"
	"html"
	"image/png"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Browser is the command of Chromium.
type Browser string

// Find finds the browser; without one the test is skipped.
func Find(t *testing.T) Browser {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser"} {
		if path, err := exec.LookPath(name); err == nil {
			return Browser(path)
		}
	}
	t.Skip("chromium is not installed")
	return ""
}

// Open runs the browser on a file and returns what it prints. An error on the page's console fails the test.
func (b Browser) Open(t *testing.T, file string, flags ...string) string {
	t.Helper()
	said, logged := b.run(t, file, flags...)
	for l := range strings.Lines(logged) {
		if strings.Contains(l, "CONSOLE") {
			t.Errorf("the page says on the console: %s", l)
		}
	}
	return said
}

// Dump opens a file, whatever its console says, and returns what it has become.
func (b Browser) Dump(t *testing.T, file string) string {
	t.Helper()
	dom, _ := b.run(t, file, "--dump-dom")
	return dom
}

func (b Browser) run(t *testing.T, file string, flags ...string) (said, logged string) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 90*time.Second)
	defer stop()
	for again := true; ; again = false {
		all := append([]string{
			"--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr", "--v=0",
			"--virtual-time-budget=3000", "--user-data-dir=" + t.TempDir(),
		}, flags...)
		cmd := exec.CommandContext(ctx, string(b), append(all, "file://"+file)...)
		var out, errs strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run()
		switch {
		case err == nil:
			return out.String(), errs.String()
		case again && crashed(err) && ctx.Err() == nil: // as on busy machines; a page crashes it again
			t.Logf("%s: the browser has crashed (%v) and is begun once more", file, err)
		default:
			t.Fatalf("%s: %v\n%s", file, err, errs.String())
		}
	}
}

// crashed says whether a program has ended by a signal.
func crashed(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && !exit.Exited()
}

// Gauge is put at the end of a copy of a page. It measures the page and hands the result to the frame around it, or
// writes it into the page.
const Gauge = `<script>
addEventListener("load", () => {
  const box = e => e.getBoundingClientRect(), figures = [];
  for (const svg of document.querySelectorAll("svg")) {
    const b = svg.getBBox(), frame = box(svg), faults = [];
    const labels = [...svg.querySelectorAll("text")].map(e => ({text: e.textContent, box: box(e)}));
    labels.forEach((a, i) => {
      const beside = a.box.left < frame.left - 1 || a.box.right > frame.right + 1;
      if (beside || a.box.top < frame.top - 2 || a.box.bottom > frame.bottom + 1) faults.push("cut: " + a.text);
      for (const c of labels.slice(0, i)) {
        const wide = Math.min(a.box.right, c.box.right) - Math.max(a.box.left, c.box.left);
        const high = Math.min(a.box.bottom, c.box.bottom) - Math.max(a.box.top, c.box.top);
        if (wide > 2 && high > 4) faults.push("overlap: " + a.text + " / " + c.text);
      }
    });
    const title = svg.querySelector("title").textContent, text = labels.length ? labels[0].box.height : 0;
    figures.push({title, width: b.width, height: b.height, text, faults});
  }
  const wide = [...document.querySelectorAll("body *")]
    .filter(e => !e.closest(".scroll, pre, svg, details:not([open])") && box(e).right > innerWidth + 1)
    .map(e => e.tagName + " " + e.className);
  const root = document.documentElement, ground = getComputedStyle(document.body).backgroundColor;
  const result = {inner: innerWidth, scroll: root.scrollWidth, height: root.scrollHeight, ground, figures, wide};
  if (parent !== window) parent.postMessage(result, "*"); else show(result);
});
` + show + `</script>`

const show = `function show(result) {
  const p = document.createElement("pre");
  p.id = "measured"; p.hidden = true; p.textContent = JSON.stringify(result);
  document.body.append(p);
}
`

// Phone holds the page measured.html in a frame as wide as a phone and as high as its argument says; the browser's own
// window cannot be so narrow.
const Phone = `<!DOCTYPE html><meta charset="utf-8"><body style="margin:0">
<iframe src="measured.html" width="390" height="%d" style="border:0;display:block"></iframe>
<script>addEventListener("message", m => show(m.data));
` + show + `</script>`

// Measurement is what Gauge says of a page.
type Measurement struct {
	Inner, Scroll, Height float64  // width of the window, width and height of the page, in CSS pixels
	Ground                string   // colour
	Wide                  []string // elements that are wider than the window
	Figures               []struct {
		Title         string
		Width, Height float64
		Text          float64  // how high it is
		Faults        []string // texts that are cut off or overlap
	}
}

var measuredText = regexp.MustCompile(`(?s)<pre id="measured"[^>]*>(.*?)</pre>`)

// Measure opens a page that has a Gauge.
func (b Browser) Measure(t *testing.T, file string, flags ...string) *Measurement {
	t.Helper()
	m := measuredText.FindStringSubmatch(b.Open(t, file, append(flags, "--dump-dom")...))
	if m == nil {
		t.Fatal("the page was not measured")
	}
	got := new(Measurement)
	if err := json.Unmarshal([]byte(html.UnescapeString(m[1])), got); err != nil {
		t.Fatal(err)
	}
	return got
}

// Check wants a number of figures with content, and nothing that overlaps or sticks out.
func (m *Measurement) Check(t *testing.T, figures int) {
	t.Helper()
	if len(m.Figures) != figures || figures == 0 {
		t.Errorf("%d figures, not %d", len(m.Figures), figures)
	}
	for _, f := range m.Figures {
		if f.Width < 100 || f.Height < 100 || f.Text < 9 {
			t.Errorf("%s is %.0f × %.0f, its text %.1f high", f.Title, f.Width, f.Height, f.Text)
		}
		for _, fault := range f.Faults {
			t.Errorf("%s: %s", f.Title, fault)
		}
	}
	if m.Scroll > m.Inner+1 || len(m.Wide) > 0 {
		t.Errorf("the page is %.0f wide in a window of %.0f: %q", m.Scroll, m.Inner, m.Wide)
	}
}

// Colours counts the colours of a screenshot and says how light it is on the whole, from 0 to 1.
func Colours(t *testing.T, path string) (different int, light float64) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[[3]uint32]bool{}
	n := 0.0
	for y := m.Bounds().Min.Y; y < m.Bounds().Max.Y; y += 2 {
		for x := m.Bounds().Min.X; x < m.Bounds().Max.X; x += 2 {
			r, g, b, _ := m.At(x, y).RGBA()
			seen[[3]uint32{r >> 8, g >> 8, b >> 8}] = true
			light += float64(r+g+b) / (3 * 0xffff)
			n++
		}
	}
	return len(seen), light / n
}
