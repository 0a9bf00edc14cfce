// A report's page as Markdown.

package attack

import (
	"fmt"
	"regexp"
	"strings"
)

// marks are what Markdown takes for markup anywhere in a text: of HTML, of links, also without brackets, of tables,
// emphasis, code and formulas.
var marks = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", `\`, `\\`, "|", `\|`, "&", "&amp;", "<", "&lt;",
	">", "&gt;", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "`", "\\`", "~", `\~`, "$", `\$`, "@", `\@`, "://",
	`:\/\/`, "www.", `www\.`)

// opening is what Markdown takes for markup at the beginning of a line: headings, lists, rules.
var opening = regexp.MustCompile(`^(\s*)(?:(#{1,6}|[+-]|-{2,}|={2,})|(\d+)([.)]))(\s|$)`)

// plainText keeps Markdown from taking a text for markup.
func plainText(text string) string {
	return opening.ReplaceAllString(marks.Replace(text), `$1$3\$2$4$5`)
}

// codeSpan is text as it stands, also where it has backquotes. A bar in code would end the cell of a table that the
// code is in, if a backslash stands before it.
func codeSpan(text string) string {
	if strings.Contains(text, "|") || strings.TrimSpace(text) == "" {
		return plainText(text)
	}
	text = breaks.Replace(text)
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

// breaks makes one line of a text.
var breaks = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

// newlines ends lines with what strings.Lines knows; for Markdown a carriage return alone ends one, too.
var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func (c cell) markdown() string {
	switch {
	case c.Text == "":
		return ""
	case c.Code:
		return codeSpan(c.Text)
	case c.Class != "":
		return "**" + plainText(c.Text) + "**"
	}
	return plainText(c.Text)
}

func (t *table) markdown(b *strings.Builder) {
	var rule, head []string
	for k, h := range t.Head {
		head = append(head, plainText(h))
		if len(t.Rows) > 0 && t.Rows[0][k].Number {
			rule = append(rule, "---:")
		} else {
			rule = append(rule, "---")
		}
	}
	fmt.Fprintf(b, "| %s |\n|%s|\n", strings.Join(head, " | "), strings.Join(rule, "|"))
	for _, row := range t.Rows {
		var words []string
		for _, c := range row {
			words = append(words, c.markdown())
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(words, " | "))
	}
	b.WriteString("\n")
}

// markdown writes everything but the drawings.
func (p *page) markdown() string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	say("# %s\n\n", plainText(p.Title))
	for _, c := range p.Counts {
		say("- **%s** %s\n", c.Number, c.What)
	}
	if len(p.Counts) > 0 {
		say("\n")
	}
	for _, w := range p.Warnings {
		say("**Warning:** %s\n\n", plainText(w))
	}
	for _, s := range p.Sections {
		say("## %s\n\n", plainText(s.Title))
		for _, part := range s.Blocks {
			if part.Fold != "" {
				say("### %s\n\n", plainText(part.Fold))
			}
			if part.Heading != "" {
				say("### %s\n\n", plainText(part.Heading))
			}
			if part.Text != "" {
				say("%s\n\n", plainText(part.Text))
			}
			if c := part.Card; c != nil {
				if c.Title != "" {
					say("### %s\n\n", plainText(c.Title))
				}
				for _, pair := range c.Pairs {
					value := plainText(pair.Value)
					if pair.Code {
						value = codeSpan(pair.Value)
					}
					say("- **%s**: %s\n", plainText(pair.Name), value)
				}
				say("\n")
			}
			if part.Table != nil {
				part.Table.markdown(&b)
			}
			if part.Card != nil {
				for _, source := range part.Card.Sources {
					say("%s:\n\n", plainText(source.Summary))
					for l := range strings.Lines(newlines.Replace(source.Text) + "\n") {
						say("    %s", l)
					}
					say("\n")
				}
			}
			for _, f := range part.Figures {
				say("### %s\n\n", plainText(f.Title))
				if f.Text != "" {
					say("%s\n\n", plainText(f.Text))
				}
				if f.Numbers != nil {
					f.Numbers.markdown(&b)
				}
			}
			if l := part.List; l != nil {
				say("%s:\n\n", plainText(l.Summary))
				for _, item := range l.Items {
					say("- %s\n", plainText(item))
				}
				say("\n")
			}
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}
