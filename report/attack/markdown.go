// A report's page as Markdown.

package attack

import (
	"fmt"
	"strings"
)

// plainText keeps Markdown from taking a text for markup.
var plainText = strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;", ">", "&gt;", "*", `\*`, "_", `\_`, "[", `\[`,
	"]", `\]`, "`", "\\`")

// codeSpan is text as it stands, also where it has backquotes.
func codeSpan(text string) string {
	text = strings.NewReplacer("\n", " ", "|", `\|`).Replace(text)
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

func (c cell) markdown() string {
	switch {
	case c.Text == "":
		return ""
	case c.Code:
		return codeSpan(c.Text)
	case c.Class != "":
		return "**" + plainText.Replace(c.Text) + "**"
	}
	return plainText.Replace(c.Text)
}

func (t *table) markdown(b *strings.Builder) {
	var rule, head []string
	for k, h := range t.Head {
		head = append(head, plainText.Replace(h))
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
	say("# %s\n\n", plainText.Replace(p.Title))
	for _, c := range p.Counts {
		say("- **%s** %s\n", c.Number, c.What)
	}
	if len(p.Counts) > 0 {
		say("\n")
	}
	if p.Command != "" {
		say("This report: %s\n\n", codeSpan(p.Command))
	}
	for _, s := range p.Sections {
		say("## %s\n\n", s.Title)
		for _, part := range s.Blocks {
			if part.Fold != "" {
				say("### %s\n\n", plainText.Replace(part.Fold))
			}
			if part.Heading != "" {
				say("### %s\n\n", plainText.Replace(part.Heading))
			}
			if part.Text != "" {
				say("%s\n\n", plainText.Replace(part.Text))
			}
			if c := part.Card; c != nil {
				if c.Title != "" {
					say("### %s\n\n", plainText.Replace(c.Title))
				}
				for _, pair := range c.Pairs {
					value := plainText.Replace(pair.Value)
					if pair.Code {
						value = codeSpan(pair.Value)
					}
					say("- **%s**: %s\n", plainText.Replace(pair.Name), value)
				}
				say("\n")
			}
			if part.Table != nil {
				part.Table.markdown(&b)
			}
			if part.Card != nil {
				for _, source := range part.Card.Sources {
					say("%s:\n\n", plainText.Replace(source.Summary))
					for l := range strings.Lines(source.Text + "\n") {
						say("    %s", l)
					}
					say("\n")
				}
			}
			for _, f := range part.Figures {
				say("### %s\n\n", plainText.Replace(f.Title))
				if f.Text != "" {
					say("%s\n\n", plainText.Replace(f.Text))
				}
				if f.Numbers != nil {
					f.Numbers.markdown(&b)
				}
			}
			if l := part.List; l != nil {
				say("%s:\n\n", plainText.Replace(l.Summary))
				for _, item := range l.Items {
					say("- %s\n", plainText.Replace(item))
				}
				say("\n")
			}
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}
