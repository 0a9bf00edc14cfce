// The picture of a network at a time, on a canvas.

const NEAR_FAR = ["#440154", "#414487", "#2a788e", "#22a884", "#7ad151", "#fde725"].map(rgb);
const LEARNT = ["#b3001b", "#d9534f", "#e8a598", "#d9d4d2", "#c9cdd3"].map(rgb);

function rgb(hex) { return [1, 3, 5].map(k => parseInt(hex.slice(k, k + 2), 16)); }

// tint is the colour of a share of a range.
function tint(share, learnt) {
  const ramp = learnt ? LEARNT : NEAR_FAR, at = share * (ramp.length - 1);
  const k = Math.min(ramp.length - 2, Math.floor(at));
  return ramp[k].map((c, j) => Math.round(c + (ramp[k + 1][j] - c) * (at - k)));
}

function css(c) { return `rgb(${c[0]},${c[1]},${c[2]})`; }

function dark(c) { return 0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2] < 140; }

// theme reads the page's colours, which are others on dark ground.
function theme() {
  const style = getComputedStyle(document.documentElement), out = {};
  for (const name of ["text", "ground", "frame", "grid", "soft", "packet", "lost", "request", "mark", "bad", "focus",
    "lie", "change", "cut1", "cut2"]) out[name] = style.getPropertyValue("--" + name).trim();
  return out;
}

// fit gives a canvas as many pixels as it has on the screen, and returns its size and context in CSS pixels.
function fit(canvas) {
  const box = canvas.getBoundingClientRect(), ratio = Math.min(3, devicePixelRatio || 1);
  const width = Math.max(1, Math.round(box.width * ratio)), height = Math.max(1, Math.round(box.height * ratio));
  if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return {context, width: width / ratio, height: height / ratio, ratio};
}

class Stage {
  constructor(run, canvas) {
    this.run = run;
    this.canvas = canvas;
    this.matrix = !run.places;
    this.spots = []; // of packets that are drawn: x, y, row
  }

  // draw draws the network at a time; look says what is chosen and how nodes are coloured.
  draw(t, look) {
    const {context: c, width, height, ratio} = fit(this.canvas);
    this.width = width; this.height = height;
    c.clearRect(0, 0, width, height);
    this.spots.length = 0;
    if (this.matrix) this.drawMatrix(c, t, look); else this.drawNetwork(c, t, look, ratio);
  }

  colourOf(node, t, look) {
    if (!look.scale) return null;
    const v = COLOURS[look.colour].of(this.run, node, t);
    return v === null || v === undefined ? null : tint(share(look.scale, v), look.scale.learnt);
  }

  // layout places the nodes in the room there is, and makes them so small that few touch.
  layout() {
    const size = [this.width, this.height].join();
    if (this.laidOut === size) return;
    this.laidOut = size;
    const margin = 26;
    const wide = this.width - 2 * margin, high = this.height - 2 * margin;
    let w = 0, h = 0;
    for (const [x, y] of this.run.places) { w = Math.max(w, Math.abs(x)); h = Math.max(h, Math.abs(y)); }
    const sx = wide / 2 / Math.max(w, 1e-9), sy = high / 2 / Math.max(h, 1e-9), s = Math.min(sx, sy);
    const across = Math.min(sx, 1.5 * s), down = Math.min(sy, 1.5 * s);
    this.at = this.run.places.map(([x, y]) => [this.width / 2 + x * across, this.height / 2 + y * down]);
    const nearest = Float64Array.from(this.at, ([x, y], k) => {
      let least = Infinity;
      this.at.forEach(([a, b], j) => { if (j !== k) least = Math.min(least, Math.hypot(a - x, b - y)); });
      return least;
    }).sort();
    this.radius = Math.max(3.5, Math.min(15, 0.42 * nearest[Math.floor(nearest.length / 10)]));
  }

