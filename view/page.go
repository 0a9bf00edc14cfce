// A document as one HTML file that loads nothing.

package view

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"

	"overhear/internal/plural"
)

//go:embed page/page.html.tmpl
var pageTemplate string

//go:embed page/page.css
var pageStyle string

//go:embed page/words.js
var wordsScript string

//go:embed page/run.js
var runScript string

//go:embed page/stage.js
var stageScript string

//go:embed page/chart.js
var chartScript string

//go:embed page/panels.js
var panelsScript string

//go:embed page/attack.js
var attackScript string

//go:embed page/main.js
var mainScript string

// script is all of the page's script, in a scope of its own.
var script = "\"use strict\";\n(() => {\n" + strings.Join([]string{wordsScript, runScript, stageScript, chartScript,
	attackScript, panelsScript, mainScript}, "\n") + "})();\n"

// Policy is the page's Content-Security-Policy: its own script and style by their hashes, and nothing that is loaded;
// a live page asks the server that it is from for more.
func Policy(live bool) string {
	policy := fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; img-src data:; base-uri 'none'; "+
		"form-action 'none'", hash(script), hash(pageStyle))
	if live {
		policy += "; connect-src 'self'"
	}
	return policy
}

// hash names a text in a policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

var pageHTML = template.Must(template.New("view").Parse(pageTemplate))

// heavy is from how many bytes on a page is slow to open and to send.
const heavy = 10_000_000

// Weight says how large a page of the document is, of what, and which runs have smaller ones; "": it is small.
func (d *Document) Weight(bytes int) string {
	if bytes < heavy {
		return ""
	}
	packets, updates, values := 0, 0, 0
	for _, r := range d.Runs {
		packets, updates, values = packets+len(r.Packets.ID), updates+len(r.Steps.Node), values+len(r.Values.Node)
	}
	text := fmt.Sprintf("the page has %.3g MB, of %s, %s and %s, and browsers take their time to open it; a run of "+
		"fewer rounds or nodes (rounds.count, network.topology.nodes) has a smaller one", float64(bytes)/1e6,
		plural.Of(packets, "packet"), plural.Of(updates, "update"), plural.Of(values, "published value"))
	if values > 0 {
		text += ", or one that keeps fewer values (record.iterates: {every: 10}, or none)"
	}
	return text
}

// Write writes the page.
func (d *Document) Write(w io.Writer) error {
	var packed bytes.Buffer
	to := base64.NewEncoder(base64.StdEncoding, &packed)
	z := gzip.NewWriter(to)
	if err := json.NewEncoder(z).Encode(d); err != nil {
		return fmt.Errorf("writing a page: %w", err)
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("writing a page: %w", err)
	}
	if err := to.Close(); err != nil {
		return fmt.Errorf("writing a page: %w", err)
	}
	var names []string
	for _, r := range d.Runs {
		names = append(names, r.Name+", seed "+r.Seed)
	}
	return pageHTML.Execute(w, map[string]any{
		"Policy": Policy(d.Live), "Title": strings.Join(names, " and "), "Style": template.CSS(pageStyle),
		"Script": template.JS(script), "Data": template.HTML(packed.String()),
	})
}
