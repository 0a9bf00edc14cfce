// Processes that serve methods, and the frames that go to and fro.

package external

import (
	"bufio"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strings"
	"sync"
)

//go:embed driver.py
var driver string

// Kinds of requests, and of answers to them. An answer that asks is followed by one more request, without a header.
const (
	begin = iota
	step
	end
)

const (
	result = iota
	noise
	gaussian
	minimise
	gradient
	data
	logarithm
	exponential
	failure
)

// mostFrame is the size of a frame that nobody sends.
const mostFrame = 1 << 30

// process is an interpreter that serves sessions, one call at a time.
type process struct {
	interpreter string
	command     *exec.Cmd
	to          *bufio.Writer
	toPipe      io.Closer
	from        *bufio.Reader
	room        []byte
	sessions    uint32
}

// idle are processes that serve nobody, by interpreter: a process outlives the run that it served, since it takes
// longer to start than a small run.
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
	p := &process{interpreter: interpreter, command: exec.Command(interpreter, "-c", driver)}
	p.command.Stderr = os.Stderr
	in, err := p.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.command.Start(); err != nil {
		return nil, fmt.Errorf("algorithm.interpreter: %w", err)
	}
	p.to, p.toPipe, p.from = bufio.NewWriterSize(in, 1<<16), in, bufio.NewReaderSize(out, 1<<16)
	return p, nil
}

// release gives a process back.
func (p *process) release() {
	idle.Lock()
	defer idle.Unlock()
	idle.of[p.interpreter] = append(idle.of[p.interpreter], p)
}

// kill ends a process, and says how it ended.
func (p *process) kill(why error) error {
	_ = p.toPipe.Close()
	if err := p.command.Wait(); errors.Is(why, io.EOF) {
		if err == nil {
			err = errors.New("exit status 0")
		}
		return fmt.Errorf("the method's interpreter %s ended: %w (it needs numpy)", p.interpreter, err)
	}
	return fmt.Errorf("the method's interpreter %s: %w", p.interpreter, why)
}

// send writes a frame.
func (p *process) send(parts ...[]byte) error {
	size := 0
	for _, b := range parts {
		size += len(b)
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

// header is that of a request.
func header(kind byte, session uint32, node, t int, what byte) []byte {
	b := make([]byte, 0, 14)
	b = append(b, kind)
	b = binary.LittleEndian.AppendUint32(b, session)
	b = binary.LittleEndian.AppendUint32(b, uint32(node))
	b = binary.LittleEndian.AppendUint32(b, uint32(t))
	return append(b, what)
}

// put appends vectors.
func put(b []byte, vectors ...[]float64) []byte {
	for _, v := range vectors {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
	}
	return b
}

// take reads vectors of what is in a frame, which has to be as long as these.
func take(body []byte, vectors ...[]float64) error {
	want := 0
	for _, v := range vectors {
		want += 8 * len(v)
	}
	if len(body) != want {
		return fmt.Errorf("it wrote %d bytes where %d are an answer", len(body), want)
	}
	for _, v := range vectors {
		for k := range v {
			v[k] = math.Float64frombits(binary.LittleEndian.Uint64(body))
			body = body[8:]
		}
	}
	return nil
}

// Failure is what a method raised.
type Failure struct{ Traceback string }

func (f *Failure) Error() string {
	lines := strings.Split(strings.TrimSpace(f.Traceback), "\n")
	return fmt.Sprintf("the method raised %s\n%s", lines[len(lines)-1], f.Traceback)
}
