// Outlines of land, for maps.

package network

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

//go:embed land.txt
var landText string

// position is where something is on the Earth, in degrees, north and east positive.
type position struct{ latitude, longitude float64 }

// land are rings of positions: outer ones clockwise, and holes the other way round.
var land = sync.OnceValue(func() (rings [][]position) {
	for line := range strings.Lines(landText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var ring []position
		for word := range strings.FieldsSeq(line) {
			var p position
			if _, err := fmt.Sscanf(word, "%g,%g", &p.longitude, &p.latitude); err != nil {
				panic(fmt.Sprintf("network: land.txt has the position %q", word)) // it comes with the program
			}
			ring = append(ring, p)
		}
		rings = append(rings, ring)
	}
	return rings
})
