// The source text of what is proved: a stored verdict on a paper's claim is bound to the code that it was judged by.

//go:build !page

package theory

import "embed"

// Sources is the package's source text, without tests.
//
//go:embed constants.go coverage.go decrease.go design.go madmm.go matrix.go pdml.go radmm.go samples.go sharing.go
var Sources embed.FS
