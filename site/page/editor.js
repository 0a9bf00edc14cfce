// An editor of scenarios: mistakes where they are, and what may stand at a place.
"use strict";

const Editor = (() => {
  const step = 21; // height of a line in pixels, as in the style sheet
  const most = 60; // suggestions that are shown

  return class Editor {
    #area; #under; #gutter; #list; #complete;
    #mistakes = [];
    #found = []; // suggestions
    #from = 1;   // column of the word that they replace
    #at = 0;     // the chosen one
    #asked = 0;
    #wide = 0;   // of a letter

    /** complete asks for suggestions at a line and column, and onInput is told of every change. */
    constructor({area, under, gutter, list, complete, onInput}) {
      Object.assign(this, {onInput});
      this.#area = area; this.#under = under; this.#gutter = gutter; this.#list = list; this.#complete = complete;
      area.addEventListener("input", e => this.#typed(e));
      area.addEventListener("scroll", () => { this.#scroll(); this.#close(); });
      area.addEventListener("keydown", e => this.#key(e));
      area.addEventListener("blur", () => this.#close());
      area.addEventListener("click", () => this.#close());
      list.addEventListener("mousedown", e => {
        const item = e.target.closest("[data-at]");
        e.preventDefault(); // the text keeps the focus
        if (item) { this.#at = Number(item.dataset.at); this.#take(); }
      });
      this.#draw();
    }

    get text() { return this.#area.value; }

    set text(text) {
      this.#area.value = text;
      this.#mistakes = [];
      this.#draw();
    }

    /** mistakes marks places: line and column from 1. */
    set mistakes(all) {
      this.#mistakes = all;
      this.#draw();
    }

    /** go puts the cursor at a place. */
    go(line, column) {
      const lines = this.text.split("\n"), on = Math.min(line, lines.length);
      const start = lines.slice(0, on - 1).reduce((n, l) => n + l.length + 1, 0);
      const at = start + [...lines[on - 1]].slice(0, column - 1).join("").length;
      this.#area.focus();
      this.#area.setSelectionRange(at, at);
      const top = (on - 1) * step;
      if (top < this.#area.scrollTop || top > this.#area.scrollTop + this.#area.clientHeight - 2 * step) {
        this.#area.scrollTop = Math.max(0, top - this.#area.clientHeight / 2);
      }
    }

    /** place is the cursor's line and column, from 1; columns are characters. */
    #place() {
      const before = this.text.slice(0, this.#area.selectionStart).split("\n");
      return {line: before.length, column: [...before.at(-1)].length + 1};
    }

    #typed(e) {
      this.#draw();
      this.onInput();
      if (e.inputType === "insertText" && /^[\w-]$/.test(e.data ?? "")) this.#suggest(false);
      else if (!this.#list.hidden) this.#suggest(false); // what is shown follows
    }

    #draw() {
      const lines = this.text.split("\n"), marks = new Map();
      for (const m of this.#mistakes) {
        const on = Math.min(m.line, lines.length);
        marks.set(on, [...(marks.get(on) ?? []), m]);
      }
      this.#under.replaceChildren(...lines.flatMap((text, k) => [...this.#line(text, marks.get(k + 1)), "\n"]));
      this.#gutter.replaceChildren(...lines.map((_, k) => {
        const wrong = marks.has(k + 1);
        return show.element("div", {class: wrong ? "wrong" : null}, wrong ? `● ${k + 1}` : String(k + 1));
      }));
      this.#scroll();
    }

    /** line is a line under the text: words are marked at which a mistake is. */
    #line(text, mistakes) {
      if (!mistakes) return [text];
      const letters = [...text], wrong = new Set();
      for (const m of mistakes) {
        let k = Math.min(Math.max(m.column - 1, 0), Math.max(letters.length - 1, 0));
        do wrong.add(k++); while (k < letters.length && !/[\s:,{}[\]]/.test(letters[k]));
      }
      return letters.length ? letters.map((c, k) => wrong.has(k) ? show.element("mark", {}, c) : c) :
        [show.element("mark", {}, " ")];
    }

    #scroll() {
      this.#under.scrollTop = this.#gutter.scrollTop = this.#area.scrollTop;
      this.#under.scrollLeft = this.#area.scrollLeft;
    }

    /**
     * suggest asks what may stand here; asked says that the reader asked, and not only typed. An answer that comes when
     * the reader has gone on, as while the engine begins, is of no use.
     */
    async #suggest(asked) {
      const mine = ++this.#asked, text = this.text, at = this.#place();
      const {from, suggestions} = await this.#complete(text, at.line, at.column);
      const now = this.#place();
      if (mine !== this.#asked || text !== this.text || at.line !== now.line || at.column !== now.column ||
          document.activeElement !== this.#area) return;
      const word = [...this.text.split("\n")[at.line - 1]].slice(from - 1, at.column - 1).join("");
      const complete = suggestions.length === 1 && suggestions[0].text === word;
      if (suggestions.length === 0 || !asked && (complete || word === "")) { this.#close(); return; }
      this.#found = suggestions.slice(0, most);
      this.#from = from;
      this.#at = asked ? 0 : -1; // what was not asked for takes no key but the arrows and Tab
      this.#list.replaceChildren(...this.#found.map((s, k) => show.element("li", {role: "option", id: `s${k}`,
        "data-at": k, "aria-selected": "false"}, show.element("code", {}, s.text), " ",
      show.element("span", {class: "soft"}, s.about))));
      this.#list.dataset.word = word;
      this.#list.hidden = false;
      this.#choose(this.#at);
      this.#put(at.line, from);
    }

    /** put puts the list beneath a place, or above it where there is no room. */
    #put(line, column) {
      this.#wide ||= this.#measure();
      const style = getComputedStyle(this.#area), area = this.#area, list = this.#list;
      const x = parseFloat(style.paddingLeft) + (column - 1) * this.#wide - area.scrollLeft;
      const y = parseFloat(style.paddingTop) + line * step - area.scrollTop;
      list.style.left = `${Math.max(0, Math.min(x, area.clientWidth - list.offsetWidth))}px`;
      const above = y + list.offsetHeight > area.clientHeight && y - step > list.offsetHeight;
      list.style.top = `${above ? y - step - list.offsetHeight : y}px`;
    }

    #measure() {
      const probe = show.element("span", {}, "0".repeat(100));
      this.#under.append(probe);
      const wide = probe.getBoundingClientRect().width / 100;
      probe.remove();
      return wide;
    }

    #choose(k) {
      this.#at = k;
      [...this.#list.children].forEach((e, i) => {
        e.setAttribute("aria-selected", String(i === k));
        if (i === k) e.scrollIntoView({block: "nearest"});
      });
      if (k < 0) this.#area.removeAttribute("aria-activedescendant");
      else this.#area.setAttribute("aria-activedescendant", `s${k}`);
    }

    #close() {
      this.#asked++;
      this.#list.hidden = true;
      this.#area.removeAttribute("aria-activedescendant");
    }

    #take() {
      const at = this.#place(), area = this.#area, end = area.selectionStart;
      const line = this.text.split("\n")[at.line - 1], lineStart = end - [...line].slice(0, at.column - 1).join("").length;
      const start = lineStart + [...line].slice(0, this.#from - 1).join("").length;
      area.setRangeText(this.#found[Math.max(this.#at, 0)].text, start, end, "end");
      this.#close();
      this.#draw();
      this.onInput();
    }

    #key(e) {
      const shown = !this.#list.hidden, n = this.#found.length;
      if ((e.ctrlKey || e.metaKey) && e.key === " ") this.#suggest(true);
      else if (shown && e.key === "ArrowDown") this.#choose((this.#at + 1) % n);
      else if (shown && e.key === "ArrowUp") this.#choose((Math.max(this.#at, 0) + n - 1) % n);
      else if (shown && (e.key === "Tab" && !e.shiftKey || e.key === "Enter" && this.#at >= 0)) this.#take();
      else if (shown && e.key === "Escape") this.#close();
      else if (e.key === "Enter" && !e.ctrlKey && !e.metaKey && !e.shiftKey) this.#newLine();
      else {
        if (e.key === "Escape" || shown && /^(Arrow(Left|Right)|Home|End|Page)/.test(e.key)) this.#close();
        return;
      }
      e.preventDefault();
      if (e.key === "Escape") e.stopPropagation();
    }

    /** newLine begins a line as far in as the one before, and further after a key without a value. */
    #newLine() {
      const area = this.#area, before = this.text.slice(0, area.selectionStart).split("\n").at(-1);
      const indent = /^ */.exec(before)[0] + (/:\s*$/.test(before) ? "  " : "");
      area.setRangeText(`\n${indent}`, area.selectionStart, area.selectionEnd, "end");
      this.#close();
      this.#draw();
      this.onInput();
      area.scrollLeft = 0;
    }
  };
})();
