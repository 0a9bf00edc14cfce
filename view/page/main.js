// The page: what is played, chosen and told.

const WHOLE = 60; // seconds in which a run is played at speed 1
const SPEEDS = [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10];

class View {
  constructor(json) {
    this.runs = json.runs.map((r, k) => new Run(r, k));
    this.difference = json.difference;
    this.end = Math.max(1, ...this.runs.map(r => r.end));
    this.t = 0;
    this.speed = 1;
    this.playing = false;
    this.selected = null;
    this.colour = null;
    this.find();
    this.build();
    this.listen();
    this.recolour();
    this.draw(true);
    if (json.live) this.follow();
  }

  find() {
    this.ui = {};
    for (const e of document.querySelectorAll("[id]")) this.ui[e.id] = e;
  }

  build() {
    const u = this.ui, one = this.runs[0];
    const names = this.runs.map(r => `${r.name}, seed ${r.seed}`);
    u.title.textContent = names.join(" and ");
    document.title = u.title.textContent;
    u.about.textContent = one.about || "";
    this.stages = this.runs.map((r, k) => {
      const canvas = element("canvas", {class: "stage", tabindex: "0", role: "img", "aria-describedby": "keys"});
      const caption = element("figcaption", {});
      u.stages.append(figure(caption, {class: "network"}, canvas));
      const stage = new Stage(r, canvas);
      stage.caption = caption;
      const what = r.algorithm + (this.runs.length > 1 ? ` · ${r.name}, seed ${r.seed}` : "") +
        (stage.matrix ? " · rows send, columns receive" : "");
      caption.append(element("strong", {}, this.runs.length > 1 ? `${k + 1}` : "Network"), " " + what + " ",
        stage.status = element("span", {class: "status"}));
      const under = e => {
        const box = canvas.getBoundingClientRect();
        return stage.pick(e.clientX - box.left, e.clientY - box.top);
      };
      canvas.addEventListener("click", e => this.select(under(e)));
      canvas.addEventListener("pointermove", e => { canvas.style.cursor = under(e) ? "pointer" : "default"; });
      return stage;
    });
    u.stages.classList.toggle("two", this.runs.length > 1);
    for (const s of SPEEDS) u.speed.append(element("option", {value: s}, `${s}×`));
    u.speed.value = "1";
    this.paced = this.runs.reduce((a, b) => b.lastRow() > a.lastRow() ? b : a);
    const rounds = this.paced.rows.round || [];
    u.roundbox.hidden = rounds.length < 2;
    u.rounds.max = Math.max(1, rounds.length - 1);
    this.times = this.instants();
    this.about();
    this.differs();
    u.legend.classList.toggle("matrix", this.stages.every(s => s.matrix));
    const some = of => this.runs.some(of), outages = some(r => r.outagesOf.some(all => all.length));
    u.parting.hidden = u.cutting.hidden = !some(r => r.cuts.length);
    u.impaired.hidden = !some(r => r.faults.some(f => f.link));
    u.slowed.hidden = !some(r => r.faults.some(f => f.slow));
    u.outing.hidden = u.downing.hidden = !outages;
    u.asking.hidden = !some(r => r.kind.some(k => r.kinds[k] !== "value"));
    u.losing.hidden = !some(r => r.losses.length);
    u.busy.hidden = !some(r => r.computes);
    u.parted.hidden = !this.difference || this.difference.same;
    u.lying.hidden = !this.runs.some(r => r.liars.length);
    u.driven.hidden = !this.runs.some(r => r.targets.length);
    u.changing.hidden = !this.runs.some(r => r.changes.length);
    u.adversarial.hidden = !some(r => r.attack);
    u.watching.hidden = !some(r => r.attack && r.attack.watched.length);
    this.carrying = element("p", {class: "soft", hidden: ""});
    this.adversaries();
  }

