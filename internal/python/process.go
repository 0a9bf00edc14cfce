// Package python runs classes that are written in Python: in interpreters of their own, over pipes. A process serves
// one call at a time, and asks meanwhile for what the engine computes. docs/formats.md has the frames.
package python

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"overhear/internal/num"
)

// Kinds of request.
const (
	makes = iota // an object of a class, under a number
	calls
	drops
)

// Kinds of answer. One that asks is followed by one more request, the answer, without a header.
const (
	result = iota
	failure
	wrong
	function
	Asks // and what is above: of the object's kind
)

// functions that answers ask for, elementwise, with the same bits everywhere.
var functions = []func(x float64) float64{num.Exp, num.Log, num.Log1p, num.Expm1, sigmoid}

// sigmoid is 1/(1 + e^−x).
func sigmoid(x float64) float64 {
	z := []float64{-x}
	num.LogisticSlopes(z, z)
	return -z[0]
}

// mostFrame is the size of a frame that nobody sends.
const mostFrame = 1 << 30

// process is an interpreter.
type process struct {
	interpreter string
	to          *bufio.Writer
	toPipe      io.Closer
	from        *bufio.Reader
	wait        func() error // how it ended
	room        []byte
	objects     uint32
	shared      map[string]shared // by their classes' keys
}

// idle are processes that serve nobody, by interpreter: a process outlives whom it served, since it takes longer to
// start than a small run.
var idle = struct {
	sync.Mutex
	of map[string][]*process
}{of: map[string][]*process{}}

// start takes an idle process, or makes one.
func start(interpreter string) (*process, error) {
	idle.Lock()
	if all := idle.of[interpreter]; len(all) > 0 {
		p := all[len(all)-1]
		idle.of[interpreter] = all[:len(all)-1]
		idle.Unlock()
		return p, nil
	}
	idle.Unlock()
	p := &process{interpreter: interpreter, shared: map[string]shared{}}
	in, out, wait, err := launch(interpreter)
	if err != nil {
		return nil, err
	}
	p.to, p.toPipe, p.from, p.wait = bufio.NewWriterSize(in, 1<<16), in, bufio.NewReaderSize(out, 1<<16), wait
	text, err := sources()
	if err != nil {
		return nil, err
	}
	if err := p.send(text); err != nil {
		return nil, p.kill(err)
	}
	return p, nil
}

// release gives a process back.
func (p *process) release() {
	idle.Lock()
	defer idle.Unlock()
	idle.of[p.interpreter] = append(idle.of[p.interpreter], p)
}

// errNoNumpy is an interpreter's that cannot compute.
var errNoNumpy = errors.New("has no numpy; name a Python that has it (interpreter)")

// kill ends a process, and says how it ended.
func (p *process) kill(why error) error {
	_ = p.toPipe.Close()
	if err := p.wait(); errors.Is(why, io.EOF) || errors.Is(why, os.ErrClosed) {
		if err == nil {
			err = errors.New("exit status 0")
		}
		if errors.Is(err, errNoNumpy) {
			return fmt.Errorf("the interpreter %s %w", p.interpreter, err)
		}
		return fmt.Errorf("the interpreter %s ended: %w (it needs numpy)", p.interpreter, err)
	}
	return fmt.Errorf("the interpreter %s: %w", p.interpreter, why)
}

// send writes a frame.
func (p *process) send(parts ...[]byte) error {
	size := 0
	for _, b := range parts {
		size += len(b)
	}
	if size > mostFrame {
		return fmt.Errorf("a frame of %d bytes is more than %d", size, mostFrame)
	}
	var head [4]byte
	binary.LittleEndian.PutUint32(head[:], uint32(size))
	if _, err := p.to.Write(head[:]); err != nil {
		return err
	}
	for _, b := range parts {
		if _, err := p.to.Write(b); err != nil {
			return err
		}
	}
	return p.to.Flush()
}

// receive reads a frame: its kind and what is in it, which is valid until the next one.
func (p *process) receive() (kind byte, body []byte, err error) {
	var head [4]byte
	if _, err := io.ReadFull(p.from, head[:]); err != nil {
		return 0, nil, err
	}
	size := binary.LittleEndian.Uint32(head[:])
	if size == 0 || size > mostFrame {
		return 0, nil, fmt.Errorf("it wrote a frame of %d bytes, which is no answer", size)
	}
	if cap(p.room) < int(size) {
		p.room = make([]byte, size)
	}
	b := p.room[:size]
	if _, err := io.ReadFull(p.from, b); err != nil {
		return 0, nil, err
	}
	return b[0], b[1:], nil
}

// Failure is what a class raised.
type Failure struct{ Traceback string } // or one line, of what it left

func (f *Failure) Error() string {
	lines := strings.Split(strings.TrimSpace(f.Traceback), "\n")
	if len(lines) == 1 { // what it left, and not what it raised
		return f.Traceback
	}
	return fmt.Sprintf("the class raised %s\n%s", lines[len(lines)-1], f.Traceback)
}
