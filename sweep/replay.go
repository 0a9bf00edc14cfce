// The commands that make a sweep and repeat one run of it, for people and for failures.csv.

package sweep

import (
	"strconv"
	"strings"
)

// Replay is the command that makes a run by itself, with a run directory; flags,
// such as --data and its value, are added.
func (p *Plan) Replay(index int, flags ...string) string {
	t := p.Task(index)
	words := []string{"simulate", "run", p.File, "--seed", strconv.FormatUint(t.Seed, 10)}
	sets := append([]string{}, p.Sets...)
	values := p.Values(t.Point)
	for k, path := range p.Paths() {
		sets = append(sets, path+"="+values[k])
	}
	for _, s := range sets {
		words = append(words, "--set", s)
	}
	return command(append(words, flags...))
}

// Command is the command that makes the sweep, but for --out, --data and --shard.
func (p *Plan) Command() string {
	words := []string{"simulate", "sweep", p.File}
	for _, a := range p.Axes {
		text, _ := a.MarshalText() // cannot fail
		words = append(words, "--grid", string(text))
	}
	if c := p.Select; c != nil {
		words = append(words, "--select", c.Metric, "--mean-runs", strconv.FormatFloat(c.Mean, 'g', -1, 64))
	} else {
		words = append(words, "--seeds", strconv.Itoa(p.Seeds.Count), "--rows", p.Keep)
	}
	if p.Apart {
		words = append(words, "--account")
	}
	for _, s := range p.Sets {
		words = append(words, "--set", s)
	}
	return command(words)
}

// command is a line of words for a shell.
func command(words []string) string {
	for k, w := range words {
		words[k] = quote(w)
	}
	return strings.Join(words, " ")
}

// quote writes a word as a POSIX shell reads it.
func quote(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("-_./=:,+@%", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
