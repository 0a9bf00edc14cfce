// Texts that strangers wrote: a scenario's name and what it is about are words on the page, whatever they look like.

package attack

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"overhear/report/browser"
)

// hostile are texts that would be markup, a link or the end of something.
func hostile(url string) []string {
	return []string{
		`<script>document.title="taken"</script>`,
		`<img src=x onerror='document.title="taken"'>`,
		`</title></style></desc></text></svg><script>document.title="taken"</script>`,
		`<svg onload='document.title="taken"'><image href="` + url + `/svg"/></svg>`,
		`![picture](` + url + `/markdown) [link](javascript:alert(1))`,
		"```\n<script>document.title=\"taken\"</script>\n```",
		"`<script>`` | \\| <b>bold</b> \\\\| <i>x</i>",
		"name: x\r<script>document.title=\"taken\"</script>",
		"# heading\n\n- list\n\n---\n\n1. <div>",
		"# heading", "1. list", "- list", "www.example.com " + url + " a@example.com",
		`<!-- ]]> --> &lt;script&gt; &#60;script&#62;`,
	}
}

// injected is a report in which strangers had their say.
func injected(text string) *Evaluation {
	e := examples()["sample"]
	for _, a := range e.Attacks {
		a.Name, a.About, a.Scenario, a.Command = text, text, text, text
		a.Threat.Sees, a.Threat.Knows, a.Claim, a.Condition = text, text, text, text
		for k := range a.Findings {
			a.Findings[k].Conclusion, a.Findings[k].Equation = text, text
		}
	}
	for _, a := range e.Audits {
		a.Name, a.About, a.Scenario, a.Command = text, text, text, text
	}
	e.Title, e.Command = text, text
	return e
}

func TestEvaluation_EscapesHTML(t *testing.T) {
	tags := func(page string) map[string]int {
		count := map[string]int{}
		for part := range strings.SplitSeq(page, "<") {
			name, _, _ := strings.Cut(part, ">")
			name, _, _ = strings.Cut(name, " ")
			count[strings.TrimSpace(name)]++
		}
		return count
	}
	plain := tags(write(t, examples()["sample"].HTML))
	for _, text := range hostile("http://192.0.2.1") {
		page := write(t, injected(text).HTML)
		if !strings.Contains(page, `<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;;`) {
			t.Error("the page has no policy")
		}
		for name := range tags(page) {
			if plain[name] == 0 && name != "" && !strings.HasPrefix(name, "!") {
				t.Errorf("%q makes an element <%s>", text, name)
			}
		}
	}
}

// In the Markdown twin no text of a stranger is HTML, a link, a picture, a heading or the end of a table's cell or of
// a block of code.
func TestEvaluation_EscapesMarkdown(t *testing.T) {
	for _, text := range hostile("http://192.0.2.1") {
		md := write(t, injected(text).Markdown)
		cells := 0
		for l := range strings.Lines(strings.ReplaceAll(md, "\r", "\n")) {
			if strings.HasPrefix(l, "    ") {
				continue // a block of code
			}
			bare := withoutCode(l)
			for _, mark := range []string{"<", "](", "![", "://", "www.", "a@e"} {
				if strings.Contains(bare, mark) {
					t.Errorf("%q puts %q on the page: %s", text, mark, l)
				}
			}
			for _, begin := range []string{"# heading", "- # ", "- 1. ", "- - ", "1. list", "---\n"} {
				if strings.HasPrefix(bare, begin) && begin != "# heading" {
					t.Errorf("%q makes a block: %s", text, l)
				}
			}
			if !strings.HasPrefix(l, "|") {
				cells = 0
				continue
			}
			n := strings.Count(bare, "|")
			if cells != 0 && n != cells {
				t.Errorf("%q makes %d bars of %d: %s", text, n, cells, l)
			}
			cells = n
		}
	}
}

// withoutCode takes code and what a backslash escapes from a line.
func withoutCode(line string) string {
	var out strings.Builder
	for k := 0; k < len(line); k++ {
		switch line[k] {
		case '\\':
			k++
		case '`':
			n := k
			for n < len(line) && line[n] == '`' {
				n++
			}
			fence := line[k:n]
			end := strings.Index(line[n:], fence)
			if end < 0 {
				return out.String() + line[n:]
			}
			k = n + end + len(fence) - 1
		default:
			out.WriteByte(line[k])
		}
	}
	return out.String()
}

// In a browser the page shows the texts, runs nothing and asks nobody for anything; even what is put on the page
// behind the program's back.
func TestEvaluation_LoadsNothing(t *testing.T) {
	chromium := browser.Find(t)
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer server.Close()
	open := func(page string) string {
		path := filepath.Join(t.TempDir(), "page.html")
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
		return chromium.Dump(t, path)
	}
	dom := open(write(t, injected(strings.Join(hostile(server.URL), " ")).HTML))
	if strings.Contains(dom, "<title>taken") || asked.Load() > 0 {
		t.Errorf("the page ran a script, or asked for something %d times", asked.Load())
	}
	if !strings.Contains(dom, "&lt;script&gt;") || !strings.Contains(dom, "<svg") {
		t.Error("the page does not show its texts and figures")
	}
	bad := `<script>document.title="taken"</script><img src="` + server.URL + `/i"><iframe src="` + server.URL +
		`/f"></iframe><link rel="stylesheet" href="` + server.URL + `/s"><p style="background:url(` + server.URL +
		`/u)">x</p></body>`
	page := strings.Replace(write(t, examples()["sample"].HTML), "</body>", bad, 1)
	if dom := open(page); strings.Contains(dom, "<title>taken") || asked.Load() > 0 {
		t.Errorf("the policy lets a script run, or the page ask for something: %d times", asked.Load())
	}
	// Without the policy the same page does both: the test can tell.
	begin := strings.Index(page, "<meta http-equiv")
	end := begin + strings.Index(page[begin:], ">") + 1
	if dom := open(page[:begin] + page[end:]); !strings.Contains(dom, "<title>taken") || asked.Load() == 0 {
		t.Error("without the policy nothing is run or asked for either: this test sees nothing")
	}
}
