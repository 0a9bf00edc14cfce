// How far the making of a site is.

package site

import "sync"

// stage is a part of the making of a site.
type stage int

const (
	reading stage = iota
	compiling
	packing
	computing
	writing
	stageCount
)

// stages are what is told of them, and about how many seconds of a processor each takes.
var stages = [stageCount]struct {
	name    string
	seconds float64
}{
	reading:   {"reading the documents", 1},
	compiling: {"compiling the engine", 8},
	packing:   {"packing the engine", 100},
	computing: {"computing the figures", 20},
	writing:   {"writing the pages", 1},
}

// course is how far each stage is. Stages may go on at the same time.
type course struct {
	told func(share float64, doing []string) // may be nil
	mu   sync.Mutex
	done [stageCount]float64 // shares from 0 to 1
	on   [stageCount]bool    // begun and not done
}

// at tells that a stage has come to a share of itself: at 0 it begins, at 1 it is done.
func (c *course) at(s stage, share float64) {
	if c.told == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done[s], c.on[s] = share, share < 1
	var done, all float64
	var doing []string
	for k, s := range stages {
		done += s.seconds * c.done[k]
		all += s.seconds
		if c.on[k] {
			doing = append(doing, s.name)
		}
	}
	c.told(done/all, doing)
}
