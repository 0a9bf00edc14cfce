// What a run costs against the number of nodes.

package networks

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"overhear/report/plot"
	"overhear/reproduce"
)

func init() {
	reproduce.RegisterStudy(&reproduce.Study{
		Name:  "networks/scale",
		Title: "Cost against nodes, from a hundred to a million",
		About: "Edge ADMM, asynchronous, on a random 4-regular graph with two rows of twonorm a node (21 columns) " +
			"and ten updates each: data, centralised optimum and metrics\n" +
			"included, trace off. Seconds and memory are of the machine that computed the page; counts are the same " +
			"everywhere. Edge ADMM keeps a vector for each end of each link.",
		Compute: scaleStudy,
	})
}

func scaleStudy(b *reproduce.Workbench) error {
	seconds := plot.Chart{Title: "Real time of a run", X: plot.Log("nodes"), Y: plot.Log("seconds")}
	memory := plot.Chart{Title: "Memory of a run", X: plot.Log("nodes"), Y: plot.Log("megabytes")}
	var t, m plot.Line
	t.Label, m.Label = "10 updates a node", "greatest in use"
	rows := []string{"| nodes | events | messages | seconds | events a second | µs a message | memory, MB " +
		"|\n|---|---|---|---|---|---|---|"}
	var perMessage []float64
	var million string
	for _, nodes := range []int{100, 1000, 10_000, 100_000, 1_000_000} {
		sets := []string{fmt.Sprintf("network.topology.nodes=%d", nodes), fmt.Sprintf("problem.data.rows=%d", 2*nodes)}
		debug.FreeOSMemory()
		peak, stop := watchMemory()
		start := time.Now()
		info, _, err := b.Measure("scale.yaml", sets...)
		took := time.Since(start).Seconds()
		stop()
		if err != nil {
			return err
		}
		mb := float64(*peak) / 1e6
		each := took / float64(info.Final.Messages) * 1e6
		perMessage = append(perMessage, each)
		rows = append(rows, fmt.Sprintf("| %d | %d | %d | %.3g | %.3g | %.3g | %.0f |", nodes, info.Events,
			info.Final.Messages, took, float64(info.Events)/took, each, mb))
		t.X, t.Y, t.Low, t.High = append(t.X, float64(nodes)), append(t.Y, took), append(t.Low, took),
			append(t.High, took)
		m.X, m.Y, m.Low, m.High = append(m.X, float64(nodes)), append(m.Y, mb), append(m.Low, mb), append(m.High, mb)
		million = fmt.Sprintf("%d nodes: %d events in %.0f s, %.2g a second with their solves, %.1f GB", nodes,
			info.Events, took, float64(info.Events)/took, mb/1e3)
	}
	last := len(perMessage) - 1
	growth := perMessage[last] / perMessage[last-2]
	b.State("cost grows linearly with messages", reproduce.Assess(growth < 2),
		"microseconds a message at 10⁴, 10⁵ and 10⁶ nodes: %.3g, %.3g, %.3g", perMessage[last-2], perMessage[last-1],
		perMessage[last])
	b.State("a million nodes run on one machine", reproduce.Assess(million != ""), "%s; %d processors", million,
		runtime.GOMAXPROCS(0))
	seconds.Lines, memory.Lines = []plot.Line{t}, []plot.Line{m}
	b.Draw("seconds", seconds)
	b.Draw("memory", memory)
	b.Say("%s", strings.Join(rows, "\n"))
	b.Say("Events a second of the engine alone, without solves, by size of queue and by network: " +
		"`go test ./sim -run xxx -bench .`.")
	return nil
}

// watchMemory follows the greatest memory in use until stop is called.
func watchMemory() (peak *uint64, stop func()) {
	peak = new(uint64)
	quit, done := make(chan struct{}), make(chan struct{})
	look := func() {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		*peak = max(*peak, m.Sys-m.HeapReleased)
	}
	go func() {
		defer close(done)
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				look()
			case <-quit:
				look()
				return
			}
		}
	}()
	return peak, func() { close(quit); <-done }
}