  // adversaries shows what the adversaries have worked out.
  adversaries() {
    const u = this.ui;
    this.colours = Object.keys(COLOURS).filter(k => scale(this.runs, k));
    if (!this.colours.includes(this.colour)) this.colour = this.colours[0] || null;
    if (u.colour.length !== this.colours.length) {
      u.colour.replaceChildren(...this.colours.map(k => element("option", {value: k}, COLOURS[k].name)));
      u.colour.value = this.colour;
    }
    u.colourbox.hidden = u.ramp.hidden = !this.colours.length;
    this.exact = this.runs.flatMap(run => run.attacker ? run.attacker.exact().map(line => ({run, line})) : [])
      .sort((a, b) => a.line.since - b.line.since);
    this.exact.forEach(({line}, k) => { line.letter = letter(k); });
    u.marks.hidden = u.exactly.hidden = !this.exact.length;
    u.sharing.hidden = true;
    this.attacks = this.runs.filter(r => r.attacker).map(r => attackPanel(this, r));
    u.attack.replaceChildren(this.carrying, ...this.attacks.map(a => a.box));
    u.attack.hidden = !this.attacks.length;
    u.strips.hidden = [u.cutting, u.outing, u.changing, u.exactly, u.parted].every(e => e.hidden);
  }

  // follow asks the server what the attacks have come to while they are carried out.
  async follow() {
    const root = document.documentElement;
    root.dataset.live = "yes";
    this.carrying.hidden = false;
    const soon = () => new Promise(go => setTimeout(go, 500));
    for (let version = 0, over = false, failed = 0; !over;) {
      let news;
      try {
        const answer = await fetch(`attacks?have=${version}`, {cache: "no-store"});
        if (!answer.ok) throw new Error(answer.statusText);
        news = await answer.json();
        failed = 0;
      } catch {
        if (++failed < 3) { await soon(); continue; }
        this.carrying.textContent = "The attacks were not carried out to their end: simulate view has ended.";
        this.say(this.carrying.textContent);
        break;
      }
      version = news.version;
      over = news.over;
      this.carrying.hidden = over;
      this.carrying.textContent = "The attacks are being carried out, for more and more packets: " +
        `${news.done} of at most ${news.most} times${this.runs.length > 1 ? " on one of the runs" : ""}. ` +
        "What they have come to is shown as it is found.";
      if (news.runs) this.learn(news.runs);
      if (over) this.say("The attacks were carried out.");
      else await soon();
    }
    delete root.dataset.live;
  }

  // learn shows what the adversaries have worked out since, by run; null: nothing. What was chosen stays chosen.
  learn(attacks) {
    const u = this.ui, chosen = this.attacks.map(a => a.chosen && a.chosen()), focus = document.activeElement;
    const attacked = u.attack.contains(focus), informed = u.chosenbox.contains(focus);
    attacks.forEach((a, k) => { if (a) this.runs[k].learn(a); });
    this.adversaries();
    this.attacks.forEach((a, k) => {
      const l = chosen[k] && a.run.attacker.lines.find(l => l.attack === chosen[k].attack &&
        l.victim === chosen[k].victim);
      if (l) a.choose(l);
    });
    this.trackKey = null;
    this.recolour();
    if (this.selected) this.inform();
    this.draw(true);
    const now = attacked ? u.attack.querySelector("select") : informed && !focus.isConnected ? u.chosenbox : null;
    if (now) now.focus({preventScroll: true});
  }

  // instants are the times at which anything happens.
  instants() {
    const all = [];
    for (const r of this.runs) {
      const add = t => { if (t <= r.end) all.push(t); };
      for (let k = 0; k < r.count; k++) {
        add(r.sent[k]);
        if (r.took[k] >= 0) add(r.sent[k] + r.took[k]);
      }
      for (const t of r.valueTime) add(t);
      for (const t of r.stepEnd) add(t);
    }
    const sorted = Float64Array.from(all).sort();
    let n = 0;
    for (let k = 0; k < sorted.length; k++) if (!k || sorted[k] !== sorted[n - 1]) sorted[n++] = sorted[k];
    return sorted.subarray(0, n);
  }

  about() {
    const below = this.runs.length > 1 ? "h4" : "h3";
    for (const r of this.runs) {
      const box = element("div", {class: "run"});
      if (this.runs.length > 1) box.append(element("h3", {}, `Run ${r.place + 1}: ${r.name}, seed ${r.seed}`));
      box.append(pairs(r.facts || []));
      const list = (name, all) => {
        if (!all || !all.length) return;
        box.append(element(below, {}, name), element("ul", {}, all.map(x => element("li", {}, x))));
      };
      list("Warnings", r.warnings);
      list("Faults of the scenario", r.faults.map(f => f.text));
      list("What changed while it went", r.changes.map(c => c.text));
      list("What this page cannot show", r.notes);
      this.ui.runs.append(box);
    }
  }

