// How the engine is built for pages.

package engine

// Program is the package of the engine for a Web Worker, which is built with [BuildFlags] for GOOS=js, GOARCH=wasm.
const Program = "overhear/site/wasm"

// BuildFlags are those of go build: without what pages do not have (tag page), without gonum's formats of plots (tag
// minimal), without what debuggers and paths need, and without copies of functions where pages spend no time, which
// takes 80 kB off.
var BuildFlags = []string{"-tags", "page,minimal", "-trimpath", "-ldflags", "-s -w",
	"-gcflags=overhear/evaluation=-l", "-gcflags=overhear/adversary/...=-l", "-gcflags=overhear/report/...=-l",
	"-gcflags=overhear/theory=-l", "-gcflags=overhear/scenarios=-l", "-gcflags=overhear/experiment=-l"}
