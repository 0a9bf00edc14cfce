// Interpreters, and what they are given to run.

//go:build !page

package python

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

//go:embed driver/*.py
var driver embed.FS

// modules are those of the driver, each after those that it imports.
var modules = []string{"frames", "functions", "classes", "methods", "attacks", "losses", "serve"}

// bootstrap makes the driver's modules of what it reads first.
const bootstrap = `import importlib.util, json, struct, sys, types
if importlib.util.find_spec("numpy") is None:
    sys.exit(4)
package = types.ModuleType("overhear_driver")
package.__path__ = []
sys.modules[package.__name__] = package
size, = struct.unpack("<I", sys.stdin.buffer.read(4))
for name, text in json.loads(sys.stdin.buffer.read(size)):
    module = types.ModuleType(package.__name__ + "." + name)
    module.__package__ = package.__name__
    sys.modules[module.__name__] = module
    exec(compile(text, "<overhear " + name + ">", "exec"), module.__dict__)
`

// withoutNumpy is how the bootstrap ends where there is none.
const withoutNumpy = 4

// launch starts an interpreter, which writes its errors where the program does.
func launch(interpreter string) (to io.WriteCloser, from io.Reader, wait func() error, err error) {
	command := exec.Command(interpreter, "-c", bootstrap)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return nil, nil, nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, nil, nil, err
	}
	if err := command.Start(); err != nil {
		return nil, nil, nil, fmt.Errorf("%w; name a Python that has numpy", err)
	}
	return in, out, func() error {
		err := command.Wait()
		if left := (*exec.ExitError)(nil); errors.As(err, &left) && left.ExitCode() == withoutNumpy {
			return errNoNumpy
		}
		return err
	}, nil
}

// sources are the driver's modules, as the bootstrap reads them.
func sources() ([]byte, error) {
	var texts [][2]string
	for _, name := range modules {
		text, err := driver.ReadFile("driver/" + name + ".py")
		if err != nil {
			return nil, err
		}
		texts = append(texts, [2]string{name, string(text)})
	}
	return json.Marshal(texts)
}
