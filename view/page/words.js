// Numbers and times as people read them.

function time(ns) {
  if (!(ns > 0)) return "0 s";
  if (ns >= 1e9) return number(ns / 1e9, 5) + " s";
  if (ns >= 1e6) return number(ns / 1e6, 5) + " ms";
  if (ns >= 1e3) return number(ns / 1e3, 5) + " µs";
  return ns + " ns";
}

function number(v, digits = 4) {
  if (v === null || v === undefined || Number.isNaN(v)) return "not known";
  if (v === 0) return "0";
  const size = Math.abs(v);
  if (size >= 1e6 || size < 1e-3) {
    const [m, e] = v.toExponential(Math.min(digits, 3) - 1).split("e");
    const up = String(Number(e)).replace(/./g, c => c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]);
    return `${Number(m)}·10${up}`;
  }
  return String(Number(v.toPrecision(digits)));
}

function plural(n, noun) { return `${n} ${noun}${n === 1 ? "" : "s"}`; }

// element makes an element with attributes and children; texts are text, whatever they hold.
function element(name, attributes = {}, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "onclick") e.addEventListener("click", value);
    else if (value !== null && value !== undefined) e.setAttribute(key, value);
  }
  e.append(...children.flat(3).filter(c => c !== null && c !== undefined));
  return e;
}

function table(head, rows, attributes = {}) {
  return element("table", attributes, element("thead", {}, element("tr", {}, head.map(h =>
    element("th", {scope: "col"}, h)))), element("tbody", {}, rows));
}

// figure has the caption as its name.
function figure(caption, attributes, ...children) {
  caption.id = `caption-${figure.count = (figure.count || 0) + 1}`;
  return element("figure", {...attributes, "aria-labelledby": caption.id}, caption, children);
}

function pairs(rows) {
  return element("dl", {}, rows.filter(r => r).map(([name, ...value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, ...value))));
}
