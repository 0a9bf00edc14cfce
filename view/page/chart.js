// Curves against virtual time, with a line at the present.

// drawChart draws curves {times, values, colour, dash, steps} on a canvas, to the time o.end; with steps a value stays
// until the next. Marks are times with a line of their own.
function drawChart(canvas, o, look) {
  const {context: c, width, height} = fit(canvas);
  c.clearRect(0, 0, width, height);
  const left = 46, right = 8, top = 8, bottom = 20, w = width - left - right, h = height - top - bottom;
  let low = Infinity, high = -Infinity;
  for (const s of o.curves) for (const v of s.values) {
    if (v === null || Number.isNaN(v) || o.log && !(v > 0)) continue;
    low = Math.min(low, v); high = Math.max(high, v);
  }
  if (!(low <= high)) return;
  if (o.log) { low = Math.max(low, high * 1e-14); if (high / low < 1.05) { low /= 1.1; high *= 1.1; } }
  else { if (o.zero) low = Math.min(0, low); if (high === low) { high += 1; } }
  const x = t => left + w * t / Math.max(1, o.end);
  const part = v => o.log ? Math.log(Math.max(v, low) / low) / Math.log(high / low) : (v - low) / (high - low);
  const y = v => top + h * (1 - part(v));
  c.font = "11px system-ui, sans-serif"; c.fillStyle = look.theme.soft; c.strokeStyle = look.theme.grid;
  c.lineWidth = 1; c.textAlign = "right"; c.textBaseline = "middle";
  const ticks = o.log ? decades(low, high) : [low, (low + high) / 2, high];
  for (const v of ticks) {
    c.beginPath(); c.moveTo(left, y(v)); c.lineTo(left + w, y(v)); c.stroke();
    c.fillText(number(v, 3), left - 4, Math.min(height - bottom, Math.max(top + 4, y(v))));
  }
  c.textAlign = "left"; c.textBaseline = "bottom"; c.fillText("0", left, height - 3);
  c.textAlign = "right"; c.fillText(time(o.end), left + w, height - 3);
  for (const s of o.curves) {
    c.beginPath(); c.strokeStyle = s.colour; c.lineWidth = 1.8; c.setLineDash(s.dash || []);
    let begun = false, last = 0;
    const step = Math.max(1, Math.floor(s.times.length / (3 * w)));
    for (let k = 0; k < s.times.length && s.times[k] <= o.end; k++) {
      const v = s.values[k];
      if (v === null || Number.isNaN(v) || k % step && k < s.times.length - 1) continue;
      if (begun && s.steps) c.lineTo(x(s.times[k]), last);
      last = y(v);
      if (begun) c.lineTo(x(s.times[k]), last); else c.moveTo(x(s.times[k]), last);
      begun = true;
    }
    if (begun && s.steps) c.lineTo(x(o.end), last);
    c.stroke(); c.setLineDash([]);
  }
  for (const m of o.marks || []) {
    c.beginPath(); c.strokeStyle = look.theme.lost; c.lineWidth = 1.5; c.setLineDash([4, 3]);
    c.moveTo(x(m), top); c.lineTo(x(m), top + h); c.stroke(); c.setLineDash([]);
  }
  c.beginPath(); c.strokeStyle = look.theme.text; c.lineWidth = 1;
  c.moveTo(x(look.t), top); c.lineTo(x(look.t), top + h); c.stroke();
}

// decades are powers of ten in a range, few of them.
function decades(low, high) {
  const from = Math.ceil(Math.log10(low) - 1e-9), to = Math.floor(Math.log10(high) + 1e-9), all = [];
  const step = Math.max(1, Math.ceil((to - from + 1) / 4));
  for (let e = from; e <= to; e += step) all.push(10 ** e);
  return all.length ? all : [low, high];
}
