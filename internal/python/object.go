// Objects of classes, and calls of them.

package python

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
)

// Object is an object of a class in a process, which serves it alone until it is released.
type Object struct {
	process *process
	id      uint32
}

// making is what the driver makes an object of.
type making struct {
	Kind       string             `json:"kind"` // what of the class is asked for, such as method
	File       string             `json:"file"`
	Class      string             `json:"class"`
	Parameters map[string]float64 `json:"parameters"`
	Setting    any                `json:"setting"`
}

// Make makes an object of a class, of that kind, which is told the setting, and returns what the object says of itself.
// Key is where the scenario names the class, for errors.
func Make(c *Class, key, kind string, setting any) (*Object, []byte, error) {
	p, err := c.start(key)
	if err != nil {
		return nil, nil, err
	}
	return c.makeIn(p, key, kind, setting)
}

// start takes a process for the class.
func (c *Class) start(key string) (*process, error) {
	if _, err := os.Stat(c.File); err != nil {
		return nil, fmt.Errorf("%s.file: %w", key, err)
	}
	p, err := start(c.Interpreter)
	if err != nil {
		return nil, fmt.Errorf("%s.interpreter: %w", key, err)
	}
	return p, nil
}

func (c *Class) makeIn(p *process, key, kind string, setting any) (*Object, []byte, error) {
	text, err := json.Marshal(making{kind, c.File, c.Class, c.Parameters, setting})
	if err != nil {
		return nil, nil, err
	}
	p.objects++
	o := &Object{p, p.objects}
	says, err := o.ask(makes, nil, text)
	if err != nil {
		o.Release()
		return nil, nil, fmt.Errorf("%s: %w", key, err)
	}
	return o, slices.Clone(says), nil
}

// shared is an object that serves whoever holds its process.
type shared struct {
	id   uint32
	says []byte
}

// Shared is an object of a class that keeps nothing from call to call, so that whichever is free serves, and what it
// says of itself. It is made once in a process, under the class's own key, and is to be returned.
func Shared(c *Class, key, own, kind string) (*Object, []byte, error) {
	p, err := start(c.Interpreter)
	if err != nil {
		return nil, nil, fmt.Errorf("%s.interpreter: %w", key, err)
	}
	of, ok := p.shared[own]
	if !ok {
		o, says, err := c.makeIn(p, key, kind, nil)
		if err != nil {
			return nil, nil, err
		}
		of = shared{o.id, says}
		p.shared[own] = of
	}
	return &Object{p, of.id}, of.says, nil
}

// Return gives the process of a shared object back, which stays.
func (o *Object) Return() {
	if o.process != nil {
		o.process.release()
		o.process = nil
	}
}

// Release drops the object and gives its process back.
func (o *Object) Release() {
	if o.process == nil {
		return
	}
	if err := o.process.send(head(drops, o.id)); err != nil {
		_ = o.lost(err)
		return
	}
	o.Return()
}

// Serve answers what an object asks for during a call; the answer is sent before the next one is asked for.
type Serve func(kind byte, body []byte) (answer []byte, err error)

// Call calls the object, serves what it asks for, and returns what it answers, which is valid until the next call. The
// error is a *Failure if the class raised something; after any other the object is lost.
func (o *Object) Call(serve Serve, parts ...[]byte) ([]byte, error) {
	return o.ask(calls, serve, parts...)
}

func (o *Object) ask(request byte, serve Serve, parts ...[]byte) ([]byte, error) {
	p := o.process
	if p == nil {
		return nil, errors.New("the interpreter has ended")
	}
	if err := p.send(append([][]byte{head(request, o.id)}, parts...)...); err != nil {
		return nil, o.lost(err)
	}
	for {
		kind, body, err := p.receive()
		if err != nil {
			return nil, o.lost(err)
		}
		var answer []byte
		switch {
		case kind == result:
			return body, nil
		case kind == failure:
			return nil, &Failure{string(body)}
		case kind == wrong:
			return nil, errors.New(string(body))
		case kind == function:
			answer, err = compute(body)
		case serve == nil:
			err = Refusef("it asks for what no class may ask for here")
		default:
			answer, err = serve(kind, body)
		}
		if err != nil {
			lost := o.lost(err) // it waits for what will not come
			if errors.As(err, new(*refused)) {
				err = lost
			}
			return nil, err
		}
		if err := p.send(answer); err != nil {
			return nil, o.lost(err)
		}
	}
}

// lost is the error of a process that does not answer any more.
func (o *Object) lost(why error) error {
	p := o.process
	o.process = nil
	return p.kill(why)
}

// head is that of a request.
func head(kind byte, object uint32) []byte {
	return binary.LittleEndian.AppendUint32([]byte{kind}, object)
}

// compute computes a function.
func compute(body []byte) ([]byte, error) {
	if len(body) == 0 || int(body[0]) >= len(functions) || len(body)%8 != 1 {
		return nil, Refusef("it asks for a function that nobody knows")
	}
	x := make([]float64, len(body)/8)
	if err := Take(body[1:], x); err != nil {
		return nil, err
	}
	f := functions[body[0]]
	for k, v := range x {
		x[k] = f(v)
	}
	return Put(nil, x), nil
}
