// Package engine answers what pages in a browser ask of the simulator: whether a scenario is right, what may stand at a
// place in it, what a run of it comes to, and what the figures of the papers come to under a reader's changes. It
// computes in memory, with the code of the command, so that digests are those that the command prints.
//
// Requests and answers are JSON, an object each. Package site/wasm hands them to a page and back.
package engine
