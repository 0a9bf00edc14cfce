// The function that a page calls.

//go:build js && wasm

package main

import (
	"context"
	"syscall/js"

	"overhear/site/engine"
)

// call is a request and where its messages go.
type call struct {
	request   string
	onMessage js.Value
}

func serve() {
	calls := make(chan call, 64)
	js.Global().Set("overhear", js.FuncOf(func(_ js.Value, args []js.Value) any {
		calls <- call{args[0].String(), args[1]}
		return nil
	}))
	if ready := js.Global().Get("overhearReady"); ready.Type() == js.TypeFunction {
		ready.Invoke()
	}
	for c := range calls {
		send := func(message []byte) { c.onMessage.Invoke(string(message)) }
		send(engine.Answer(context.Background(), []byte(c.request), send))
	}
}
