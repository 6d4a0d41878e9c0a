"use strict";
/* The page, drawn from its one JSON document (sim/report/report.c).  All text of users goes in as text, never as
 * markup. */
const page = JSON.parse(document.getElementById("data").textContent);

/* ---- elements, numbers, tables ---- */

function el(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (value || value === 0) e.setAttribute(name, value);
  e.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined));
  return e;
}
const quiet = (...what) => el("p", { class: "quiet" }, ...what);

/* Four significant digits, none after the point of whole numbers; as `fairway compare` prints them. */
function digits(x) {
  const a = Math.abs(x);
  return a === Math.floor(a) && a < 1e9 || a >= 1000 ? 0 : a >= 100 ? 1 : a >= 10 ? 2 : 3;
}
/* With n digits after the point, as C prints them: a tie, which is an odd multiple of 2^-(n+1), goes to the even one.
 */
function fixed(x, n) {
  const is_tie = Math.abs(x * 2 ** (n + 1)) % 2 === 1;
  return (is_tie ? 2 * Math.round(x * 10 ** n / 2) / 10 ** n : x).toFixed(n);
}
/* "450 ms", "3.250 s", "1d 4h". */
function duration(us) {
  const units = [[86400e6, "d"], [3600e6, "h"], [60e6, "m"], [1e6, "s"], [1e3, "ms"], [1, "us"]],
        i = units.findIndex(([u]) => us >= u);
  if (i < 0) return "0 s";
  const [u, name] = units[i], whole = Math.floor(us / u), rest = us % u;
  if (i === 3 && rest >= 1000) return whole + "." + String(Math.floor(rest / 1000)).padStart(3, "0") + " s";
  const part = i < 3 ? Math.floor(rest / units[i + 1][0]) : 0;
  return part > 0 ? whole + name + " " + part + units[i + 1][1] : whole + (i >= 3 ? " " : "") + name;
}

const text = (s) => el("td", {}, String(s));
const number = (s) => el("td", { class: "n" }, String(s));
const interval = (half, n) =>
  half === null || half === undefined ? null : [" ", el("span", { class: "ci" }, "\u00b1" + fixed(half, n))];
/* null, a number, or one with half its interval. */
function value(v) {
  if (v === null) return number("\u2013");
  const [x, half] = Array.isArray(v) ? v : [v];
  return el("td", { class: "n", "data-v": x }, fixed(x, digits(x)), interval(half, digits(x)));
}
/* null, or how much, half the interval, in per cent or plain, and whether no difference is within the interval. */
function difference(v) {
  if (v === null) return number("\u2013");
  const [x, half, percent, open] = v, n = percent ? 1 : digits(x);
  return el("td", { class: open ? "n open" : "n", "data-v": x },
    (x < 0 ? "\u2212" : "+") + fixed(Math.abs(x), n) + (percent ? " %" : ""), interval(half, n));
}

/* A box that scrolls can be reached by keyboard; one that has room for everything is no stop on the way. */
const scrolls = new ResizeObserver((boxes) => {
  for (const { target } of boxes)
    if (target.scrollWidth > target.clientWidth || target.scrollHeight > target.clientHeight)
      target.tabIndex = 0;
    else
      target.removeAttribute("tabindex");
});
function scrolling(box, label) {
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", label);
  scrolls.observe(box);
  return box;
}

/* What columns of metrics are, below their table: columns as of table(), with a metric. */
function meanings(columns, id) {
  const known = columns.filter((c) => page.meanings[c[2]]);
  return el("dl", { class: "meanings" }, known.map(([name, , metric, more]) =>
    el("div", {}, el("dt", {}, name), el("dd", { id: id + name }, page.meanings[metric] + (more || "")))));
}

/* Columns are [name, unit, metric], or names; they are aligned as the cells of the first row.  A row is an array of
 * cells.  What a metric is shows at its heading, and in the list of meanings() whose id is `means`. */
