// A figure's page: parameters in, charts, verdicts and digests out.
"use strict";

(() => {
  const $ = id => document.getElementById(id);
  const figure = JSON.parse($("data").textContent);
  const engine = new Engine();
  const fields = [...document.querySelectorAll("[data-key]")];
  const pause = 250; // ms that a slider rests before what it says is computed
  let waiting = null, serial = 0; // waiting is for that pause to be over; null: nothing does
  let refused = null; // parameters of the address of which the controls cannot say all; null: they say all

  const cancelled = "Cancelled. What is shown was computed before.";

  const control = k => figure.controls[k];
  const label = k => control(k).Positions[fields[k].value].label;
  const asNumber = k => control(k).kind === "choice" ? v => v : Number;

  /** changes are the parameters that are not as usual. */
  function changes() {
    if (refused) return refused;
    const set = {};
    fields.forEach((f, k) => {
      const at = Number(f.value);
      if (at !== control(k).Usual) set[control(k).key] = asNumber(k)(control(k).Positions[at].value);
    });
    return set;
  }

  /** write shows what the sliders say, and puts it into the address. */
  function write() {
    fields.forEach((f, k) => {
      if (f.type !== "range") return;
      $(`o${k}`).textContent = label(k);
      f.setAttribute("aria-valuetext", label(k));
    });
    const set = changes(), some = Object.keys(set).length > 0;
    $("usual").disabled = !some;
    if (refused) return; // the address stays, so that it can be put right
    const fragment = some ? `#${new URLSearchParams(set)}` : location.pathname + location.search;
    if (location.hash !== (some ? fragment : "")) history.replaceState(null, "", fragment);
  }

  /** find is the position of a value; a slider gets one for a number between two of its own. -1: it can have none. */
  function find(k, value) {
    const {kind, Positions} = control(k), of = p => Number(p.value), number = Number(value);
    if (kind === "choice") return Positions.findIndex(p => p.value === value || p.label === value);
    const next = value.trim() === "" ? -1 : Positions.findIndex(p => of(p) >= number);
    if (next < 0 || of(Positions[next]) === number) return next;
    if (next === 0 || kind === "integer") return -1;
    Positions.splice(next, 0, {value: String(number), label: String(number)});
    if (control(k).Usual >= next) control(k).Usual++;
    fields[k].max = Positions.length - 1;
    return next;
  }

  /** take has the parameters be what the controls say, or what an address says that they cannot. */
  function take(address = null) {
    refused = address;
    $("odd").hidden = true;
    write();
  }

  /** within says that the address is of a place of this page, as the link to the content is. */
  const within = () => document.getElementById(location.hash.slice(1)) !== null;

  /** read takes what the address says. What the controls cannot say the engine is asked for, and refuses. */
  function read() {
    const all = {}, keys = figure.controls.map(c => c.key);
    for (const [key, value] of new URLSearchParams(within() ? "" : location.hash.slice(1))) {
      all[key] = key in all ? `${all[key]} and ${value}` : value; // twice is refused as no value
    }
    let right = Object.keys(all).every(key => keys.includes(key));
    fields.forEach((f, k) => {
      const value = all[keys[k]], at = value === undefined ? control(k).Usual : find(k, value);
      right &&= at >= 0;
      f.value = at < 0 ? control(k).Usual : at;
    });
    take(right ? null : all);
  }

  function state(name, text) {
    $("status").dataset.state = name;
    $("status").textContent = text;
    $("cancel").disabled = name !== "computing";
    document.querySelector(".found").classList.toggle("old", name === "computing");
    $("charts").setAttribute("aria-busy", String(name === "computing"));
  }

  /** begin says that what is shown is not of what the controls say, and ends what is computed of something else. */
  function begin() {
    engine.cancel();
    serial++;
    $("progress").value = 0;
    state("computing", Engine.ready ? "Computing …" : "The engine is loading …");
  }

  async function compute() {
    still();
    begin();
    const mine = serial, set = changes(), began = performance.now();
    let told = "";
    const tick = setInterval(() => {
      if (mine === serial && told) $("passed").textContent = show.seconds(performance.now() - began);
    }, 100);
    const loading = show.loading($("progress"), $("status"));
    try {
      const answer = await engine.ask({do: "figure", name: figure.name, set}, (share, text) => {
        if (mine !== serial) return;
        $("progress").value = share;
        if (text === told) return;
        told = text;
        // Only the first words are for who listens; the count is seen.
        $("status").replaceChildren("Computing: ", show.element("span", {"aria-hidden": "true"}, text, ", ",
          show.element("span", {id: "passed"}, show.seconds(performance.now() - began))));
      }, (...far) => { if (mine === serial) loading(...far); });
      if (mine !== serial) return;
      done(answer, Object.keys(set).length === 0, performance.now() - began);
    } catch (e) {
      if (mine !== serial) return;
      if (e instanceof Engine.Cancelled) state("cancelled", cancelled);
      else if (!refused) state("failed", e.message);
      else {
        $("odd").textContent = e.message; // beneath the controls it may be out of sight
        $("odd").hidden = false;
        state("failed", "Nothing is computed with this address.");
      }
      $("progress").value = 0;
    } finally {
      clearInterval(tick);
    }
  }

  /** done shows an answer. */
  function done(answer, usual, took) {
    $("progress").value = 1;
    $("charts").replaceChildren(...show.figures(answer.charts));
    $("statements").replaceChildren(...show.rows(answer.statements.map(s => {
      const was = figure.statements.find(u => u.claim === s.claim), verdict = show.element("strong", {}, s.verdict);
      if (!was || was.verdict === s.verdict) return [s.claim, verdict, s.found];
      verdict.className = "changed";
      return [s.claim, show.element("span", {}, verdict, show.element("br"),
        show.element("span", {class: "soft"}, `with the usual values: ${was.verdict}`)), s.found];
    }), ["", "", "measured: "]));
    $("runs").replaceChildren(...show.rows(answer.runs.map(r => [r.label, show.element("code", {}, r.digest)])));
    $("digest").textContent = answer.digest;
    $("whose").textContent = "by this browser, shown here";
    $("command").textContent = answer.command;
    const same = answer.digest === figure.digest;
    $("equal").className = usual && !same ? "bad" : "good";
    $("equal").textContent = !usual ? "" : same ? "✓ equal to the command's" : "✗ not equal to the command's";
    let found = "";
    if (usual) {
      found = same ? "The digest is the command's." :
        "The digest is not the command's, which is a mistake: please report it.";
    } else if (answer.drawn === figure.drawn) {
      found = same ? "It changes nothing here, not even the digest." : "The charts are those of the usual values: " +
        "what changes is when things happen, and with it the digest, and not what is drawn.";
    }
    state("computed", `Computed in this browser in ${show.seconds(took)}. ${found}`);
  }

  /** soon has what the controls say be computed when they rest. */
  function soon() {
    if (!still()) begin();
    waiting = setTimeout(compute, pause);
  }

  /** still ends waiting, and says whether anything did. */
  function still() {
    const did = waiting !== null;
    clearTimeout(waiting);
    waiting = null;
    return did;
  }

  function cancel() {
    if (still()) state("cancelled", cancelled);
    else engine.cancel();
  }

  for (const f of fields) f.addEventListener("input", () => { take(); soon(); });
  $("parameters").addEventListener("submit", e => e.preventDefault());
  $("compute").addEventListener("click", compute);
  $("cancel").addEventListener("click", cancel);
  $("usual").addEventListener("click", () => {
    fields.forEach((f, k) => { f.value = control(k).Usual; });
    take();
    soon();
  });
  addEventListener("hashchange", () => { if (!within()) { read(); soon(); } });
  read();
  compute();
})();