  drawNetwork(c, t, look, ratio) {
    this.layout();
    const r = this.run, at = this.at, cuts = r.cutsAt(t);
    for (const [k, cut] of cuts.entries()) cut.groups.forEach((group, g) =>
      this.hull(c, group, (g + k) % 2 ? look.theme.cut2 : look.theme.cut1));
    this.drawEdges(c, t, look, cuts, ratio);
    this.drawPackets(c, t, look);
    this.drawNodes(c, t, look);
  }

  // drawEdges copies the edges, which change only where a partition begins or ends, from a picture of them.
  drawEdges(c, t, look, cuts, ratio) {
    const key = [this.width, this.height, ratio, look.theme.grid, cuts.map(x => x.from).join()].join("|");
    if (this.edgesKey !== key) {
      this.edgesKey = key;
      this.edges = document.createElement("canvas");
      this.edges.width = this.width * ratio; this.edges.height = this.height * ratio;
      const e = this.edges.getContext("2d");
      e.scale(ratio, ratio);
      for (const cut of [false, true]) {
        e.beginPath();
        e.strokeStyle = cut ? look.theme.bad : look.theme.grid;
        e.lineWidth = this.run.edges.length > 2000 ? 0.6 : 1.4;
        e.setLineDash(cut ? [3, 4] : []);
        for (let k = 0; k < this.run.edges.length; k += 2) {
          const [a, b] = [this.run.edges[k], this.run.edges[k + 1]];
          if (this.run.separated(a, b, cuts) !== cut) continue;
          e.moveTo(...this.at[a]); e.lineTo(...this.at[b]);
        }
        e.stroke();
      }
    }
    c.drawImage(this.edges, 0, 0, this.width, this.height);
    for (const f of this.run.impaired(t).links) this.line(c, f.link[0], f.link[1], look.theme.mark, 2.5, [6, 3]);
    const s = look.selected;
    if (s && s.run === this.run.place && s.kind === "node") {
      for (const j of this.run.neighboursOf[s.index].concat(this.run.others[s.index]))
        this.line(c, s.index, j, look.theme.focus, 1.5, []);
    }
    if (s && s.run === this.run.place && s.kind === "packet")
      this.line(c, this.run.src[s.index], this.run.dst[s.index], look.theme.focus, 2.5, []);
  }

  line(c, a, b, colour, width, dash) {
    c.beginPath(); c.strokeStyle = colour; c.lineWidth = width; c.setLineDash(dash);
    c.moveTo(...this.at[a]); c.lineTo(...this.at[b]); c.stroke(); c.setLineDash([]);
  }

  // hull fills the area around a group of nodes.
  hull(c, group, colour) {
    const points = group.filter(n => n < this.at.length).map(n => this.at[n]);
    points.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const half = all => {
      const out = [];
      for (const p of all) {
        while (out.length > 1) {
          const [a, b] = out.slice(-2);
          if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break;
          out.pop();
        }
        out.push(p);
      }
      return out;
    };
    const around = half(points).concat(half(points.slice().reverse()).slice(1));
    c.beginPath();
    around.forEach((p, k) => k ? c.lineTo(...p) : c.moveTo(...p));
    c.closePath();
    c.fillStyle = c.strokeStyle = colour;
    c.lineJoin = "round"; c.lineWidth = 3 * this.radius;
    c.stroke(); c.fill();
  }

  // place is where a packet is: on the right of its way, so that those of the other direction are beside it.
  spot(p, t) {
    const r = this.run, [ax, ay] = this.at[r.src[p]], [bx, by] = this.at[r.dst[p]];
    const lost = r.took[p] < 0, life = r.until[p] - r.sent[p];
    let f = life > 0 ? (t - r.sent[p]) / life : 1;
    const gone = lost && f >= LOST_FADE;
    if (lost) f = Math.min(f, LOST_FADE);
    const d = Math.hypot(bx - ax, by - ay) || 1, side = Math.min(3.5, this.radius / 2), inset = this.radius / d;
    const g = d > 3 * this.radius ? inset + f * (1 - 2 * inset) : f;
    return [ax + (bx - ax) * g - (by - ay) / d * side, ay + (by - ay) * g + (bx - ax) / d * side, gone,
      lost ? (t - r.sent[p]) / life : 0];
  }

