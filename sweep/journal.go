// The journal: the store on a disk, one file that is only appended to.

package sweep

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"overhear/internal/files"
)

// syncEvery is how often the journal is synchronised with the disk while results
// come in. A process that is killed loses nothing that it wrote; only a loss of
// power can take what was not synchronised.
const syncEvery = time.Second

// Journal is a Store in a file.
type Journal struct {
	path string

	mu       sync.Mutex
	file     *os.File
	readOnly bool
	err      error // of an earlier write, after which the file's end is not known
	size     int64
	places   []place // by number of the run
	begun    []uint8 // how often each run was begun, up to 255
	synced   time.Time
	buffer   []byte
	dropped  int64 // bytes at the end that were cut off
}

// place is where a result is in the file; a length of zero means that there is
// none.
type place struct {
	at     int64
	length int32
	broken bool
}

var _ Store = (*Journal)(nil)

// openJournal opens the journal of a plan, or begins it. One process at a time
// may write it: see lock.
func openJournal(path string, p *Plan) (*Journal, error) {
	j := &Journal{path: path}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return j, j.create(p)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the journal: %w", err)
	}
	j.file = f
	if err := j.load(p); err != nil {
		f.Close()
		return nil, err
	}
	if j.size < int64(len(magic)) {
		f.Close()
		return j, j.create(p)
	}
	if j.dropped > 0 {
		if err := f.Truncate(j.size); err != nil {
			f.Close()
			return nil, fmt.Errorf("opening the journal: %w", err)
		}
	}
	return j, nil
}

// readJournal opens a journal that another process may be writing.
func readJournal(path string, p *Plan) (*Journal, error) {
	j := &Journal{path: path, readOnly: true}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		j.places, j.begun = make([]place, p.Len()), make([]uint8, p.Len())
		return j, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the journal: %w", err)
	}
	j.file = f
	if err := j.load(p); err != nil {
		f.Close()
		return nil, err
	}
	return j, nil
}

// create begins a journal; it appears complete with its first record.
func (j *Journal) create(p *Plan) error {
	b := appendRecord([]byte(magic), planRecord, 0, []byte(p.Hash))
	err := files.WriteBytes(j.path, b)
	if err == nil {
		j.file, err = os.OpenFile(j.path, os.O_RDWR, 0)
	}
	if err != nil {
		return fmt.Errorf("beginning the journal: %w", err)
	}
	j.size = int64(len(b))
	j.places, j.begun = make([]place, p.Len()), make([]uint8, p.Len())
	return nil
}

// load reads which results the file has.
func (j *Journal) load(p *Plan) error {
	info, err := j.file.Stat()
	if err != nil {
		return fmt.Errorf("reading the journal: %w", err)
	}
	j.places, j.begun = make([]place, p.Len()), make([]uint8, p.Len())
	known := false
	j.size, err = scan(j.file, info.Size(), func(e entry) error {
		switch {
		case e.kind == planRecord && !known:
			if string(e.payload) != p.Hash {
				return fmt.Errorf("%s is of another sweep than the plan beside it", j.path)
			}
			known = true
		case !known || e.index < 0 || e.index >= p.Len():
			return fmt.Errorf("%w: a record is of run %d of a plan with %d", ErrDamaged, e.index, p.Len())
		case e.kind == beginRecord:
			j.noteBegun(e.index)
		case e.kind == resultRecord && len(e.payload) > 0:
			j.places[e.index] = place{e.at, int32(len(e.payload)), Failed(e.payload)}
		case e.kind == dropRecord:
			j.places[e.index] = place{}
		default:
			return fmt.Errorf("%w: a record is of unknown kind %q", ErrDamaged, e.kind)
		}
		return nil
	})
	if errors.Is(err, ErrDamaged) {
		n := 0
		for _, p := range j.places {
			if p.length > 0 {
				n++
			}
		}
		return fmt.Errorf("%s: %w; `truncate -s %d` keeps the %d results before that, and the others are computed "+
			"again", j.path, err, j.size, n)
	}
	if err != nil {
		return fmt.Errorf("reading the journal: %w", err)
	}
	j.dropped = info.Size() - j.size
	return nil
}

func (j *Journal) noteBegun(index int) {
	if j.begun[index] < 255 {
		j.begun[index]++
	}
}

// State says whether a run's result is stored.
func (j *Journal) State(index int) State {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch p := j.places[index]; {
	case p.length == 0:
		return Open
	case p.broken:
		return Broken
	}
	return Finished
}

// Begun is how often a run was begun, up to 255.
func (j *Journal) Begun(index int) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return int(j.begun[index])
}

// Begin notes that a run begins.
func (j *Journal) Begin(index int) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.noteBegun(index)
	return j.append(beginRecord, index, nil)
}

// Put stores a result; see Store.
func (j *Journal) Put(index int, result []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	stored, err := j.read(index, nil)
	if err != nil {
		return err
	}
	if store, err := put(index, stored, result); err != nil || !store {
		return err
	}
	at := j.size + headerBytes
	if err := j.append(resultRecord, index, result); err != nil {
		return err
	}
	j.places[index] = place{at, int32(len(result)), Failed(result)}
	return nil
}

// Drop takes a result back; see Store.
func (j *Journal) Drop(index int) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.places[index].length == 0 {
		return nil
	}
	if err := j.append(dropRecord, index, nil); err != nil {
		return err
	}
	j.places[index] = place{}
	return nil
}

// append writes a record with one write.
func (j *Journal) append(kind byte, index int, payload []byte) error {
	if j.readOnly {
		return fmt.Errorf("%s is open for reading only", j.path)
	}
	if j.err != nil {
		return j.err
	}
	j.buffer = appendRecord(j.buffer[:0], kind, index, payload)
	if _, err := j.file.WriteAt(j.buffer, j.size); err != nil {
		j.err = fmt.Errorf("writing the journal: %w", err)
		return j.err
	}
	j.size += int64(len(j.buffer))
	if kind == resultRecord && time.Since(j.synced) > syncEvery {
		if err := j.file.Sync(); err != nil {
			j.err = fmt.Errorf("writing the journal: %w", err)
			return j.err
		}
		j.synced = time.Now()
	}
	return nil
}

// read returns the stored result of a run, nil if there is none.
func (j *Journal) read(index int, buffer []byte) ([]byte, error) {
	p := j.places[index]
	if p.length == 0 {
		return nil, nil
	}
	if cap(buffer) < int(p.length) {
		buffer = make([]byte, p.length, p.length+p.length/2)
	}
	buffer = buffer[:p.length]
	if _, err := j.file.ReadAt(buffer, p.at); err != nil {
		return nil, fmt.Errorf("reading the journal: %w", err)
	}
	return buffer, nil
}

// All calls f with every stored result, in order of number.
func (j *Journal) All(f func(index int, result []byte) error) error {
	var buffer []byte
	for index := range j.places {
		j.mu.Lock()
		b, err := j.read(index, buffer)
		j.mu.Unlock()
		if err != nil {
			return err
		}
		if b == nil {
			continue
		}
		buffer = b
		if err := f(index, b); err != nil {
			return err
		}
	}
	return nil
}

// Close synchronises the journal with the disk and closes it.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return nil
	}
	var err error
	if !j.readOnly {
		err = j.file.Sync()
	}
	err = errors.Join(err, j.file.Close())
	j.file = nil
	if err != nil {
		return fmt.Errorf("closing the journal: %w", err)
	}
	return nil
}
