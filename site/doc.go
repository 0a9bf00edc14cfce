// Package site writes Overhear as a web site from a clone of its repository: the documents and findings as pages, a
// page for each figure that the reader's browser computes anew, and a playground for scenarios. The engine in the
// browser is this program as WebAssembly, in a worker; the pages load nothing from elsewhere and need no server but one
// that hands out files.
package site