  drawPackets(c, t, look) {
    const r = this.run, size = Math.max(1.8, Math.min(4, this.radius / 3.2)), crosses = [], hollow = [], lies = [];
    c.fillStyle = look.theme.packet;
    c.beginPath();
    r.underWay(t, p => {
      const [x, y, gone, age] = this.spot(p, t);
      this.spots.push(x, y, p);
      if (gone) { crosses.push(x, y, age); return; }
      if (r.kinds[r.kind[p]] !== "value") { hollow.push(x, y); return; }
      if (r.lieRow[p] >= 0) { lies.push(x, y); return; }
      c.moveTo(x + size, y); c.arc(x, y, size, 0, 7);
    });
    c.fill();
    c.fillStyle = look.theme.lie;
    const d = size + 2;
    for (let k = 0; k < lies.length; k += 2) {
      const [x, y] = [lies[k], lies[k + 1]];
      c.beginPath(); c.moveTo(x, y - d); c.lineTo(x + d, y); c.lineTo(x, y + d); c.lineTo(x - d, y); c.fill();
    }
    c.strokeStyle = look.theme.request; c.lineWidth = 1.4;
    c.beginPath();
    for (let k = 0; k < hollow.length; k += 2) {
      c.moveTo(hollow[k] + size, hollow[k + 1]); c.arc(hollow[k], hollow[k + 1], size, 0, 7);
    }
    c.stroke();
    c.strokeStyle = look.theme.lost; c.lineWidth = 2;
    const b = size + 1.2;
    for (let k = 0; k < crosses.length; k += 3) {
      const [x, y] = [crosses[k], crosses[k + 1]];
      c.globalAlpha = Math.max(0.15, 1 - Math.max(0, crosses[k + 2] - LOST_FADE) / (1 - LOST_FADE));
      c.beginPath();
      c.moveTo(x - b, y - b); c.lineTo(x + b, y + b); c.moveTo(x + b, y - b); c.lineTo(x - b, y + b);
      c.stroke();
    }
    c.globalAlpha = 1;
    const s = look.selected;
    if (s && s.run === r.place && s.kind === "packet" && r.sent[s.index] <= t && t < r.until[s.index]) {
      const [x, y] = this.spot(s.index, t);
      c.beginPath(); c.strokeStyle = look.theme.focus; c.lineWidth = 2; c.arc(x, y, size + 4, 0, 7); c.stroke();
    }
  }

  drawNodes(c, t, look) {
    const r = this.run, radius = this.radius;
    c.font = `600 ${Math.max(9, radius * 0.95)}px system-ui, sans-serif`;
    c.textAlign = "center"; c.textBaseline = "middle";
    const attack = r.attack || {watched: [], victims: []}, slow = r.impaired(t).slow.flatMap(f => f.slow);
    for (let node = 0; node < r.nodes; node++) {
      const [x, y] = this.at[node], out = r.down(node, t), colour = this.colourOf(node, t, look);
      const small = node >= r.nodes - r.users ? radius * 0.6 : radius;
      c.beginPath(); c.arc(x, y, small, 0, 7);
      c.fillStyle = out || !colour ? look.theme.ground : css(colour);
      c.fill();
      c.lineWidth = 1.5;
      c.strokeStyle = out ? look.theme.bad : look.theme.frame;
      c.setLineDash(out ? [3, 3] : []); c.stroke(); c.setLineDash([]);
      if (out) { // struck at its ends, so that its number can be read
        c.beginPath(); c.lineWidth = 2;
        for (const d of [-small, small]) { c.moveTo(x + d * 0.5, y - d * 0.5); c.lineTo(x + d, y - d); }
        c.stroke();
      }
      const step = r.computing(node, t);
      if (step >= 0 && !out) {
        const f = 1 - (r.stepEnd[step] - t) / Math.max(1, r.stepTook[step]);
        c.beginPath(); c.lineWidth = 2.5; c.strokeStyle = look.theme.mark;
        c.arc(x, y, small + 2.5, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * f); c.stroke();
      }
      if (attack.victims.includes(node) && attack.victims.length < r.nodes)
        this.ring(c, x, y, small + 5, look.theme.lost);
      if (r.targets.includes(node)) this.ring(c, x, y, small + 7, look.theme.lie, [4, 3]);
      if (r.liars.includes(node)) {
        c.beginPath(); c.fillStyle = look.theme.lie;
        c.moveTo(x - 6, y - small - 2); c.lineTo(x + 6, y - small - 2); c.lineTo(x, y - small - 11); c.fill();
      }
      if (attack.watched.includes(node)) {
        c.strokeStyle = look.theme.text; c.lineWidth = 1.5;
        c.strokeRect(x - small - 4, y - small - 4, 2 * small + 8, 2 * small + 8);
      }
      if (slow.includes(node)) {
        c.fillStyle = look.theme.mark;
        c.fillRect(x - Math.max(5, small), y + small + 6, 2 * Math.max(5, small), 3.5);
      }
      const s = look.selected;
      if (s && s.kind === "node" && s.run === r.place && s.index === node)
        this.ring(c, x, y, small + 4, look.theme.focus);
      if (radius >= 7.5 && small === radius) {
        c.fillStyle = out || !colour ? look.theme.text : dark(colour) ? "#ffffff" : "#10131a";
        c.fillText(String(node), x, y + 0.5);
      }
    }
  }

