// What the adversary has worked out by a time.

class Attacker {
  constructor(run) {
    const a = run.attack;
    this.run = run;
    this.points = a.points;
    this.rank = new Map(a.order.map((row, k) => [row, k])); // of packets that it sees
    this.copies = new Set(a.order.map(row => run.id[row])).size < a.order.length ? "Each copy counts. " : "";
    const arrival = n => run.sent[a.order[n - 1]] + run.took[a.order[n - 1]];
    this.came = Float64Array.from(a.points, n => n ? arrival(n) : 0); // when a point is reached
    this.times = this.came.map(t => Math.min(t, run.end)); // on the time line, which may end before the last requests
    this.lines = a.lines;
    this.byVictim = new Map();
    for (const l of a.lines) this.byVictim.set(l.victim, (this.byVictim.get(l.victim) || []).concat(l));
    for (const l of a.lines) {
      l.since = l.exact < 0 ? Infinity : this.times[l.exact];
      l.came = l.exact < 0 ? Infinity : this.came[l.exact];
      l.spells = this.spells(l);
    }
  }

  // pointAt is the last point that is reached by a time.
  pointAt(t) { return Math.max(0, after(this.times, t) - 1); }

  // spells are the first and the last point of each time for which a line was exact, and lost that again.
  spells(line) {
    const out = [], until = line.exact < 0 ? this.points.length : line.exact;
    for (let k = 0; k < until; k++) {
      if (this.says(line, k).outcome !== "exact") continue;
      if (k && this.says(line, k - 1).outcome === "exact") out.at(-1)[1] = k; else out.push([k, k]);
    }
    return out;
  }

  says(line, point) { return line.says[line.at[point]]; }

  // exact are the lines that become exact.
  exact() { return this.lines.filter(l => l.exact >= 0); }
}

const EXACT = 1e-9; // stands for the error of what is exact

// learntAt is the error of the best attack on a node by a time, as it is coloured, with the attack and what it says,
// null where none has learnt anything; of a node that is no victim it is null. What is partial is not coloured as exact
// however small its error is, as where another vector fits as well.
function learntAt(run, node, t) {
  const a = run.attacker, lines = a && a.byVictim.get(node);
  if (!lines) return null;
  const point = a.pointAt(t);
  let best = {error: 1, line: null, says: null};
  for (const l of lines) {
    const s = a.says(l, point);
    const error = s.outcome === "exact" ? EXACT : s.outcome === "partial" && s.error !== null ?
      Math.max(1e-6, s.error) : 1;
    if (error < best.error) best = {error, line: l, says: s};
  }
  return best;
}

function badge(s) { return element("span", {class: "badge " + s.outcome}, s.said); }

function lineName(l) { return `${l.title} on node ${l.victim}`; }

// letter is what a line is called on the time line: A to Z, then AA and so on.
// Attacks have letters by when they become exact, of two at one instant the one whose panel, or place in it, is first.
function letter(k) { return (k < 26 ? "" : letter(Math.floor(k / 26) - 1)) + String.fromCharCode(65 + k % 26); }

// notYet is when an attack was last carried out that was not exact yet; "": right before it is.
function notYet(run, l) {
  const a = run.attacker, n = a.points[l.exact], m = a.points[l.exact - 1];
  if (m === n - 1) return "";
  return m ? `packet ${run.id[run.attack.order[m - 1]]} (${time(a.came[l.exact - 1])})` : "the start";
}

// forAWhile says with how many packets an attack was exact that lost it again; "": it never did.
function forAWhile(run, l) {
  const a = run.attacker, most = 3, spell = ([from, to]) => {
    if (!a.points[to]) return "without any packet";
    const first = from === to ? "" : `${a.points[from]} to `;
    return `with the first ${first}${plural(a.points[to], "packet")} (${time(a.came[to])})`;
  };
  const all = l.spells.slice(0, most).map(spell), more = l.spells.length - all.length;
  return all.concat(more ? `${plural(more, "more time")}` : []).join(", ");
}

// exactSince says from which packet on an attack is exact, or between which it becomes so.
function exactSince(run, l) {
  const a = run.attacker, n = a.points[l.exact];
  if (!n) return "exact without any packet";
  const before = notYet(run, l), packet = `packet ${run.id[run.attack.order[n - 1]]}`;
  const again = l.spells.length ? "again " : "";
  return before ? `becomes exact ${again}between ${before} and ${packet} (${time(l.came)})` :
    `exact ${again}from ${packet} on (${time(l.came)})`;
}

