// Package checkpoint keeps the results of computations in a file while a deterministic
// program runs, so that the program, stopped at any moment and started again, takes
// them from there in place of computing them.
//
// # Overview
//
// Computations belong to tracks. Those of one track come one after the other, always
// in the same order; tracks are independent, and may be used from several goroutines.
// Before a computation the program asks its track for the next result ([Track.Next]);
// if there is none, it computes, and hands the result over ([Track.Keep]).
//
//	j, err := checkpoint.Open(path, checkpoint.Options{Key: key, Every: 10 * time.Second})
//	t := j.Track(3)
//	in := checkpoint.SumOf(x)
//	y, ok := t.Next(in)
//	if !ok {
//		y = f(x)
//		t.Keep(in, y)
//	}
//
// A nil *Journal and a nil *Track are those of a program that keeps nothing.
//
// A program that does at first what another did, and then something else, takes what that
// left ([Options].From) until it parts from it ([Journal.Part]).
//
// # Invariants
//
//   - The file holds a prefix of every track. A record that was cut off or is damaged
//     ends it, whatever follows.
//   - A record is used only for the input that it was made of. One that does not fit
//     ends the use of the journal ([ErrMisfit]), as what came before it may be wrong.
//   - A journal whose key is another's, or whose beginning is damaged, is not used.
//   - No error of writing is the program's: the journal ends there and what it has
//     remains of use.
package checkpoint

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"
	"unsafe"
)

// The file: the magic, the key, the CRC-32C of both; then records. A record is the
// number of values (4 bytes, little-endian), the track (4), the sum of the input (4),
// the values (8 each, as in memory) and the CRC-32C of all that (4).
const (
	magic       = "OVHJRN01"
	keyBytes    = 32
	fileHeader  = len(magic) + keyBytes + 4
	recordBytes = 12 // before the values
	maxValues   = 1 << 27
)

// Write when so many bytes wait, and hold the program up where the disk does not
// follow.
const (
	enough  = 1 << 20
	tooMuch = 1 << 25
)

// soon is how long results wait to be written, at most. Written is not synchronised: it
// takes next to nothing, and is there if the program is killed, but not after a loss of power.
var soon = 2 * time.Second

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrMisfit is wrapped by the error of a journal whose records are not of the
// computations that the program does.
var ErrMisfit = errors.New("the checkpoint is not of this run")

// Options say what a journal is of, and how it is kept.
type Options struct {
	// Key stands for everything that the results depend on. It is asked for when it
	// is needed: to compare it with a file's, or to begin a file.
	Key func() ([keyBytes]byte, error)

	Every  time.Duration // between two synchronisations with the disk; 0: nothing is kept
	Limit  int64         // bytes of the file beyond which nothing more is kept
	Misfit func(error)   // told at once of a record that does not fit; may be nil
	From   *Source       // results of another program that this one goes on from; nil: of none
}

// Source is the journal of a program that is over. It is only read.
type Source struct {
	Path string
	Key  [keyBytes]byte
}

// Journal is an open journal.
type Journal struct {
	path string
	o    Options
	old  int // records that the file had

	unused error // why the source is of no use

	mu       sync.Mutex // of what follows
	earlier  *reader    // of what an earlier run has left
	source   *reader    // of another program's, until this one parts from it
	taken    int        // results of that
	used     int        // results of an earlier run that this one has come to
	tracks   map[uint32]*Track
	buffer   []byte // records to be written
	size     int64  // of the file, with what is in the buffer
	full     bool   // nothing more is kept
	misfit   error
	closed   bool
	writing  sync.Mutex // of what follows; locked before mu
	file     *os.File   // nil until there is one
	spare    []byte
	err      error
	wake     chan struct{} // there is enough to write
	stop     chan struct{}
	finished chan struct{}
}

// Track is a sequence of computations.
type Track struct {
	j    *Journal
	id   uint32
	next int // how many results it has come to
}

type record struct {
	input  Sum
	values []float64
}

// reader reads the records of a file, track by track.
type reader struct {
	path   string
	file   io.Closer // nil: another's
	from   *bufio.Reader
	unread int64             // bytes of records
	queues map[uint32]*queue // read while looking for another track's
}

// queue are the records of a track from a number on.
type queue struct {
	first   int
	records []record
}

