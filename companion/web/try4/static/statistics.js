// Statistics: best and lowest totals, a plot of all, and sharing them.

import { html, say, svg } from "/static/svg.js";
import { look } from "./api.js";
import { copied } from "./share.js";

const ALL = "All games";
const WIDEST = 640; // a narrower plot is drawn narrower, so that its words stay as large
const HEIGHT = 260;
const EDGE = { left: 52, right: 18, top: 38, bottom: 36 };

const $ = (id) => document.getElementById(id);
const number = (value) => value.toLocaleString("en", { maximumFractionDigits: 1 });
const day = (seconds) => new Date(seconds * 1000).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });

export class Statistics {
  constructor(dialog) {
    this.dialog = dialog;
    this.results = [];
    $("statistics-kind").addEventListener("change", () => this.#show());
    $("share").addEventListener("click", () => this.#share());
  }

  async open() {
    this.results = (await look("/try4/statistics")).results;
    const kinds = [ALL, ...new Set(this.results.map(({ kind }) => kind))];
    const chosen = $("statistics-kind").value;
    $("statistics-kind").replaceChildren(...kinds.map((kind) => html("option", {}, kind)));
    if (kinds.includes(chosen)) $("statistics-kind").value = chosen;
    say($("shared"), "");
    $("share-text").hidden = true;
    this.dialog.showModal();
    this.#show();
  }

  get #chosen() {
    const kind = $("statistics-kind").value;
    return this.results.filter((one) => kind === ALL || one.kind === kind);
  }

  #show() {
    const totals = this.#chosen.map(({ total }) => total);
    const figures = totals.length
      ? [["Best", Math.max(...totals)], ["Lowest", Math.min(...totals)], ["Mean", mean(totals)], ["Totals", totals.length]]
      : [["Best", "–"], ["Lowest", "–"], ["Mean", "–"], ["Totals", 0]];
    $("figures").replaceChildren(
      ...figures.map(([word, value]) =>
        html("div", {}, html("dt", {}, word), html("dd", {}, typeof value === "number" ? number(value) : value))));
    plot($("plot"), totals);
    $("totals-table").hidden = !totals.length;
    $("totals-table").querySelector("tbody").replaceChildren(
      ...this.#chosen.map((one, i) =>
        html("tr", {}, html("td", {}, String(i + 1)), html("td", {}, day(one.ended)), html("td", {}, one.player), html("td", {}, String(one.total)))));
    $("share").disabled = !totals.length;
  }

  async #share() {
    const done = await copied(sharedText($("statistics-kind").value, this.#chosen), $("share-text"));
    say($("shared"), done ? "Copied to the clipboard." : "Select the text and copy it.");
  }
}

function mean(totals) {
  return totals.reduce((sum, total) => sum + total, 0) / totals.length;
}

/** What Share copies. */
export function sharedText(kind, results) {
  const totals = results.map(({ total }) => total);
  const head = `Try 4 (${kind.toLowerCase()}): best ${Math.max(...totals)}, lowest ${Math.min(...totals)}, mean ${number(mean(totals))} of ${totals.length}`;
  const lines = results.map((one, i) => `${i + 1}. ${one.total}${one.player ? ` ${one.player}` : ""} (${day(one.ended)})`);
  return [head, ...lines].join("\n");
}

/** Draws all totals in their order; best and lowest have shapes and words of their own. */
function plot(element, totals) {
  const width = Math.min(WIDEST, Math.max(element.clientWidth, 260));
  element.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
  if (!totals.length) {
    element.setAttribute("aria-label", "No game has been played to the end yet");
    element.replaceChildren(svg("text", { x: width / 2, y: HEIGHT / 2, class: "plot-none" }, "No game has been played to the end yet"));
    return;
  }
  const [best, lowest] = [Math.max(...totals), Math.min(...totals)];
  const step = nice((best - Math.min(lowest, 0)) / 4);
  const top = Math.max(step, Math.ceil(best / step) * step);
  const x = (i) => EDGE.left + ((i + 0.5) / totals.length) * (width - EDGE.left - EDGE.right);
  const y = (total) => HEIGHT - EDGE.bottom - (total / top) * (HEIGHT - EDGE.top - EDGE.bottom);
  const parts = [];
  for (let level = 0; level <= top; level += step) {
    parts.push(svg("line", { x1: EDGE.left, x2: width - EDGE.right, y1: y(level), y2: y(level), class: "plot-grid" }));
    parts.push(svg("text", { x: EDGE.left - 10, y: y(level) + 5, class: "plot-level" }, String(level)));
  }
  parts.push(svg("polyline", { points: totals.map((total, i) => `${x(i)},${y(total)}`).join(" "), class: "plot-line" }));
  const [atBest, atLowest] = [totals.indexOf(best), totals.lastIndexOf(lowest)];
  const radius = Math.max(2.5, Math.min(6, 160 / totals.length));
  totals.forEach((total, i) => {
    if (i === atBest || (i === atLowest && best !== lowest)) return;
    parts.push(svg("circle", { cx: x(i), cy: y(total), r: radius, class: "plot-dot" }));
  });
  const mark = (i, total, word, shape, under) => {
    const anchor = i < totals.length * 0.15 ? "start" : i > totals.length * 0.85 ? "end" : "middle";
    parts.push(svg("path", { d: shape, transform: `translate(${x(i)} ${y(total)})`, class: `plot-${word}` }));
    parts.push(svg("text", { x: x(i), y: y(total) + (under ? 24 : -13), "text-anchor": anchor, class: "plot-word" }, `${word} ${total}`));
  };
  mark(atBest, best, "best", "M0 -10l9 17h-18z", false);
  if (best !== lowest) mark(atLowest, lowest, "lowest", "M0 10l9 -17h-18z", y(lowest) < HEIGHT - EDGE.bottom - 28);
  parts.push(svg("text", { x: width / 2, y: HEIGHT - 8, class: "plot-axis" }, totals.length === 1 ? "1 total" : `${totals.length} totals, the first on the left`));
  element.setAttribute("aria-label", `Plot of ${totals.length} totals: best ${best}, lowest ${lowest}`);
  element.replaceChildren(...parts);
}

/** A round step of at least so much. */
function nice(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return [1, 2, 5, 10].map((times) => times * power).find((step) => step >= least);
}
