// Package readers has tests alone: other libraries read what record writes. They are apart from record's, as those
// libraries take longer to compile than all that record needs, again for the race detector and for fuzzing.
package readers