  ring(c, x, y, radius, colour, dash = []) {
    c.beginPath(); c.strokeStyle = colour; c.lineWidth = 3; c.setLineDash(dash);
    c.arc(x, y, radius, 0, 7); c.stroke(); c.setLineDash([]);
  }

  // drawMatrix draws a row for each sender and a column for each receiver. Before the rows and above the columns are
  // the colours of the nodes, and marks at those that are slow.
  drawMatrix(c, t, look) {
    const n = this.run.nodes, strip = 16, gap = 4, slow = 5, cuts = this.run.cutsAt(t), bad = this.run.impaired(t);
    const size = Math.max(50, Math.min(this.width, this.height) - strip - gap - slow - 6);
    const left = (this.width - size + strip + gap + slow) / 2, top = strip + gap + slow + 2;
    this.grid = {left, top, size, strip, gap};
    const cell = size / n;
    const key = [size, look.theme.grid, look.theme.frame, cuts.map(x => x.from).join()].join("|");
    if (this.edgesKey !== key) {
      this.edgesKey = key;
      const px = Math.round(size), image = document.createElement("canvas");
      image.width = image.height = px;
      const e = image.getContext("2d");
      if (cuts.length) this.shade(e, px, look.theme.cut2, cuts);
      e.fillStyle = look.theme.frame; e.globalAlpha = 0.5;
      const dot = Math.max(1, cell);
      for (let k = 0; k < this.run.edges.length; k += 2) {
        const [a, b] = [this.run.edges[k] * cell, this.run.edges[k + 1] * cell];
        e.fillRect(b, a, dot, dot); e.fillRect(a, b, dot, dot);
      }
      this.edges = image;
    }
    c.strokeStyle = look.theme.frame; c.lineWidth = 1;
    c.strokeRect(left - 0.5, top - 0.5, size + 1, size + 1);
    c.drawImage(this.edges, left, top, size, size);
    const rows = Math.min(n, Math.round(size)), thick = size / rows;
    for (let k = 0; k < rows; k++) {
      const node = Math.floor(k * n / rows), colour = this.colourOf(node, t, look);
      c.fillStyle = this.run.down(node, t) ? look.theme.text : colour ? css(colour) : look.theme.grid;
      c.fillRect(left - gap - strip, top + k * thick, strip, thick + 0.5);
      c.fillRect(left + k * thick, top - gap - strip, thick + 0.5, strip);
    }
    c.fillStyle = c.strokeStyle = look.theme.mark; c.lineWidth = 1.5;
    for (const at of bad.slow.flatMap(f => f.slow).map(node => node * cell)) {
      c.fillRect(left - gap - strip - slow, top + at, slow - 1, Math.max(4, cell));
      c.fillRect(left + at, top - gap - strip - slow, Math.max(4, cell), slow - 1);
    }
    const {watched, victims} = this.run.attack || {watched: [], victims: []};
    for (const [nodes, colour] of [[watched, look.theme.text], [victims.length < n ? victims : [], look.theme.lost]]) {
      c.fillStyle = colour;
      for (const at of nodes.map(node => node * cell)) { // between the colours and the cells
        c.fillRect(left - gap, top + at, gap - 1, Math.max(3, cell));
        c.fillRect(left + at, top - gap, Math.max(3, cell), gap - 1);
      }
    }
    for (const {link: [a, b]} of bad.links) for (const [x, y] of [[a, b], [b, a]])
      c.strokeRect(left + (x + 0.5) * cell - 3.5, top + (y + 0.5) * cell - 3.5, 7, 7);
    const dot = Math.max(2.2, cell);
    this.run.underWay(t, p => {
      const x = left + (this.run.dst[p] + 0.5) * cell, y = top + (this.run.src[p] + 0.5) * cell;
      const r = this.run, kind = r.took[p] < 0 ? "lost" : r.kinds[r.kind[p]] !== "value" ? "request" :
        r.lieRow[p] >= 0 ? "lie" : "packet";
      c.fillStyle = look.theme[kind];
      c.fillRect(x - dot / 2, y - dot / 2, dot, dot);
      this.spots.push(x, y, p);
    });
    const s = look.selected;
    if (s && s.run === this.run.place) {
      c.strokeStyle = look.theme.focus; c.lineWidth = 1.5;
      const row = s.kind === "node" ? s.index : this.run.src[s.index];
      const column = s.kind === "node" ? s.index : this.run.dst[s.index];
      c.strokeRect(left - gap - strip, top + row * cell - 1, size + gap + strip, cell + 2);
      c.strokeRect(left + column * cell - 1, top - gap - strip, cell + 2, size + gap + strip);
    }
  }

