//go:build unix

// What the command's own parts take of a run.

package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"overhear/evaluation"
	"overhear/experiment"
	"overhear/internal/cputime"
	"overhear/internal/files"
	"overhear/record"
	"overhear/report/plot"
	"overhear/scenarios"
)

// simulate builds the command and returns how to run it: the function returns the processor time of a run.
func simulate(tb testing.TB) func(arguments ...string) time.Duration {
	tb.Helper()
	command := filepath.Join(tb.TempDir(), "simulate")
	if out, err := exec.Command("go", "build", "-o", command, "../cmd/simulate").CombinedOutput(); err != nil {
		tb.Fatalf("%v\n%s", err, out)
	}
	return func(arguments ...string) time.Duration {
		tb.Helper()
		c := exec.Command(command, arguments...)
		if out, err := c.CombinedOutput(); err != nil {
			tb.Fatalf("%v\n%s", err, out)
		}
		return c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
}

// BenchmarkFirstRun: one operation is the first run of the README, with and without figures, fifteen times in turn.
// The column is the share of the figures in its CPU time, the median of the fifteen: of a tenth of a second a machine
// that others use, too, takes a fifth more or less.
func BenchmarkFirstRun(b *testing.B) {
	run := simulate(b)
	var shares [15]float64
	for b.Loop() {
		arguments := []string{"run", "../scenarios/quickstart.yaml", "--again", "--out", b.TempDir()}
		for k := range shares {
			with := run(arguments...)
			without := run(append(arguments, "--no-plots")...)
			shares[k] = 100 * (1 - without.Seconds()/with.Seconds())
		}
	}
	b.ReportMetric(median(shares[:]), "%_figures")
}

// BenchmarkSummary: one operation is a run of 100 nodes and 20,000 rounds on a little data. The column is the share of
// summary.csv in its CPU time.
func BenchmarkSummary(b *testing.B) {
	s, err := scenarios.Load("../scenarios/quickstart.yaml", "problem.data={set: twonorm, rows: 400}",
		"network.topology={kind: random-regular, nodes: 100, degree: 4}", "rounds.count=20000",
		"record={iterates: none, messages: none}")
	if err != nil {
		b.Fatal(err)
	}
	var all, summary time.Duration
	for range b.N {
		e := experiment.New(s, "")
		d, err := e.OpenDirectory(b.TempDir())
		if err != nil {
			b.Fatal(err)
		}
		begin := cputime.Now()
		if _, err := e.Run(context.Background(), 1, experiment.Options{Directory: d, Workers: 1}); err != nil {
			b.Fatal(err)
		}
		middle := cputime.Now()
		if _, _, err := e.Summarise(d, false, plot.Style{}); err != nil {
			b.Fatal(err)
		}
		summary += cputime.Now() - middle
		all += cputime.Now() - begin
		d.Close()
	}
	b.ReportMetric(100*summary.Seconds()/all.Seconds(), "%_summary")
}

// BenchmarkSeeds: one operation is twenty seeds of the README's run with one processor and with two, three times in
// turn. The columns are medians of the three: the ratio of wall times, one to two; that of CPU times, two to one, which
// is what two cost more than one; and the processors that each of them got, on a machine that may have other work. Only
// where these are near 1 and 2 does the first column say what two processors gain.
func BenchmarkSeeds(b *testing.B) {
	run := simulate(b)
	const repeats = 3
	var walls, cpus [repeats]float64
	var got [2][repeats]float64
	for b.Loop() {
		for r := range repeats {
			var wall, cpu [2]float64
			for k := range wall {
				b.Setenv("GOMAXPROCS", strconv.Itoa(k+1))
				begin := time.Now()
				cpu[k] = run("run", "../scenarios/quickstart.yaml", "--seeds", "20", "--set", "rounds.count=1500",
					"--no-plots", "--out", b.TempDir()).Seconds()
				wall[k] = time.Since(begin).Seconds()
				got[k][r] = cpu[k] / wall[k]
			}
			walls[r], cpus[r] = wall[0]/wall[1], cpu[1]/cpu[0]
		}
	}
	b.ReportMetric(median(walls[:]), "x_wall")
	b.ReportMetric(median(cpus[:]), "x_cpu")
	b.ReportMetric(median(got[0][:]), "processors_of_1")
	b.ReportMetric(median(got[1][:]), "processors_of_2")
}

// BenchmarkFork: one operation is a run and, one per cent of its virtual time before its end, a fork of it, three times
// in turn. The columns are medians of the three: CPU seconds of the run, the fork's against them, and against them
// what no fork can do without: a run of a hundredth of the rounds, and the run's files copied and hashed. An executable
// of edited files hashes itself, in 0.1 s.
func BenchmarkFork(b *testing.B) {
	run := simulate(b)
	const (
		quickstart, hospital = "../scenarios/quickstart.yaml", "../scenarios/hospital-faults.yaml"
		many                 = "network.topology={kind: random-regular, nodes: 100, degree: 4}"
		bare                 = "record={iterates: none, messages: none}"
	)
	for _, c := range []struct {
		name, file string
		rounds     int
		sets       []string
	}{
		{"solves_100_nodes", quickstart, 1500, []string{many, bare}},
		{"solves_5_nodes", quickstart, 20000, nil},
		{"generated", quickstart, 2000, []string{"problem.data={set: twonorm, rows: 20000, dimension: 50}"}},
		{"few_rows", quickstart, 5000, []string{"problem.data={set: twonorm, rows: 400}", many, bare}},
		{"faults_recorded", hospital, 60000, nil},
		{"faults", hospital, 60000, []string{bare}},
		{"faults_short", hospital, 3000, nil},
	} {
		b.Run(c.name, func(b *testing.B) {
			var whole, ratio, least [3]float64
			arguments := func(rounds int) []string {
				all := []string{"run", c.file, "--no-plots", "--set", fmt.Sprintf("rounds.count=%d", rounds)}
				for _, set := range c.sets {
					all = append(all, "--set", set)
				}
				return append(all, "--out", b.TempDir())
			}
			for b.Loop() {
				out := append(arguments(c.rounds), "--keep")
				run(out...)
				dirs, err := filepath.Glob(filepath.Join(out[len(out)-2], "*", "1"))
				if err != nil || len(dirs) != 1 {
					b.Fatal(dirs, err)
				}
				r, err := record.Open(dirs[0])
				if err != nil {
					b.Fatal(err)
				}
				at := fmt.Sprintf("%.9fs", 0.99*r.Info.Final.VirtualSeconds)
				for k := range whole {
					whole[k] = run(arguments(c.rounds)...).Seconds()
					ratio[k] = run("fork", dirs[0], "--at", at, "--set", "network.loss=0.3", "--no-plots", "--out",
						b.TempDir()).Seconds() / whole[k]
					least[k] = (run(arguments(c.rounds/100)...) + copied(b, dirs[0])).Seconds() / whole[k]
				}
			}
			b.ReportMetric(median(whole[:]), "CPU-s")
			b.ReportMetric(median(ratio[:]), "x_new")
			b.ReportMetric(median(least[:]), "x_least")
		})
	}
}

// copied is the processor time of copying and hashing the files of a directory.
func copied(b *testing.B, dir string) time.Duration {
	begin := cputime.Now()
	to := filepath.Join(b.TempDir(), "copy")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		b.Fatal(err)
	}
	all, err := os.ReadDir(to)
	for _, entry := range all {
		if err == nil {
			_, err = files.Hash(filepath.Join(to, entry.Name()))
		}
	}
	if err != nil {
		b.Fatal(err)
	}
	return cputime.Now() - begin
}

