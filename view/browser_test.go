// Pages in a browser: they play, answer clicks and keys, ask for nothing, run no script but their own, and fit windows
// of three widths by day and by night. Screenshots are kept in $OVERHEAR_SCREENSHOTS if that is set.

package view

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"overhear/internal/files"
	"overhear/record"
	"overhear/report/browser"
)

// ready is a condition that holds once the page has drawn.
const ready = "document.documentElement.dataset.ready"

// saved writes a document as a file and returns its address.
func saved(t *testing.T, d *Document) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	if err := files.Write(path, d.Write); err != nil {
		t.Fatal(err)
	}
	return "file://" + path
}

// quiet fails the test if the browser has said anything, or has asked for anything but pages.
func quiet(t *testing.T, p *browser.Page, pages ...string) {
	t.Helper()
	if said := p.Said(); len(said) > 0 {
		t.Errorf("the browser said %q", said)
	}
	for _, r := range p.Requests() {
		if !slices.Contains(pages, r) && r != "data:," {
			t.Errorf("the page asked for %s", r)
		}
	}
}

// has wants words in an element, soon.
func has(t *testing.T, p *browser.Page, selector string, words ...string) {
	t.Helper()
	text := ""
	lacks := func(w string) bool { return !strings.Contains(text, w) }
	for range 100 {
		if text = p.Text(selector); !slices.ContainsFunc(words, lacks) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%s does not say %q:\n%s", selector, slices.DeleteFunc(words, func(w string) bool { return !lacks(w) }),
		text)
}

// now is the virtual time that the page shows, as a share of the whole, from 0 to 10,000.
func now(p *browser.Page) float64 {
	return browser.Ask[float64](p, "Number(document.querySelector('#time').value)")
}

func TestPage_PlaysAndTells(t *testing.T) {
	p := browser.Find(t).Drive(t)
	s := served(t, built(t, recorded(t, hospitals, 1)))
	p.Show(1280, 900, false)
	p.Open(s.Address(), ready)
	has(t, p, "#title", "hospitals, seed 1")
	has(t, p, "#attack", "every packet that arrives", "blocked", "true sample")

	p.Press(" ")
	p.Wait("document.querySelector('#play').textContent === 'Pause'")
	p.Wait("Number(document.querySelector('#time').value) > 20")
	p.Press(" ")
	at := now(p)
	has(t, p, "#play", "Play")
	p.Press(".")
	if now(p) <= at {
		t.Error("the next round is not later")
	}
	heard := func() string { return p.Text("#live") }
	p.Press(kb.Home)
	if got := heard(); !strings.HasPrefix(got, "0 s. packets: ") {
		t.Errorf("who listens hears at the start %q", got)
	}
	p.ClickOn("#forward")
	if got := heard(); strings.HasPrefix(got, "0 s. ") {
		t.Errorf("after a step who listens hears %q", got)
	}
	p.ClickOn("#back")

	// The first node of five is at the top of the circle.
	box := browser.Ask[[]float64](p, `(() => { const b = document.querySelector("canvas.stage").getBoundingClientRect();
		return [b.x + b.width / 2, b.y + 30]; })()`)
	p.Click(box[0], box[1])
	has(t, p, "#chosen", "Node 0", "2 neighbours: 1 4", "distance to the optimum", "loss on its own rows",
		"rounds behind the first", "Last updates", "Last packets")
	p.Press("n")
	has(t, p, "#chosen", "Node 1")
	p.ClickOn("#chosen .many button")
	has(t, p, "#chosen", "Node 0")
	p.Press("k")
	has(t, p, "#chosen", "Packet", "node 0", "updates that it entered", "What it carries", "31 numbers",
		"What it adds to the attack", "packets that the adversary sees")

	// The packet from which on the sample is known: before it, the attack has nothing.
	p.ClickOn("#attack button.link")
	has(t, p, "#chosen", "value of round 1", "right before and right after it", "blocked", "exact")
	p.ClickOn("#attack p button:not(.link)")
	has(t, p, "#attack", "exact", "31 of 31 values found", "mean radius", "and 24 more, diagnosis ", "worst symmetry",
		"with all that had come by then; simulate why finds fewer that are enough, where it can")
	if text := p.Text("#chosen"); strings.Contains(text, "worst area") {
		t.Errorf("values are unfolded unasked: %q", text)
	}
	p.ClickOn("#chosen table.beside + p + details summary")
	has(t, p, "#chosen", "worst area")
	p.Press(kb.Escape)
	has(t, p, "#chosen", "Choose a node or a packet")

	// What nodes are coloured by.
	options := browser.Ask[[]string](p, "[...document.querySelectorAll('#colour option')].map(o => o.value)")
	if !slices.Equal(options, []string{"distance", "loss", "behind", "stale", "learnt"}) {
		t.Errorf("colours %q", options)
	}
	if nameless := browser.Ask[[]string](p, `[...document.querySelectorAll("button, input, select, canvas, output")]
		.filter(e => !(e.getAttribute("aria-label") || e.textContent.trim() || e.closest("label")))
		.map(e => e.outerHTML)`); len(nameless) > 0 {
		t.Errorf("without a name for screen readers: %q", nameless)
	}
	p.Press("k")
	if nameless := browser.Ask[int](p, `[...document.querySelectorAll("figure")].filter(e => !(document.getElementById(
		e.getAttribute("aria-labelledby")) || e).matches("figcaption")).length`); nameless > 0 {
		t.Errorf("%d figures have no name", nameless)
	}
	if leaps := browser.Ask[[]string](p, `[...document.querySelectorAll("h1, h2, h3, h4")].filter((e, k, all) =>
		k && e.tagName[1] - all[k - 1].tagName[1] > 1).map(e => e.textContent)`); len(leaps) > 0 {
		t.Errorf("headings leap to %q", leaps)
	}
	p.ClickOn("#table summary")
	p.Wait("document.querySelector('#nodes th:nth-child(7)') !== null")
	has(t, p, "#nodes th:nth-child(7)", "staleness of its last update")
	if got := browser.Ask[[]string](p, `[...document.querySelectorAll("#nodes tbody tr")].map(e =>
		e.lastChild.textContent)`); len(got) != 5 || got[0] != "–" || got[2] != "exact: KKT inversion of one round" {
		t.Errorf("learnt of the nodes: %q", got)
	}
	quiet(t, p, s.Address())
}

