// The playground: a scenario is written, checked, run and shared.
"use strict";

(() => {
  const $ = id => document.getElementById(id);
  const examples = JSON.parse($("data").textContent);
  const checker = new Engine(), runner = new Engine(); // a run does not keep the editor waiting
  const unseeded = "A seed is a whole number of up to 15 digits.";
  const pause = 200; // ms after which what was typed is checked
  let waiting = null, serial = 0;
  let ran = null; // what was run of which results are shown
  let shared = null; // what a link was made to
  let statusOf = null; // what the status is of
  let checked = null; // what the mistakes are of
  let marked = []; // the mistakes
  let held = false; // the engine is not wanted until the next run

  const editor = new Editor({area: $("scenario"), under: $("under"), gutter: $("gutter"), list: $("suggestions"),
    complete: async (scenario, line, column) => {
      try {
        if (!held) return await checker.ask({do: "complete", scenario, line, column});
      } catch (e) {
        failed(e);
      }
      return {from: column, suggestions: []};
    },
    onInput: () => { own(); age(); later(); }});

  /** now is what would be run: a scenario with a seed. */
  const now = () => `${$("seed").value.trim()}\n${editor.text}`;

  // Checking.

  function later() {
    clearTimeout(waiting);
    waiting = setTimeout(check, pause);
  }

  const showLoading = show.loading($("progress"), $("mistakes"));

  // The first check waits for the engine. While there is a run, that is what the page tells of.
  function loadingChecker(...far) {
    if ($("status").dataset.state !== "running") showLoading(...far);
  }

  async function check() {
    if (held) return;
    const asked = now();
    try {
      const {mistakes, needs, notes} = await checker.ask({do: "check", scenario: editor.text, seed: seed() ?? 1},
        undefined, loadingChecker);
      if (asked === now()) mark(mistakes, needs ?? [], notes ?? []);
    } catch (e) {
      failed(e);
    }
  }

  /** mark shows what was found of the text. */
  function mark(mistakes, needs = [], notes = []) {
    editor.mistakes = marked = mistakes;
    checked = now();
    age();
    $("mistakes").dataset.checked = mistakes.length;
    $("mistakes").replaceChildren(...told(mistakes, needs, notes));
  }

  function told(mistakes, needs, notes) {
    if (mistakes.length === 0) {
      const right = needs.length === 0 ? show.element("p", {class: "good"}, "✓ No mistakes are found.") :
        show.element("div", {class: "note"}, "No mistakes are found, but it needs files, which a page does not have; " +
          "the command runs it:", show.element("ul", {}, ...needs.map(n => show.element("li", {}, n))));
      return [right, ...notes.map(n => show.element("p", {class: "note"}, n))];
    }
    return [show.element("ul", {}, ...mistakes.map(m => {
      const place = show.element("button", {type: "button", class: "link"}, `line ${m.line}, column ${m.column}`);
      place.addEventListener("click", () => editor.go(m.line, m.column));
      return show.element("li", {}, place, ": ", m.message); // which names the key and what would be right
    }))];
  }

  /** unchecked says why nothing was found out about the scenario. */
  function unchecked(...why) {
    checked = null;
    marked = [];
    age();
    $("mistakes").replaceChildren(...why);
  }

  function failed(e) {
    if (e instanceof Engine.Cancelled) return;
    unchecked(show.element("p", {class: "bad"}, e.message));
    if ($("status").dataset.state !== "running") $("progress").value = 0;
  }

  // Running.

  function state(name, text, of = now()) {
    $("status").dataset.state = name;
    $("status").textContent = text;
    $("cancel").disabled = name !== "running";
    statusOf = of;
    age();
  }

  /** ready forgets what was said of another scenario; one that runs is told of. */
  function ready() {
    if ($("status").dataset.state === "running") return;
    state("", "");
    $("progress").value = 0;
  }

  /** seed is the seed, or null if what stands there is none. */
  function seed() {
    const v = $("seed").value.trim();
    return /^\d{1,15}$/.test(v) ? Number(v) : null;
  }

  /** refusal says why a scenario with mistakes is not run. */
  function refusal(mistakes) {
    const each = mistakes.map(m => `\nline ${m.line}, column ${m.column}: ${m.message}`);
    return `The scenario has ${mistakes.length === 1 ? "a mistake" : "mistakes"} and is not run:${each.join("")}`;
  }

  async function run() {
    runner.cancel();
    const mine = ++serial, began = performance.now(), chosen = seed(), text = editor.text, asked = now();
    $("progress").value = 0;
    ran = null;
    $("results").replaceChildren(); // which are of what was written before
    $("results").classList.remove("old");
    if (chosen === null) {
      state("failed", unseeded);
      return;
    }
    if (checked === asked && marked.length > 0) {
      state("failed", refusal(marked));
      return;
    }
    state("running", Engine.ready ? "Running …" : "The engine is loading …");
    if (held) { held = false; check(); }
    let told = false;
    const loading = show.loading($("progress"), $("status"));
    try {
      const answer = await runner.ask({do: "run", scenario: text, seed: chosen}, (share, words) => {
        if (mine !== serial) return;
        $("progress").value = share;
        if (!told) $("status").replaceChildren("Running: ", show.element("span", {"aria-hidden": "true", id: "round"}));
        told = true;
        $("round").textContent = words;
      }, (...far) => { if (mine === serial) loading(...far); });
      if (mine !== serial) return;
      $("progress").value = 1;
      $("results").replaceChildren(...results(answer, chosen));
      ran = asked;
      state("done", `Computed in this browser in ${show.seconds(performance.now() - began)}.`, asked);
    } catch (e) {
      if (mine !== serial) return;
      $("progress").value = 0;
      if (e instanceof Engine.Cancelled) state("cancelled", "Cancelled.", asked);
      else state("failed", e.mistakes ? refusal(e.mistakes) : e.message, asked);
      if (e.mistakes && asked === now()) mark(e.mistakes); // which a check does not look for
    }
  }

  /** cancel ends the run, and the engine's loading, for which checks may wait. */
  function cancel() {
    runner.cancel();
    if (!Engine.loading) return;
    held = true;
    checker.cancel();
    unchecked("The scenario is not checked, as the engine is not loaded. Run loads it.");
  }

  /** age says so if what is told or shown is of another scenario or seed than what stands there; a link to another is
   * no more. */
  function age() {
    const box = $("results"), is = now(), old = ran !== null && ran !== is;
    $("of").hidden = statusOf === is || $("status").textContent === "";
    const wrong = seed() === null ? unseeded : "";
    $("seed").setAttribute("aria-invalid", String(wrong !== ""));
    if ($("unseeded").textContent !== wrong) $("unseeded").textContent = wrong;
    $("mistakes").classList.toggle("old", checked !== null && checked !== is);
    if (shared !== is) $("shared").textContent = "";
    if (old === box.classList.contains("old")) return;
    box.classList.toggle("old", old);
    if (old) box.prepend(show.element("p", {class: "note of"},
      "These results are of the scenario and seed before a change."));
    else box.querySelector(".of").remove();
  }

  /** boxed is a table in a box that scrolls by itself, by the keyboard too. */
  const boxed = (name, look, table) =>
    show.element("div", {class: look, tabindex: 0, role: "group", "aria-label": name}, table);

  function results(a, seed) {
    const e = show.element, parts = [];
    if (a.ended) parts.push(e("p", {class: "note bad"}, a.ended));
    for (const w of a.warnings ?? []) parts.push(e("p", {class: "note"}, `Warning: ${w}`));
    parts.push(boxed("Summary of the run", "scroll", e("table", {class: "summary stacked"},
      e("tbody", {}, ...show.rows(a.table.map(([name, value, about]) => [name, e("strong", {}, value), about]))))));
    parts.push(e("div", {class: "charts"}, ...show.figures(a.figures ?? [])));
    parts.push(measured(a.metrics.columns, a.metrics.rows ?? []));
    parts.push(e("p", {}, "Digest of every event: ", e("code", {id: "digest"}, a.digest), ". ",
      e("code", {}, `simulate run scenario.yaml --seed ${seed}`), " prints its beginning."));
    return parts;
  }

  /** measured is the table of all rounds, made when it is opened: a long one keeps a browser busy for seconds. */
  function measured(columns, rows) {
    const e = show.element, most = 1000;
    const csv = () => [columns, ...rows].map(r => r.map(v => v ?? "").join(",")).join("\n") + "\n";
    const keep = e("button", {type: "button"}, "Save as CSV");
    keep.addEventListener("click", () => save("metrics.csv", csv()));
    const cut = rows.length > most ? ` has all; here are the first ${most}.` : "";
    const box = e("details", {}, e("summary", {}, `What was measured in ${rows.length} rounds`), e("p", {}, keep, cut));
    box.addEventListener("toggle", () => box.append(boxed("What was measured", "scroll tall", e("table", {},
      e("thead", {}, e("tr", {}, ...columns.map(c => e("th", {scope: "col"}, c)))),
      e("tbody", {}, ...show.rows(rows.slice(0, most).map(r => r.map(show.number))))))), {once: true});
    return box;
  }

  function save(name, text) {
    const address = URL.createObjectURL(new Blob([text], {type: "text/csv"}));
    show.element("a", {href: address, download: name}).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }

  // Sharing: the address has the scenario, packed, behind #, which no server is sent.

  async function through(stream, bytes) {
    return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
  }

  async function pack(text) {
    const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text));
    let letters = "";
    for (const b of bytes) letters += String.fromCharCode(b);
    return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  }

  async function unpack(packed) {
    const letters = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = await through(new DecompressionStream("deflate-raw"), Uint8Array.from(letters, c => c.charCodeAt(0)));
    return new TextDecoder("utf-8", {fatal: true}).decode(bytes);
  }

  async function share() {
    const address = new URL(location.href);
    shared = now();
    address.hash = new URLSearchParams({scenario: await pack(editor.text), seed: String(seed() ?? 1)});
    history.replaceState(null, "", address);
    let copied = false;
    try {
      await navigator.clipboard.writeText(address.href);
      copied = true;
    } catch { /* the address bar has it */ }
    $("shared").textContent = copied ? "The link is copied; the address bar has it too." :
      "The link is in the address bar.";
    age();
  }

  /** within says that the address is of a place of this page, as the link to the content is. */
  const within = () => document.getElementById(location.hash.slice(1)) !== null;

  /** begin takes the scenario of the address, or an example. */
  async function begin() {
    const given = new URLSearchParams(location.hash.slice(1));
    const packed = given.get("scenario");
    const text = packed === null ? null : await unpack(packed).catch(() => null);
    if (text !== null) {
      editor.text = text;
      if (given.has("seed")) $("seed").value = given.get("seed");
      own();
      age();
      later();
      return;
    }
    const named = examples.findIndex(e => e.name === given.get("example"));
    take(Math.max(named, 0));
    if (packed !== null) {
      state("failed", "The address has a scenario that cannot be read: a part of it may be missing. " +
        "This is an example.");
    } else if (named < 0 && location.hash.length > 1 && !within()) {
      state("failed", "The address cannot be read: a part of it may be missing. This is an example.");
    }
  }

  function take(k) {
    $("example").value = k;
    $("about").textContent = examples[k].about;
    editor.text = examples[k].text;
    age();
    check();
  }

  /** own says that the scenario is no example any more. */
  function own() {
    if ($("example").value !== "" && examples[$("example").value].text === editor.text) return;
    $("example").value = "";
    $("about").textContent = "";
  }

  $("example").addEventListener("change", () => {
    if ($("example").value === "") return;
    history.replaceState(null, "", location.pathname + location.search);
    ready();
    take(Number($("example").value));
  });
  $("seed").addEventListener("input", () => { age(); later(); }); // a graph may be the seed's
  $("run").addEventListener("click", run);
  $("cancel").addEventListener("click", cancel);
  $("share").addEventListener("click", share);
  $("editor").addEventListener("keydown", e => {
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); run(); }
  });
  addEventListener("hashchange", () => { if (!within()) { ready(); begin(); } });
  begin();
})();
