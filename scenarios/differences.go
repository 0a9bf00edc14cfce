// In what two scenarios differ, and names of directories that say so.

package scenarios

import (
	"crypto/sha256"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Change is a key whose value differs between two scenarios; a value is YAML, and
// empty where the key is absent.
type Change struct{ Path, Was, Is string }

func (c Change) String() string {
	word := func(v string) string {
		if v == "" {
			return "absent"
		}
		return v
	}
	return fmt.Sprintf("%s was %s, is %s", c.Path, word(c.Was), word(c.Is))
}

// Changes are the keys that determine a seed's run and whose values differ, in the
// order of a resolved scenario.
func Changes(was, is *Scenario) []Change {
	a, b := was.leaves(), is.leaves()
	value := func(all [][2]string, path string) string {
		if k := slices.IndexFunc(all, func(l [2]string) bool { return l[0] == path }); k >= 0 {
			return all[k][1]
		}
		return ""
	}
	var changes []Change
	for _, l := range b {
		if v := value(a, l[0]); v != l[1] {
			changes = append(changes, Change{l[0], v, l[1]})
		}
	}
	for _, l := range a {
		if value(b, l[0]) == "" {
			changes = append(changes, Change{l[0], l[1], ""})
		}
	}
	return changes
}

// leaves are the keys of what determines each seed's run, and their values; a list
// is one value.
func (s *Scenario) leaves() [][2]string {
	var all [][2]string
	var walk func(n *yaml.Node, path string)
	walk = func(n *yaml.Node, path string) {
		if n.Kind == yaml.MappingNode && len(n.Content) > 0 {
			for k := 0; k+1 < len(n.Content); k += 2 {
				walk(n.Content[k+1], join(path, n.Content[k].Value))
			}
			return
		}
		all = append(all, [2]string{path, oneLine(n)})
	}
	walk(encode(reflect.ValueOf(s.ofEachSeed()).Elem()), "")
	return all
}

// special is what a directory's name has a dash for.
var special = regexp.MustCompile(`[^0-9A-Za-z.,=+_-]+`)

// LongestSuffix bounds what a directory's name says of changes.
const LongestSuffix = 80

// Suffix is what the name of a directory says of changes `path=value`: all of them
// where they are short and plain, and else as much as fits, and a hash.
func Suffix(changes []string) string {
	if len(changes) == 0 {
		return ""
	}
	text := "," + strings.Join(changes, ",")
	name, lossy := text, special.MatchString(text)
	if lossy {
		name = strings.NewReplacer("-,", ",", ",-", ",", "=-", "=").Replace(special.ReplaceAllString(text, "-"))
	}
	if len(name) > LongestSuffix {
		name, lossy = name[:LongestSuffix], true
	}
	if lossy {
		sum := sha256.Sum256([]byte(text))
		name = fmt.Sprintf("%s-%x", strings.TrimRight(name, "-.,="), sum[:4])
	}
	return name
}