// take is the result of a number of a track, the numbers of which ascend; false: there is none. The error is of
// reading.
func (r *reader) take(track uint32, number int) (record, bool, error) {
	if r == nil {
		return record{}, false, nil
	}
	q := r.queue(track)
	for q.first+len(q.records) <= number && r.unread > 0 {
		b, size, err := next(r.from)
		if err != nil {
			r.unread = 0
			return record{}, false, err
		}
		r.unread -= size
		one := record{Sum(binary.LittleEndian.Uint32(b[8:])), make([]float64, binary.LittleEndian.Uint32(b))}
		copy(inMemory(one.values), b[recordBytes:])
		of := r.queue(binary.LittleEndian.Uint32(b[4:]))
		of.records = append(of.records, one)
	}
	for q.first < number && len(q.records) > 0 { // another source had them
		q.pop()
	}
	if q.first != number || len(q.records) == 0 {
		return record{}, false, nil
	}
	return q.pop(), true, nil
}

func (r *reader) queue(track uint32) *queue {
	q := r.queues[track]
	if q == nil {
		q = new(queue)
		r.queues[track] = q
	}
	return q
}

func (q *queue) pop() record {
	one := q.records[0]
	q.records[0] = record{}
	q.records = q.records[1:]
	q.first++
	return one
}

// close ends the reading.
func (r *reader) close() {
	if r != nil && r.file != nil {
		r.file.Close()
	}
}

// Sum stands for the input of a computation.
type Sum uint32

// SumOf is the CRC-32C of the bits of vectors.
func SumOf(vectors ...[]float64) Sum {
	sum := uint32(0)
	for _, v := range vectors {
		sum = crc32.Update(sum, castagnoli, inMemory(v))
	}
	return Sum(sum)
}

// inMemory are the bytes of a vector where it is. Their order is the machine's: a
// checkpoint is of one build of the program, and so of one kind of machine.
func inMemory(v []float64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 8*len(v))
}

// Open opens the journal at a path, or begins one: its file is made at the first
// checkpoint, so that a short run makes none. A file that is of no use is removed;
// discarded says why. A source that is of no use is left alone, and [Journal.Unused] says why.
func Open(path string, o Options) (j *Journal, discarded error, err error) {
	j = &Journal{path: path, o: o, tracks: map[uint32]*Track{}, size: int64(fileHeader), wake: make(chan struct{}, 1),
		stop: make(chan struct{}), finished: make(chan struct{})}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, nil, fmt.Errorf("opening a checkpoint: %w", err)
	default:
		if discarded, err = j.load(f); err != nil {
			f.Close()
			return nil, nil, fmt.Errorf("opening the checkpoint %s: %w", path, err)
		}
	}
	if o.From != nil {
		j.source, j.unused = o.From.open()
	}
	if o.Every <= 0 {
		j.full = true
		close(j.finished)
	} else {
		go j.keep()
	}
	return j, discarded, nil
}

