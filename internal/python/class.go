// Classes, as scenarios name them.

package python

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"overhear/internal/files"
)

// Class is a class in a file in Python, and what it is made with.
type Class struct {
	File        string    `yaml:"file" doc:"file of the class"`
	Class       string    `yaml:"class" doc:"name of the class; none: the only one of the kind in the file"`
	Parameters  Arguments `yaml:"parameters" doc:"what the class is made with, such as eta=0.1, alpha=1"`
	Interpreter string    `yaml:"interpreter" default:"python3" doc:"the Python that computes; it needs numpy"`
}

// SourceFile is where the path of the class's file is.
func (c *Class) SourceFile() *string { return &c.File }

// Named reports a file that is not named.
func (c *Class) Named(report func(field, problem string)) {
	if c.File == "" {
		report("file", "must name the file of the class")
	}
}

// Title is the class's name, or its file's.
func (c *Class) Title() string {
	if c.Class != "" {
		return c.Class
	}
	return strings.TrimSuffix(filepath.Base(c.File), ".py")
}

// Key tells the class from others, and from itself with another text. The error is that of a file that is not there.
func (c *Class) Key() (string, error) {
	text, err := c.Parameters.MarshalText()
	if err != nil {
		return "", err
	}
	sum, err := files.Hash(c.File)
	return strings.Join([]string{c.File, sum, c.Class, string(text), c.Interpreter}, "\x00"), err
}

// Arguments are numbers by name.
type Arguments map[string]float64

// UnmarshalText reads name=value, name=value; of an empty text it makes nil, as of none.
func (a *Arguments) UnmarshalText(text []byte) error {
	*a = nil
	for one := range strings.SplitSeq(string(text), ",") {
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		name, value, ok := strings.Cut(one, "=")
		v, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if name = strings.TrimSpace(name); !ok || err != nil || name == "" {
			return fmt.Errorf("must be name=number, name=number, is %q", one)
		}
		if _, twice := (*a)[name]; twice {
			return fmt.Errorf("has %s twice", name)
		}
		if *a == nil {
			*a = Arguments{}
		}
		(*a)[name] = v
	}
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (a Arguments) MarshalText() ([]byte, error) {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(a)) {
		all = append(all, name+"="+strconv.FormatFloat(a[name], 'g', -1, 64))
	}
	return []byte(strings.Join(all, ", ")), nil
}
