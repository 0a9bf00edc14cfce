// What is told in words about the time, a node, a packet, the adversary.

function choose(view, kind, run, index, text) {
  const onclick = () => view.select({kind, run: run.place, index});
  return element("button", {type: "button", class: "link", onclick}, text);
}

function packetName(run, p) {
  const lost = run.took[p] < 0 ? ", lost" : "";
  return `${run.kinds[run.kind[p]]} of round ${run.round[p]}, ${run.src[p]} → ${run.dst[p]}${lost}`;
}

// moment says what packets and nodes do at a time. Where no step takes any time, or none is recorded, that none is
// being computed says nothing.
function moment(run, t) {
  let busy = 0, down = [], under = 0;
  for (let node = 0; node < run.nodes; node++) {
    if (run.down(node, t)) down.push(node); else if (run.computing(node, t) >= 0) busy++;
  }
  run.underWay(t, p => { if (run.took[p] >= 0) under++; });
  const sent = after(run.sent, t), arrived = after(run.arrivals, t), gone = after(run.losses, t);
  const lines = [["packets", `${sent} sent, ${arrived} arrived, ${gone} lost; ${under} under way`]];
  const nodes = [run.computes ? `${busy} computing` : "", down.length ? `${down.length} down: ` +
    down.slice(0, 12).join(", ") + (down.length > 12 ? ` and ${down.length - 12} more` : "") : ""].filter(x => x);
  if (nodes.length) lines.push(["nodes", nodes.join("; ")]);
  return lines;
}

// present says what the network does at a time, and what holds then.
function present(run, t) {
  const lines = moment(run, t), cuts = run.cutsAt(t), row = run.rowAt(t);
  for (const c of cuts) lines.push(["partition", c.groups.map(g => g.slice(0, 24).join(" ") +
    (g.length > 24 ? ` and ${g.length - 24} more` : "")).join(" | ")]);
  const bad = run.impaired(t);
  for (const f of bad.slow.concat(bad.links)) lines.push(["fault", f.text]);
  for (const c of run.changes) if (c.at <= t) lines.push(["changed", c.text]);
  if (run.after && t >= run.end) lines.push(["after this", run.after]);
  if (row >= 0) {
    lines.push(["round measured last", number(run.rows.round[row], 6)]);
    for (const m of run.rows.curves || [])
      if (m.values[row] !== null) lines.push([m.title, number(m.values[row])]);
  }
  return lines;
}

// nodeTable has a row for each node, of large networks for the first thousand.
function nodeTable(view, run, t) {
  const most = 1000, rows = [], slow = run.impaired(t).slow.flatMap(f => f.slow);
  const said = (key, node) => {
    const v = COLOURS[key].of(run, node, t);
    if (v === null || v === undefined) return "–";
    if (!COLOURS[key].learnt) return number(v, 3);
    const {line, says} = learntAt(run, node, t); // in words as at the ends of the scale, and what was learnt
    return line ? `${says.outcome === "exact" ? says.said : number(says.error, 3)}: ${line.title}` : "nothing";
  };
  for (let node = 0; node < Math.min(most, run.nodes); node++) {
    const out = run.down(node, t);
    rows.push(element("tr", {}, element("th", {scope: "row"}, choose(view, "node", run, node, run.called(node))),
      [(out ? out.why : run.computing(node, t) >= 0 ? "computing" : "up") + (slow.includes(node) ? ", slow" : ""),
        String(Math.max(0, run.roundAt(node, t))), ...view.colours.map(k => said(k, node))]
        .map(x => element("td", {}, x))));
  }
  return element("div", {class: "scroll tall", tabindex: "0", role: "region",
    "aria-label": `Nodes of run ${run.place + 1}`}, table(["node", "state", "round",
    ...view.colours.map(k => COLOURS[k].name)], rows),
    run.nodes > most ? element("p", {}, `and ${run.nodes - most} more`) : null);
}

// ofRun says of which run, if there are two.
function ofRun(view, run) { return view.runs.length > 1 ? ` of run ${run.place + 1}` : ""; }

