"use strict";
/* The timeline: bars of each card or the fill of each node over time, on a canvas; data is timeline_data.c's. */

/* Told apart in grey, too: those of plots/style.gp, in its order (colour, hatching, colour of text on it); the last is
 * for all others.  In the dark what would be lost in the ground, or glare, has another colour. */
const FILLS = [
  ["#0072B2", 0, "#ffffff"], ["#56B4E9", 0, "#000000"], ["#C04000", 4, ""], ["#00704F", 5, ""], ["#000000", 0, "#ffffff"],
  ["#A03C78", 2, ""], ["#e0e0e0", 0, "#000000"]
];
const DARK = {
  "#000000": ["#f4f4f4", "#000000"], "#e0e0e0": ["#3d4450", "#ffffff"], "#C04000": ["#f08050", ""],
  "#00704F": ["#30c090", ""], "#A03C78": ["#e090c0", ""]
};
const OUTCOMES = ["done", "preempted", "failed", "cut off at its limit", "cut off with the run", "given another size", "failed on cards without the memory or cores it asks"];
const OUTCOME_FILLS = [0, 2, 4, 5, 6, 1, 3];
const OTHERS = FILLS.length - 1;
const GUTTER = 92, STRIP = 84, AXIS = 24, FIELDS = 8;

function clock(ms) {
  const s = Math.floor(ms / 1000), two = (x) => String(x).padStart(2, "0");
  return (s >= 86400 ? Math.floor(s / 86400) + "d " : "") + two(Math.floor(s / 3600) % 24) + ":" + two(Math.floor(s / 60) % 60) + ":" + two(s % 60);
}
function span(ms) {
  const s = Math.round(ms / 1000), units = [[86400, "d"], [3600, "h"], [60, "m"], [1, "s"]];
  const i = units.findIndex(([u]) => s >= u);
  if (i < 0) return (ms / 1000).toFixed(3) + " s";
  const [u, name] = units[i], rest = i + 1 < units.length ? Math.floor((s % u) / units[i + 1][0]) : 0;
  return Math.floor(s / u) + " " + name + (rest ? " " + rest + " " + units[i + 1][1] : "");
}

class Timeline {
  constructor(box, data) {
    this.box = box; this.data = data;
    this.canvas = box.querySelector("canvas");
    this.run = 0; this.view = "gpus"; this.colour = "user"; this.selected = -1; this.find = "";
    this.from = 0; this.to = data.end;
    /* Rows: cards of the nodes shown, in order; and rows of nodes. */
    this.row0 = []; this.cards = [];
    data.nodes.forEach(([name, gpus, shown], n) => {
      this.row0.push(shown ? this.cards.length : -1);
      for (let k = 0; shown && k < gpus; k++) this.cards.push([n, k]);
    });
    this.nodeRows = Math.ceil(data.nodes.length / data.perRow);
    this.runs = data.runs.map((r) => this.unpack(r));
    this.users = this.rankUsers();
    const on = (cls, type, f) => box.querySelector(cls).addEventListener(type, f);
    on(".tl-run", "change", (e) => { this.run = Number(e.target.value); this.select(-1); });
    on(".tl-view", "change", (e) => { this.view = e.target.value; this.select(-1); this.size(); });
    on(".tl-colour", "change", (e) => { this.colour = e.target.value; this.draw(); });
    on(".tl-find", "input", (e) => this.search(e.target.value.trim()));
    on(".tl-in", "click", () => this.zoom(0.5));
    on(".tl-out", "click", () => this.zoom(2));
    on(".tl-left", "click", () => this.pan(-0.3));
    on(".tl-right", "click", () => this.pan(0.3));
    on(".tl-all", "click", () => this.window(0, data.end));
    this.listen();
    new ResizeObserver(() => this.size()).observe(this.canvas.parentElement);
    for (const what of ["(prefers-color-scheme: dark)", "print"]) matchMedia(what).addEventListener("change", () => this.draw());
    if (this.cards.length === 0) { this.view = "nodes"; box.querySelector(".tl-view").value = "nodes"; }
    this.size();
  }

