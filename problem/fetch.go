// Describing built-in sets, and fetching those that are not at hand.

package problem

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"overhear/internal/files"
)

// Describe writes what a set is, where its files are and whether they are
// intact.
func (b *BuiltIn) Describe(w io.Writer, dir string) error {
	fmt.Fprintf(w, "%s: %s\n%d rows, %d columns besides the intercept\n", b.Name, b.Title, b.Rows, b.Columns)
	fmt.Fprintf(w, "cite: %s\n", b.Citation)
	if b.Licence != "" {
		fmt.Fprintf(w, "licence: %s\n", b.Licence)
	}
	switch {
	case b.Generated():
		fmt.Fprintln(w, "drawn from the seed; rows: N gives another size")
	case len(b.Files) == 0:
		fmt.Fprintln(w, "built into the program")
	}
	var problems []error
	for _, f := range b.Files {
		path, err := f.find(dir)
		if err != nil {
			fmt.Fprintf(w, "%s: not here\n", f.Path)
			continue
		}
		if err := f.check(path); err != nil {
			problems = append(problems, err)
			continue
		}
		fmt.Fprintf(w, "%s: intact, SHA-256 %s\n", path, f.SHA256)
	}
	return errors.Join(problems...)
}

func hashUnpacked(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	r, _, err := unpacked(file)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Fetch downloads the files of a set that are not at hand from their original
// source into dir, by default the user's cache. A file whose content is not the
// published one is not kept.
func (b *BuiltIn) Fetch(ctx context.Context, w io.Writer, dir string) error {
	if len(b.Files) == 0 {
		fmt.Fprintf(w, "%s needs no file\n", b.Name)
		return nil
	}
	to := dir
	if to == "" {
		var err error
		if to, err = CacheDir(); err != nil {
			return err
		}
	}
	for _, f := range b.Files {
		if path, err := f.find(dir); err == nil {
			fmt.Fprintf(w, "%s is here already\n", path)
			continue
		}
		path := filepath.Join(to, filepath.FromSlash(f.Path))
		if f.URL == "" {
			return fmt.Errorf("%s has no download of its own; make it from the IDA benchmark (%s) as rows `label "+
				"value value …` and put it at %s", f.Path, b.Citation, path)
		}
		if err := f.download(ctx, path); err != nil {
			return fmt.Errorf("fetching %s: %w; without a network, copy the file to %s by hand", f.URL, err, path)
		}
		fmt.Fprintf(w, "fetched %s\n", path)
	}
	return nil
}

func (f DataFile) download(ctx context.Context, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	body, err := polite.get(ctx, f.URL)
	if err != nil {
		return err
	}
	defer body.Close()
	partial, err := os.CreateTemp(filepath.Dir(path), ".partial-")
	if err != nil {
		return err
	}
	defer os.Remove(partial.Name())
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(partial, h), body)
	if err = errors.Join(err, partial.Sync(), partial.Close()); err != nil {
		return err
	}
	if sum := hex.EncodeToString(h.Sum(nil)); sum != f.SHA256 {
		return fmt.Errorf("the file there has SHA-256 %s, not %s", sum, f.SHA256)
	}
	return files.Move(partial.Name(), path)
}
