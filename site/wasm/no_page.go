// What is said where there is no page.

//go:build !js

package main

import (
	"fmt"
	"os"
)

func serve() {
	fmt.Fprintln(os.Stderr, "this is the engine of pages in a browser: build it with GOOS=js GOARCH=wasm")
	os.Exit(2)
}
