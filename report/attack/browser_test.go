// Reports in a browser: figures have content, labels do not overlap, nothing is wider than a phone, dark mode is dark,
// and the screenshots show something. They are kept in $OVERHEAR_SCREENSHOTS if that is set.

package attack

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overhear/report/browser"
)

func TestEvaluation_InABrowser(t *testing.T) {
	chromium := browser.Find(t)
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
			// The policy would not let the gauge run.
			file := save("measured.html", strings.NewReplacer(`http-equiv="Content-Security-Policy"`, "", "</body>",
				browser.Gauge+"</body>").Replace(page))
			light, dark := "--blink-settings=preferredColorScheme=1", "--blink-settings=preferredColorScheme=0"

			desktop := chromium.Measure(t, file, "--window-size=1280,900", light)
			desktop.Check(t, figures)
			small := chromium.Measure(t, save("phone.html", fmt.Sprintf(browser.Phone, 800)), "--window-size=600,900",
				light)
			small.Check(t, figures)
			if small.Inner != 390 {
				t.Errorf("the phone is %.0f wide", small.Inner)
			}
			night := chromium.Measure(t, file, "--window-size=1280,900", dark)
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
				{"phone", save("phone.html", fmt.Sprintf(browser.Phone, int(small.Height))), 500, small.Height, light,
					false},
			} {
				path := filepath.Join(shots, name+"-"+s.name+".png")
				chromium.Open(t, s.file, fmt.Sprintf("--window-size=%.0f,%.0f", s.width, min(s.height, 14000)),
					s.scheme, "--screenshot="+path)
				different, lightness := browser.Colours(t, path)
				if different < 30 || s.dark && !(lightness <= 0.4) || !s.dark && !(lightness >= 0.6) {
					t.Errorf("%s has %d colours and lightness %.2f", s.name, different, lightness)
				}
			}
			pdf := filepath.Join(shots, name+".pdf")
			chromium.Open(t, plain, "--no-pdf-header-footer", "--print-to-pdf="+pdf, dark)
			if text, err := os.ReadFile(pdf); err != nil || !strings.HasPrefix(string(text), "%PDF") ||
				len(text) < 20000 {
				t.Errorf("the print: %v, %d bytes", err, len(text))
			}
		})
	}
}
