// How the engine is built for pages.

package engine

// Program is the package of the engine for a Web Worker, which is built with [BuildFlags] for GOOS=js, GOARCH=wasm.
const Program = "overhear/site/wasm"

// BuildFlags are those of go build: without what pages do not have (tag page), without gonum's formats of plots (tag
// minimal), without what debuggers and paths need, and without copies of functions in packages that take next to no
// time: together these copies would be 180 kB of what pages load.
var BuildFlags = buildFlags()

func buildFlags() []string {
	flags := []string{"-tags", "page,minimal", "-trimpath", "-ldflags", "-s -w"}
	for _, packages := range []string{
		"overhear/evaluation", "overhear/adversary/...", "overhear/experiment", "overhear/report/...",
		"overhear/scenarios", "overhear/theory", "codeberg.org/...", "golang.org/...", "gonum.org/v1/plot/...",
		"go.yaml.in/...", "encoding/...", "fmt", "image/...", "os", "reflect", "regexp/...", "text/...", "time",
	} {
		flags = append(flags, "-gcflags="+packages+"=-l")
	}
	return flags
}
