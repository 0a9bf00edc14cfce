// What an attack is, and which there are.

package adversary

import (
	"fmt"
	"slices"
	"strings"

	"overhear/internal/python"
	"overhear/record"
)

// Attack works out something from a view, and has nothing else to work with.
type Attack struct {
	Name     string
	Title    string
	Equation string // what it solves
	About    string // how, in text
	Needs    string // what the observer must see and know
	Targets  bool   // it is defined where rows have targets, too, and not only where they have classes
	Classes  bool   // it is defined where rows have one of several classes, too, and not only where they have two
	Everyone bool   // it is after all nodes alike, and not after the data of a victim

	// Run carries the attack out. A *Blocked error says what is lacking. Nil if there is only that of a class.
	Run func(v *View, f *record.Finding) error

	// Of makes the attack that a class of the reader's own is, which needs no model of the method; nil: no class is.
	Of func(c *python.Class) *Attack
}

// Blocked is why an attack cannot be carried out on a view.
type Blocked struct{ Why string }

func (b *Blocked) Error() string { return b.Why }

func blocked(format string, args ...any) error { return &Blocked{fmt.Sprintf(format, args...)} }

// errTargets is why what is worked out of classes is not worked out of targets.
var errTargets = blocked("it is defined for rows with classes ±1, each of which adds L′(y f·x) y x to a " +
	"gradient; these have targets, and what a row adds is L′(f·x − t) x, with t one more number that is not known")

// errClasses is why what is worked out of two classes is not worked out of several.
var errClasses = blocked("it is defined for rows with one of two classes ±1, each of which adds L′(y f·x) y x to a " +
	"gradient; these have one of several (problem.data.classes: all), and a row adds a multiple of x to the block of " +
	"every class")

// untold is why no round tells anything: what was not seen of each, in those words, or
// the one reason that holds for all rounds.
func untold(unseen []string, format string, args ...any) error {
	if len(unseen) == 1 && !strings.HasPrefix(unseen[0], "round") {
		return blocked("%s", unseen[0])
	}
	return blocked(format, args...)
}

var attacks = map[string]*Attack{}

func register(a *Attack) { attacks[a.Name] = a }

// Register adds an attack that is defined elsewhere. It panics if there is one of the name.
func Register(a *Attack) {
	if _, ok := attacks[a.Name]; ok {
		panic(fmt.Sprintf("adversary: there is an attack %s", a.Name))
	}
	register(a)
}

// Attacks are all attacks, by name.
func Attacks() []*Attack {
	var all []*Attack
	for _, a := range attacks {
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b *Attack) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Lookup finds an attack by name.
func Lookup(name string) (*Attack, bool) {
	a, ok := attacks[name]
	return a, ok
}

// Carry carries an attack out. A Finding comes back in any case: where the
// attack is blocked it says why. Other errors are errors of ours.
func (a *Attack) Carry(v *View) (*record.Finding, error) {
	f := &record.Finding{Attack: a.Name, Title: a.Title, Equation: a.Equation, Victim: v.Knows.Victim,
		Succeeded: record.Unscored}
	err := error(nil)
	switch {
	case v.Public.Targets && !a.Targets:
		err = errTargets
	case v.Public.Classes > 0 && !a.Classes:
		err = errClasses
	case slices.Contains(v.Vantage.Nodes, v.Knows.Victim) && !a.Everyone:
		err = blocked("node %d is an observer itself", v.Knows.Victim)
	default:
		err = a.Run(v, f)
	}
	if b, ok := err.(*Blocked); ok {
		f.Succeeded, f.Conclusion = record.Blocked, b.Why
		return f, nil
	}
	if err != nil {
		return nil, fmt.Errorf("attack %s on node %d: %w", a.Name, v.Knows.Victim, err)
	}
	return f, nil
}