// nodePanel is about a node.
function nodePanel(view, run, node) {
  const user = node >= run.nodes - run.users, box = element("div");
  const live = element("div"), updates = element("div"), packets = element("div");
  const title = user ? `User ${node}` : run.hub && node === 0 ? `Node ${run.called(0)}, the hub` :
    `Node ${run.called(node)}`;
  box.append(element("h3", {}, title + ofRun(view, run)), live);
  const near = run.neighboursOf[node].concat(run.others[node]);
  box.append(element("p", {class: "many"}, near.length ? `${plural(near.length, "neighbour")}: ` : "no neighbours",
    near.slice(0, 60).map(j => [choose(view, "node", run, j, run.called(j)), " "])));
  const charts = [];
  const rows = run.valuesOf[node], published = Array.from(rows, k => run.valueTime[k]);
  const add = (name, values, {times = published, ...o}) => {
    if (!values.some(v => v !== null && !Number.isNaN(v))) return;
    const known = values.filter(v => v !== null);
    const canvas = element("canvas", {class: "chart", role: "img", "aria-label":
      `${name} of node ${node} against virtual time: from ${number(known[0])} to ${number(known[known.length - 1])}`});
    box.append(figure(element("figcaption", {}, name), {}, canvas));
    charts.push([canvas, times, values, o]);
  };
  add("distance to the optimum", rows.map(k => run.values.distance[k]), {log: true, steps: true});
  add("loss on its own rows", rows.map(k => run.values.loss[k]), {log: true, steps: true});
  const behind = run.behind(node);
  add("rounds behind the first", behind.values, {zero: true, steps: true, times: behind.times});
  box.append(updates, packets);
  return {box, update(t, look) {
    const round = run.roundAt(node, t), out = run.down(node, t), step = run.computing(node, t);
    const doing = out ? out.why : step >= 0 ? `computing round ${run.stepRound[step]}` :
      round < 0 ? "has published nothing yet" : round >= run.rounds ? "has finished" : "waiting";
    let sent = 0, got = 0, lost = 0, missed = 0;
    const bad = run.impaired(t);
    const recent = [];
    const all = run.packetsOf(node);
    for (const p of all) {
      if (run.sent[p] > t) break;
      recent.push(p);
      if (run.src[p] === node) { sent++; if (run.took[p] < 0) lost++; }
      else if (run.took[p] < 0) missed++;
      else if (run.sent[p] + run.took[p] <= t) got++;
    }
    const v = run.valueAt(node, t);
    live.replaceChildren(pairs([
      ["now", doing],
      run.liars.includes(node) ? ["honest", "no: it lies to neighbours"] : null,
      run.targets.includes(node) ? ["driven", "liars are after a sample of it, and drive it where that shows"] : null,
      user ? null : ["round", `${Math.max(0, round)} of ${run.rounds}; ${round < 0 ? "not there yet" :
        plural(Math.max(0, run.leader(t) - round), "round") + " behind the first"}`],
      ["packets", `${sent} sent (${lost} lost on their way), ${got} received, ${missed} lost that were for it`],
      v >= 0 && run.values.distance[v] !== null ? ["distance", number(run.values.distance[v])] : null,
      v >= 0 && run.values.loss[v] !== null ? ["loss", number(run.values.loss[v])] : null,
      ...bad.slow.filter(f => f.slow.includes(node)).concat(bad.links.filter(f => f.link.includes(node)))
        .map(f => ["fault", f.text]),
      ["down", downs(run, node)],
      ...run.outagesOf[node].map(o => o.why === JOINS ? ["joins", time(o.to)] : o.why === LEAVES ?
        ["leaves", time(o.from)] : null),
    ]));
    for (const [canvas, at, values, o] of charts)
      drawChart(canvas, {...o, end: run.end,
        curves: [{times: at, values, colour: look.theme.packet, steps: o.steps}]}, look);
    const ended = run.updates.of[node], k = after(run.updates.endsOf[node], t), lines = [];
    for (let j = k - 1; j >= Math.max(0, k - 5); j--) lines.push(updateRow(run, ended[j]));
    updates.replaceChildren(element("h4", {}, "Last updates"), lines.length ? element("div", {class: "scroll",
      tabindex: "0"}, table(["round", "published", "took", "what entered"], lines)) : "none yet");
    packets.replaceChildren(element("h4", {}, "Last packets"), recent.length ? element("ul", {class: "packets"},
      recent.slice(-8).reverse().map(p => element("li", {}, choose(view, "packet", run, p,
        `${time(run.sent[p])}: ${packetName(run, p)}`)))) : "none yet");
  }};
}

const JOINS = "has not joined", LEAVES = "has left"; // why a node is not there that is not down either

function downs(run, node) {
  const all = run.outagesOf[node].filter(o => o.why !== JOINS && o.why !== LEAVES);
  if (!all.length) return "never";
  const sum = all.reduce((s, o) => s + o.to - o.from, 0);
  const often = all.length === 1 ? "once" : all.length + " times";
  return `${often}, ${time(sum)} together; first from ${time(all[0].from)} to ${time(all[0].to)}`;
}

function updateRow(run, row) {
  const u = run.updates, took = u.took ? time(u.took[row]) : "–";
  const texts = run.entered = run.entered || new Map(); // what entered is found once, and told many times a second
  if (!texts.has(row)) texts.set(row, whatEntered(run, row));
  const cells = [String(u.round[row]), time(u.end[row]), took, texts.get(row)];
  return element("tr", {}, cells.map(x => element("td", {}, x)));
}

