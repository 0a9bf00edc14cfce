// Modules that a class's file imports from beside it.

package python

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// statement is an import, as a line of Python has it.
var statement = regexp.MustCompile(`(?m)^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import\b|import[ \t]+([\w., \t]+))`)

// Imports are the files beside a file in Python whose modules it imports, and those that these import, by the names of
// the modules. They are told by reading: what is imported otherwise than by a statement is not among them, nor is what
// is installed.
func Imports(file string) map[string]string {
	found := map[string]string{}
	dir := filepath.Dir(file)
	var read func(path string)
	read = func(path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			return // whoever needs the file says so
		}
		for _, m := range statement.FindAllStringSubmatch(string(text), -1) {
			for name := range strings.SplitSeq(m[1]+m[2], ",") {
				words := strings.Fields(name) // name [as other]
				if len(words) == 0 {
					continue
				}
				module := strings.Trim(words[0], ".")
				at := filepath.Join(dir, filepath.FromSlash(strings.ReplaceAll(module, ".", "/")))
				for _, p := range []string{at + ".py", filepath.Join(at, "__init__.py")} {
					if info, err := os.Stat(p); module == "" || err != nil || info.IsDir() || found[module] != "" {
						continue
					}
					found[module] = p
					read(p)
				}
			}
		}
	}
	read(file)
	return found
}
