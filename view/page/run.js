// A run as the page needs it: columns by row, in order of time, and what holds at a time.

const LOST_FADE = 0.5; // of its life a lost packet is on its way; for the rest a cross marks where it was lost

// sums turns differences from row to row into numbers.
function sums(since) {
  const out = new Float64Array(since.length);
  let at = 0;
  for (let k = 0; k < since.length; k++) out[k] = at += since[k];
  return out;
}

// floats reads numbers in base64.
function floats(text) { return new Float32Array(Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer); }

// after is how many of the ascending numbers are at most x.
function after(numbers, x) {
  let low = 0, high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= x) low = middle + 1; else high = middle;
  }
  return low;
}

// groupsOf is in which group of a partition each node is, −1 in none.
function groupsOf(cut, nodes) {
  const of = new Int32Array(nodes).fill(-1);
  cut.groups.forEach((group, k) => { for (const node of group) of[node] = k; });
  return of;
}

class Run {
  constructor(json, place) {
    Object.assign(this, json);
    this.place = place; // 0 or 1: left or right
    this.packetColumns(json.packets);
    this.nodeColumns(json);
    this.bucket();
    this.links();
    this.outagesOf = Array.from({length: this.nodes}, () => []);
    for (const o of json.outages || []) this.outagesOf[o.node].push(o);
    this.restarts = json.restarts || [];
    this.changes = json.changes || [];
    this.cuts = (json.cuts || []).map(c => ({...c, of: groupsOf(c, this.nodes)}));
    this.findLies(json.lies);
    this.faults = json.faults || [];
    this.learn(json.attack);
  }

  // learn takes what the adversary has worked out; null: there is none.
  learn(attack) {
    this.attack = attack;
    this.attacker = attack ? new Attacker(this) : null;
  }

  packetColumns(p) {
    const n = this.count = p.src ? p.src.length : 0;
    const ints = a => Int32Array.from(a || []);
    this.kinds = p.kinds || [];
    this.id = sums(p.id_since || []);
    this.src = ints(p.src); this.dst = ints(p.dst); this.round = ints(p.round); this.kind = ints(p.kind);
    this.bytes = ints(p.bytes);
    this.sent = sums(p.sent_since || []);
    this.took = Float64Array.from(p.took || []);
    this.usual = this.usualTimes();
    this.until = new Float64Array(n); // when it is no longer drawn
    for (let k = 0; k < n; k++)
      this.until[k] = this.sent[k] + (this.took[k] >= 0 ? this.took[k] : 2 * this.usual(k));
    const arrived = [];
    for (let k = 0; k < n; k++) if (this.took[k] >= 0) arrived.push(this.sent[k] + this.took[k]);
    this.arrivals = Float64Array.from(arrived).sort();
    this.losses = this.sent.filter((_, k) => this.took[k] < 0);
    this.lostWhy = new Map(); // by row
    for (let k = 0; k < n; k++) if (this.took[k] < 0) this.lostWhy.set(k, p.reasons[p.lost[this.lostWhy.size]]);
  }

  // usualTimes tells of a packet the median of what those took that arrived on its way, or if none did, on any.
  usualTimes() {
    const median = all => Math.max(1, all.sort((a, b) => a - b)[all.length >> 1]);
    const way = k => this.src[k] * this.nodes + this.dst[k], of = new Map(), medians = new Map();
    this.took.forEach((d, k) => { if (d < 0) of.set(way(k), []); });
    this.took.forEach((d, k) => { if (d >= 0 && of.has(way(k))) of.get(way(k)).push(d); });
    for (const [key, all] of of) if (all.length) medians.set(key, median(all));
    const arrived = Array.from(this.took).filter(d => d >= 0);
    const any = arrived.length ? median(arrived) : Math.max(1, this.end / 100);
    return k => medians.get(way(k)) ?? any;
  }

  nodeColumns(json) {
    const v = json.values, s = json.steps, rows = () => Array.from({length: this.nodes}, () => []);
    this.valueTime = sums(v.time_since || []);
    this.valueRound = Int32Array.from(v.round || []);
    this.valueNode = Int32Array.from(v.node || []);
    this.valuesOf = rows();
    this.valueNode.forEach((node, k) => this.valuesOf[node].push(k));
    this.timesOf = this.valuesOf.map(all => Float64Array.from(all, k => this.valueTime[k]));
    this.stepEnd = sums(s.ended_since || []);
    this.stepNode = Int32Array.from(s.node || []);
    this.stepRound = Int32Array.from(s.round || []);
    this.stepTook = Float64Array.from(s.took || []);
    this.computes = this.stepTook.some(d => d > 0);
    this.stepsOf = rows();
    this.stepNode.forEach((node, k) => this.stepsOf[node].push(k));
    this.stepEndsOf = this.stepsOf.map(all => Float64Array.from(all, k => this.stepEnd[k]));
    this.updates = this.stepNode.length ? // of a run without steps, what was published
      {node: this.stepNode, round: this.stepRound, end: this.stepEnd, took: this.stepTook, of: this.stepsOf,
        endsOf: this.stepEndsOf} :
      {node: this.valueNode, round: this.valueRound, end: this.valueTime, of: this.valuesOf, endsOf: this.timesOf};
    if (v.content) this.content = floats(v.content);
    const steps = Float64Array.from([...new Set(this.stepEnd)]).sort();
    this.lead = new Int32Array(steps.length); // the highest round that is finished then
    this.leadTime = steps;
    let most = 0;
    for (let k = 0, at = 0; k < steps.length; k++) {
      for (; at < this.stepEnd.length && this.stepEnd[at] <= steps[k]; at++) most = Math.max(most, this.stepRound[at]);
      this.lead[k] = most;
    }
  }