// whatEntered tells of which rounds the neighbours' values were that entered an update.
function whatEntered(run, row) {
  const u = run.updates, node = u.node[row], round = u.round[row], lags = run.lags(row);
  if (round === 0) return "its start";
  if (!lags) return "not known";
  const old = lags.map((l, k) => [run.neighboursOf[node][k], round - 1 - l]);
  const anew = old.map(([j, r]) => {
    const p = run.restarts.some(s => s.node === j && s.round === r) ? entering(run, j, node, r, round) : undefined;
    return p !== undefined && again(run, p);
  });
  if (old.every(([, r], k) => r === round - 1 && !anew[k])) return `all of round ${round - 1}`;
  const value = (r, k) => r < 0 ? "nothing yet (zeros)" : `${r}${anew[k] ? " (its start)" : ""}`;
  return old.map(([j, r], k) => `${j}: ${value(r, k)}`).join(", ");
}

const FORGOT = "down, memory lost"; // why a node is down that comes back without what it had received

// entries are the rounds of the receiver's updates that a packet's value entered, and those of which it is not known;
// null: it is not known of any.
function entries(run, p) {
  const dst = run.dst[p], place = run.neighboursOf[dst].indexOf(run.src[p]), all = [];
  if (run.kinds[run.kind[p]] !== "value" || place < 0) return null;
  const u = run.updates, rows = u.of[dst];
  let known = rows.some(row => run.lags(row));
  const first = rows.length ? u.round[rows[0]] : 0; // parties of split columns begin with round 1
  rows.forEach((row, k) => { if (first > 1 || u.round[row] !== first + k) known = false; }); // not all recorded
  if (!known) return null;
  const came = run.sent[p] + run.took[p], unknown = [];
  let later = false; // a later value has entered
  for (const row of rows) {
    const lags = run.lags(row), used = lags ? u.round[row] - 1 - lags[place] : -1;
    if (lags && used === run.round[p]) all.push(u.round[row]);
    else if (lags) later = later || used > run.round[p];
    else if (!later && u.round[row] > 0 && u.took && u.end[row] - u.took[row] >= came) unknown.push(u.round[row]);
  }
  return {all, unknown};
}

// again says whether a value is not what its sender had published for its round: a node that lost its memory sends its
// start as what it had published last.
function again(run, p) {
  return run.kinds[run.kind[p]] === "value" && run.restarts.some(s => s.node === run.src[p] &&
    s.round === run.round[p] && s.at <= run.sent[p]);
}

// copies are the packets of one kind and round from one node to another.
function copies(run, src, dst, round, kind) {
  return run.packetsOf(dst).filter(q => run.src[q] === src && run.dst[q] === dst && run.round[q] === round &&
    run.kinds[run.kind[q]] === kind);
}

// arrived are those of some packets that did, by time.
function arrived(run, packets) {
  const at = q => run.sent[q] + run.took[q];
  return packets.filter(q => run.took[q] >= 0).sort((a, b) => at(a) - at(b));
}

// entering is the copy of a value that entered an update: the first to come since the node lost its memory last.
function entering(run, src, dst, round, update) {
  const since = remembers(run, dst, update);
  return arrived(run, copies(run, src, dst, round, "value")).find(q => run.sent[q] + run.took[q] >= since);
}

function span(all) {
  if (all.length < 4) return all.join(", ");
  return `${all[0]} to ${all[all.length - 1]}, ${all.length} in all`;
}


// remembers is since when a node knows what it has received as its update of a round begins.
function remembers(run, node, round) {
  const step = run.stepsOf[node].find(s => run.stepRound[s] === round);
  const began = step === undefined ? Infinity : run.stepEnd[step] - run.stepTook[step];
  return Math.max(0, ...run.outagesOf[node].filter(o => o.why === FORGOT && o.to <= began).map(o => o.to));
}