// open opens a source, or says why it is of no use.
func (s *Source) open() (*reader, error) {
	f, err := os.Open(s.Path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	r := bufio.NewReaderSize(f, enough)
	if err == nil {
		err = opens(r, s.Key)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &reader{path: s.Path, file: f, from: r, unread: info.Size() - int64(fileHeader),
		queues: map[uint32]*queue{}}, nil
}

// uselessError is of a file that is damaged or another's.
type uselessError string

func (e uselessError) Error() string { return string(e) }

// opens reads the beginning of a file; the error says why it is of no use.
func opens(r io.Reader, key [keyBytes]byte) error {
	header := make([]byte, fileHeader)
	switch _, err := io.ReadFull(r, header); {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || err == nil && !whole(header) ||
		err == nil && string(header[:len(magic)]) != magic:
		return uselessError("its beginning is damaged")
	case err != nil:
		return err
	case [keyBytes]byte(header[len(magic):]) != key:
		return uselessError("it is of other data, of another scenario or of another build of the program")
	}
	return nil
}

// load takes over a file, up to the first damage.
func (j *Journal) load(f *os.File) (discarded, err error) {
	key, err := j.o.Key()
	if err != nil {
		return nil, err
	}
	r := bufio.NewReaderSize(f, enough)
	useless := uselessError("")
	if err := opens(r, key); errors.As(err, &useless) {
		return useless, errors.Join(f.Close(), os.Remove(j.path))
	} else if err != nil {
		return nil, err
	}
	for {
		_, bytes, err := next(r)
		if err != nil {
			break
		}
		j.size += bytes
		j.old++
	}
	unread := j.size - int64(fileHeader)
	if err := f.Truncate(j.size); err != nil {
		return nil, err
	}
	if _, err := f.Seek(j.size, io.SeekStart); err != nil {
		return nil, err
	}
	j.file = f
	records := io.NewSectionReader(f, int64(fileHeader), unread)
	j.earlier = &reader{path: j.path, from: bufio.NewReaderSize(records, enough), unread: unread,
		queues: map[uint32]*queue{}}
	return nil, nil
}

// whole says whether bytes end in the sum of what is before it.
func whole(b []byte) bool {
	n := len(b) - 4
	return crc32.Checksum(b[:n], castagnoli) == binary.LittleEndian.Uint32(b[n:])
}

var errDamaged = errors.New("a record is damaged")

// next reads a record: its bytes, and how many there are.
func next(r *bufio.Reader) (b []byte, size int64, err error) {
	head, err := r.Peek(4)
	if err != nil {
		return nil, 0, err
	}
	n := binary.LittleEndian.Uint32(head)
	if n > maxValues {
		return nil, 0, errDamaged
	}
	length := recordBytes + 8*int(n) + 4
	if length <= r.Size() { // in place: valid until the next read
		if b, err = r.Peek(length); err == nil {
			_, err = r.Discard(length)
		}
	} else {
		var large []byte
		if large, err = io.ReadAll(io.LimitReader(r, int64(length))); err == nil && len(large) < length {
			err = io.ErrUnexpectedEOF
		}
		b = large
	}
	if err == nil && !whole(b) {
		err = errDamaged
	}
	return b, int64(length), err
}

// Old is how many results an earlier run has left.
func (j *Journal) Old() int {
	if j == nil {
		return 0
	}
	return j.old
}

// Left is how many of the old results this run has not come to yet.
func (j *Journal) Left() int {
	if j == nil {
		return 0
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.old - j.used
}

// Track returns the track with a number.
func (j *Journal) Track(id uint32) *Track {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	t := j.tracks[id]
	if t == nil {
		t = &Track{j: j, id: id}
		j.tracks[id] = t
	}
	return t
}

// Next is the result of the track's next computation, if an earlier run has left it.
// It is the caller's.
func (t *Track) Next(input Sum) (values []float64, ok bool) {
	if t == nil {
		return nil, false
	}
	j := t.j
	j.mu.Lock()
	r, waiting, ok := t.come(input)
	j.mu.Unlock()
	j.relieve(waiting)
	return r.values, ok
}

// come is Next, and says how many bytes wait to be written. The caller holds the lock.
func (t *Track) come(input Sum) (r record, waiting int, ok bool) {
	j := t.j
	if j.misfit != nil {
		return record{}, 0, false
	}
	r, ok, err := j.earlier.take(t.id, t.next)
	if err != nil { // it was whole when the journal was opened
		j.fails(fmt.Errorf("reading the checkpoint %s again: %w", j.path, err))
		return record{}, 0, false
	}
	lent := false
	if !ok {
		r, lent, _ = j.source.take(t.id, t.next) // what is damaged ends it
	}
	if !ok && !lent {
		return record{}, 0, false
	}
	if r.input != input {
		j.fails(fmt.Errorf("a result of track %d was made of something else", t.id))
		return record{}, 0, false
	}
	t.next++
	if !lent {
		j.used++
	} else {
		j.taken++
		waiting = j.append(t.id, input, r.values)
	}
	return r, waiting, true
}

// Part ends the use of another program's results: from here on this one does something else. No computation may be
// under way.
func (j *Journal) Part() {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.source.close()
	j.source = nil
}

// Taken is how many results of another program were taken so far.
func (j *Journal) Taken() int {
	if j == nil {
		return 0
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.taken
}

// Unused says why no result of another program is used, nil if they are, or none were to be.
func (j *Journal) Unused() error {
	if j == nil {
		return nil
	}
	return j.unused
}

// fails ends the use of the journal. The caller holds the lock.
func (j *Journal) fails(why error) {
	j.misfit = fmt.Errorf("%w: %w", ErrMisfit, why)
	j.full = true
	if j.o.Misfit != nil {
		j.o.Misfit(j.misfit)
	}
}

// Misfit is the error of a journal that does not fit, nil if it has fitted so far.
func (j *Journal) Misfit() error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.misfit
}

// Keep hands over the result of the computation that Next was asked for.
func (t *Track) Keep(input Sum, values ...[]float64) {
	if t == nil {
		return
	}
	j := t.j
	j.mu.Lock()
	t.next++
	waiting := j.append(t.id, input, values...)
	j.mu.Unlock()
	j.relieve(waiting)
}

// relieve has records written, or writes them, where many bytes wait.
func (j *Journal) relieve(waiting int) {
	if waiting >= tooMuch {
		j.flush(false)
	} else if waiting >= enough {
		select {
		case j.wake <- struct{}{}:
		default: // it is awake
		}
	}
}

// append adds a result to the records to be written, and says how many bytes wait. The caller holds the lock.
func (j *Journal) append(track uint32, input Sum, values ...[]float64) (waiting int) {
	n := 0
	for _, v := range values {
		n += len(v)
	}
	length := int64(recordBytes + 8*n + 4)
	if j.closed || j.full || j.size+length > j.o.Limit || n > maxValues {
		j.full = true // whatever follows: a file is a prefix of every track
		return 0
	}
	begin := len(j.buffer)
	b := binary.LittleEndian.AppendUint32(j.buffer, uint32(n))
	b = binary.LittleEndian.AppendUint32(b, track)
	b = binary.LittleEndian.AppendUint32(b, uint32(input))
	for _, v := range values {
		b = append(b, inMemory(v)...)
	}
	j.buffer = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[begin:], castagnoli))
	j.size += length
	return len(j.buffer)
}

// keep writes what has come together, until the journal is closed.
func (j *Journal) keep() {
	defer close(j.finished)
	synchronised := time.Now()
	ticker := time.NewTicker(min(j.o.Every, soon))
	defer ticker.Stop()
	for {
		select { // when it writes changes no result
		case <-j.stop:
			return
		case <-j.wake:
			j.flush(false)
		case now := <-ticker.C:
			due := now.Sub(synchronised) >= j.o.Every
			j.flush(due)
			if due {
				synchronised = now
			}
		}
	}
}

// flush writes the buffer, and synchronises the file if it is asked to.
func (j *Journal) flush(sync bool) {
	j.writing.Lock()
	defer j.writing.Unlock()
	j.mu.Lock()
	b := j.buffer
	j.buffer = j.spare[:0]
	j.mu.Unlock()
	j.spare = b
	if j.err != nil || len(b) == 0 && j.file == nil {
		return // nothing to synchronise, either
	}
	if j.file == nil {
		j.file, j.err = j.begin()
	}
	if j.err == nil {
		_, j.err = j.file.Write(b)
	}
	if j.err == nil && sync {
		j.err = j.file.Sync()
	}
	if j.err != nil {
		j.mu.Lock()
		j.full = true
		j.mu.Unlock()
	}
}

// begin makes the file.
func (j *Journal) begin() (*os.File, error) {
	key, err := j.o.Key()
	if err != nil {
		return nil, err
	}
	b := append([]byte(magic), key[:]...)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	f, err := os.OpenFile(j.path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(b)
	return f, err
}

// Close writes what is left, for a run that is to go on later. The error is the first
// of writing. Nothing is kept after it; closing again does nothing.
func (j *Journal) Close() error {
	if j == nil || !j.end() {
		return nil
	}
	j.flush(true)
	if j.file != nil {
		j.err = errors.Join(j.err, j.file.Close())
	}
	if j.err != nil {
		return fmt.Errorf("writing the checkpoint %s: %w", j.path, j.err)
	}
	return nil
}

// Remove closes the journal and removes its file.
func (j *Journal) Remove() error {
	if j == nil {
		return nil
	}
	if j.end() && j.file != nil {
		j.file.Close()
	}
	if err := os.Remove(j.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing a checkpoint: %w", err)
	}
	return nil
}

// end stops the goroutine that writes; false if it has ended before.
func (j *Journal) end() bool {
	j.Part()
	j.mu.Lock()
	before := j.closed
	j.closed = true
	j.mu.Unlock()
	if before {
		return false
	}
	close(j.stop)
	<-j.finished
	return true
}