  // findLies notes which packets carry something else than what their sender had published.
  findLies(l) {
    this.liars = l.liars || [];
    this.targets = l.targets || [];
    this.lieRow = new Int32Array(this.count).fill(-1);
    if (!(l.node || []).length) return;
    const at = new Map(l.node.map((node, k) => [`${node} ${l.to[k]} ${l.round[k]}`, k]));
    for (let p = 0; p < this.count; p++) {
      const k = at.get(`${this.src[p]} ${this.dst[p]} ${this.round[p]}`);
      if (k !== undefined && this.kinds[this.kind[p]] === "value") this.lieRow[p] = k;
    }
    if (l.content) this.lieContent = floats(l.content);
  }

  // bucket divides time into spans, each with the packets that are to be drawn in it.
  bucket() {
    const n = this.count, end = Math.max(1, this.end);
    let spans = 4096;
    const of = t => Math.min(spans - 1, Math.max(0, Math.floor(t / end * spans)));
    const total = () => {
      let sum = 0;
      for (let k = 0; k < n; k++) sum += of(this.until[k]) - of(this.sent[k]) + 1;
      return sum;
    };
    while (spans > 16 && total() > 16 * n + 1e5) spans >>= 1;
    const first = new Int32Array(spans + 1);
    for (let k = 0; k < n; k++) for (let b = of(this.sent[k]); b <= of(this.until[k]); b++) first[b + 1]++;
    for (let b = 0; b < spans; b++) first[b + 1] += first[b];
    const next = first.slice(), list = new Int32Array(first[spans]);
    for (let k = 0; k < n; k++) for (let b = of(this.sent[k]); b <= of(this.until[k]); b++) list[next[b]++] = k;
    this.spanOf = of;
    this.spanFirst = first;
    this.spanList = list;
  }

  links() {
    this.neighboursOf = Array.from({length: this.nodes}, () => []); // of the graph, ascending
    this.others = Array.from({length: this.nodes}, () => []);      // users with their servers
    for (let k = 0; k < this.edges.length; k += 2) {
      const [a, b] = [this.edges[k], this.edges[k + 1]];
      const to = k / 2 < this.graph_edges ? this.neighboursOf : this.others;
      to[a].push(b); to[b].push(a);
    }
    for (const all of this.neighboursOf) all.sort((a, b) => a - b);
  }

  // called is a node's number, and its name if the file of the network has one.
  called(node) {
    const name = (this.names || [])[node];
    return name === undefined ? String(node) : `${node} (${name})`;
  }

  // underWay calls f with every packet that is drawn at a time.
  underWay(t, f) {
    const b = this.spanOf(t);
    for (let k = this.spanFirst[b]; k < this.spanFirst[b + 1]; k++) {
      const p = this.spanList[k];
      if (this.sent[p] <= t && t < this.until[p]) f(p);
    }
  }

  // packetsOf are the rows of all packets that a node sent or that were for it, in order of sending.
  packetsOf(node) {
    if (!this.packetLists) {
      this.packetLists = Array.from({length: this.nodes}, () => []);
      for (let k = 0; k < this.count; k++) {
        this.packetLists[this.src[k]].push(k);
        if (this.dst[k] !== this.src[k]) this.packetLists[this.dst[k]].push(k);
      }
    }
    return this.packetLists[node];
  }

  // valueAt is the row of the value that a node published last, −1 before the first.
  valueAt(node, t) {
    const k = after(this.timesOf[node], t);
    return k ? this.valuesOf[node][k - 1] : -1;
  }

  // valueOf is the row of a node's value of a round, −1 if it was not recorded.
  valueOf(node, round) {
    for (const k of this.valuesOf[node]) if (this.valueRound[k] === round) return k;
    return -1;
  }

  roundAt(node, t) {
    const k = after(this.stepEndsOf[node], t);
    if (k) return this.stepRound[this.stepsOf[node][k - 1]];
    const v = this.valueAt(node, t);
    return v < 0 ? -1 : this.valueRound[v];
  }

  // computing is the step that a node is at, −1 if none.
  computing(node, t) {
    const k = after(this.stepEndsOf[node], t), step = this.stepsOf[node][k];
    return step !== undefined && this.stepEnd[step] - this.stepTook[step] <= t ? step : -1;
  }

  leader(t) {
    const k = after(this.leadTime, t);
    return k ? this.lead[k - 1] : 0;
  }

  down(node, t) {
    return this.outagesOf[node].find(o => o.from <= t && t < o.to);
  }