function packetPanel(view, run, p) {
  const lost = run.took[p] < 0, kind = run.kinds[run.kind[p]], src = run.src[p], dst = run.dst[p];
  const box = element("div", {}, element("h3", {}, `Packet ${run.id[p]}${ofRun(view, run)}`));
  const came = run.sent[p] + run.took[p], same = copies(run, src, dst, run.round[p], kind);
  const anew = again(run, p), alike = same.filter(q => again(run, q) === anew), firsts = arrived(run, same);
  const into = entries(run, p), forgets = run.outagesOf[dst].some(o => o.why === FORGOT);
  const own = into && into.all.filter(round => entering(run, src, dst, run.round[p], round) === p);
  const untold = into && into.unknown.length ? `; not known of rounds ${span(into.unknown)}` : "";
  let entered;
  if (kind !== "value") entered = kind === "request" ? "it asks for a value again" : "none: it carries no value";
  else if (lost) entered = firsts.length ? "none: it was lost; another copy arrived" : "none: it was lost";
  else if (firsts[0] !== p && !forgets) entered = "none: another copy had arrived before it";
  else if (into === null) entered = `not known: ${run.inputs.why || "not all updates were recorded"}`;
  else if (!into.all.length && untold) entered = untold.slice(2);
  else if (!into.all.length)
    entered = `none: node ${dst} computed no update before a later value came, or none after it`;
  else if (!own.length) entered = `none: another copy entered, as node ${dst} has lost its memory or had that before` +
    untold;
  else entered = `of node ${dst}: round${own.length > 1 ? "s" : ""} ${span(own)}${untold}`;
  box.append(pairs([
    ["what", `${kind} of round ${run.round[p]}, ${run.bytes[p]} bytes`],
    ["way", choose(view, "node", run, src, `node ${run.called(src)}`), " → ",
      choose(view, "node", run, dst, `node ${run.called(dst)}`)],
    ["sent", time(run.sent[p])],
    lost ? ["drawn", `half of its way, as if it took ${time(run.usual(p))}, the median of those that arrived on it, ` +
      "or if none did of all: its own time is not recorded"] : null,
    lost ? ["lost", run.lostWhy.get(p)] : ["arrived", `${time(came)}, after ${time(run.took[p])}`],
    alike.length > 1 ? ["copies", `${alike.length} packets carry the same, ` +
      `${arrived(run, alike).length} of them arrived`] : null,
    ["updates that it entered", entered],
  ]));
  const row = kind === "value" ? run.valueOf(src, anew ? 0 : run.round[p]) : -1, lie = run.lieRow[p];
  box.append(element("h4", {}, "What it carries"));
  if (lie >= 0) {
    box.append(pairs([["a lie", `in place of the value that node ${src} published for round ${run.round[p]}`],
      ["away from that value", number(run.lies.away[lie])]]));
    const d = run.values.d;
    if (run.lieContent) box.append(bars(view, run.lieContent.subarray(lie * d, (lie + 1) * d)));
  } else if (row >= 0) {
    box.append(pairs([["value", anew ? `node ${src}'s start: it had lost its memory since it published round ` +
      run.round[p] : `what node ${src} published for round ${run.round[p]}, at ${time(run.valueTime[row])}`],
      ["length", number(run.values.norm[row])],
      run.values.distance[row] !== null ? ["distance to the optimum", number(run.values.distance[row])] : null]));
    if (run.content) {
      const d = run.values.d, vector = run.content.subarray(row * d, (row + 1) * d);
      box.append(bars(view, vector));
    }
  } else box.append(element("p", {}, kind === "value" ? "This value was not recorded." : kind === "request" ?
    "Nothing but the number of the round that is asked for." : "Nothing that the record keeps by packet."));
  if (run.attack) box.append(...attackOfPacket(view, run, p));
  box.append(element("p", {}, element("button", {type: "button", onclick: () => view.go(run.sent[p] +
    Math.max(0, lost ? run.usual(p) : run.took[p]) / 2)}, "Go to it")));
  return {box, update(t, look) { for (const c of box.querySelectorAll("canvas.bars")) c.draw(look); }};
}

// bars draws a vector.
function bars(view, vector) {
  let most = 0;
  for (const v of vector) most = Math.max(most, Math.abs(v));
  const count = plural(vector.length, "number"), some = Array.from(vector.slice(0, 8), v => number(v)).join(", ");
  const canvas = element("canvas", {class: "chart bars", role: "img", "aria-label":
    `its ${count}, ${most ? `of size up to ${number(most)}: ${some}` : "all 0"}`});
  canvas.draw = look => {
    const {context: c, width, height} = fit(canvas), w = width / vector.length;
    c.clearRect(0, 0, width, height);
    c.fillStyle = look.theme.frame; c.fillRect(0, height / 2 - 0.5, width, 1);
    c.fillStyle = look.theme.packet;
    vector.forEach((v, k) => {
      const h = most ? v / most * (height / 2 - 3) : 0, wide = Math.max(0.7, w - Math.min(2, w / 3));
      c.fillRect(k * w + Math.min(1, w / 6), height / 2 - Math.max(h, 0), wide, Math.abs(h));
    });
  };
  return figure(element("figcaption", {}, count + (most ? `, up to ±${number(most)}` : ", all 0")), {}, canvas,
    element("details", {}, element("summary", {}, "as numbers"), element("p", {class: "numbers"},
      Array.from(vector, v => number(v)).join("  "))));
}