function table(caption, columns, rows, { id, kind, sorts, means } = {}) {
  const heads = columns.map((c, i) => {
    const [name, unit, metric] = Array.isArray(c) ? c : [c, ""];
    const words = [
      name.split("_").flatMap((part, k) => k > 0 ? ["_", el("wbr"), part] : [part]),
      unit ? el("span", { class: "unit" }, " " + unit) : null
    ];
    const isNumber = rows.length > 0 && rows[0][i].classList.contains("n");
    const explains = metric && means && page.meanings[metric] ?
      { title: page.meanings[metric], "aria-describedby": means + name } : {};
    return el("th", { scope: "col", class: isNumber && "n", "aria-sort": sorts && "none", ...(sorts ? {} : explains) },
      sorts ? el("button", { type: "button", ...explains }, words) : words);
  });
  const t = el("table", { id, class: kind }, el("caption", {}, caption), el("thead", {}, el("tr", {}, heads)),
    el("tbody", {}, rows.map((r) => el("tr", {}, r))));
  if (sorts)
    heads.forEach((head, column) => head.firstChild.addEventListener("click", () => sort(t, heads, head, column)));
  return scrolling(el("div", { class: "scroll" }, t), caption);
}

/* A click on a heading sorts by its column, another turns it round; cells without a number come last. */
function sort(t, heads, head, column) {
  const up = head.getAttribute("aria-sort") !== "ascending", body = t.tBodies[0];
  const key = (row) => row.cells[column].dataset.v === undefined ? NaN : Number(row.cells[column].dataset.v);
  const rows = [...body.rows].sort((a, b) => {
    const [x, y] = [key(a), key(b)];
    return isNaN(x) || isNaN(y) ? isNaN(x) - isNaN(y) : (x - y) * (up ? 1 : -1);
  });
  heads.forEach((h) => h.setAttribute("aria-sort", "none"));
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  body.append(...rows);
}

/* ---- policies side by side ---- */

const star = (p) => p.clairvoyant ? el("abbr", { title: "clairvoyant: it was told true durations" }, "*") : null;

function comparison(k, id) {
  const base = k.policies[0], repeated = base.runs.length > 1, bounded = k.columns.some((c) => c.over_bound);
  const name = (p, i) =>
    el("th", { scope: "row", "data-v": i }, el("a", { href: "#" + id + "p" + i }, p.label), star(p));
  const columns = k.columns.map((c) => [
    c.name + (c.over_bound ? " / bound" : ""), c.unit, c.metric,
    c.over_bound ? "; over the least that any schedule could reach: 1.07 leaves 7 % to gain at most" : ""
  ]);
  const out = [table("Means over seeds" + (repeated ? " with 95 % intervals." : "; one seed, so no intervals.") +
      (bounded ? " / bound: over the least that any schedule could reach." : "") + " Click a heading to sort.",
    ["policy", "seeds", ...columns],
    k.policies.map((p, i) => [name(p, i), value(p.runs.length), ...p.means.map(value)]),
    { id: id + "means", kind: "sortable", sorts: true, means: id + "is-" }), meanings(columns, id + "is-")];
  if (k.policies.length > 1) {
    const means = repeated ? ", paired by seed, with 95 % intervals; pale: the interval holds no difference, too. " +
        "Plain numbers where the base is 0." : ".";
    out.push(table("Difference to " + base.label + means,
      ["policy", ...k.compared.map((m) => [m, "", m])],
      k.policies.slice(1).map((p, i) => [name(p, i + 1), ...p.differences.map(difference)]),
      { id: id + "diffs", kind: "sortable", sorts: true, means: id + "is-" }));
    out.push(quiet("In words:"), el("ul", { class: "words" }, k.sentences.map((s) => el("li", {}, s))));
    for (const remark of k.remarks) out.push(quiet(remark));
    if (k.caution) out.push(quiet(k.caution));
  }
  if (k.policies.some((p) => p.clairvoyant)) out.push(quiet("* clairvoyant: it was told true durations."));
  return out;
}