// A page is shown before the attacks are carried out, tells how far they are, and shows in the end what a page does
// that had them from the beginning. What was chosen, and by when, stays.
func TestPage_ShowsAttacksAsTheyAreCarriedOut(t *testing.T) {
	p := browser.Find(t).Drive(t)
	r := recorded(t, hospitals, 1)
	d, err := Build(context.Background(), []*record.Run{r}, Options{Points: 32})
	if err != nil {
		t.Fatal(err)
	}
	s := served(t, d)
	step, carried := make(chan bool), make(chan error, 1)
	go func() { carried <- s.Carry(t.Context(), func(int, int) { <-step }) }()
	p.Show(1280, 900, false)
	p.Open(s.Address(), ready)
	has(t, p, "#attack", "every packet that arrives", "being carried out", "0 of at most", "as it is found")
	if text := p.Text("#attack"); strings.Contains(text, "No attack suits") || strings.Contains(text, "exact") {
		t.Errorf("before any attack is carried out the page says %q", text)
	}
	if !browser.Ask[bool](p, "document.querySelector('#marks').hidden && document.querySelector('#exactly').hidden") {
		t.Error("the time line has marks of attacks that were not carried out")
	}
	p.Press(".")
	p.Press("k")
	p.ClickOn("#table summary")
	at := now(p)
	// The first, with all packets and with none, are seen before the others.
	for range 3 {
		step <- true
	}
	has(t, p, "#attack", "being carried out", "2 of at most 32", "at 2 such points", "between the start and packet")
	p.Wait("[...document.querySelectorAll('#colour option')].some(o => o.value === 'learnt')")
	close(step)
	if err := <-carried; err != nil {
		t.Fatal(err)
	}
	p.Wait("!document.documentElement.dataset.live")
	if got := now(p); got != at || at == 0 {
		t.Errorf("the time was %v and is %v", at, got)
	}
	has(t, p, "#chosen", "Packet", "What it adds to the attack", "of 70 packets that the adversary sees")
	if text := p.Text("#attack"); strings.Contains(text, "being carried out") {
		t.Errorf("when all is over the page says %q", text)
	}
	shows := func() string {
		return browser.Ask[string](p, `["#attack", "#marks", "#legend", "#runs"].map(k =>
			document.querySelector(k).innerText).join("\n")`)
	}
	late := shows()
	if said := p.Said(); len(said) > 0 {
		t.Errorf("the browser said %q", said)
	}
	for _, address := range []string{s.Address(), saved(t, built(t, r))} { // loaded anew, and written when it was whole
		p.Open(address, ready)
		p.Press(".")
		p.ClickOn("#table summary")
		if whole := shows(); whole != late {
			t.Errorf("%s shows\n%s\nand the page that was there before\n%s", address, whole, late)
		}
		if browser.Ask[bool](p, "Boolean(document.documentElement.dataset.live)") {
			t.Errorf("%s asks for more", address)
		}
	}
	if strings.Contains(string(s.page), "connect-src") {
		t.Error("a page that has everything may ask for more")
	}
}

// A page whose command has ended before the attacks were carried out says so and stays.
func TestPage_SaysThatAttacksWereNotCarriedOut(t *testing.T) {
	p := browser.Find(t).Drive(t)
	d, err := Build(context.Background(), []*record.Run{recorded(t, hospitals, 1)}, Options{Points: 32})
	if err != nil {
		t.Fatal(err)
	}
	s, end := serving(t, d)
	p.Open(s.Address(), ready)
	has(t, p, "#attack", "being carried out")
	end()
	has(t, p, "#attack", "were not carried out to their end: simulate view has ended")
	p.Press("n")
	has(t, p, "#chosen", "Node 0")
}

