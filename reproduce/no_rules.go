// A build for pages stores no verdicts, and has no source text.

//go:build page

package reproduce

// Rules is "": no source has the figure.
func (f *Figure) Rules() (string, error) { return "", nil }
