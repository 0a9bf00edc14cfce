// Every module that is linked into the command has a licence that is known and allowed, and is on the page.

package docs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// terms are phrases by which licences are known, of the texts without line ends.
var terms = []struct{ licence, phrase string }{
	{"Apache-2.0", "apache license, version 2.0"},
	{"Apache-2.0", "apache license version 2.0"},
	{"MIT", "permission is hereby granted, free of charge"},
	{"BSD", "redistribution and use in source and binary forms"},
	{"OFL-1.1", "sil open font license version 1.1"},
	{"FTL", "freetype license"},
	{"GPL", "gnu general public license"},
	{"LGPL", "gnu lesser general public license"},
	{"AGPL", "gnu affero general public license"},
	{"MPL", "mozilla public license"},
	{"EPL", "eclipse public license"},
	{"SSPL", "server side public license"},
	{"BUSL", "business source license"},
	{"ISC", "permission to use, copy, modify, and/or distribute"},
	{"CC0", "cc0 1.0"},
	{"CC-BY-4.0", "creative commons attribution 4.0"},
	{"Unlicense", "released into the public domain"},
	{"Commons Clause", "commons clause"},
}

// allowed are licences whose terms a program under Apache-2.0 can keep.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "MIT", "OFL-1.1", "ISC", "CC0", "CC-BY-4.0",
	"Unlicense"}

// chosen are modules whose licence is a choice, and what was chosen.
var chosen = map[string]string{"github.com/golang/freetype": "FTL"}

var blanks = regexp.MustCompile(`[\s*#/]+`)

// licencesIn are the licences that a text names, in order.
func licencesIn(text string) []string {
	text = blanks.ReplaceAllString(strings.ToLower(text), " ")
	found := map[string]bool{}
	for _, t := range terms {
		if !strings.Contains(text, t.phrase) {
			continue
		}
		name := t.licence
		if name == "BSD" {
			name = "BSD-2-Clause"
			if strings.Contains(text, "neither the name") || strings.Contains(text, "names of its contributors") {
				name = "BSD-3-Clause"
			}
		}
		found[name] = true
	}
	return slices.Sorted(maps.Keys(found))
}

// licensed says under which licence a module in a directory is used, or what is wrong with it.
func licensed(module, dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	files := regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense)`)
	var all []string
	for _, e := range entries {
		if !files.MatchString(e.Name()) || e.IsDir() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", err
		}
		if found := licencesIn(string(text)); found != nil {
			all = append(all, found...)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	switch name := chosen[module]; {
	case len(all) == 0:
		return "", fmt.Errorf("%s has no licence that is known: look at its files, and add a phrase to terms", module)
	case name != "" && slices.Contains(all, name):
		return name, nil
	}
	for _, name := range all {
		if !slices.Contains(allowed, name) {
			return "", fmt.Errorf("%s is under %s, which is not among %s", module, name, strings.Join(allowed, ", "))
		}
	}
	return strings.Join(all, ", "), nil
}

// linked are the directories of the modules in the command, for all platforms of a release, by path and version.
func linked(t *testing.T) map[[2]string]string {
	t.Helper()
	all := map[[2]string]string{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, arch := range []string{"amd64", "arm64"} {
			list := exec.Command("go", "list", "-deps", "-json=Module", "../cmd/simulate")
			list.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
			list.Stderr = os.Stderr
			out, err := list.Output()
			if err != nil {
				t.Fatal(err)
			}
			for d := json.NewDecoder(strings.NewReader(string(out))); ; {
				var p struct {
					Module *struct {
						Path, Version, Dir string
						Main               bool
					}
				}
				if err := d.Decode(&p); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatal(err)
				}
				if m := p.Module; m != nil && !m.Main {
					all[[2]string{m.Path, m.Version}] = m.Dir
				}
			}
		}
	}
	return all
}

func TestDocs_Modules(t *testing.T) {
	var rows []string
	for module, dir := range linked(t) {
		licence, err := licensed(module[0], dir)
		if err != nil {
			t.Error(err)
		}
		rows = append(rows, fmt.Sprintf("| %s | %s | %s |\n", module[0], module[1], licence))
	}
	slices.Sort(rows)
	page := "# Modules\n\nThe modules that are linked into the command, on any of the platforms of a release, and " +
		"their licences.\nThe program is under Apache-2.0; Go and its standard library are under BSD-3-Clause. " +
		"`go test ./docs -run Docs\n-update` writes this page, and fails where a licence is unknown or not among " +
		"those that may be linked.\n\n| module | version | licence |\n|---|---|---|\n" + strings.Join(rows, "")
	if *update {
		if err := os.WriteFile("modules.md", []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if read(t, "modules.md") != page {
		t.Error("modules.md is not of the modules that are linked; `go test ./docs -run Docs -update` writes it anew")
	}
}

// A module without a licence, and one whose licence may not be linked, are found.
func TestModules_FindsWhatMayNotBeLinked(t *testing.T) {
	for text, says := range map[string]string{
		"":                     "no licence that is known",
		"All rights reserved.": "no licence that is known",
		"GNU AFFERO GENERAL\n  PUBLIC LICENSE\nVersion 3":    "is under AGPL",
		"Business Source License 1.1":                        "is under BUSL",
		"Apache License\nVersion 2.0\n\nwith Commons Clause": "is under Commons Clause",
		"Apache License\n   Version 2.0, January 2004":       "",
		"Permission is hereby granted, free\nof charge":      "",
	} {
		dir := t.TempDir()
		if text != "" {
			if err := os.WriteFile(filepath.Join(dir, "LICENSE.txt"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := licensed("example.com/m", dir); (err == nil) != (says == "") ||
			err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", text, err)
		}
	}
	// Of two licences to choose from one is chosen by name only.
	dir := t.TempDir()
	text := "your choice of the FreeType License, or the GNU General Public License"
	if err := os.WriteFile(filepath.Join(dir, "LICENSE"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if licence, err := licensed("github.com/golang/freetype", dir); licence != "FTL" || err != nil {
		t.Errorf("%q, %v", licence, err)
	}
	if _, err := licensed("example.com/m", dir); err == nil {
		t.Error("a choice that nobody made is allowed")
	}
}