/* ---- charts ---- */

/* Ids get a prefix, for every picture has the same ones. */
function chart(c, prefix) {
  const svg = new DOMParser().parseFromString(c.svg, "text/html").querySelector("svg");
  for (const e of svg.querySelectorAll("title, desc")) e.remove(); /* gnuplot's own, which would show as a tooltip */
  for (const e of [svg, ...svg.querySelectorAll("*")])
    for (const a of e.attributes)
      if (a.name === "id")
        a.value = prefix + a.value;
      else if (a.name === "href" || a.name === "xlink:href")
        a.value = a.value.replace(/^#/, "#" + prefix);
      else if (a.value.includes("url(#"))
        a.value = a.value.replaceAll("url(#", "url(#" + prefix);
  const isWide = c.wide || svg.viewBox.baseVal.width > 6 * 144; /* drawn for two columns, 144 to the inch */
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", c.caption);
  return el(
    "figure", { class: isWide ? "chart wide" : "chart", id: prefix + "fig" }, svg, el("figcaption", {}, c.caption));
}

function charts(k, id) {
  if (!k.charts) return [quiet("Left out (--no-charts).")];
  const out = [el("div", { class: "charts" }, k.charts.map((c, i) => chart(c, id + "c" + i + "-")))];
  if (k.not_drawn.length > 0)
    out.push(quiet("Not drawn: ",
      k.not_drawn.flatMap(([name, why], i) => [i > 0 ? "; " : "", el("b", {}, name), " (" + why + ")"]), "."));
  return out;
}

/* ---- the timeline ---- */

function timeline(k, id) {
  const data = k.timeline;
  if (!data)
    return [quiet("No timeline: these runs have no record of who held which GPU. It is kept with ",
      el("code", {}, "output: {attempts: true}"), ".")];
  const box = document.getElementById("timeline").content.firstElementChild.cloneNode(true);
  box.id = id + "timeline";
  box.querySelector(".tl-run").append(...data.runs.map((r, i) => el("option", { value: i }, r.policy)));
  const gpuNodes = data.nodes.filter(([, gpus]) => gpus > 0).length,
        shown = data.nodes.filter(([, , is]) => is).length;
  return [
    box,
    el("p", { class: "quiet", id: id + "shown" },
      "Shown: seed " + k.policies[0].runs[0][1] + " of " + data.runs.length + " of " + k.policies.length +
        " policies. ",
      el("i", {}, "GPUs"),
      " has every attempt on " + shown + " of " + gpuNodes + " nodes with GPUs (" + data.shown + " of " +
        data.attempts + " attempts)",
      shown < gpuNodes ? [", as many as a page can hold; ", el("code", {}, "fairway timeline"), " has them all"] :
                         null,
      ". ", el("i", {}, "Nodes"),
      " has all " + data.nodes.length + " nodes, the share of GPUs held in each of " + data.bins + " slots of time" +
        (data.perRow > 1 ? ", neighbours together in a row" : "") + ".")
  ];
}

/* ---- policy by policy ---- */

/* A metric as the heading of its row, with what it is; below another of the same values, only what its tail makes of
 * them. */
function explained(name, before) {
  const whole = page.meanings[name], what = (s) => s ? s.slice(0, s.lastIndexOf("; ") + 1) : "";
  const isSame = what(whole) !== "" && what(whole) === what(page.meanings[before]);
  return el("th", { scope: "row" }, name,
    whole ? el("span", { class: "meaning" }, isSame ? whole.slice(what(whole).length + 1) : whole) : null);
}

function slowest(p) {
  if (p.slowest.length === 0)
    return [quiet("No job that ended has a row in the database; ", el("code", {}, "output: {jobs: false}"), " leaves them out.")];
  return [
    table("The jobs that waited longest for their first start, first seed.",
      ["job", "user", "class", "GPUs", "waited for first start", "not running", "done after",
         "preempted", "failed"],
      p.slowest.map((r) => r.map((x, i) => i < 3 ? text(x) : number(i >= 4 && i <= 6 ? duration(x) : x)))),
    quiet(el("code", {}, "fairway explain FILE.db " + p.runs[0][0] + " JOB"),
      " tells why one of them waited, of a run with ", el("code", {}, "output: {decisions: true}"), ".")
  ];
}

const STATUS = {
  done: "done", timeout: "cut off at its limit", rejected: "rejected: the cluster can never run it",
  unfinished: "unfinished when the run ended", failed: "failed", never_eligible: "never eligible: what it waits for failed"
};

/* Jobs that lack something: [id, user, class, GPUs, status, submitted, started, limit, how many there are of all]. */
function troubled(what, jobs) {
  if (jobs.length === 0) return null;
  const when = (us) => number(us === null ? "\u2013" : us === 0 ? "0 s" : duration(us)), all = jobs[0][8];
  return table(what + ", first seed" + (all > jobs.length ? ": the first " + jobs.length + " of " + all : "") + ".",
    ["job", "user", "class", "GPUs", "what became of it", "submitted", "first start", "limit"],
    jobs.map(([job, user, kind, gpus, status, ...times]) =>
      [text(job), text(user), text(kind), number(gpus), text(STATUS[status] || status), ...times.slice(0, 3).map(when)]));
}

function policy(p, id) {
  const least = (x) => number(x === null ? "\u2013" : Number(x.toPrecision(6))), unit = (u) => u === "1" ? "" : u,
        scopes = p.metrics.columns.map(([s]) => s);
  const out = [
    el("summary", {}, el("b", {}, p.label), p.clairvoyant ? " * " : " ", el("code", {}, p.spec)),
    el("p", {}, "Rule: " + p.source[0][0],
      p.clairvoyant ? [". ", el("b", {}, "Clairvoyant"), ": it was told true durations, which no scheduler knows"] :
                      null),
    el("p", {}, "Jobs: " + p.fates + "."),
    troubled("Jobs that did not end as they should", p.troubled),
    troubled("Jobs without a limit, of which the policy has no estimate", p.unlimited),
    ...slowest(p)
  ];
  if (p.notes.length > 0)
    out.push(table("Numbers that the policy kept, first seed.", ["note", "times", "mean", "least", "most"],
      p.notes.map(([name, n, ...x]) => [text(name), number(n), ...x.map(least)])));
  if (p.metrics.rows.length > 0)
    out.push(table("Every metric, mean over seeds. Formulas: " + page.document + ".", ["metric", "unit", ...scopes],
      p.metrics.rows.map(([name, u, ...x], i, all) =>
        [explained(name, i > 0 ? all[i - 1][0] : ""), text(u), ...x.map(value)])));
  if (p.users.rows.length > 0) {
    const columns = p.users.columns.map(([name, u]) => [name, unit(u), name]);
    out.push(table("By user, mean over seeds.", ["user", ...columns],
      p.users.rows.map(
        ([scope, ...x]) => [el("th", { scope: "row" }, scope.slice("user=".length)), ...x.map(value)]),
      { means: id + "is-" }), meanings(columns, id + "is-"));
  }
  return el("details", { class: "policy", id }, out);
}

/* ---- where it comes from ---- */

function trace(k) {
  if (k.repairs.length === 0) return [el("p", {}, "Nothing in the trace had to be mended.")];
  return [table("Mended in the trace, counted.", ["what", "how often", "first in line"],
    k.repairs.map(([what, ...n]) => [text(what), ...n.map((x) => number(x === null ? "\u2013" : x))]), { kind: "repairs" })];
}

function provenance(k, id) {
  return [
    table(
      "Every run. The key is a hash of scenario, trace, policy, seed and version; the digest one of every event: " +
        "equal digests are equal runs.",
      ["run", "policy", "seed", "digest", "key", "trace", "fairway"],
      k.policies.flatMap((p) => p.runs.map(([run, seed, ...rest]) =>
        [number(run), text(p.label), number(seed), ...rest.map(text)])),
      { id: id + "runs", kind: "mono" }),
    el("details", {}, el("summary", {}, "The scenario as it was run, overrides included"), scrolling(el("pre", {}, k.scenario), "The scenario"))
  ];
}

/* ---- the whole ---- */

/* "FIFO and EASY: all 100 jobs done; SJF: 97 of 100 jobs done, 3 unfinished." */
function fates(k) {
  const of = new Map();
  for (const p of k.policies) of.set(p.fates, [...(of.get(p.fates) || []), p.label]);
  if (of.size === 1) return k.policies.length === 1 ? null : "Under every policy: " + k.policies[0].fates + ".";
  const list = (names) => names.length < 2 ? names[0] : names.slice(0, -1).join(", ") + " and " + names.at(-1);
  return [...of].map(([what, names]) => list(names) + ": " + what).join("; ") + ".";
}

const sections = [
  ["compare", "Policies", "Policies side by side", comparison],
  ["charts", "Charts", "Charts", charts],
  ["time", "Timeline", "Timeline", timeline],
  ["policies", "Each policy", "Policy by policy", (k, id) => k.policies.map((p, i) => policy(p, id + "p" + i))],
  ["trace", "Trace", "The trace", trace],
  ["from", "Provenance", "Where it comes from", provenance],
];

function oneCase(k, id) {
  const [title, path, nodes, gpus, jobs, users] = k.facts[0];
  const facts =
    Object.entries({ scenario: k.name, policies: k.policies.length, nodes, GPUs: gpus, jobs, users, trace: path });
  const left = page.unfinished.filter(([, scenario]) => scenario === k.name).length;
  return el("section", { id }, el("h2", {}, title), el("p", { class: "conclusion" }, k.conclusion),
    fates(k) ? el("p", {}, fates(k)) : null,
    left > 0 ? el("p", {}, link("left", left + (left === 1 ? " run" : " runs") + " did not finish"),
                 left === 1 ? " and is in no number here." : " and are in no number here.") : null,
    el("dl", { class: "facts" },
      facts.map(([name, x]) => el("div", {}, el("dt", {}, name), el("dd", {}, String(x))))),
    sections.map(([anchor, , heading, draw]) => [el("h3", { id: id + anchor }, heading), draw(k, id)]));
}

/* A link to a policy opens it. */
function openTarget() {
  const at = location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
  if (at && at.tagName === "DETAILS") at.open = true;
  return at;
}

const main = document.querySelector("main"), contents = document.getElementById("contents");
const link = (to, words) => el("a", { href: "#" + to }, words);
document.title = page.cases[0].name + " \u2013 Fairway";
document.getElementById("version").textContent = page.fairway;
page.cases.forEach((k, i) => {
  const id = "k" + i;
  if (page.cases.length > 1) contents.append(el("li", { class: "case" }, link(id, k.name)));
  contents.append(...sections.map(([anchor, short]) => el("li", {}, link(id + anchor, short))));
  main.append(oneCase(k, id));
  const box = document.getElementById(id + "timeline");
  if (box) box.timeline = new Timeline(box, k.timeline);
});
if (page.unfinished.length > 0)
  main.append(
    el("section", { id: "left" }, el("h2", {}, "Not in any number here"), el("p", {}, "Runs that did not finish:"),
      el("ul", {},
        page.unfinished.map(([run, scenario, name, seed, status, message]) => el("li", {},
                              "run " + run + " (" + scenario + ", " + name + ", seed " + seed + "): " + status +
                                (message ? ": " + message : ""))))));
/* Paper cannot be unfolded. */
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open])")];
  for (const e of folded) e.open = true;
});
addEventListener("afterprint", () => {
  for (const e of folded) e.open = false;
  folded = [];
});
addEventListener("hashchange", openTarget);
const target = openTarget();
if (target) target.scrollIntoView();
