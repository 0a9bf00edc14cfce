// Reports in a browser: nothing is logged as an error, figures have content,
// labels do not overlap, nothing is wider than a phone, dark mode is dark, and the
// screenshots show something. They are kept in $OVERHEAR_SCREENSHOTS if that is
// set.

package report

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

func findChromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("chromium is not installed")
	return ""
}

// browse runs the browser on a file and returns what it prints; an error on the
// page's console fails the test.
func browse(t *testing.T, chromium, file string, flags ...string) string {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 90*time.Second)
	defer stop()
	all := append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr", "--v=0",
		"--virtual-time-budget=3000", "--user-data-dir=" + t.TempDir(),
	}, flags...)
	cmd := exec.CommandContext(ctx, chromium, append(all, "file://"+file)...)
	var said, logged strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &logged
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", file, err, logged.String())
	}
	for l := range strings.Lines(logged.String()) {
		if strings.Contains(l, "CONSOLE") {
			t.Errorf("the page says on the console: %s", l)
		}
	}
	return said.String()
}

// gauge is put at the end of a copy of the page. It measures the page and hands
// the result to the frame around it, or writes it into the page.
const gauge = `<script>
addEventListener("load", () => {
  const box = e => e.getBoundingClientRect(), figures = [];
  for (const svg of document.querySelectorAll("svg")) {
    const b = svg.getBBox(), frame = box(svg), faults = [];
    const labels = [...svg.querySelectorAll("text")].map(e => ({text: e.textContent, box: box(e)}));
    labels.forEach((a, i) => {
      if (a.box.left < frame.left - 1 || a.box.right > frame.right + 1 || a.box.top < frame.top - 2 || a.box.bottom > frame.bottom + 1) faults.push("cut: " + a.text);
      for (const c of labels.slice(0, i)) {
        const wide = Math.min(a.box.right, c.box.right) - Math.max(a.box.left, c.box.left);
        const high = Math.min(a.box.bottom, c.box.bottom) - Math.max(a.box.top, c.box.top);
        if (wide > 2 && high > 4) faults.push("overlap: " + a.text + " / " + c.text);
      }
    });
    figures.push({title: svg.querySelector("title").textContent, width: b.width, height: b.height, text: labels.length ? labels[0].box.height : 0, faults});
  }
  const wide = [...document.querySelectorAll("body *")].filter(e => !e.closest(".scroll, pre, svg, details:not([open])") && box(e).right > innerWidth + 1).map(e => e.tagName + " " + e.className);
  const result = {inner: innerWidth, scroll: document.documentElement.scrollWidth, height: document.documentElement.scrollHeight, ground: getComputedStyle(document.body).backgroundColor, figures, wide};
  if (parent !== window) parent.postMessage(result, "*"); else show(result);
});
function show(result) { const p = document.createElement("pre"); p.id = "measured"; p.hidden = true; p.textContent = JSON.stringify(result); document.body.append(p); }
</script>`

// phone holds a page in a frame as wide as a phone; the browser's own window
// cannot be so narrow.
const phone = `<!DOCTYPE html><meta charset="utf-8"><body style="margin:0"><iframe src="measured.html" width="390" height="%d" style="border:0;display:block"></iframe>
<script>addEventListener("message", m => { const p = document.createElement("pre"); p.id = "measured"; p.hidden = true; p.textContent = JSON.stringify(m.data); document.body.append(p); });</script>`

// measurement is what gauge says.
type measurement struct {
	Inner, Scroll, Height float64
	Ground                string
	Wide                  []string
	Figures               []struct {
		Title         string
		Width, Height float64
		Text          float64
		Faults        []string
	}
}

var measuredText = regexp.MustCompile(`(?s)<pre id="measured"[^>]*>(.*?)</pre>`)

func gaugePage(t *testing.T, chromium, file string, flags ...string) *measurement {
	t.Helper()
	m := measuredText.FindStringSubmatch(browse(t, chromium, file, append(flags, "--dump-dom")...))
	if m == nil {
		t.Fatal("the page was not measured")
	}
	got := new(measurement)
	if err := json.Unmarshal([]byte(html.UnescapeString(m[1])), got); err != nil {
		t.Fatal(err)
	}
	return got
}

// check wants figures with content and nothing that overlaps or sticks out.
func (m *measurement) check(t *testing.T, figures int) {
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

// colours counts the colours of a screenshot and says how light it is on the
// whole, from 0 to 1.
func colours(t *testing.T, path string) (different int, light float64) {
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

func TestEvaluation_InABrowser(t *testing.T) {
	chromium := findChromium(t)
	shots := os.Getenv("OVERHEAR_SCREENSHOTS")
	if shots == "" {
		shots = t.TempDir()
	} else if err := os.MkdirAll(shots, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, e := range examples() {
		if testing.Short() && name != "sample" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			page := write(t, e.HTML)
			save := func(file, text string) string {
				path := filepath.Join(dir, file)
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
				return path
			}
			if err := os.WriteFile(filepath.Join(shots, name+".html"), []byte(page), 0o644); err != nil {
				t.Fatal(err)
			}
			plain := save("plain.html", page)
			figures := strings.Count(page, "<svg ")
			file := save("measured.html", strings.Replace(page, "</body>", gauge+"</body>", 1))
			light, dark := "--blink-settings=preferredColorScheme=1", "--blink-settings=preferredColorScheme=0"

			desktop := gaugePage(t, chromium, file, "--window-size=1280,900", light)
			desktop.check(t, figures)
			small := gaugePage(t, chromium, save("phone.html", fmt.Sprintf(phone, 800)), "--window-size=600,900", light)
			small.check(t, figures)
			if small.Inner != 390 {
				t.Errorf("the phone is %.0f wide", small.Inner)
			}
			night := gaugePage(t, chromium, file, "--window-size=1280,900", dark)
			if night.Ground == desktop.Ground {
				t.Errorf("the ground is %s by day and by night", night.Ground)
			}

			for _, s := range []struct {
				name, file    string
				width, height float64
				scheme        string
				dark          bool
			}{
				{"desktop", plain, 1280, desktop.Height, light, false},
				{"dark", plain, 1280, desktop.Height, dark, true},
				{"phone", save("phone.html", fmt.Sprintf(phone, int(small.Height))), 500, small.Height, light, false},
			} {
				path := filepath.Join(shots, name+"-"+s.name+".png")
				browse(t, chromium, s.file, fmt.Sprintf("--window-size=%.0f,%.0f", s.width, min(s.height, 14000)), s.scheme, "--screenshot="+path)
				different, lightness := colours(t, path)
				if different < 30 || s.dark && lightness > 0.4 || !s.dark && lightness < 0.6 {
					t.Errorf("%s has %d colours and lightness %.2f", s.name, different, lightness)
				}
			}
			pdf := filepath.Join(shots, name+".pdf")
			browse(t, chromium, plain, "--no-pdf-header-footer", "--print-to-pdf="+pdf, dark)
			if text, err := os.ReadFile(pdf); err != nil || !strings.HasPrefix(string(text), "%PDF") || len(text) < 20000 {
				t.Errorf("the print: %v, %d bytes", err, len(text))
			}
		})
	}
}
