// The source text of the figures, by which stored verdicts are known to be of the same rules.

//go:build !page

package papers

import (
	"embed"

	"overhear/reproduce"
)

//go:embed charts.go pdml.go ra19.go sh19.go zkl18.go zz16.go
var sources embed.FS

func init() { reproduce.RegisterSources(sources) }
