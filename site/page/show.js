// What the engine answers, as parts of a page. Every text is text.
"use strict";

const show = (() => {
  /** element makes an element with attributes and children; children are elements or texts. */
  function element(name, attributes = {}, ...children) {
    const e = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) if (value !== null) e.setAttribute(key, value);
    e.append(...children);
    return e;
  }

  // Of a picture these elements are taken, and no attribute that loads or does something.
  const drawn = new Set(["svg", "g", "path", "text", "tspan", "title", "desc", "circle", "rect", "line", "polyline",
    "polygon", "ellipse", "defs", "clipPath"]);

  function copied(from) {
    const to = document.createElementNS("http://www.w3.org/2000/svg", from.localName);
    for (const {name, value} of from.attributes) {
      // The page's policy has no styles in texts; a script may set them.
      if (name === "data-style") to.style.cssText = value;
      else if (!/^on|href|^xmlns/i.test(name)) to.setAttribute(name, value);
    }
    for (const child of from.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) to.append(child.data);
      else if (drawn.has(child.localName)) to.append(copied(child));
    }
    return to;
  }

  /** picture makes an element of an SVG that the engine drew. */
  function picture(svg) {
    const text = svg.replace(/(\s)style="/g, '$1data-style="');
    const parsed = new DOMParser().parseFromString(text, "text/html").querySelector("svg");
    return parsed ? copied(parsed) : document.createTextNode("");
  }

  /** figures are the charts of an answer; one without a point says so. */
  function figures(charts) {
    return charts.map(c => element("figure", {}, element("figcaption", {}, c.title),
      c.svg ? picture(c.svg) : element("p", {class: "soft"}, "There is nothing to draw.")));
  }

  /** rows are table rows of texts and elements; labels are shown where columns have no heads, on narrow screens. */
  function rows(all, labels = []) {
    const cell = (c, k) => element("td", {"data-label": labels[k] || null}, c);
    return all.map(cells => element("tr", {}, ...cells.map(cell)));
  }

  /** number is a number for people. */
  function number(v) {
    return v === null ? "–" : Number.isInteger(v) ? String(v) : String(Number(v.toPrecision(6)));
  }

  /** seconds is a time that has passed. */
  const seconds = ms => `${(ms / 1000).toFixed(1)} s`;

  /** loading shows on a page how far an engine's loading is; only the words are for who listens. */
  function loading(progress, status) {
    let told = "";
    return (share, words, count) => {
      if (share === null) progress.removeAttribute("value");
      else progress.value = share;
      if (words !== told) status.replaceChildren(words, " ", element("span", {"aria-hidden": "true"}));
      told = words;
      status.lastElementChild.textContent = count;
    };
  }

  return {element, loading, figures, rows, number, seconds};
})();