// Names that the file of a network gives its nodes stand beside their numbers.
func TestPage_CallsNodesByTheirNames(t *testing.T) {
	p := browser.Find(t).Drive(t)
	file := filepath.Join(t.TempDir(), "cities.csv")
	if err := os.WriteFile(file, []byte("from,to\nOslo,Rome\nRome,<b>Bonn\n<b>Bonn,Oslo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := built(t, recorded(t, hospitals, 1, "network.topology={file: "+file+"}"))
	if want := []string{"Oslo", "Rome", "<b>Bonn"}; !slices.Equal(d.Runs[0].Names, want) {
		t.Errorf("names %q", d.Runs[0].Names)
	}
	p.Show(1280, 900, false)
	p.Open(saved(t, d), ready)
	p.Press("n")
	has(t, p, "#chosen", "Node 0 (Oslo)", "2 neighbours: 1 (Rome) 2 (<b>Bonn)")
	p.Press("k")
	has(t, p, "#chosen", "node 0 (Oslo)")
	p.ClickOn("#table summary")
	p.Wait("document.querySelector('#nodes tbody tr') !== null")
	has(t, p, "#nodes tbody", "2 (<b>Bonn)")
	if names := built(t, recorded(t, hospitals, 1)).Runs[0].Names; names != nil {
		t.Errorf("nodes without names have %q", names)
	}
}

// Of a sample whose label is open that is said, and what is partial is not exact, however small its error is: the table
// of nodes says how small, and what was learnt.
func TestPage_WhatIsOpenIsNotExact(t *testing.T) {
	p := browser.Find(t).Drive(t)
	d := built(t, recorded(t, hospitals, 1, "rounds.count=12", "adversary.view.from-round=5",
		"adversary.attacks=[kkt-rounds, late-joiner]"))
	const said = "exact up to its sign"
	for _, l := range d.Runs[0].Attack.Lines {
		last := &l.Says[len(l.Says)-1]
		if last.Said != said || last.Sample[len(last.Sample)-1] != "not determined" || l.Exact < 0 {
			t.Errorf("%s is %s, exact from %d on: %s", l.Attack, last.Said, l.Exact, last.Conclusion)
		}
	}
	p.Show(1280, 900, false)
	p.Open(saved(t, d), ready)
	p.ClickOn("#table summary")
	p.Press(kb.End)
	p.Wait(`[...document.querySelectorAll(".badge")].some(e => e.textContent === "` + said + `")`)
	const cell = `document.querySelectorAll("#nodes tbody tr")[2].lastChild.textContent`
	p.Wait("document.querySelector('#nodes tbody tr') !== null")
	if got := browser.Ask[string](p, cell); got != said+": KKT inversion of many rounds" {
		t.Errorf("learnt of node 2: %q", got)
	}
	for k := range d.Runs[0].Attack.Lines {
		l := &d.Runs[0].Attack.Lines[k]
		last := &l.Says[len(l.Says)-1]
		last.Outcome, last.Error, l.Exact = record.Partial, 1e-12, -1
	}
	p.Open(saved(t, d), ready)
	p.ClickOn("#table summary")
	p.Press(kb.End)
	p.Wait("document.querySelector('#nodes tbody tr') !== null")
	if got := browser.Ask[string](p, cell); got != "1·10⁻¹²: KKT inversion of many rounds" {
		t.Errorf("learnt of node 2: %q", got)
	}
}

// Of a run that waited until its deadline what happened before fills the time line, and Play stops there.
func TestPage_StopsWhereOnlyRequestsFollow(t *testing.T) {
	p := browser.Find(t).Drive(t)
	d := built(t, parted(t))
	p.Show(1280, 900, false)
	address := saved(t, d)
	p.Open(address, ready)
	browser.Ask[bool](p, `(() => { const e = document.querySelector("#time"); e.value = 9950;
		return e.dispatchEvent(new Event("input")); })()`)
	if text := p.Text("#present"); strings.Contains(text, "in vain") {
		t.Errorf("before the end: %q", text)
	}
	p.Press(" ")
	p.Wait("document.querySelector('#time').value === '10000'")
	p.Wait("document.querySelector('#play').textContent === 'Play'")
	has(t, p, "#present", d.Runs[0].After)
	has(t, p, ".status", "the run is over")
	has(t, p, "#runs", "The time line ends at ")
	count := p.Text("#present")
	p.ClickOn("#forward")
	p.Press("k")
	if text := p.Text("#present"); text != count || strings.Contains(p.Text("#chosen"), "Packet") {
		t.Errorf("beyond the end: %q, chosen %q", text, p.Text("#chosen"))
	}
	quiet(t, p, address)
}

// Each attack that becomes exact has a letter on the time line, alone or among others, and its name and victim.
func TestPage_TellsExactAttacksApart(t *testing.T) {
	p := browser.Find(t).Drive(t)
	d := built(t, recorded(t, hospitals, 1), recorded(t, hospitals, 1, "network.latency=35ms"))
	p.Show(1280, 900, false)
	p.Open(saved(t, d), ready)
	type button struct {
		Text, Title, Name string
		Left, Right       float64
	}
	all := browser.Ask[[]button](p, `[...document.querySelectorAll("#marks button")].map(e => ({text: e.textContent,
		title: e.title, name: e.getAttribute("aria-label"), left: e.getBoundingClientRect().left,
		right: e.getBoundingClientRect().right}))`)
	var names []string
	for k, b := range all {
		if k > 0 && b.Left < all[k-1].Right {
			t.Errorf("%q covers %q", b.Text, all[k-1].Text)
		}
		if want := strings.ReplaceAll(b.Title, "\n", "; "); b.Name != want {
			t.Errorf("%q is called %q, not %q", b.Text, b.Name, want)
		}
		names = append(names, strings.Split(b.Title, "\n")...)
	}
	times := map[string]bool{}
	for k, r := range d.Runs {
		for _, l := range r.Attack.Lines {
			if l.Exact < 0 {
				continue
			}
			end := fmt.Sprintf(": %s on node %d of run %d, exact ", l.Title, l.Victim, k+1)
			at := slices.IndexFunc(names, func(n string) bool { return strings.Contains(n, end) })
			if at < 0 || !strings.HasPrefix(names[at], string(rune('A'+at))+":") {
				t.Fatalf("%q has no letter among %q", end, names)
			}
			times[names[at][strings.Index(names[at], "exact"):]] = true
		}
	}
	if len(times) < 2 || len(all) < 2 || len(all) > len(names) {
		t.Fatalf("%d instants, %d buttons, %d attacks", len(times), len(all), len(names))
	}
	for k := range d.Runs { // as sharp as the points are
		for _, l := range d.Runs[k].Attack.Lines {
			if l.Exact < 1 {
				continue
			}
			want, until := sharpness(d.Runs[k], &l)
			if !slices.ContainsFunc(names, func(n string) bool {
				line := fmt.Sprintf("%s on node %d of run %d, %s (", l.Title, l.Victim, k+1, want)
				return strings.Contains(n, line) && strings.Contains(n, until)
			}) {
				t.Errorf("%q, %q is not in %q", want, until, names)
			}
		}
	}
	last := names[len(names)-1]
	for range strings.Count(all[len(all)-1].Title, "\n") + 1 { // one after the other
		p.ClickOn("#marks button:last-child")
	}
	if text := browser.Ask[string](p, `[...document.querySelectorAll("#attack select")].map(e =>
		e.selectedOptions[0].textContent).join("; ")`); !strings.Contains(text, last[:strings.Index(last, " of run")]) {
		t.Errorf("after a click on %q the panels show %q", last, text)
	}
	has(t, p, "#attack", "exact")
	if now(p) == 0 {
		t.Error("the page stays at the start")
	}
}

// sharpness is from which packet on an attack is exact, or between which two it becomes so.
func sharpness(r *Run, l *AttackLine) (from, until string) {
	id := func(count int) (id int64) {
		for _, since := range r.Packets.ID[:r.Attack.Order[count-1]+1] {
			id += since
		}
		return id
	}
	n, before := r.Attack.Points[l.Exact], r.Attack.Points[l.Exact-1]
	switch {
	case before == n-1:
		return fmt.Sprintf("exact from packet %d on", id(n)), ""
	case before == 0:
		return fmt.Sprintf("becomes exact between the start and packet %d", id(n)), ""
	}
	return fmt.Sprintf("becomes exact between packet %d", id(before)), fmt.Sprintf(" and packet %d (", id(n))
}

// Of attacks that become exact at one instant all are in a list, more than the button names, and each leads to its
// attack. Letters go by time, and then as attacks stand in the panel: A to Z, AA to AZ, BA.
func TestPage_ListsAllAttacksOfAnInstant(t *testing.T) {
	p := browser.Find(t).Drive(t)
	d := built(t, recorded(t, `name: many
problem: {data: wdbc, train: 0.8, rho: 0.22}
network: {topology: {kind: ring, nodes: 54}, latency: 20ms}
rounds: {count: 3}
algorithm: {kind: admm, eta: 0.05}
adversary: {knows: {victim: all, all-but: 0}, attacks: [kkt-inversion]}
`, 1))
	p.Show(390, 844, false)
	p.Open(saved(t, d), ready)
	lines := d.Runs[0].Attack.Lines
	order := make([]int, len(lines)) // by time, and then as they stand
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(i, j int) int {
		at := func(k int) int64 { return reached(d.Runs[0], lines[k].Exact) }
		return cmp.Compare(at(i), at(j))
	})
	texts := browser.Ask[[]string](p, `[...document.querySelectorAll("#attack option")].map(e => e.textContent)`)
	for k, line := range order {
		name := string(rune('A' + k%26))
		if k >= 26 {
			name = string("AB"[k/26-1]) + name
		}
		want := fmt.Sprintf("%s: %s on node %d", name, lines[line].Title, lines[line].Victim)
		if texts[k] != want {
			t.Errorf("option %d is %q, want %q", k, texts[k], want)
		}
	}
	for _, e := range browser.Ask[[][]string](p, `[...document.querySelectorAll("#marks button")].map(e =>
		[e.textContent, e.title])`) { // one of many says how many, and not the first of them
		said, all := strings.Count(e[1], "\n")+1, "attacks, "+e[0]+"; a click lists all"
		if said > 12 || strings.Contains(e[1], " more") ||
			said == 1 && strings.Contains(e[0], "–") && !strings.HasSuffix(e[1], all) {
			t.Errorf("%q says %q", e[0], e[1])
		}
	}
	seen := map[string]bool{}
	buttons := browser.Ask[int](p, `document.querySelectorAll("#marks button").length`)
	for k := range buttons {
		p.ClickOn(fmt.Sprintf("#marks button:nth-child(%d)", k+1))
		listed := browser.Ask[[]string](p, `[...document.querySelectorAll(
			"#sharing:not([hidden]) button.link")].map(e => { e.click(); return e.textContent.split(",")[0] + "|" +
			document.querySelector("#attack select").selectedOptions[0].textContent; })`)
		if short := browser.Ask[int](p, `[...document.querySelectorAll("#sharing button.link")]
			.filter(e => e.scrollHeight > e.offsetHeight).length`); short > 0 {
			t.Errorf("%d lines of the list lie over others", short)
		}
		for _, l := range listed {
			name, chosen, _ := strings.Cut(l, "|")
			if seen[name] = true; name != chosen {
				t.Errorf("%q leads to %q", name, chosen)
			}
		}
	}
	if buttons == 0 || len(seen)+1 < len(lines) || len(lines) != 54 {
		t.Errorf("%d of %d attacks are listed: %v", len(seen), len(lines), seen)
	}
}

// reached is when a point of a run's attacks is.
func reached(r *Run, point int) int64 {
	if r.Attack.Points[point] == 0 {
		return 0
	}
	row, at := r.Attack.Order[r.Attack.Points[point]-1], int64(0)
	for _, since := range r.Packets.Sent[:row+1] {
		at += since
	}
	return at + r.Packets.Took[row]
}

// On a telephone two networks and the controls are on the screen together. What is chosen comes to where it is seen,
// beside the controls, and has the focus until nothing is chosen.
func TestPage_ShowsWhatIsChosen(t *testing.T) {
	p := browser.Find(t).Drive(t)
	address := saved(t, built(t, recorded(t, hospitals, 1), recorded(t, hospitals, 1, "network.loss=0.1",
		"rounds.retry=50ms")))
	type box struct{ Left, Top, Right, Bottom float64 }
	boxes := func(selector string) []box {
		return browser.Ask[[]box](p, fmt.Sprintf(`[...document.querySelectorAll(%q)].map(e => { const b =
			e.getBoundingClientRect(); return {left: b.left, top: b.top, right: b.right, bottom: b.bottom}; })`,
			selector))
	}
	focus := func() string {
		return browser.Ask[string](p, "document.activeElement.id || document.activeElement.tagName")
	}
	for _, height := range []int{844, 500} {
		p.Show(390, height, false)
		p.Open(address, ready)
		stages, bar := boxes("canvas.stage"), boxes("#controls")[0]
		if height == 844 && (stages[0].Right > stages[1].Left || stages[0].Top != stages[1].Top ||
			stages[0].Bottom > bar.Top || bar.Bottom > 844 || stages[0].Bottom-stages[0].Top < 150) {
			t.Errorf("networks %v and controls %v", stages, bar)
		}
		browser.Ask[bool](p, `document.querySelector("#play").focus(), true`)
		p.Press("n")
		if got := focus(); got != "chosenbox" {
			t.Errorf("%s has the focus", got)
		}
		p.Wait("(b => b.top >= 0 && b.top + 200 <= innerHeight)" +
			"(document.querySelector('#chosenbox').getBoundingClientRect())")
		chosen := boxes("#chosenbox")[0]
		if bar = boxes("#controls")[0]; height == 844 && (bar.Top < 0 || bar.Bottom > chosen.Top) {
			t.Errorf("controls %v, what is chosen %v", bar, chosen)
		}
		p.ClickOn("#chosen .many button") // which is gone when it is done
		if got := focus(); got != "chosenbox" {
			t.Errorf("%s has the focus after another choice", got)
		}
		p.Press(kb.Escape)
		if got := focus(); got != "play" {
			t.Errorf("%s has the focus when nothing is chosen", got)
		}
	}
}

// A value stays what it is until the next is published: curves of a node go straight or up and down, never aslant.
func TestPage_CurvesGoByWhatIsPublished(t *testing.T) {
	p := browser.Find(t).Drive(t)
	p.Open(saved(t, built(t, recorded(t, hospitals, 1))), ready)
	p.Press("n")
	type lines struct{ Curves, Segments, Aslant int }
	browser.Ask[bool](p, `(() => {
		const c = CanvasRenderingContext2D.prototype, {moveTo, lineTo} = c;
		window.drawn = {segments: 0, aslant: 0};
		let at;
		c.moveTo = function (x, y) { at = [x, y]; return moveTo.call(this, x, y); };
		c.lineTo = function (x, y) {
			if (/of node/.test(this.canvas.getAttribute("aria-label"))) {
				window.drawn.segments++;
				if (x !== at[0] && y !== at[1]) window.drawn.aslant++;
			}
			at = [x, y];
			return lineTo.call(this, x, y);
		};
		return true;
	})()`)
	p.Press(kb.ArrowRight)
	got := browser.Ask[lines](p, `({...window.drawn,
		curves: document.querySelectorAll("#chosen canvas.chart").length})`)
	if got.Curves != 3 || got.Segments < 100 || got.Aslant > 0 {
		t.Errorf("%+v", got)
	}
}

func TestPage_PacketsThatTheAdversaryDoesNotSee(t *testing.T) {
	p := browser.Find(t).Drive(t)
	address := saved(t, built(t, recorded(t, hospitals, 1, "adversary.view={kind: nodes, nodes: [3]}")))
	p.Open(address, ready)
	p.Press("k") // from node 0 to node 1
	has(t, p, "#chosen", "node 0", "node 1", "Nothing: the adversary does not see it.")
	has(t, p, "#attack", "packets between nodes other than 3")
	quiet(t, p, address)
}

// No request but for the page, and no script but its own.
func TestPage_RunsNoOtherScript(t *testing.T) {
	p := browser.Find(t).Drive(t)
	p.Open(saved(t, built(t, recorded(t, hospitals, 1))), ready)
	for name, script := range map[string]string{
		"a script": `const e = document.createElement("script"); e.textContent = "window.taken = true";
			document.body.append(e);`,
		"a handler": `const d = document.createElement("div"); d.innerHTML = "<p onclick='window.taken = true'>x</p>";
			document.body.append(d); d.firstChild.click();`,
		"a request": `fetch("http://127.0.0.1:9/").catch(() => {});`,
		"a picture": `const i = document.createElement("img"); i.src = "http://127.0.0.1:9/x";
			document.body.append(i);`,
		"a style": `const s = document.createElement("style"); s.textContent = "body { color: red }";
			document.head.append(s);`,
	} {
		refused := browser.Ask[bool](p, `new Promise(done => {
			document.addEventListener("securitypolicyviolation", () => done(true), {once: true});
			setTimeout(() => done(false), 3000); `+script+` })`)
		if !refused || browser.Ask[bool](p, "!!window.taken") {
			t.Errorf("%s is not refused", name)
		}
	}
}

// An attack that cannot be scored may well be exact.
func TestPage_DoesNotSayWhatIsNotKnown(t *testing.T) {
	p := browser.Find(t).Drive(t)
	d := built(t, recorded(t, hospitals, 1))
	says := func(outcome record.Outcome) string {
		for k := range d.Runs[0].Attack.Lines {
			l := &d.Runs[0].Attack.Lines[k]
			l.Exact = -1
			for j := range l.Says {
				l.Says[j].Outcome = outcome
			}
		}
		p.Open(saved(t, d), ready)
		return p.Text("#attack")
	}
	const never, unknown = "It does not become exact.", "Whether it becomes exact is not known."
	if text := says(record.Unscored); strings.Contains(text, never) || !strings.Contains(text, unknown) {
		t.Errorf("unscored: %q", text)
	}
	if text := says(record.Failed); !strings.Contains(text, never) || strings.Contains(text, unknown) {
		t.Errorf("failed: %q", text)
	}
}

// An attack that was exact and lost it again has not been without: with how many packets it was is told, whether it
// becomes exact again or not.
func TestPage_TellsAttacksThatWereExactForAWhile(t *testing.T) {
	p := browser.Find(t).Drive(t)
	d := built(t, recorded(t, hospitals, 1))
	a := d.Runs[0].Attack
	says := func(exact int, spells ...int) string {
		for k := range a.Lines {
			l := &a.Lines[k]
			l.Exact, l.At = exact, make([]int, len(a.Points))
			none := number(math.NaN())
			l.Says = []AttackSaying{{Outcome: record.Failed, Error: none, Guess: none},
				{Outcome: record.Exact, Error: none, Guess: none}}
			for j := range a.Points {
				if slices.Contains(spells, j) || exact >= 0 && j >= exact {
					l.At[j] = 1
				}
			}
		}
		p.Open(saved(t, d), ready)
		p.Press(kb.End)
		return p.Text("#attack")
	}
	at := func(point int) string {
		return fmt.Sprintf("%d packets (%.5g ms)", a.Points[point], float64(reached(d.Runs[0], point))/1e6)
	}
	const never = "It does not become exact."
	want := fmt.Sprintf("It was exact with the first %s, with the first %d to %s, and is no longer with all.", at(2),
		a.Points[4], at(5))
	if text := says(-1, 2, 4, 5); !strings.Contains(text, want) || strings.Contains(text, never) {
		t.Errorf("%q is not in %q", want, text)
	}
	if text := says(-1, 1, 3, 5, 7, 9); !strings.Contains(text, at(5)+", 2 more times, and is no longer with all.") {
		t.Errorf("of five times: %q", text)
	}
	want = "Before, it was exact with the first " + at(2) + ", and no longer with those that came next."
	text := says(len(a.Points)-1, 2)
	if !strings.Contains(text, want) || !strings.Contains(strings.ToLower(text), "exact again ") {
		t.Errorf("%q is not in %q", want, text)
	}
	if text := says(len(a.Points) - 1); strings.Contains(text, "again") || strings.Contains(text, "Before, it was") {
		t.Errorf("exact once: %q", text)
	}
}

// What a packet adds to an attack is what a person reads otherwise after it, and not what rounding changes. The true
// sample stands by an estimate alone.
func TestPage_ListsOfAPacketWhatReadsOtherwise(t *testing.T) {
	p := browser.Find(t).Drive(t)
	d := built(t, recorded(t, hospitals, 1))
	a := d.Runs[0].Attack
	says := func(line int, before, after AttackSaying) {
		l := &a.Lines[line]
		l.Title, l.At, l.Exact, l.Columns = fmt.Sprintf("attack %d", line), nil, -1, []string{"age", "income"}
		l.Says = []AttackSaying{before, after}
		for j := range a.Points {
			l.At = append(l.At, j%2)
		}
	}
	of := func(outcome record.Outcome, e float64, conclusion, age string) AttackSaying {
		s := AttackSaying{Outcome: outcome, Conclusion: conclusion, Of: "samples", By: "a guess", Error: number(e),
			Guess: 1, TrueOne: "age 7, income low"}
		if age != "" {
			s.Sample, s.Truth, s.Right = []string{age, "low"}, []string{"7", "low"}, []bool{age == "7", true}
			s.Sentence = "age " + age + ", income low"
		}
		return s
	}
	chosen := func() string {
		p.Open(saved(t, d), ready)
		p.Press("k")
		return p.Text("#chosen")
	}
	has := func(text string, words ...string) {
		t.Helper()
		for _, w := range words {
			if !strings.Contains(text, w) {
				t.Errorf("%q is not in %q", w, text)
			}
		}
	}
	near, nearer := "with all numbers to 3.2e-9", "with all numbers to 2.98e-9"
	says(0, of(record.Partial, 3.24e-9, near, "7"), of(record.Partial, 2.98e-9, nearer, "7"))
	says(1, of(record.Failed, 0.5, "rank 3 of 5", ""), of(record.Failed, 0.5, "rank 4 of 5", ""))
	text := chosen()
	has(text, "attack 1 on node 2\n", "rank 3 of 5", "rank 4 of 5",
		"The same before and after", ": attack 0 on node 2.")
	for _, w := range []string{"True: ", "3.24", "2.98", "3.2e"} {
		if strings.Contains(text, w) {
			t.Errorf("%q is in %q", w, text)
		}
	}
	says(1, of(record.Failed, 0.5, "a few", ""), of(record.Failed, 0.5, "a few", "7"))
	has(chosen(), "attack 1 on node 2\n", "True: age 7, income low", ": attack 0 on node 2.")
	says(1, of(record.Failed, 0.5, "u of length 1.234", ""), of(record.Failed, 0.5, "u of length 1.235", ""))
	has(chosen(), ": attack 0 on node 2, attack 1 on node 2.")
	says(1, of(record.Partial, 0.5, "of 3 rounds", "8"), of(record.Partial, 0.5, "of 4 rounds", "8"))
	has(chosen(), ": attack 0 on node 2, attack 1 on node 2.")
	says(1, of(record.Partial, 0.5, "of rounds", "8"), of(record.Partial, 0.5, "up to sign", "8"))
	has(chosen(), "attack 1 on node 2\n", "of rounds", "up to sign")
	says(1, of(record.Failed, 0.5, "a few", ""), of(record.Failed, 0.4, "a few", ""))
	has(chosen(), "attack 1 on node 2\n", "error 0.4", ": attack 0 on node 2.")
}

// Nodes of a run over split columns have no colours, and so there is no scale of them. What is zero is told to be.
func TestPage_HasNoScaleWithoutColours(t *testing.T) {
	p := browser.Find(t).Drive(t)
	scaled := func(d *Document) (seen []string) {
		p.Open(saved(t, d), ready)
		return browser.Ask[[]string](p,
			`["#colourbox", "#ramp"].filter(s => document.querySelector(s).offsetWidth > 0)`)
	}
	if seen := scaled(built(t, recorded(t, hospitals, 1))); len(seen) != 2 {
		t.Errorf("with colours only %q are seen", seen)
	}
	has(t, p, "#present", "disagreement")
	d := built(t, recorded(t, `name: parties
problem: {data: wdbc, columns: [10, 10, 10], scale: {columns: max, rows: unit, intercept: false}, rho: 0.001}
network: {topology: {kind: star, nodes: 4}, latency: 20ms}
rounds: {count: 3}
algorithm: {kind: admm-sharing, form: averaged, eta: 0.0026, loss: mean}
`, 1))
	if seen := scaled(d); len(seen) > 0 {
		t.Errorf("without colours %q are seen", seen)
	}
	d = built(t, recorded(t, hospitals, 1))
	v := &d.Runs[0].Values
	v.Content = base64.StdEncoding.EncodeToString(make([]byte, base64.StdEncoding.DecodedLen(len(v.Content))/4*4))
	p.Open(saved(t, d), ready)
	p.Press("k")
	has(t, p, "#chosen figcaption", "31 numbers, all 0")
}

func TestPage_TextsStayTexts(t *testing.T) {
	p := browser.Find(t).Drive(t)
	d := built(t, recorded(t, hospitals, 1))
	const hostile = `<img src=x onerror="document.title='taken'"></script><script>document.title='taken'</script>`
	r := d.Runs[0]
	r.Name, r.About, r.Algorithm = hostile, hostile, hostile
	r.Facts, r.Warnings, r.Notes = append(r.Facts, [2]string{hostile, hostile}), []string{hostile}, []string{hostile}
	r.Faults = []Fault{{From: 0, To: r.End, Slow: []int{0}, Text: hostile}}
	r.Outages = []Outage{{Node: 0, To: r.End, Why: hostile}}
	r.Packets.Kinds[0] = record.MessageKind(hostile)
	r.Inputs.Why = hostile
	a := r.Attack
	a.Sees, a.Knows, a.Wants, a.Unseen = hostile, hostile, hostile, []string{hostile}
	for k := range a.Lines {
		l := &a.Lines[k]
		l.Title, l.Equation = hostile, hostile
		for j := range l.Columns {
			l.Columns[j] = hostile
		}
		for j := range l.Says {
			s := &l.Says[j]
			s.Conclusion, s.Of, s.By, s.Sentence, s.TrueOne = hostile, hostile, hostile, hostile, hostile
			s.Outcome = record.Outcome(hostile)
			for i := range s.Truth {
				s.Truth[i] = hostile
			}
		}
	}
	d.Difference = &Difference{Sides: []string{hostile, hostile}}
	address := saved(t, d)
	p.Open(address, ready)
	p.Press("n")
	p.Press("k")
	p.Press(kb.End)
	if n := browser.Ask[int](p, "document.querySelectorAll('img').length"); n != 0 {
		t.Errorf("%d pictures", n)
	}
	if title := browser.Ask[string](p, "document.title"); title != hostile+", seed 1" {
		t.Errorf("the title is %q", title)
	}
	has(t, p, "h1", hostile)
	has(t, p, "#runs", hostile)
	quiet(t, p, address)
}

func TestPage_TwoRuns(t *testing.T) {
	p := browser.Find(t).Drive(t)
	address := saved(t, built(t, recorded(t, hospitals, 1), recorded(t, hospitals, 1, "network.loss=0.1",
		"rounds.retry=50ms")))
	p.Show(1280, 900, false)
	p.Open(address, ready)
	has(t, p, "#difference", "network.loss", "rounds.retry", "The first event that differs", "which is lost",
		"arrives 20 ms later")
	p.ClickOn("#difference button")
	has(t, p, "#present", "Run 1", "Run 2")
	if n := browser.Ask[int](p, "document.querySelectorAll('canvas.stage').length"); n != 2 {
		t.Errorf("%d networks", n)
	}
	for k, title := range []string{"Node 0 of run 1", "Node 0 of run 2"} {
		label := browser.Ask[string](p, fmt.Sprintf(`(() => { const c = document.querySelectorAll("canvas.stage")[%d];
			c.focus(); return c.getAttribute("aria-label"); })()`, k))
		if want := fmt.Sprintf("Run %d: Network of 5 nodes at", k+1); !strings.HasPrefix(label, want) {
			t.Errorf("%q, want %q", label, want)
		}
		p.Press("n")
		has(t, p, "#chosen h3", title)
		p.Press("n") // what is chosen has the focus
		has(t, p, "#chosen h3", strings.Replace(title, "0", "1", 1))
	}
	p.Press("k")
	has(t, p, "#chosen h3", "of run 2")
	p.Press(kb.Escape)
	for _, width := range []int{390, 1280, 1920} {
		p.Show(width, 1000, width == 1920)
		p.ClickOn("#forward")
		if got := browser.Ask[[]float64](p, `(() => { const [a, b] = ["#round", "#rounds"].map(s => document
			.querySelector(s)), r = document.createRange(), box = b.getBoundingClientRect(); r.selectNodeContents(a);
			return [r.getBoundingClientRect().right, box.left, box.width]; })()`); got[0] > got[1] || got[2] < 60 {
			t.Errorf("%d: the round's label ends at %.0f, its slider begins at %.0f and is %.0f wide", width, got[0],
				got[1], got[2])
		}
		text := browser.Ask[string](p, "document.querySelector('#rounds').getAttribute('aria-valuetext')")
		if !strings.HasSuffix(text, " of run 2") || strings.Contains(text, "round") {
			t.Errorf("who listens hears round %q", text)
		}
		if got := browser.Ask[[]float64](p, "[document.documentElement.scrollWidth, innerWidth]"); got[0] > got[1] {
			t.Errorf("it is %.0f wide in a window of %.0f", got[0], got[1])
		}
		browser.Ask[bool](p, "scrollTo(0, 0), true")
		p.Shoot(fmt.Sprintf("view-two-%d.png", width))
	}
	quiet(t, p, address)
}

// Of two runs the slider and the keys for rounds go by the one that lasts longer, wherever it stands.
func TestPage_RoundsAreThoseOfTheLongerRun(t *testing.T) {
	p := browser.Find(t).Drive(t)
	long, short := recorded(t, hospitals, 1), recorded(t, hospitals, 1, "rounds.count=2")
	for k, runs := range [][]*record.Run{{short, long}, {long, short}} {
		p.Open(saved(t, built(t, runs...)), ready)
		p.Press(kb.End)
		for round := 6; round > 2; round-- {
			has(t, p, "#round", fmt.Sprintf("%d of run %d", round, 2-k))
			p.Press(",")
		}
		p.Press(kb.End)
		p.Press(",")
		p.Press(".")
		has(t, p, "#round", fmt.Sprintf("6 of run %d", 2-k))
		if most := browser.Ask[string](p, "document.querySelector('#rounds').max"); most != "6" {
			t.Errorf("the slider goes up to %s", most)
		}
	}
}

// The page is no wider than the window, and dark by night.
func TestPage_FitsWindows(t *testing.T) {
	p := browser.Find(t).Drive(t)
	documents := map[string]*Document{
		"faulty":    built(t, recorded(t, faulty, 1)),
		"hospitals": built(t, recorded(t, hospitals, 1)),
		"large":     synthetic(1000, 20000),
	}
	for name, d := range documents {
		address := saved(t, d)
		grounds := map[bool]string{}
		for _, width := range []int{390, 1024, 1920} {
			for _, dark := range []bool{false, true} {
				p.Show(width, map[int]int{390: 844, 1024: 768, 1920: 1080}[width], dark)
				p.Open(address, ready)
				p.Press("...n")
				if name == "faulty" { // while there is a partition
					browser.Ask[bool](p, `(() => { const e = document.querySelector("#time"); e.value = "904";
						return e.dispatchEvent(new Event("input")); })()`)
					has(t, p, "#present", "partition")
				} else {
					p.Press("k")
				}
				p.ClickOn("#forward")
				browser.Ask[bool](p, "scrollTo(0, 0), true")
				got := browser.Ask[[]float64](p, "[document.documentElement.scrollWidth, innerWidth]")
				if got[0] > got[1] {
					t.Errorf("%s is %.0f wide in a window of %.0f", name, got[0], got[1])
				}
				grounds[dark] = browser.Ask[string](p, "getComputedStyle(document.body).backgroundColor")
				if seen := browser.Ask[int](p, colours); seen < 20 {
					t.Errorf("%s at %d, dark %v: the network has %d colours", name, width, dark, seen)
				}
				scheme := map[bool]string{false: "light", true: "dark"}[dark]
				p.Shoot(fmt.Sprintf("view-%s-%d-%s.png", name, width, scheme))
			}
		}
		if grounds[false] == grounds[true] {
			t.Errorf("%s: the ground is %s by day and by night", name, grounds[false])
		}
	}
	if said := p.Said(); len(said) > 0 {
		t.Errorf("the browser said %q", said)
	}
}

// colours counts the colours of the picture of the network.
const colours = `(() => { const c = document.querySelector("canvas.stage"), seen = new Set();
	const d = new Uint32Array(c.getContext("2d").getImageData(0, 0, c.width, c.height).data.buffer);
	for (const v of d) seen.add(v);
	return seen.size; })()`

// A run of 100,000 events is played with as many frames as the browser draws of any page, or nearly.
func TestPage_IsFluent(t *testing.T) {
	if testing.Short() {
		t.Skip("plays for seconds")
	}
	p := browser.Find(t).Drive(t)
	for _, nodes := range []int{300, 1000} {
		p.Show(1280, 900, false)
		p.Open(saved(t, synthetic(nodes, 50000)), ready)
		p.Press("n")
		p.Press(" ")
		got := browser.Ask[[]float64](p, `new Promise(done => { const all = []; let last = null;
			const frame = now => { if (last !== null) all.push(now - last); last = now;
				if (all.length < 90) requestAnimationFrame(frame);
				else done([all.sort((a, b) => a - b)[45], all[85]]); };
			requestAnimationFrame(frame); })`)
		t.Logf("%d nodes: frames of %.0f ms, of 20 one above %.0f ms", nodes, got[0], got[1])
		if !(got[0] <= 50) {
			t.Errorf("%d nodes: half of all frames take more than %.0f ms", nodes, got[0])
		}
	}
}

// synthetic is a run with so many packets and half as many updates.
func synthetic(nodes, packets int) *Document {
	g := rand.New(rand.NewPCG(1, 2))
	r := &Run{Name: "synthetic", Seed: "1", Algorithm: "none", Nodes: nodes, Rounds: packets / nodes,
		End: int64(packets) * 1e6}
	for i := range nodes {
		for _, j := range []int{(i + 1) % nodes, (i + 7) % nodes} {
			r.Edges = append(r.Edges, min(i, j), max(i, j))
		}
		r.Places = append(r.Places, [2]number{number(2*g.Float64() - 1), number(2*g.Float64() - 1)})
	}
	r.GraphEdges = len(r.Edges) / 2
	if nodes > 300 {
		r.Places = nil
	}
	r.Packets.Kinds, r.Packets.Reasons = []record.MessageKind{record.MessageValue}, []string{"by its link"}
	for k := range packets {
		p := &r.Packets
		edge := g.IntN(r.GraphEdges)
		p.ID, p.Sent = append(p.ID, min(1, int64(k))), append(p.Sent, 1e6)
		p.Src, p.Dst = append(p.Src, int32(r.Edges[2*edge])), append(p.Dst, int32(r.Edges[2*edge+1]))
		p.Round, p.Bytes, p.Kind = append(p.Round, int32(k/nodes)), append(p.Bytes, 100), append(p.Kind, 0)
		took := int64(2e8 * g.ExpFloat64())
		if g.IntN(10) == 0 {
			took, p.Lost = -1, append(p.Lost, 0)
		}
		p.Took = append(p.Took, took)
		if k%2 == 0 {
			node, round := int32(k/2%nodes), int32(k/2/nodes)
			s, v := &r.Steps, &r.Values
			s.Node, s.Round = append(s.Node, node), append(s.Round, round)
			s.Ended, s.Took = append(s.Ended, 2e6), append(s.Took, 5e7)
			v.Node, v.Round, v.Time = append(v.Node, node), append(v.Round, round), append(v.Time, 2e6)
			v.Norm = append(v.Norm, 1)
			v.Distance, v.Loss = append(v.Distance, number(1/(1+float64(round)))), append(v.Loss, number(g.Float64()))
		}
	}
	r.Rows.Round, r.Rows.Time = []number{0, 1}, []int64{0, r.End}
	r.Inputs.Lockstep = true
	return &Document{Runs: []*Run{r}}
}

// What simulate view offers is what --out writes.
func TestServer_OffersTheFile(t *testing.T) {
	d := built(t, recorded(t, hospitals, 1))
	again := built(t, recorded(t, hospitals, 1))
	a, errA := json.Marshal(d)
	b, errB := json.Marshal(again)
	if errA != nil || errB != nil || string(a) != string(b) {
		t.Errorf("two documents of one run differ: %v, %v", errA, errB)
	}
	if _, err := Build(context.Background(), nil, Options{}); err != nil {
		t.Error(err)
	}
}
