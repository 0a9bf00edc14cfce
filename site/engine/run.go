// One run of a scenario that a reader wrote.

package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"syscall"

	"overhear/experiment"
	"overhear/internal/plural"
	"overhear/record"
	"overhear/report"
	"overhear/report/plot"
)

// ran is the answer to run: what simulate run prints and draws.
type ran struct {
	Table    [][3]string `json:"table"`
	Digest   string      `json:"digest"`
	Warnings []string    `json:"warnings"`
	Ended    string      `json:"ended,omitempty"` // why the run went no further
	Metrics  table       `json:"metrics"`
	Figures  []picture   `json:"figures"`
}

type table struct {
	Columns []string     `json:"columns"`
	Rows    [][]measured `json:"rows"`
}

// picture is a drawing of an answer.
type picture struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	SVG   string `json:"svg"`
}

// running is the share of a run's time that its rounds are taken to need; then figures are drawn.
const running = 0.9

// run runs one seed of a scenario.
func run(ctx context.Context, text string, seed uint64, tell progress) (*ran, error) {
	s, err := parse(text)
	if err != nil {
		return nil, err
	}
	info, table, err := experiment.New(s, "").MeasureAs(ctx, seed, experiment.Measuring{
		Workers: runtime.GOMAXPROCS(0), Told: func(round int) {
			share := running * float64(round) / float64(s.Rounds.Count)
			if round < s.Rounds.Count {
				tell(share, fmt.Sprintf("round %d of %d", round, s.Rounds.Count))
			} else { // to measure and draw a long run takes seconds
				tell(share, fmt.Sprintf("all of %s are done; measuring and drawing", plural.Of(round, "round")))
			}
		}})
	early := (*experiment.EarlyEnd)(nil)
	if errors.Is(err, syscall.ENOSYS) { // of a system that has no files
		needed := "one"
		if of := (*fs.PathError)(nil); errors.As(err, &of) {
			needed = of.Path
		}
		return nil, fmt.Errorf("a browser has no files, and this scenario needs %s: take data that are built in or "+
			"generated, such as wdbc, or run it by the command", needed)
	}
	if err != nil && !(info != nil && errors.As(err, &early)) {
		return nil, err
	}
	return outcome(info, table, tell), nil
}

// outcome is the answer of a run's record.
func outcome(info *record.Info, table *record.Table, tell progress) *ran {
	a := &ran{Table: report.Lines(info), Digest: info.Digest, Warnings: info.Warnings, Ended: info.Ended}
	a.Metrics.Columns = table.Columns
	for _, row := range table.Rows {
		numbers := make([]measured, len(row))
		for k, v := range row {
			numbers[k] = measured(v)
		}
		a.Metrics.Rows = append(a.Metrics.Rows, numbers)
	}
	charts := plot.RunCharts(info.Name, []*record.Table{table})
	for k, c := range charts {
		share := float64(k+1) / float64(len(charts)+1)
		tell(running+(1-running)*share, fmt.Sprintf("drawing figure %d of %d", k+1, len(charts)))
		a.Figures = append(a.Figures, draw(k+1, c.Name, c.Chart))
	}
	return a
}

// draw is a chart's picture, as an element for a page that has the variables of [plot.CSS]; a chart without a point has
// none. Its number is one that no other picture of the answer has.
func draw(number int, name string, c plot.Chart) picture {
	p := c.Picture()
	if p == nil {
		return picture{Name: name, Title: c.Title}
	}
	return picture{name, c.Title, strings.TrimSpace(p.Element(number))}
}
