// The engine in a worker: questions, progress, and an end at any time.
"use strict";

const Engine = (() => {
  const here = new URL(".", document.currentScript.src);
  let compiled; // the program, a promise; it is compiled once, and every worker has it

  async function compile() {
    let answer;
    try {
      answer = await fetch(new URL("overhear.wasm.gz", here));
    } catch (e) {
      throw new Error(location.protocol === "file:" ?
        "A page that computes has to come from a server, such as python3 -m http.server in the site's directory." :
        `The engine cannot be loaded: ${e.message}`);
    }
    if (!answer.ok) throw new Error(`The engine cannot be loaded: ${answer.status} ${answer.statusText}`);
    const file = await answer.blob(), [a, b] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
    // Some servers unpack what they send.
    const packed = a === 0x1f && b === 0x8b, all = file.stream();
    const program = packed ? all.pipeThrough(new DecompressionStream("gzip")) : all;
    return WebAssembly.compileStreaming(new Response(program, {headers: {"Content-Type": "application/wasm"}}));
  }

  // The worker's first lines are the page's, so that the page's policy is the worker's too.
  function worker() {
    const parts = ["wasm_exec.js", "worker.js"].map(name => JSON.stringify(new URL(name, here).href));
    const address = URL.createObjectURL(new Blob([`importScripts(${parts});`], {type: "text/javascript"}));
    const made = new Worker(address);
    URL.revokeObjectURL(address);
    return made;
  }

  /** What a question ends with that was cancelled. */
  class Cancelled extends Error {}

  /** One worker. Questions are answered one after another. */
  class Engine {
    static Cancelled = Cancelled;
    #worker = null;
    #asked = new Map();
    #last = 0;

    /** ask sends a request and returns its answer; onProgress gets a share from 0 to 1, and words. */
    async ask(request, onProgress = () => {}) {
      const id = ++this.#last;
      return new Promise((answer, fail) => {
        this.#asked.set(id, {answer, fail, onProgress});
        this.#start().then(worker => { if (this.#asked.has(id)) worker.postMessage({...request, id}); },
          e => this.#end(e));
      });
    }

    /** cancel ends all that was asked, at once. */
    cancel() { this.#end(new Cancelled("cancelled")); }

    async #start() {
      compiled ??= compile().catch(e => { compiled = undefined; throw e; });
      const program = await compiled;
      if (this.#worker) return this.#worker;
      const started = this.#worker = worker();
      started.onmessage = m => this.#hear(m.data);
      started.onerror = e => {
        e.preventDefault();
        if (this.#worker === started) this.#end(new Error(`The engine stopped: ${e.message}`));
      };
      started.postMessage({program});
      return started;
    }

    #hear(m) {
      if (m.stopped !== undefined) {
        this.#end(new Error(`The engine stopped: ${m.stopped}`));
        return;
      }
      const asked = this.#asked.get(m.id);
      if (!asked) return;
      if (!m.done) {
        asked.onProgress(m.progress, m.text);
        return;
      }
      this.#asked.delete(m.id);
      if (m.error) asked.fail(new Error(m.error.message)); else asked.answer(m);
    }

    #end(why) {
      this.#worker?.terminate();
      this.#worker = null;
      const all = [...this.#asked.values()];
      this.#asked.clear();
      for (const asked of all) asked.fail(why);
    }
  }
  return Engine;
})();
