// Where a place in a scenario is: in which mapping, and whether a key or a value is to stand there. The text need not
// be YAML yet.

package engine

import "strings"

// item stands for an entry of a list in a path.
const item = "[]"

// spot is a place.
type spot struct {
	path  []string          // keys from the top, and item
	value bool              // the value of the last key is to stand there, not a key of it
	item  bool              // an entry of a list in lines begins there: a value, or its first key
	word  string            // that has begun there
	has   map[string]string // what the mapping has, in one line each
}

// opened is a mapping or a list that has begun: in a block, at an indentation, or between braces.
type opened struct {
	indent int    // −1 for braces
	key    string // under which what follows is; "" none yet
	list   bool
	has    map[string]string
}

// locate finds the place before a column of a line, both from 1.
func locate(text string, line, column int) *spot {
	lines := strings.Split(text, "\n")
	line = min(max(line, 1), len(lines))
	here := []rune(lines[line-1])
	column = min(max(column, 1), len(here)+1)
	r := &reader{}
	for _, before := range lines[:line-1] {
		r.line(before)
	}
	before, after := string(here[:column-1]), string(here[column-1:])
	r.line(before)
	s := &spot{word: strings.TrimLeft(r.token, " "), has: map[string]string{}}
	if strings.TrimSpace(before) == "" && !r.flowing() {
		r.level(len(before))
	}
	for k, o := range r.stack {
		switch {
		case o.list:
			s.path = append(s.path, item)
		case o.key != "":
			s.path = append(s.path, o.key)
		}
		if k == len(r.stack)-1 {
			s.value = o.list || o.key != ""
			s.item = k > 0 && r.stack[k-1].list && o.indent >= 0 && !s.value && len(o.has) == 0
			s.has = o.has
		}
	}
	if s.value && len(r.stack) > 0 && r.stack[len(r.stack)-1].list && r.flowing() {
		return s
	}
	r.rest(after, lines[line:], s)
	return s
}

// reader follows what is open from line to line.
type reader struct {
	stack []*opened
	token string // what has begun and is neither key nor value yet
}

func (r *reader) flowing() bool { return len(r.stack) > 0 && r.stack[len(r.stack)-1].indent < 0 }

// top is what was opened last.
func (r *reader) top() *opened { return r.stack[len(r.stack)-1] }

// level closes blocks that are further in than an indentation, and is in the mapping there, with no key yet.
func (r *reader) level(indent int) {
	for len(r.stack) > 0 && r.top().indent > indent {
		r.stack = r.stack[:len(r.stack)-1]
	}
	if len(r.stack) == 0 || r.top().indent < indent || r.top().list {
		r.stack = append(r.stack, &opened{indent: indent, has: map[string]string{}})
	}
	r.top().key = ""
}

// line reads a line, or its beginning up to the place.
func (r *reader) line(text string) {
	text = strings.TrimSuffix(text, "\r")
	if !r.flowing() {
		r.token = ""
		indent := len(text) - len(strings.TrimLeft(text, " "))
		text = text[indent:]
		if text == "" || text[0] == '#' {
			return
		}
		for strings.HasPrefix(text, "- ") || text == "-" {
			for len(r.stack) > 0 && (r.top().indent > indent || r.top().indent == indent && !r.top().list &&
				r.top().key == "") {
				r.stack = r.stack[:len(r.stack)-1]
			}
			if len(r.stack) == 0 || r.top().indent < indent || !r.top().list {
				r.stack = append(r.stack, &opened{indent: indent, list: true})
			}
			text = strings.TrimPrefix(text[1:], " ")
			indent += 2
		}
		r.level(indent)
	}
	for k, c := range text {
		next := byte(' ')
		if k+1 < len(text) {
			next = text[k+1]
		}
		switch {
		case c == '#' && (k == 0 || text[k-1] == ' '):
			return
		case c == '{' || c == '[':
			r.stack = append(r.stack, &opened{indent: -1, list: c == '[', has: map[string]string{}})
			r.token = ""
		case (c == '}' || c == ']') && r.flowing():
			r.settle()
			r.stack = r.stack[:len(r.stack)-1]
			r.token = ""
		case c == ',' && r.flowing():
			r.settle()
			r.top().key, r.token = "", ""
		case c == ':' && next == ' ' && r.top().key == "" && !r.top().list:
			r.top().key = strings.TrimSpace(r.token)
			r.top().has[r.top().key] = ""
			r.token = ""
		default:
			r.token += string(c)
		}
	}
	if !r.flowing() {
		r.settle()
	}
}

// settle notes the value that has been read of a key.
func (r *reader) settle() {
	if o := r.top(); o.key != "" && !o.list {
		o.has[o.key] = strings.TrimSpace(r.token)
	}
}

// rest notes what the mapping has after the place.
func (r *reader) rest(after string, lines []string, s *spot) {
	if len(r.stack) == 0 {
		return
	}
	if r.flowing() {
		flow := &reader{stack: []*opened{{indent: -1, has: s.has}}}
		inside, depth := after, 0
		for k, c := range after {
			if c == '{' || c == '[' {
				depth++
			}
			if c == '}' || c == ']' {
				if depth--; depth < 0 {
					inside = after[:k]
					break
				}
			}
		}
		if _, others, ok := strings.Cut(inside, ","); ok {
			flow.line(others)
			flow.settle()
		}
		return
	}
	for _, line := range lines {
		trimmed := strings.TrimLeft(line, " ")
		indent := len(line) - len(trimmed)
		switch {
		case strings.TrimSpace(line) == "" || trimmed[0] == '#' || indent > r.top().indent:
		case indent < r.top().indent || trimmed[0] == '-':
			return
		default:
			if key, value, ok := strings.Cut(trimmed, ":"); ok {
				s.has[key] = strings.TrimSpace(value)
			}
		}
	}
}