  differs() {
    const d = this.difference, u = this.ui;
    u.difference.hidden = !d;
    if (!d) return;
    const settings = d.settings || [];
    u.difference.append(element("h2", {}, "The two runs"), settings.length ? element("div", {class: "scroll",
      tabindex: "0"}, table(["", "run 1", "run 2"], settings.map(([key, a, b]) => element("tr", {},
      element("th", {scope: "row"}, key), [a || "absent", b || "absent"].map(x => element("td", {}, x)))))) :
      element("p", {}, "Their scenarios and seeds are the same."));
    if (d.note) u.difference.append(element("p", {class: "soft"}, d.note));
    u.difference.append(element("h3", {}, d.same ? d.note ? "Nothing that is compared differs" :
      "The runs are the same" : "The first event that differs"));
    if (d.same) u.difference.append(element("p", {}, d.text));
    else u.difference.append(element("p", {}, `The first ${d.events} ${d.note ? "packets" : "packets and values"} of ` +
      "each run are the same. Then:"),
      element("ol", {}, d.sides.map(s => element("li", {}, s))),
      element("p", {}, element("button", {type: "button", onclick: () => this.go(d.at)}, `Go to ${time(d.at)}`)));
  }

  listen() {
    const u = this.ui;
    u.play.addEventListener("click", () => this.play(!this.playing));
    u.back.addEventListener("click", () => this.step(-1));
    u.forward.addEventListener("click", () => this.step(1));
    u.speed.addEventListener("change", () => { this.speed = Number(u.speed.value); this.draw(true); });
    u.colour.addEventListener("change", () => { this.colour = u.colour.value; this.recolour(); this.draw(true); });
    u.time.addEventListener("input", () => this.seek(Number(u.time.value) / 10000 * this.end));
    u.rounds.addEventListener("input", () => this.seek(this.paced.rows.time[Number(u.rounds.value)]));
    u.track.addEventListener("click", e => {
      const box = u.track.getBoundingClientRect();
      this.seek((e.clientX - box.left) / box.width * this.end);
    });
    u.table.addEventListener("toggle", () => this.draw(true));
    document.addEventListener("keydown", e => this.key(e));
    const sizes = new ResizeObserver(() => this.draw(true));
    for (const e of [document.body, u.track, ...this.stages.map(s => s.canvas)]) sizes.observe(e);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { this.look = null; this.draw(true); });
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const on = e.target.tagName;
    if (on === "SELECT" || on === "INPUT" && e.key !== " ") return;
    if ((on === "BUTTON" || on === "SUMMARY") && (e.key === " " || e.key === "Enter")) return;
    const first = this.keyed(), n = this.runs[first].nodes, s = this.selected;
    const node = s && s.kind === "node" && s.run === first ? s.index : -1;
    const keys = {
      " ": () => this.play(!this.playing),
      ArrowLeft: () => this.step(e.shiftKey ? -10 : -1),
      ArrowRight: () => this.step(e.shiftKey ? 10 : 1),
      Home: () => this.go(0),
      End: () => this.go(this.end),
      ",": () => this.byRound(-1),
      ".": () => this.byRound(1),
      "+": () => this.faster(1),
      "-": () => this.faster(-1),
      n: () => this.select({kind: "node", run: first, index: (node + 1) % n}),
      p: () => this.select({kind: "node", run: first, index: (node + n - (node < 0 ? 0 : 1)) % n}),
      k: () => this.nextPacket(first, 1),
      K: () => this.nextPacket(first, -1),
      Escape: () => this.select(null),
    };
    if (!keys[e.key]) return;
    e.preventDefault();
    keys[e.key]();
  }

  // keyed is the run that keys are about: whose network has the focus, or else that of what is chosen.
  keyed() {
    const focused = this.stages.findIndex(s => s.canvas === document.activeElement);
    return focused >= 0 ? focused : this.selected ? this.selected.run : 0;
  }

  faster(by) {
    const k = Math.min(SPEEDS.length - 1, Math.max(0, SPEEDS.indexOf(this.speed) + by));
    this.speed = SPEEDS[k];
    this.ui.speed.value = String(this.speed);
    this.draw(true);
  }

  byRound(by) {
    const rows = this.paced.rows.time || [];
    if (!rows.length) return;
    const k = Math.min(rows.length - 1, Math.max(0, after(rows, this.t) - 1 + by));
    this.go(rows[k]);
  }

  // nextPacket chooses the packet under way that follows the chosen one, or with by −1 that before it, of the chosen
  // node if there is one; where none is under way, the next that is sent, or the last that was.
  nextPacket(place, by) {
    const r = this.runs[place], all = [], s = this.selected && this.selected.run === place ? this.selected : null;
    const node = s && s.kind === "node" ? s.index : -1, of = p => node < 0 || r.src[p] === node || r.dst[p] === node;
    r.underWay(this.t, p => { if (of(p)) all.push(p); });
    const next = after(r.sent, this.t);
    for (let p = by > 0 ? next : next - 1; !all.length && p >= 0 && p < r.count && r.sent[p] <= r.end; p += by)
      if (of(p)) all.push(p);
    if (!all.length) { this.say(`No packet is under way or ${by > 0 ? "follows" : "went before"}.`); return; }
    if (by < 0) all.reverse();
    const beyond = s && s.kind === "packet" ? all.find(p => by * (p - s.index) > 0) : undefined;
    this.select({kind: "packet", run: place, index: beyond ?? all[0]});
  }

  step(by) {
    this.play(false);
    const k = after(this.times, this.t);
    const at = by > 0 ? k + by - 1 : (this.times[k - 1] === this.t ? k - 1 : k) + by;
    this.go(at < 0 ? 0 : this.times[Math.min(this.times.length - 1, at)]);
  }

  // go is seek for who does not see where that is.
  go(t) {
    this.seek(t);
    this.say(this.summary());
  }

  seek(t) {
    this.t = Math.min(this.end, Math.max(0, t));
    this.draw(true);
  }

  play(on) {
    if (on && this.t >= this.end) this.t = 0;
    this.playing = on;
    this.ui.play.textContent = on ? "Pause" : "Play";
    this.last = null;
    if (on) requestAnimationFrame(now => this.frame(now));
    else { this.say(this.summary()); this.draw(true); }
  }

  frame(now) {
    if (!this.playing) return;
    if (this.last !== null) {
      this.t += Math.min(250, now - this.last) / 1000 / WHOLE * this.end * this.speed;
      if (this.t >= this.end) { this.t = this.end; this.play(false); return; }
    }
    this.last = now;
    this.draw(false, now);
    requestAnimationFrame(next => this.frame(next));
  }

  summary() {
    return this.runs.map(r => moment(r, this.t).map(l => l.join(": ")).join("; ")).join(" | ");
  }

  // say tells a screen reader.
  say(text) { this.ui.live.textContent = `${time(this.t)}. ${text}`; }

  // select chooses a node or a packet, or nothing. What is chosen has the focus, as what had it may be of the panel
  // that is gone; with nothing chosen it goes back.
  select(s) {
    const before = document.activeElement, within = this.ui.chosenbox.contains(before);
    if (s && !within) this.from = before;
    this.selected = s;
    this.panel = null;
    const u = this.ui;
    if (!s) {
      u.chosen.replaceChildren(element("p", {class: "hint"},
        "Choose a node or a packet: click, or n and p for nodes, k and Shift+K for packets."));
    } else {
      const r = this.runs[s.run];
      this.inform();
      this.say((s.kind === "node" ? `Node ${s.index} of ${r.nodes}` : packetName(r, s.index)) + ofRun(this, r));
    }
    this.draw(true);
    if (s) this.show(u.chosenbox);
    else if (within && this.from) this.from.focus();
  }

  // inform tells of what is chosen.
  inform() {
    const s = this.selected;
    this.panel = (s.kind === "node" ? nodePanel : packetPanel)(this, this.runs[s.run], s.index);
    this.ui.chosen.replaceChildren(this.panel.box);
  }

  // show gives a section the focus, and scrolls so far that its beginning is seen, beside controls that stay.
  show(section) {
    section.focus({preventScroll: true});
    const box = section.getBoundingClientRect(), bar = this.ui.controls.getBoundingClientRect();
    const stays = getComputedStyle(this.ui.controls), above = stays.top === "0px" ? bar.height : 0;
    const below = stays.position === "sticky" && bar.top > box.top ? bar.height : 0;
    const enough = Math.min(box.height, 200);
    if (box.top >= above && box.top + enough <= innerHeight - below) return;
    section.style.scrollMarginTop = `${above + 8}px`;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    section.scrollIntoView({block: "start", behavior: still ? "instant" : "smooth"});
  }

  recolour() {
    const u = this.ui;
    this.scale = this.colour ? scale(this.runs, this.colour) : null;
    if (!this.scale) return;
    const s = this.scale, stops = Array.from({length: 9}, (_, k) => css(tint(k / 8, s.learnt)));
    u.bar.style.setProperty("background", `linear-gradient(to right, ${stops.join(",")})`);
    const digits = number(s.low, 3) === number(s.high, 3) ? 7 : 3;
    u.low.textContent = s.learnt ? "exact" : number(s.low, digits);
    u.high.textContent = s.learnt ? "nothing" : number(s.high, digits);
  }

  // draw shows the present. The words beside the picture follow five times a second while it plays.
  draw(all, now) {
    if (!this.look) this.look = {theme: theme()};
    Object.assign(this.look, {t: this.t, scale: this.scale, colour: this.colour, selected: this.selected});
    for (const s of this.stages) s.draw(Math.min(this.t, s.run.end), this.look);
    const u = this.ui;
    u.time.value = String(Math.round(this.t / this.end * 10000));
    u.now.textContent = time(this.t);
    this.drawCursor();
    if (!all && now - (this.told || 0) < 200) return;
    this.told = now || 0;
    u.time.setAttribute("aria-valuetext", `${time(this.t)} of ${time(this.end)}`);
    u.pace.textContent = `1 s shows ${time(this.end / WHOLE * this.speed)}`;
    const paced = this.paced, row = paced.rowAt(this.t);
    u.rounds.value = String(Math.max(0, row));
    const round = (row < 0 ? "start" : number(paced.rows.round[row], 6)) +
      (this.runs.length > 1 ? ` of run ${paced.place + 1}` : "");
    u.round.textContent = round;
    u.rounds.setAttribute("aria-valuetext", round);
    for (const s of this.stages) {
      const down = s.run.outagesOf.filter(all => all.some(o => o.from <= this.t && this.t < o.to)).length;
      const bad = s.run.impaired(this.t);
      s.status.textContent = [down ? plural(down, "node") + " down" : "",
        bad.slow.length ? plural(bad.slow.length, "node") + " slow" : "",
        bad.links.length ? plural(bad.links.length, "link") + " impaired" : "",
        s.run.cutsAt(this.t).length ? "partition" : "",
        this.t > s.run.end || s.run.after && this.t === s.run.end ? "the run is over" : ""].filter(x => x).join(" · ");
      const lines = moment(s.run, this.t).map(l => l[1]);
      const whose = this.runs.length > 1 ? `Run ${s.run.place + 1}: ` : "";
      s.canvas.setAttribute("aria-label", `${whose}${s.matrix ? "Matrix of senders and receivers" : "Network"} of ` +
        `${plural(s.run.nodes, "node")} at ${time(this.t)}; ${lines.concat(s.status.textContent || []).join("; ")}`);
    }
    u.present.replaceChildren(...this.runs.map(r => element("div", {class: "run"}, this.runs.length > 1 ?
      element("h3", {}, `Run ${r.place + 1}`) : null, pairs(present(r, this.t)))));
    if (u.table.open) u.nodes.replaceChildren(...this.runs.map(r => nodeTable(this, r, this.t)));
    if (this.panel) this.panel.update(this.t, this.look);
    for (const a of this.attacks) if (a.update) a.update(this.t, this.look);
    this.drawTrack();
  }

  // drawTrack draws what is to be seen of the whole of virtual time: packets, losses, outages, partitions.
  drawTrack() {
    const u = this.ui, {context: c, width, height, ratio} = fit(u.track);
    const key = [width, height, ratio, this.look.theme.ground].join("|");
    if (this.trackKey !== key) {
      this.trackKey = key;
      this.trackImage = document.createElement("canvas");
      this.trackImage.width = width * ratio; this.trackImage.height = height * ratio;
      const e = this.trackImage.getContext("2d");
      e.scale(ratio, ratio);
      this.paintTrack(e, width, height);
      this.placeMarks(width);
    }
    this.drawCursor();
  }

  paintTrack(c, width, height) {
    const th = this.look.theme, each = height / this.runs.length, x = t => t / this.end * width;
    this.runs.forEach((r, k) => {
      const top = k * each, bars = Math.max(1, Math.floor(width / 2));
      const count = [new Int32Array(bars), new Int32Array(bars)];
      for (let p = 0; p < r.count && r.sent[p] <= r.end; p++)
        count[r.took[p] < 0 ? 1 : 0][Math.min(bars - 1, Math.floor(r.sent[p] / this.end * bars))]++;
      const most = Math.max(1, ...count[0].map((v, j) => v + count[1][j])), high = each - 10;
      for (let j = 0; j < bars; j++) {
        const a = count[0][j] / most * high, b = count[1][j] / most * high;
        c.fillStyle = th.packet; c.globalAlpha = 0.55; c.fillRect(j * 2, top + high - a, 2, a);
        c.fillStyle = th.lost; c.globalAlpha = 0.9; c.fillRect(j * 2, top + high - a - b, 2, b);
      }
      c.globalAlpha = 1;
      const line = (o, y) => c.fillRect(x(o.from), top + high + y, Math.max(1.5, x(o.to - o.from)), 3);
      c.fillStyle = th.mark;
      for (const cut of r.cuts) line(cut, 1);
      c.fillStyle = th.bad;
      for (const all of r.outagesOf) for (const o of all) line(o, 5);
      c.fillStyle = th.change;
      for (const one of r.changes) c.fillRect(x(one.at) - 1, top, 2, each);
    });
    const mark = (t, colour) => {
      c.fillStyle = colour; c.fillRect(x(t) - 1, 0, 2, height);
      c.beginPath(); c.moveTo(x(t) - 5, 0); c.lineTo(x(t) + 5, 0); c.lineTo(x(t), 7); c.fill();
    };
    for (const t of new Set(this.exact.map(e => e.line.since))) mark(t, th.lost);
    if (this.difference && !this.difference.same) mark(this.difference.at, th.focus);
  }

  // placeMarks puts a button over each time from which on an attack is exact. Those that would touch are one.
  placeMarks(width) {
    const name = g => g.length > 1 ? `${g[0].line.letter}–${g[g.length - 1].line.letter}` : g[0].line.letter;
    const share = g => `${plural(g.length, "attack")}, ${name(g)}; a click lists all`;
    const wide = g => Math.max(24, 14 + 9 * name(g).length);
    const middle = g => Math.min(width - wide(g) / 2, Math.max(wide(g) / 2,
      (g[0].line.since + g[g.length - 1].line.since) / 2 / this.end * width));
    const groups = [];
    for (const one of this.exact) {
      let g = [one];
      for (let last = groups.pop(); last; last = groups.pop()) {
        if (middle(g) - middle(last) >= (wide(g) + wide(last)) / 2) { groups.push(last); break; }
        g = last.concat(g);
      }
      groups.push(g);
    }
    this.ui.marks.replaceChildren(...groups.map(g => {
      const all = g.map(one => this.exactName(one));
      const told = all.length > 12 ? [share(g)] : all;
      let next = 0; // of those that share the button
      const button = element("button", {type: "button", title: told.join("\n"), "aria-label": told.join("; "),
        onclick: () => { this.listExact(g); this.goToExact(g[next++ % g.length]); }}, name(g));
      button.style.left = `${middle(g) - wide(g) / 2}px`;
      button.style.width = `${wide(g)}px`;
      return button;
    }));
  }

  // exactName is an attack that becomes exact, and by when.
  exactName({run, line}) {
    return `${line.letter}: ${lineName(line)}${this.runs.length > 1 ? ` of run ${run.place + 1}` : ""}, ` +
      exactSince(run, line);
  }

  // listExact lists the attacks that share a button; of a single one nothing.
  listExact(group) {
    const list = this.ui.sharing;
    list.hidden = group.length < 2;
    list.replaceChildren(...list.hidden ? [] : [...group.map(one => element("button", {type: "button", class: "link",
      onclick: () => this.goToExact(one)}, this.exactName(one))),
    element("button", {type: "button", onclick: () => { list.hidden = true; }}, "Close")]);
  }

  // goToExact goes to where an attack becomes exact, and shows that attack.
  goToExact({run, line}) {
    this.attacks.find(a => a.run === run).choose(line);
    this.go(line.since);
  }

  drawCursor() {
    const u = this.ui;
    if (!this.trackImage) return;
    const {context: c, width, height} = fit(u.track);
    c.clearRect(0, 0, width, height);
    c.drawImage(this.trackImage, 0, 0, width, height);
    c.fillStyle = this.look.theme.text;
    c.fillRect(this.t / this.end * width - 1, 0, 2, height);
  }
}

// unpack reads the document, which is JSON, compressed, in base64.
async function unpack(text) {
  const bytes = Uint8Array.from(atob(text.trim()), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

unpack(document.getElementById("data").textContent).then(json => {
  new View(json).select(null);
  document.documentElement.dataset.ready = "yes";
}, error => { document.getElementById("about").textContent = `This page cannot be shown: ${error.message}`; });