// attackPanel is the adversary's view of a run.
function attackPanel(view, run) {
  const a = run.attacker, box = element("div"), live = element("div");
  const order = a.lines.map((l, k) => k).sort((x, y) => a.lines[x].since - a.lines[y].since);
  const pick = element("select", {"aria-label": "Attack and victim"}, order.map(k =>
    element("option", {value: k}, (a.lines[k].letter ? a.lines[k].letter + ": " : "") + lineName(a.lines[k]))));
  const chart = element("canvas", {class: "chart", role: "img"});
  const caption = element("figcaption");
  box.append(element("h2", {}, view.runs.length > 1 ? `The adversary of run ${run.place + 1}` : "The adversary's view"),
    pairs([["sees", run.attack.sees], ["knows", run.attack.knows], ["wants", run.attack.wants],
      run.attack.acts ? ["acts", run.attack.acts] : null,
      (run.attack.unseen || []).length ? ["does not see", run.attack.unseen.join("; ")] : null,
      run.attack.unscored ? ["not scored", run.attack.unscored] : null]));
  if (!a.lines.length && a.points.length) {
    box.append(element("p", {}, "No attack suits this method, view and knowledge."));
  }
  if (run.attack.untried && run.attack.untried.length) box.append(untried(run.attack.untried));
  if (!a.lines.length) return {box, run};
  box.append(element("p", {}, pick), live, figure(caption, {}, chart));
  let shown = null;
  pick.addEventListener("change", () => { shown = null; picked = true; view.draw(true); });
  let picked = false;
  const choose = l => { pick.value = a.lines.indexOf(l); picked = true; };
  const chosen = () => picked ? a.lines[Number(pick.value)] : null;
  return {box, run, choose, chosen, update(t, look) {
    const l = a.lines[Number(pick.value)], point = a.pointAt(t), s = a.says(l, point);
    if (shown !== s) {
      shown = s;
      live.replaceChildren(...saying(view, run, l, s));
    }
    let count = live.querySelector(".count");
    if (count) count.textContent = `After ${a.points[point]} of ${run.attack.order.length} packets that it sees ` +
      `(${time(a.came[point])}). ${a.copies}The attack was carried out at ${a.points.length} such points.`;
    const errors = l.at.map(k => l.says[k].error), guess = l.at.map(k => l.says[k].guess);
    const known = errors.some(e => e !== null);
    chart.parentNode.hidden = !known;
    if (!known) return;
    const of = l.says.find(x => x.of);
    caption.textContent = `error of ${of.of}; dashed: ${of.by || "a guess"}`;
    chart.setAttribute("aria-label", `Error against virtual time; now ${number(s.error)}, at the end ` +
      number(errors[errors.length - 1]));
    const times = Array.from(a.times).concat(run.end), last = x => x.concat(x[x.length - 1]);
    drawChart(chart, {end: run.end, log: errors.every(e => e === null || e > 0), marks: l.exact >= 0 ? [l.since] : [],
      curves: [{times, values: last(guess), colour: look.theme.soft, dash: [4, 3], steps: true},
        {times, values: last(errors), colour: look.theme.lost, steps: true}]}, look);
  }};
}

// untried are attacks that do not suit, each with why; they unfold.
function untried(all) {
  return element("details", {}, element("summary", {}, `${plural(all.length, "attack")} that do${all.length === 1 ?
    "es" : ""} not suit, and why`), element("ul", {}, all.map(u => element("li", {},
    element("strong", {}, u.attack), ": ", u.reason))));
}

// saying is what an attack says at a point.
function saying(view, run, l, s) {
  const a = run.attacker, out = [element("p", {}, badge(s), " ", s.conclusion)];
  out.push(element("p", {class: "soft count"}));
  if (l.exact >= 0 && a.points[l.exact] === 0) out.push(element("p", {}, "Exact without any packet."));
  else if (l.exact >= 0) {
    const n = a.points[l.exact], row = run.attack.order[n - 1], before = notYet(run, l);
    const again = l.spells.length ? "again " : "";
    out.push(element("p", {}, before ? `Becomes exact ${again}between ${before} and packet ` :
      `Exact ${again}from packet `,
      choose(view, "packet", run, row, `${run.id[row]} (${packetName(run, row)})`), (before ? "" : " on") +
      `, wherever it was carried out. ${before ? "The latter" : "It"} is number ${n} of those that the adversary ` +
      `sees, and arrives at ${time(l.came)}. `,
    element("button", {type: "button", onclick: () => view.go(l.since)}, "Go there"), " This is with all that had " +
      "come by then; simulate why finds fewer that are enough, where it can, and this need not be one of them."));
    if (l.spells.length) out.push(element("p", {}, `Before, it was exact ${forAWhile(run, l)}, and no longer with ` +
      "those that came next."));
  } else out.push(element("p", {}, l.says.some(x => x.outcome === "unscored") ?
    "Whether it becomes exact is not known." : l.spells.length ?
      `It was exact ${forAWhile(run, l)}, and is no longer with all.` : "It does not become exact."));
  if ((s.truth || s.sample) && l.says.some(x => x.sample)) {
    if (s.truth) out.push(pairs([["true sample", element("strong", {}, s.true_one)],
      ["estimate", s.sentence || "none yet"]]));
    else out.push(pairs([["estimate", s.sentence], ["true sample", run.attack.unscored || "not known"]]));
    out.push(values(l, s, true));
  }
  if (s.odds && s.odds.length) {
    out.push(table(["value", "before", "after", ""], s.odds.map(o => element("tr", {}, [o.value, number(o.prior),
      number(o.posterior), o.truth ? "true" : ""].map(x => element("td", {}, x))))));
  }
  return out;
}

