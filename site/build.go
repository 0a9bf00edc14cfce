// The engine for pages, built from the repository.

package site

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"overhear/site/engine"
)

// The engine's files among the assets.
const (
	programFile = "overhear.wasm.gz"
	hostFile    = "wasm_exec.js" // of Go, between the program and the browser
)

// build builds the engine. Its files are named by those of the assets.
func build(ctx context.Context, root string) (map[string][]byte, error) {
	dir, err := os.MkdirTemp("", "overhear-site-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "overhear.wasm")
	args := append([]string{"build"}, engine.BuildFlags...)
	if _, err := tool(ctx, root, append(args, "-o", out, engine.Program)...); err != nil {
		return nil, err
	}
	program, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(program); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	goroot, err := tool(ctx, root, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	host, err := os.ReadFile(filepath.Join(strings.TrimSpace(goroot), "lib", "wasm", hostFile))
	if err != nil {
		return nil, fmt.Errorf("the site needs what Go has for WebAssembly: %w", err)
	}
	return map[string][]byte{programFile: packed.Bytes(), hostFile: host}, nil
}

// tool runs Go's tool in the repository and returns what it prints.
func tool(ctx context.Context, root string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir, c.Env = root, append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOWASM=")
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("the engine of the site's pages is built by Go, and there is no command go: install " +
			"it (go.dev/dl)")
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, bytes.TrimSpace(errs.Bytes()))
	}
	return out.String(), nil
}
