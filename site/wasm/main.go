// Command wasm is the engine of the site's pages, for a Web Worker: it sets the function overhear(request, onMessage),
// which takes a request as JSON and hands every message on the way and the answer, as JSON, to onMessage. Requests are
// answered one after another.
package main

func main() { serve() }
