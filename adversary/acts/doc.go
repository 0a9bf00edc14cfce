// Package acts has what a node may send in place of what its method gives it: adversaries that act, and do not only
// listen. A [Strategy] is one small file, which registers it; the scenario language, the lists and the documents take
// its keys from there. A [Liar] is a node that lies in one run: it computes as honest nodes do, remembers what it has
// heard, and changes what it sends.
//
// What a liar sends follows from the scenario, the seed, and what has reached it by then, so that a run with liars has
// the same bits on every repeat, as any other.
package acts
