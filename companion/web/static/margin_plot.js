// The margin over the game: a step line from touch to touch, with every near miss and crash to be pointed at.

import { percent } from "./risk.js";
import { say, svg } from "./svg.js";

const NEAR_MISS_MM = 0.4; // a margin felt below this was nearly none
const LIKELY = 0.5; // a touch that was likelier than not to crash, and did not, was a near miss too
const STEPS = { lift: "lift", place: "place", remove: "remove" };
const SHORTEST = 8; // moves: a game that has just begun is not stretched over the whole width

/** The touches of a game in order, each `{ seq, move, player, step, margin, felt, risk, kind }`; margins in mm, null unknown. */
export function touchesOf(game, recent) {
  const touches = [];
  for (const { seq, n, move, player, balance } of game?.moves ?? []) {
    for (const { step, margin_mm: margin, least_mm: felt, risk } of balance?.steps ?? []) {
      const near = (typeof felt === "number" && felt < NEAR_MISS_MM) || risk > LIKELY;
      touches.push({ seq, at: n - (step === "place" ? 0 : step === "lift" ? 0.45 : 0.7), n, move, player, step, margin, felt, risk, kind: near ? "near" : "touch" });
    }
  }
  const last = game?.moves?.at(-1);
  const crash = (recent ?? []).findLast(({ kind, seq }) => kind === "crash" && seq > (last?.seq ?? 0));
  if (crash && game?.over?.termination === "crash") {
    const { margin_mm: margin = null, risk = null } = crash.balance?.steps?.[0] ?? {};
    touches.push({ seq: crash.seq, at: (last?.n ?? 0) + 0.6, n: (last?.n ?? 0) + 1, move: "", player: crash.player, step: crash.step, margin, felt: 0, risk, kind: "crash" });
  }
  return touches;
}

/** Where a touch is marked: at the margin after it, but where it nearly tipped the board, or did, at the least that was felt. */
const lowest = ({ kind, margin, felt }) => (kind === "touch" ? (margin ?? 0) : Math.min(felt ?? margin ?? 0, margin ?? Infinity));

const mm = (value) => (typeof value === "number" ? `${value.toFixed(1)} mm` : "unknown");

/** One touch in words. */
export function touchWords({ n, move, player, step, margin, felt, risk, kind }) {
  const what = { crash: "Crash", near: "Near miss", touch: "" }[kind];
  const who = `${player === "white" ? "White" : "Black"} ${STEPS[step] ?? step}s${move ? `, ${move}` : ""}`;
  const foretold = typeof risk === "number" ? `, risk foretold ${percent(risk)}` : "";
  const shown = kind === "near" && typeof felt === "number" ? `, only ${mm(felt)} felt` : "";
  return `${n}. ${what ? `${what}: ` : ""}${who}: margin ${mm(margin)}${shown}${foretold}`;
}

