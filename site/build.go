// The engine for pages, built from the repository.

package site

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"

	"overhear/internal/files"
	"overhear/site/engine"
)

// The engine's files among the assets.
const (
	programFile = "overhear.wasm.br"
	hostFile    = "wasm_exec.js" // of Go, between the program and the browser
	unpackFile  = "brotli.js"    // of brotli, which makes a quarter less of the program than browsers' gzip
)

// build builds the engine. Its files are named by those of the assets.
func build(ctx context.Context, root, cache string, c *course) (map[string][]byte, error) {
	c.at(compiling, 0)
	program, err := compile(ctx, root)
	if err != nil {
		return nil, err
	}
	c.at(compiling, 1)
	packed, err := packedOnce(ctx, program, cache, func(share float64) { c.at(packing, share) })
	if err != nil {
		return nil, err
	}
	c.at(packing, 1)
	unpack, err := unpacking(ctx, root)
	if err != nil {
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
	return map[string][]byte{programFile: packed, hostFile: host, unpackFile: unpack}, nil
}

// packedOnce is a program, packed, as the cache has it from the last site if that had the same one: to pack it takes
// most of the time that a site takes. A cache that cannot be used costs that time only.
func packedOnce(ctx context.Context, program []byte, cache string, told func(share float64)) ([]byte, error) {
	at := filepath.Join(cache, programFile)
	if cache != "" {
		if packed, err := os.ReadFile(at); err == nil && unpacksTo(packed, program) {
			return packed, nil
		}
	}
	packed, err := pack(ctx, program, told)
	if err == nil && cache != "" && files.Directory(cache) == nil {
		_ = files.WriteBytes(at, packed)
	}
	return packed, err
}

// pack packs a program, and tells the share that is packed.
func pack(ctx context.Context, program []byte, told func(share float64)) ([]byte, error) {
	// What is flushed is packed by then: otherwise the last fifth of the time would come after the last byte is read.
	const part, flushed = 1 << 18, 1 << 22
	var packed bytes.Buffer
	z := brotli.NewWriterOptions(&packed, brotli.WriterOptions{Quality: brotli.BestCompression, LGWin: 24})
	for at := 0; at < len(program); at += part {
		told(float64(at) / float64(len(program)))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if _, err := z.Write(program[at:min(at+part, len(program))]); err != nil {
			return nil, err
		}
		if at > 0 && at%flushed == 0 {
			if err := z.Flush(); err != nil {
				return nil, err
			}
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

// unpacksTo says whether a file is a program, packed.
func unpacksTo(packed, program []byte) bool {
	got, err := io.ReadAll(io.LimitReader(brotli.NewReader(bytes.NewReader(packed)), int64(len(program))+1))
	return err == nil && bytes.Equal(got, program)
}

// compile makes the engine, with modules of the repository (site/latex) in place of those that pages do not need.
func compile(ctx context.Context, root string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "overhear-site-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	modules, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return nil, err
	}
	modules = append(modules, "\nreplace codeberg.org/go-latex/latex => ./site/latex\n"...)
	modfile, out := filepath.Join(dir, "pages.mod"), filepath.Join(dir, "overhear.wasm")
	err = errors.Join(files.WriteBytes(modfile, modules), files.WriteBytes(filepath.Join(dir, "pages.sum"), sums))
	if err != nil {
		return nil, err
	}
	args := append([]string{"build", "-modfile", modfile}, engine.BuildFlags...)
	if _, err := tool(ctx, root, append(args, "-o", out, engine.Program)...); err != nil {
		return nil, err
	}
	return os.ReadFile(out)
}

// unpacking is brotli's own reader for browsers, which its module has, as a script for workers.
func unpacking(ctx context.Context, root string) ([]byte, error) {
	listed, err := tool(ctx, root, "mod", "download", "-modfile", filepath.Join(root, "tools", "go.mod"), "-json",
		"github.com/google/brotli")
	if err != nil {
		return nil, err
	}
	var module struct{ Dir string }
	if err := json.Unmarshal([]byte(listed), &module); err != nil {
		return nil, err
	}
	script, err := os.ReadFile(filepath.Join(module.Dir, "js", "decode.min.js"))
	if err != nil {
		return nil, err
	}
	licence, err := os.ReadFile(filepath.Join(module.Dir, "LICENSE"))
	if err != nil {
		return nil, err
	}
	body, ok := bytes.CutPrefix(script, []byte("export let "))
	if !ok {
		return nil, errors.New("github.com/google/brotli: js/decode.min.js does not begin as it did")
	}
	return slices.Concat([]byte("/*\n"), licence, []byte("*/\nvar "), body), nil
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