  /* Bars from differences; those that share a card are stacked: each to the lowest gap free when it starts. */
  unpack(r) {
    const bars = [], open = this.cards.map(() => []);
    for (let i = 0, at = 0; i < r.bars.length; i += FIELDS) {
      const [d, len, node, card, n, milli, job, how] = r.bars.slice(i, i + FIELDS);
      at += d;
      const row = this.row0[node] + card, b = { from: at, to: at + len, row, n, milli, job, how, bottom: 0 };
      if (milli < 1000) {
        const live = open[row] = open[row].filter((o) => o.to > at);
        live.sort((x, y) => x.bottom - y.bottom);
        for (const o of live) if (b.bottom + milli > o.bottom && o.bottom + o.milli > b.bottom) b.bottom = o.bottom + o.milli;
        if (b.bottom + milli > 1000) b.bottom = 1000 - milli;
        live.push(b);
      }
      bars.push(b);
    }
    return { ...r, bars };
  }

  /* A fill each for the users that held most; the rest together. */
  rankUsers() {
    const held = new Map();
    for (const r of this.runs) for (const b of r.bars) {
      const u = this.data.jobs[2 * b.job + 1];
      held.set(u, (held.get(u) || 0) + (b.to - b.from) * b.n);
    }
    return new Map([...held].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, OTHERS).map(([u], i) => [u, i]));
  }

  rows() { return this.view === "gpus" ? this.cards.length : this.nodeRows; }

  size() {
    const width = this.box.clientWidth, rows = Math.max(1, this.rows());
    this.rowHeight = Math.max(3, Math.min(18, Math.floor(560 / rows)));
    const height = STRIP + rows * this.rowHeight + AXIS, scale = window.devicePixelRatio || 1;
    if (width === 0) return;
    this.width = width; this.height = height;
    this.canvas.width = Math.round(width * scale); this.canvas.height = Math.round(height * scale);
    this.canvas.style.height = height + "px";
    this.ctx = this.canvas.getContext("2d");
    this.ctx.setTransform(scale, 0, 0, scale, 0, 0);
    this.draw();
  }

  x(t) { return GUTTER + (t - this.from) / (this.to - this.from) * (this.width - GUTTER - 8); }
  t(x) { return this.from + (x - GUTTER) / (this.width - GUTTER - 8) * (this.to - this.from); }

  window(from, to) {
    const least = Math.max(1000, this.data.end / 100000), wide = Math.min(this.data.end, Math.max(least, to - from));
    this.from = Math.max(0, Math.min(from, this.data.end - wide));
    this.to = this.from + wide;
    this.draw();
  }
  zoom(by, centre = (this.from + this.to) / 2) { this.window(centre - (centre - this.from) * by, centre + (this.to - centre) * by); }
  pan(by) { const d = (this.to - this.from) * by; this.window(this.from + d, this.to + d); }

  /* ---- drawing ---- */

  draw() {
    if (!this.ctx) return;
    const c = this.ctx, css = getComputedStyle(document.documentElement), ink = (name) => css.getPropertyValue(name).trim();
    this.ink = { ink: ink("--ink"), quiet: ink("--quiet"), line: ink("--line"), ground: ink("--ground"), panel: ink("--panel"), accent: ink("--accent"), second: ink("--second") };
    this.isDark = this.ink.ground !== "#ffffff" && this.ink.ground !== "#fff";
    this.fills = FILLS.map((_, i) => this.fill(i));
    c.fillStyle = this.ink.ground;
    c.fillRect(0, 0, this.width, this.height);
    c.font = "11px 'Liberation Sans', Arial, sans-serif";
    this.drawAxis();
    this.drawStrip();
    c.save();
    c.beginPath();
    c.rect(GUTTER, STRIP, this.width - GUTTER - 8, this.rows() * this.rowHeight);
    c.clip();
    if (this.view === "gpus") this.drawBars(); else this.drawHeat();
    c.restore();
    this.drawNames();
    this.box.querySelector(".tl-window").textContent = "Window: " + clock(this.from) + " to " + clock(this.to) + " (" + span(this.to - this.from) + " of " + span(this.data.end) + ")";
    this.showLegend();
  }

  /* [fill, words] of each kind of bar there is; the nodes view has one kind, of no fill. */
  kinds() {
    if (this.view === "nodes") return [[null, "The fuller the colour, the more of the GPUs are held."]];
    const bars = this.runs[this.run].bars;
    if (this.colour === "outcome") return OUTCOMES.map((words, i) => [OUTCOME_FILLS[i], words, i]).filter(([, , i]) => bars.some((b) => b.how === i));
    const users = [...this.users].map(([u, i]) => [i, u]);
    return bars.some((b) => !this.users.has(this.data.jobs[2 * b.job + 1])) ? [...users, [OTHERS, "others"]] : users;
  }

  showLegend() {
    const list = this.box.querySelector(".tl-legend"), key = [this.view, this.colour, this.run, this.ink.ground].join();
    if (list.dataset.of === key) return;
    list.dataset.of = key;
    list.replaceChildren(...this.kinds().map(([fill, words]) => {
      const item = document.createElement("li"), sample = document.createElement("canvas");
      item.append(words);
      if (fill === null) return item;
      sample.ariaHidden = "true";
      sample.width = 44; sample.height = 24;
      const c = sample.getContext("2d");
      c.scale(2, 2);
      this.fillBar(c, fill, 1, 1, 20, 10);
      item.prepend(sample);
      return item;
    }));
  }

  /* [what fills, edge, ink of text]: as they are in the light or in the dark. */
  fill(i) {
    const [light, hatch, on] = FILLS[i], [colour, ink] = this.isDark && DARK[light] || [light, on];
    if (hatch === 0) return [colour, "", ink];
    const tile = document.createElement("canvas"), c = tile.getContext("2d");
    tile.width = tile.height = hatch === 2 ? 3 : 6;
    c.fillStyle = this.ink.ground; c.fillRect(0, 0, 6, 6);
    c.strokeStyle = colour; c.lineWidth = hatch === 2 ? 0.8 : 1.2; c.beginPath();
    const n = tile.width, line = (x0, y0, x1, y1) => { c.moveTo(x0, y0); c.lineTo(x1, y1); };
    if (hatch !== 5) { line(-1, -1, n + 1, n + 1); line(n - 1, -1, n + 1, 1); line(-1, n - 1, 1, n + 1); }
    if (hatch !== 4) { line(-1, n + 1, n + 1, -1); line(-1, 1, 1, -1); line(n - 1, n + 1, n + 1, n - 1); }
    c.stroke();
    return [this.canvas.getContext("2d").createPattern(tile, "repeat"), colour, this.ink.ink];
  }

  fillBar(c, i, x, y, w, h) {
    const [what, edge] = this.fills[i];
    c.fillStyle = what; c.fillRect(x, y, w, h);
    if (edge && w > 1.5 && h > 1.5) { c.strokeStyle = edge; c.lineWidth = 0.8; c.strokeRect(x + 0.4, y + 0.4, w - 0.8, h - 0.8); }
    else if (edge) { c.fillStyle = edge; c.fillRect(x, y, w, h); }
  }

  drawAxis() {
    const c = this.ctx, y = STRIP + this.rows() * this.rowHeight, steps = [1, 5, 15, 60, 300, 900, 3600, 10800, 21600, 43200, 86400, 172800, 604800, 1209600, 2592000];
    const most = Math.max(2, (this.width - GUTTER) / 80), step = 1000 * (steps.find((s) => (this.to - this.from) / 1000 / s <= most) || 7776000);
    c.textAlign = "center"; c.textBaseline = "top";
    for (let t = Math.ceil(this.from / step) * step; t <= this.to; t += step) {
      const x = Math.round(this.x(t)) + 0.5;
      c.strokeStyle = this.ink.line; c.lineWidth = 1;
      c.beginPath(); c.moveTo(x, 8); c.lineTo(x, y + 4); c.stroke();
      c.fillStyle = this.ink.quiet;
      const label = clock(t), half = c.measureText(label).width / 2;
      if (x + half < this.width) c.fillText(label, x, y + 7);
    }
  }

  /* GPUs allocated and tasks waiting, as they were sampled, above. */
  drawStrip() {
    const c = this.ctx, r = this.runs[this.run], top = 10, high = STRIP - 20;
    c.textAlign = "right"; c.textBaseline = "top";
    if (r.gpu_util.length === 0) { c.fillStyle = this.ink.quiet; c.textAlign = "left"; c.fillText("no curves: the runs were not sampled (output.sample_every)", GUTTER + 4, top); return; }
    const most = Math.max(1, ...r.tasks_waiting.filter((_, i) => i % 2));
    c.save(); c.beginPath(); c.rect(GUTTER, 0, this.width - GUTTER - 8, STRIP); c.clip();
    const line = (points, scale, colour, dash) => {
      c.strokeStyle = colour; c.lineWidth = 1.5; c.setLineDash(dash); c.beginPath();
      for (let i = 0; i < points.length; i += 2) c[i ? "lineTo" : "moveTo"](this.x(points[i]), top + high * (1 - points[i + 1] / scale));
      c.stroke(); c.setLineDash([]);
    };
    line(r.gpu_util, 1, this.ink.accent, []);
    line(r.tasks_waiting, most, this.ink.second, [4, 2]);
    c.restore();
    c.fillStyle = this.ink.accent; c.fillText("GPUs 100 %", GUTTER - 6, top - 2);
    c.fillStyle = this.ink.second; c.fillText("waiting " + Math.ceil(most), GUTTER - 6, top + 14);
  }

  drawBars() {
    const c = this.ctx, h = this.rowHeight, gap = h > 5 ? 1 : 0;
    c.fillStyle = this.ink.panel;
    c.fillRect(GUTTER, STRIP, this.width, this.cards.length * h);
    this.drawDown((n) => [this.row0[n], this.row0[n] < 0 ? 0 : this.data.nodes[n][1]]);
    this.runs[this.run].bars.forEach((b, i) => {
      if (b.to < this.from || b.from > this.to) return;
      const x = this.x(b.from), w = Math.max(0.6, this.x(b.to) - x - (this.x(b.to) - x > 3 ? 0.6 : 0));
      const y = STRIP + b.row * h, [top, high] = b.milli < 1000 ? [y + h * (1 - (b.bottom + b.milli) / 1000), Math.max(0.8, h * b.milli / 1000 - 0.3)] : [y, b.n * h - gap];
      const kind = this.colour === "user" ? this.users.get(this.data.jobs[2 * b.job + 1]) ?? OTHERS : OUTCOME_FILLS[b.how];
      const mine = this.find && this.data.jobs[2 * b.job] === this.find || this.selected >= 0 && this.runs[this.run].bars[this.selected].job === b.job;
      c.globalAlpha = (this.selected >= 0 || this.find) && !mine ? 0.28 : 1;
      this.fillBar(c, kind, x, top, w, high);
      if (mine) { c.strokeStyle = this.ink.ink; c.lineWidth = i === this.selected ? 2 : 1; c.strokeRect(x, top, w, high); }
      if (w > 46 && high >= 10) this.nameBar(b, kind, x, top, w, high);
    });
    c.globalAlpha = 1;
  }

  nameBar(b, kind, x, top, w, high) {
    const c = this.ctx, name = this.data.jobs[2 * b.job], [, edge, ink] = this.fills[kind];
    c.save();
    c.beginPath(); c.rect(x, top, w - 2, high); c.clip();
    c.textAlign = "left"; c.textBaseline = "middle";
    if (edge) { c.fillStyle = this.ink.ground; c.fillRect(x + 2, top + 1, c.measureText(name).width + 3, high - 2); }
    c.fillStyle = ink; c.fillText(name, x + 3, top + high / 2);
    c.restore();
  }

  drawHeat() {
    const c = this.ctx, h = this.rowHeight, slot = this.data.end / this.data.bins;
    this.runs[this.run].heat.forEach((row, i) => {
      c.fillStyle = this.ink.panel;
      c.fillRect(GUTTER, STRIP + i * h, this.width, h);
      if (row === "-") return;
      c.fillStyle = this.ink.accent;
      for (let b = 0; b < row.length; b++) {
        if ((b + 1) * slot < this.from || b * slot > this.to) continue;
        c.globalAlpha = parseInt(row[b], 36) / 35;
        const x = Math.round(this.x(b * slot));         /* whole pixels: slots must neither overlap nor gape */
        c.fillRect(x, STRIP + i * h, Math.round(this.x((b + 1) * slot)) - x, h - (h > 5 ? 1 : 0));
      }
      c.globalAlpha = 1;
    });
    if (this.data.perRow === 1) this.drawDown((n) => [n, 1]);
  }

  drawDown(place) {
    const c = this.ctx, down = this.runs[this.run].down, h = this.rowHeight;
    c.fillStyle = this.ink.ink;
    for (let i = 0; i < down.length; i += 3) {
      const [row, rows] = place(down[i]);
      if (rows === 0 || down[i + 2] < this.from || down[i + 1] > this.to) continue;
      const x = this.x(down[i + 1]), w = Math.max(1, this.x(down[i + 2]) - x);
      c.globalAlpha = 0.55;
      for (let k = 0; k < rows * h; k += 3) c.fillRect(x, STRIP + row * h + k, w, 1.2);
      c.globalAlpha = 1;
    }
  }

  drawNames() {
    const c = this.ctx, h = this.rowHeight;
    c.textAlign = "right"; c.textBaseline = "middle"; c.fillStyle = this.ink.quiet;
    const say = (text, y) => { while (text.length > 3 && c.measureText(text).width > GUTTER - 10) text = text.slice(0, -2) + "\u2026"; c.fillText(text, GUTTER - 6, y); };
    let last = -99;
    if (this.view === "gpus") {
      this.data.nodes.forEach(([name, gpus], n) => {
        if (this.row0[n] < 0) return;
        const y = STRIP + this.row0[n] * h, middle = y + gpus * h / 2;
        c.strokeStyle = this.ink.line; c.lineWidth = 1; c.beginPath(); c.moveTo(GUTTER - 4, y + 0.5); c.lineTo(this.width - 8, y + 0.5); c.stroke();
        if (middle - last >= 11) { say(name, middle); last = middle; }
      });
    } else {
      for (let i = 0; i < this.nodeRows; i++) {
        const y = STRIP + (i + 0.5) * h;
        if (y - last < 11) continue;
        say(this.data.nodes[i * this.data.perRow][0] + (this.data.perRow > 1 ? "\u2026" : ""), y);
        last = y;
      }
    }
  }

  /* ---- choosing ---- */

  hit(px, py) {
    const t = this.t(px), slack = (this.to - this.from) / this.width * 2, h = this.rowHeight;
    if (this.view !== "gpus" || py < STRIP) return -1;
    const row = Math.floor((py - STRIP) / h), up = 1000 * (1 - ((py - STRIP) / h - row));
    let best = -1;
    this.runs[this.run].bars.forEach((b, i) => {
      if (b.from - slack > t || b.to + slack < t || row < b.row || row >= b.row + b.n) return;
      if (b.milli < 1000 && (up < b.bottom || up > b.bottom + b.milli)) return;
      best = i;
    });
    return best;
  }

  tell(i) {
    const b = this.runs[this.run].bars[i], [node, card] = this.cards[b.row];
    return this.data.jobs[2 * b.job] + " of " + this.data.jobs[2 * b.job + 1] + ", on " + this.data.nodes[node][0] + " GPU " + card + (b.n > 1 ? "\u2013" + (card + b.n - 1) : "") +
      (b.milli < 1000 ? " (" + b.milli / 10 + " % of it)" : "") + ", from " + clock(b.from) + " to " + clock(b.to) + " (" + span(b.to - b.from) + "), " + OUTCOMES[b.how];
  }

  select(i) {
    this.selected = i;
    const out = this.box.querySelector(".tl-detail");
    if (i < 0) { out.textContent = this.view === "gpus" ? "Select a bar to see its job." : "Point at a slot to see how full it is."; this.draw(); return; }
    const bars = this.runs[this.run].bars, job = bars[i].job, starts = new Set(bars.filter((b) => b.job === job).map((b) => b.from)).size;
    out.textContent = this.tell(i) + (starts > 1 ? "; started " + starts + " times here" : "");
    this.draw();
  }

  search(id) {
    const job = id ? this.data.jobs.findIndex((s, i) => i % 2 === 0 && s === id) / 2 : -1, bars = this.runs[this.run].bars;
    const of = job >= 0 ? bars.map((b, i) => [b, i]).filter(([b]) => b.job === job) : [];
    this.find = of.length ? id : "";
    if (of.length === 0) { this.select(-1); if (id) this.box.querySelector(".tl-detail").textContent = "No job '" + id + "' held a GPU on the nodes shown."; return; }
    const from = Math.min(...of.map(([b]) => b.from)), to = Math.max(...of.map(([b]) => b.to)), more = Math.max(1000, (to - from) * 0.4);
    this.window(from - more, to + more);
    this.select(of[0][1]);
  }

  heatAt(px, py) {
    const row = Math.floor((py - STRIP) / this.rowHeight), bin = Math.floor(this.t(px) / this.data.end * this.data.bins), cells = this.runs[this.run].heat[row];
    if (!cells || cells === "-" || py < STRIP || bin < 0 || bin >= cells.length) return "";
    const n0 = row * this.data.perRow, n1 = Math.min(this.data.nodes.length, n0 + this.data.perRow) - 1;
    return this.data.nodes[n0][0] + (n1 > n0 ? " to " + this.data.nodes[n1][0] : "") + ", around " + clock((bin + 0.5) * this.data.end / this.data.bins) + ": " + Math.round(parseInt(cells[bin], 36) / 35 * 100) + " % of the GPUs held";
  }

  listen() {
    const at = (e) => { const r = this.canvas.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top]; };
    let drag = null;
    this.canvas.addEventListener("pointerdown", (e) => { drag = { x: at(e)[0], from: this.from, to: this.to, moved: false }; this.canvas.setPointerCapture(e.pointerId); });
    this.canvas.addEventListener("pointermove", (e) => {
      const [x, y] = at(e);
      if (drag) {
        const d = (drag.x - x) / (this.width - GUTTER - 8) * (drag.to - drag.from);
        if (Math.abs(drag.x - x) > 3) drag.moved = true;
        if (drag.moved) this.window(drag.from + d, drag.to + d);
        return;
      }
      if (this.view === "nodes") { const text = this.heatAt(x, y); if (text) this.box.querySelector(".tl-detail").textContent = text; return; }
      const i = this.hit(x, y);
      this.canvas.title = i >= 0 ? this.tell(i) : "";
    });
    this.canvas.addEventListener("pointerup", (e) => { if (drag && !drag.moved) this.select(this.hit(...at(e))); drag = null; });
    this.canvas.addEventListener("dblclick", (e) => this.zoom(0.25, this.t(at(e)[0])));
    this.canvas.addEventListener("wheel", (e) => { if (!e.ctrlKey && !e.shiftKey && document.activeElement !== this.canvas) return; e.preventDefault(); this.zoom(e.deltaY > 0 ? 1.25 : 0.8, this.t(at(e)[0])); }, { passive: false });
    this.canvas.addEventListener("keydown", (e) => {
      const bars = this.runs[this.run].bars, step = (d) => {
        let i = this.selected < 0 ? bars.findIndex((b) => b.to >= this.from) : this.selected + d;
        if (this.view === "gpus" && i >= 0 && i < bars.length) { if (bars[i].to < this.from || bars[i].from > this.to) this.window(bars[i].from - (this.to - this.from) / 2, bars[i].from + (this.to - this.from) / 2); this.select(i); }
      };
      const keys = { "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2), "0": () => this.window(0, this.data.end), ArrowLeft: () => this.pan(-0.2), ArrowRight: () => this.pan(0.2), n: () => step(1), p: () => step(-1), Escape: () => this.select(-1) };
      if (!keys[e.key] || e.ctrlKey || e.metaKey || e.altKey) return;
      e.preventDefault();
      keys[e.key]();
    });
  }
}
