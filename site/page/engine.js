// The engine in a worker: questions, progress, and an end at any time.
"use strict";

const Engine = (() => {
  const here = new URL(".", document.currentScript.src);
  let loaded; // the program's file, a promise
  let download = null; // by which the loading that goes on is ended
  let compiled; // the program, which the first worker compiles and every other has

  const engines = new Set(); // all, each of which is told how far the loading is
  let far; // that: a share, null if none is known, words, and a count

  function tell(...now) {
    far = now;
    for (const engine of engines) engine.told(...far);
  }

  // read reads a file, and tells how far it is. Of one that the server has packed for its way the size is not known.
  async function read(answer) {
    const of = answer.headers.has("Content-Encoding") ? 0 : Number(answer.headers.get("Content-Length"));
    const size = bytes => (bytes / 1e6).toFixed(1), parts = [], reader = answer.body.getReader();
    let bytes = 0;
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parts.push(part.value);
      bytes += part.value.length;
      tell(of ? bytes / of : null, "The engine is loading:", `${size(bytes)}${of ? ` of ${size(of)}` : ""} MB`);
    }
    return new Blob(parts).arrayBuffer();
  }

  async function load(signal) {
    try {
      const answer = await fetch(new URL("overhear.wasm.br", here), {signal});
      if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
      return await read(answer);
    } catch (e) {
      throw new Error(location.protocol === "file:" ?
        "A page that computes has to come from a server, such as python3 -m http.server in the site's directory." :
        `The engine cannot be loaded: ${e.message}`);
    }
  }

  /** begin has the program loaded, once for all. */
  function begin() {
    if (loaded) return;
    far = [null, "The engine is loading …", ""];
    const mine = download = new AbortController();
    loaded = load(mine.signal).finally(() => {
      if (download === mine) download = null;
    });
    const now = loaded;
    now.catch(() => { if (loaded === now) loaded = undefined; }); // the next who asks tries again
  }

  // unwanted ends a loading that nobody waits for any more; who asks anew at once does.
  function unwanted() {
    setTimeout(() => {
      if (!download || [...engines].some(engine => engine.waits)) return;
      download.abort();
      download = null;
      loaded = undefined;
    });
  }

  // The worker's first lines are the page's, so that the page's policy is the worker's too.
  function worker() {
    const parts = ["wasm_exec.js", "brotli.js", "worker.js"].map(name => JSON.stringify(new URL(name, here).href));
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

    constructor() { engines.add(this); }

    /** loading says that the engine is on its way. */
    static get loading() { return download !== null; }

    /** ready says that the engine is there, so that a new worker starts at once. */
    static get ready() { return compiled !== undefined; }

    /** waits says that something is asked. */
    get waits() { return this.#asked.size > 0; }

    /** told is told how far the loading is. */
    told(...far) { for (const asked of this.#asked.values()) asked.onLoading(...far); }

    /**
     * ask sends a request and returns its answer; onProgress gets a share from 0 to 1, and words. Before, where the
     * engine is not there yet, onLoading gets a share, null if none is known, words, and a count.
     */
    async ask(request, onProgress = () => {}, onLoading = () => {}) {
      const id = ++this.#last;
      return new Promise((answer, fail) => {
        this.#asked.set(id, {answer, fail, onProgress, onLoading});
        this.#start().then(worker => { if (this.#asked.has(id)) worker.postMessage({...request, id}); },
          e => { if (this.#asked.has(id)) this.#end(e); });
      });
    }

    /** cancel ends all that was asked, at once, and the loading if nobody else waits for it. */
    cancel() { this.#end(new Cancelled("cancelled")); }

    async #start() {
      begin();
      if (!this.#worker && !compiled) this.told(...far);
      const file = await loaded;
      if (this.#worker || !this.#asked.size) return this.#worker;
      const started = this.#worker = worker();
      if (!compiled) this.told(null, "The engine is being compiled …", "");
      started.onmessage = m => this.#hear(m.data);
      started.onerror = e => {
        e.preventDefault();
        if (this.#worker === started) this.#end(new Error(`The engine stopped: ${e.message}`));
      };
      started.postMessage(compiled ? {program: compiled} : {file});
      return started;
    }

    #hear(m) {
      if (m.compiled) {
        compiled = m.compiled;
        this.told(0, "The engine is starting …", "");
        return;
      }
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
      if (m.error) asked.fail(Object.assign(new Error(m.error.message), m.error)); else asked.answer(m);
    }

    #end(why) {
      this.#worker?.terminate();
      this.#worker = null;
      const all = [...this.#asked.values()];
      this.#asked.clear();
      for (const asked of all) asked.fail(why);
      unwanted();
    }
  }
  return Engine;
})();