// values are all of a sample, column by column, beside those of the estimate; they unfold.
function values(l, s, open) {
  const rows = l.columns.map((name, k) => element("tr", {}, element("th", {scope: "row"}, name),
    element("td", {}, s.truth ? s.truth[k] : "–"), element("td", {class: s.right && s.right[k] ? "found" : null},
      s.sample ? s.sample[k] : "–"), element("td", {}, s.right ? s.right[k] ? "found" : "" : "")));
  const found = s.right ? s.right.filter(x => x).length : 0;
  return element("details", {open: open ? "" : null}, element("summary", {}, s.right ?
    `${found} of ${l.columns.length} values found` : "values"), element("div", {class: "scroll tall", tabindex: "0"},
    table(["", "true", "estimate", ""], rows)));
}

// attackOfPacket says what a packet adds to each attack.
function attackOfPacket(view, run, p) {
  const a = run.attacker, out = [element("h4", {}, "What it adds to the attack")];
  if (!a.lines.length) return [];
  if (!a.rank.has(p)) { out.push(element("p", {}, "Nothing: the adversary does not see it.")); return out; }
  const k = a.rank.get(p); // so many came before it
  let from = 0;
  while (from + 1 < a.points.length && a.points[from + 1] <= k) from++;
  const to = from + 1 < a.points.length ? from + 1 : from, between = a.points[to] - a.points[from];
  const of = run.attack.order.length;
  out.push(element("p", {}, `It is the ${ordinal(k + 1)} of ${of} packets that the adversary sees. ${a.copies}`,
    between > 1 ? `The attacks were carried out before and after ${between} packets of which it is one.` :
      "The attacks were carried out right before and right after it."));
  const changed = [], same = [];
  for (const l of a.lines) (readsAlike(a.says(l, from), a.says(l, to)) ? same : changed).push(l);
  for (const l of changed.slice(0, 12)) {
    const b = a.says(l, from), c = a.says(l, to);
    const cell = s => [badge(s), s.error !== null ? ` error ${number(s.error)}` : "",
      s.sentence ? element("div", {}, s.sentence) : null,
      s.sentence && b.sentence !== c.sentence ? null : element("div", {class: "soft"}, s.conclusion)];
    out.push(element("p", {}, element("strong", {}, lineName(l))), table(["before", "after"],
      element("tr", {}, element("td", {}, ...cell(b)), element("td", {}, ...cell(c))), {class: "beside"}));
    if (c.true_one && (b.sample || c.sample)) out.push(element("p", {class: "soft"}, `True: ${c.true_one}`));
    if (c.sample) out.push(values(l, c, false));
  }
  if (changed.length > 12) out.push(element("p", {}, `and ${changed.length - 12} more`));
  if (same.length) {
    const names = same.slice(0, 12).map(lineName).concat(same.length > 12 ? `${same.length - 12} more` : []);
    out.push(element("p", {}, `The same before and after${between > 1 ? " all of these" : ""}: ${names.join(", ")}.`));
  }
  return out;
}

// readsAlike says whether a person reads the same in what an attack says at two points. What solves leave by chance,
// as in an error of 3·10⁻⁹, does not count, and beside an estimate that reads the same no number does.
function readsAlike(b, c) {
  const told = s => s.conclusion.replace(NUMBER, x => s.sample ? "" : Number(x) < 1e-6 ? "0" : number(Number(x), 2));
  const read = s => JSON.stringify([s.said, told(s), s.sample, s.right,
    s.sample || s.outcome === "exact" ? null : number(s.error),
    (s.odds || []).map(o => [o.value, number(o.prior), number(o.posterior)])]);
  return b === c || read(b) === read(c);
}

const NUMBER = /\d+(\.\d+)?(e[-+]?\d+)?/g;

function ordinal(n) {
  const two = n % 100, one = n % 10;
  return n + (two > 10 && two < 14 ? "th" : one === 1 ? "st" : one === 2 ? "nd" : one === 3 ? "rd" : "th");
}