  // shade fills the cells of pairs that a partition cuts off from each other.
  shade(c, size, colour, cuts) {
    const node = k => Math.floor(k * this.run.nodes / size);
    c.fillStyle = colour;
    for (let y = 0; y < size; y++) for (let x = 0, from = 0; x < size; x++) {
      const cut = this.run.separated(node(y), node(x), cuts);
      if (!cut) from = x + 1;
      else if (x + 1 === size || !this.run.separated(node(y), node(x + 1), cuts)) c.fillRect(from, y, x + 1 - from, 1);
    }
  }

  // pick is what is at a point of the picture: a node, a packet or nothing.
  pick(x, y) {
    const place = this.run.place;
    if (this.matrix) {
      const g = this.grid, n = this.run.nodes;
      if (!g) return null;
      const at = v => Math.min(n - 1, Math.max(0, Math.floor(v / g.size * n)));
      const packet = this.nearest(x, y, 8);
      if (packet >= 0) return {kind: "packet", run: place, index: packet};
      if (x < g.left && y >= g.top && y <= g.top + g.size) return {kind: "node", run: place, index: at(y - g.top)};
      if (x >= g.left && x <= g.left + g.size && y <= g.top + g.size)
        return {kind: "node", run: place, index: y < g.top ? at(x - g.left) : at(y - g.top)};
      return null;
    }
    let best = -1, least = this.radius + 8;
    (this.at || []).forEach(([a, b], node) => {
      const d = Math.hypot(a - x, b - y);
      if (d < least) { least = d; best = node; }
    });
    const packet = this.nearest(x, y, best >= 0 ? Math.min(6, least) : 12);
    if (packet >= 0 && (best < 0 || least > this.radius)) return {kind: "packet", run: place, index: packet};
    return best >= 0 ? {kind: "node", run: place, index: best} : null;
  }

  nearest(x, y, within) {
    let best = -1;
    for (let k = 0; k < this.spots.length; k += 3) {
      const d = Math.hypot(this.spots[k] - x, this.spots[k + 1] - y);
      if (d < within) { within = d; best = this.spots[k + 2]; }
    }
    return best;
  }
}