// BenchmarkAudit: one operation is the audit of 1,000 runs in each of two worlds, 500 rows a node of two columns. The
// column is its CPU time against that of as many runs that are not audited.
func BenchmarkAudit(b *testing.B) {
	const file, runs = "../scenarios/audit-dvp-listing.yaml", 1000
	s, err := scenarios.Load(file)
	if err != nil {
		b.Fatal(err)
	}
	var audit, bare time.Duration
	for range b.N {
		e := experiment.New(s, "")
		begin := cputime.Now()
		o := evaluation.AuditOptions{Runs: runs, Workers: 1}
		if _, err := evaluation.Audit(context.Background(), e, o); err != nil {
			b.Fatal(err)
		}
		middle := cputime.Now()
		a, err := e.Assemble(b.Context(), 1)
		if err != nil {
			b.Fatal(err)
		}
		for k := range uint64(2 * runs) {
			own := *a
			own.Seed = k
			if _, err := e.Execute(context.Background(), &own, experiment.Execution{Workers: 1}); err != nil {
				b.Fatal(err)
			}
		}
		audit += middle - begin
		bare += cputime.Now() - middle
	}
	b.ReportMetric(audit.Seconds()/float64(b.N), "CPU-s")
	b.ReportMetric(audit.Seconds()/bare.Seconds(), "x_runs")
}