  // updateAt is the row of updates that a node ended last, −1 before the first.
  updateAt(node, t) {
    const k = after(this.updates.endsOf[node], t);
    return k ? this.updates.of[node][k - 1] : -1;
  }

  // lags are how many rounds behind the round before each value was that entered an update; null: not known.
  lags(row) {
    if (this.updates.round[row] === 0) return null;
    if (this.inputs.lockstep) return this.neighboursOf[this.updates.node[row]].map(() => 0);
    return (this.inputs.lags && this.inputs.lags[row]) || null;
  }

  // behind is when a node falls behind the first by another number of rounds, and by how many.
  behind(node) {
    if (!this.behindOf) this.behindOf = [];
    return this.behindOf[node] = this.behindOf[node] || this.findBehind(node);
  }

  findBehind(node) {
    const ends = this.stepEndsOf[node], out = {times: [], values: []};
    let k = 0;
    for (let j = 0; ends.length && j < this.leadTime.length; j++) {
      const t = this.leadTime[j];
      while (k < ends.length && ends[k] <= t) k++;
      if (!k) continue;
      const value = Math.max(0, this.lead[j] - this.stepRound[this.stepsOf[node][k - 1]]);
      if (value === out.values[out.values.length - 1]) continue;
      out.times.push(t); out.values.push(value);
    }
    if (out.times.length) {
      out.times.push(this.end); out.values.push(out.values[out.values.length - 1]);
    }
    return out;
  }

  cutsAt(t) { return this.cuts.filter(c => c.from <= t && t < c.to); }

  separated(a, b, cuts) { return cuts.some(c => c.of[a] >= 0 && c.of[b] >= 0 && c.of[a] !== c.of[b]); }

  // impaired are the slow nodes and the bad links of a time, as faults.
  impaired(t) {
    const all = this.faults.filter(f => f.from <= t && t < f.to);
    return {slow: all.filter(f => f.slow), links: all.filter(f => f.link)};
  }

  // rowAt is the row of measurements that holds at a time, −1 before the first.
  rowAt(t) { return after(this.rows.time || [], t) - 1; }

  // lastRow is when its last measurement was made.
  lastRow() { return (this.rows.time || []).at(-1) || 0; }
}

// What nodes are coloured by.
const COLOURS = {
  distance: {name: "distance to the optimum", log: true, of: (r, node, t) => {
    const v = r.valueAt(node, t);
    return v < 0 ? null : r.values.distance[v];
  }, all: r => r.values.distance},
  loss: {name: "loss on its own rows", log: true, of: (r, node, t) => {
    const v = r.valueAt(node, t);
    return v < 0 ? null : r.values.loss[v];
  }, all: r => r.values.loss},
  behind: {name: "rounds behind the first", of: (r, node, t) => {
    const round = r.roundAt(node, t);
    return round < 0 ? null : Math.max(0, r.leader(t) - round);
  }, all: r => behindRange(r), whole: true},
  stale: {name: "staleness of its last update, in rounds", of: (r, node, t) => {
    const row = r.updateAt(node, t), lags = row < 0 ? null : r.lags(row);
    return lags && lags.length ? Math.max(...lags) : null;
  }, all: r => r.inputs.lockstep ? [0] : (r.inputs.lags || []).flatMap(l => l || []), whole: true},
  learnt: {name: "what has been learnt (error of attacks)", log: true, learnt: true,
    of: (r, node, t) => r.attack ? (learntAt(r, node, t) || {error: null}).error : null,
    all: r => r.attack && r.attack.lines.length ? [EXACT, 1] : []},
};

// behindRange is from none to the most rounds that a node is ever behind: right before it ends a step, that is, and
// when it has ended its last, as long as it is up.
function behindRange(r) {
  let most = 0;
  r.stepsOf.forEach((all, node) => {
    const out = r.down(node, r.end), last = out ? out.from : r.end + 1;
    all.forEach((s, k) => {
      const until = k + 1 < all.length ? r.stepEnd[all[k + 1]] : last;
      most = Math.max(most, r.leader(until - 1) - r.stepRound[s]); // times are whole nanoseconds
    });
  });
  return r.stepEnd.length ? [0, most] : [];
}

// scale is the range of a colour over all runs; null if no run has values of it.
function scale(runs, key) {
  const c = COLOURS[key];
  let low = Infinity, high = -Infinity;
  for (const r of runs) for (const v of c.all(r) || []) {
    if (v === null || c.log && !(v > 0)) continue;
    if (v < low) low = v;
    if (v > high) high = v;
  }
  if (!(low <= high)) return null;
  if (c.log) low = Math.max(low, high * 1e-8);
  if (c.whole) low = 0;
  return {low, high: high > low ? high : low + (c.whole ? 1 : low * 1e-3), log: !!c.log, learnt: !!c.learnt,
    whole: !!c.whole};
}

// share is where a value is in a range, from 0 to 1.
function share(s, v) {
  const f = s.log ? Math.log(Math.max(v, s.low) / s.low) / Math.log(s.high / s.low) : (v - s.low) / (s.high - s.low);
  return Math.min(1, Math.max(0, f));
}