export class MarginPlot {
  /** `onChoose(seq)`, where given, is called with the event of a touch that is chosen. */
  constructor(root, caption, onChoose = null) {
    Object.assign(this, { root, caption, onChoose });
    this.shown = "";
    this.touches = this.points = [];
    new ResizeObserver(() => this.#draw()).observe(root);
    root.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Draws a game of the state and its recent rulings; nothing where no margin is known. */
  show(game, recent) {
    const touches = touchesOf(game, recent);
    const key = JSON.stringify(touches);
    if (key === this.shown) return;
    this.shown = key;
    this.touches = touches;
    this.root.closest("[data-plot]").hidden = !touches.length;
    if (!touches.length) return;
    const counts = ["crash", "near"].map((kind) => touches.filter((touch) => touch.kind === kind).length);
    this.root.setAttribute("aria-label", `Margin over the game: ${touches.length} touches, ${counts[1]} near misses, ${counts[0] ? "a crash" : "no crash"}.`);
    this.#draw();
    const worst = touches.at(-1).kind === "crash" ? touches.length - 1 : touches.findLastIndex(({ kind }) => kind === "near");
    if (!this.points.includes(document.activeElement)) {
      this.#rove(worst < 0 ? touches.length - 1 : worst);
      say(this.caption, worst < 0 ? "Point at a touch to read it." : touchWords(touches[worst]));
    }
  }

  /** One unit of the drawing is one pixel, so that words stay as large as words and the line takes all the room there is. */
  #draw() {
    const { touches, root } = this;
    const { width, height } = root.getBoundingClientRect();
    if (!touches.length || !width || !height) return;
    root.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const em = parseFloat(getComputedStyle(root).fontSize);
    const [left, right, top, bottom] = [1.5 * em, width - 0.8 * em, 0.6 * em, height - 1.35 * em];
    const held = this.points.indexOf(document.activeElement);
    const most = Math.max(2, ...touches.map(({ margin }) => margin ?? 0));
    const moves = Math.max(SHORTEST, Math.ceil(touches.at(-1).at));
    const x = (at) => left + ((right - left) * at) / moves;
    const y = (margin) => bottom - ((bottom - top) * Math.max(0, margin)) / most;
    const known = touches.filter(({ margin }) => typeof margin === "number");
    const line = known.map(({ at, margin }, i) => `${i ? "L" : "M"}${x(at).toFixed(1)} ${y(margin).toFixed(1)}`).join("");
    const marked = touches.filter(({ kind }) => kind !== "touch");
    const dot = Math.min(0.26 * em, Math.max(1.6, (x(1) - x(0)) / 4));
    this.points = touches.map((touch) => this.#point(touch, x(touch.at), y(lowest(touch)), dot, em));
    const onTop = this.points.filter((_, i) => touches[i].kind !== "touch"); // whatever lies close by, these can be pointed at
    const levels = [0, Math.floor(most), ...(y(0) - y(1) > em && y(1) - y(Math.floor(most)) > em ? [1] : [])];
    root.replaceChildren(
      svg("rect", { class: "plot-band", x: left, y: y(1), width: right - left, height: bottom - y(1) }),
      svg("path", { class: "plot-axis", d: `M${left} ${top}V${bottom}H${right}` }),
      ...levels.map((level) => svg("text", { class: "plot-word", x: left - 0.35 * em, y: y(level) + 0.35 * em }, `${level}`)),
      svg("text", { class: "plot-word plot-unit", x: left, y: height - 0.25 * em }, "mm to spare"),
      svg("text", { class: "plot-word", x: right, y: height - 0.25 * em }, `move ${moves}`),
      svg("path", { class: "plot-line", d: line }),
      ...marked.map((touch) => svg("path", { class: "plot-stem", d: `M${x(touch.at).toFixed(1)} ${y(touch.margin ?? 0).toFixed(1)}V${y(lowest(touch)).toFixed(1)}` })),
      ...this.points.filter((point) => !onTop.includes(point)), ...onTop);
    this.#rove(this.at ?? touches.length - 1);
    if (held >= 0) this.points[Math.min(held, touches.length - 1)].focus();
  }

  #point(touch, x, y, dot, em) {
    const words = touchWords(touch);
    const point = svg("g", { class: `plot-point plot-${touch.kind}`, tabindex: -1, role: this.onChoose ? "button" : "img", "aria-label": words, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` });
    if (touch.kind === "crash") point.append(svg("path", { d: "M-5 -5L5 5M-5 5L5 -5", transform: `scale(${em / 10})` }));
    else if (touch.kind === "near") point.append(svg("path", { d: "M0 -7L6 4H-6Z", transform: `scale(${em / 10})` }));
    else point.append(svg("circle", { r: dot }));
    point.append(svg("circle", { class: "plot-reach", r: Math.max(8, 0.7 * em) }));
    for (const how of ["pointerenter", "focus", "click"]) point.addEventListener(how, () => say(this.caption, words));
    point.addEventListener("focus", () => this.#rove(this.points.indexOf(point)));
    const choose = () => this.onChoose?.(touch.seq);
    point.addEventListener("click", choose);
    point.addEventListener("keydown", ({ key }) => key === "Enter" && choose());
    return point;
  }

  /** One stop for the Tab key, not hundreds; the arrow keys go from touch to touch. */
  #rove(at) {
    this.at = Math.min(at, this.points.length - 1);
    this.points.forEach((point, i) => point.setAttribute("tabindex", i === this.at ? 0 : -1));
  }

  #key(event) {
    const at = this.points.indexOf(event.target.closest(".plot-point"));
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: this.points.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    this.points[Math.max(0, Math.min(this.points.length - 1, to))].focus();
  }
}
