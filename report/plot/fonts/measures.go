// What texts are measured by, for a build for pages.

//go:build page

package fonts

import _ "embed"

// Regular is what [Measures] leaves of the regular font.
//
//go:embed regular.measures
var Regular []byte

// Bold is what [Measures] leaves of the bold font.
//
//go:embed bold.measures
var Bold []byte
