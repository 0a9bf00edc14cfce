// The tests of this package share a browser.

package site

import (
	"os"
	"testing"

	"overhear/report/browser"
)

func TestMain(m *testing.M) { os.Exit(browser.Main(m)) }
