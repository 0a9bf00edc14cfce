// Within the worker: the program answers what the page asks.
"use strict";

let ready;
const program = new Promise(started => { ready = started; });
globalThis.overhearReady = () => ready();

onmessage = async message => {
  if (!message.data.program) {
    await program;
    overhear(JSON.stringify(message.data), answer => postMessage(JSON.parse(answer)));
    return;
  }
  const go = new Go();
  let why = "the program ended";
  try {
    await go.run(await WebAssembly.instantiate(message.data.program, go.importObject));
  } catch (e) {
    why = e.message;
  }
  postMessage({stopped: why});
};
