// How much room a run's records take on a disk, before they do.

package experiment

import (
	"fmt"

	"overhear/internal/memory"
	"overhear/sim"
)

// muchRecorded is from how many bytes of records on a run says so beforehand.
var muchRecorded = 200e6

// recorded is about how many bytes the files of a run will have, and how there would be fewer, by what takes most.
func (e *Experiment) recorded(a *Assembly) (bytes float64, fewer string) {
	const ( // bytes, as measured: tables are compressed, and numbers of iterates hardly
		perIterate = 20
		perMessage = 8
		perStep    = 8
		perEvent   = 4 // of the trace
		perRow     = 250
	)
	rounds, nodes, links := float64(a.Rounds), float64(a.Graph.Order()), float64(a.Graph.Links())
	policy := e.policy()
	kept := 0.0 // rounds of iterates
	if policy.Every > 0 {
		kept = rounds/float64(policy.Every) + 1
	} else if policy.Last >= 0 {
		kept = 1
	}
	numbers := float64(a.parts() * a.Numbers()) // of a round
	if a.Split != nil {
		numbers = float64((a.parts() + 2) * a.Split.N) // the hub has two vectors
	}
	messages, trace := 0.0, 0.0
	if policy.Messages {
		messages = float64(rounds * (float64(perMessage*links) + float64(perStep*nodes)))
	}
	if e.traceLevel() == sim.TraceFingerprints {
		trace = float64(perEvent * rounds * float64(links+nodes))
	}
	bytes = float64(perRow * rounds)
	most := 0.0
	fewer = "they are metrics of every round (rounds.count)"
	for _, part := range []struct {
		bytes float64
		fewer string
	}{
		{float64(kept * (float64(perIterate*nodes) + float64(8*numbers))), "most are iterates, of which " +
			"record.iterates keeps fewer, such as record.iterates={every: 100} or record.iterates=last"},
		{messages, "most are messages and steps, which record.messages=none leaves out"},
		{trace, "most is the trace, of which record.trace=digest keeps the digest alone"},
	} {
		bytes += part.bytes
		if part.bytes > most {
			most, fewer = part.bytes, part.fewer
		}
	}
	return bytes, fewer
}

// sayRecorded says how much room the records of each seed take, once, if that is much, or more than the disk has.
func (e *Experiment) sayRecorded(a *Assembly, room float64, say func(string)) {
	bytes, fewer := e.recorded(a)
	if bytes < muchRecorded && bytes <= room {
		return
	}
	has := ""
	if bytes > room {
		has = ", which has room for " + memory.Text(room)
	}
	e.recordsOnce.Do(func() {
		say(fmt.Sprintf("%s: the records of a seed will take about %s on the disk%s; %s", e.Name, memory.Text(bytes),
			has, fewer))
	})
}
