// The margin over the game: a step line from touch to touch, with every near miss and crash to be pointed at.

import { percent } from "./risk.js";
import { say, svg } from "./svg.js";

const [WIDTH, HEIGHT, LEFT, TOP, BOTTOM] = [840, 150, 40, 12, 122];
const NEAR_MISS_MM = 0.4; // a margin felt below this was nearly none
const STEPS = { lift: "lift", place: "place", remove: "remove" };
const SHORTEST = 8; // moves: a game that has just begun is not stretched over the whole width

/** The touches of a game in order, each `{ move, player, step, margin, felt, risk, kind }`; margins in mm, null unknown. */
export function touchesOf(game, recent) {
  const touches = [];
  for (const { n, move, player, balance } of game?.moves ?? []) {
    for (const { step, margin_mm: margin, least_mm: felt, risk } of balance?.steps ?? []) {
      const near = typeof felt === "number" && felt < NEAR_MISS_MM;
      touches.push({ at: n - (step === "place" ? 0 : step === "lift" ? 0.45 : 0.7), n, move, player, step, margin, felt, risk, kind: near ? "near" : "touch" });
    }
  }
  const last = game?.moves?.at(-1);
  const crash = (recent ?? []).findLast(({ kind, seq }) => kind === "crash" && seq > (last?.seq ?? 0));
  if (crash && game?.over?.termination === "crash") {
    const { margin_mm: margin = null, risk = null } = crash.balance?.steps?.[0] ?? {};
    touches.push({ at: (last?.n ?? 0) + 0.6, n: (last?.n ?? 0) + 1, move: "", player: crash.player, step: crash.step, margin, felt: 0, risk, kind: "crash" });
  }
  return touches;
}

const mm = (value) => (typeof value === "number" ? `${value.toFixed(1)} mm` : "unknown");

/** One touch in words. */
export function touchWords({ n, move, player, step, margin, felt, risk, kind }) {
  const what = { crash: "Crash", near: "Near miss", touch: "" }[kind];
  const who = `${player === "white" ? "White" : "Black"} ${STEPS[step] ?? step}s${move ? `, ${move}` : ""}`;
  const foretold = typeof risk === "number" ? `, risk foretold ${percent(risk)}` : "";
  const shown = kind === "near" ? `, only ${mm(felt)} felt` : "";
  return `${n}. ${what ? `${what}: ` : ""}${who}: margin ${mm(margin)}${shown}${foretold}`;
}

export class MarginPlot {
  constructor(root, caption) {
    this.root = root;
    this.caption = caption;
    this.shown = "";
    this.show(null, []);
  }

  /** Draws a game of the state and its recent rulings; nothing where no margin is known. */
  show(game, recent) {
    const touches = touchesOf(game, recent);
    const key = JSON.stringify(touches);
    if (key === this.shown) return;
    this.shown = key;
    this.root.closest("[data-plot]").hidden = !touches.length;
    if (!touches.length) return;
    const most = Math.max(2, ...touches.map(({ margin }) => margin ?? 0));
    const moves = Math.max(SHORTEST, Math.ceil(touches.at(-1).at));
    const x = (at) => LEFT + ((WIDTH - LEFT - 12) * at) / moves;
    const y = (margin) => BOTTOM - ((BOTTOM - TOP) * Math.max(0, margin)) / most;
    const known = touches.filter(({ margin }) => typeof margin === "number");
    const line = known.map(({ at, margin }, i) => `${i ? "L" : "M"}${x(at).toFixed(1)} ${y(margin).toFixed(1)}`).join("");
    this.root.replaceChildren(
      svg("rect", { class: "plot-band", x: LEFT, y: y(1), width: WIDTH - LEFT - 6, height: BOTTOM - y(1) }),
      svg("path", { class: "plot-axis", d: `M${LEFT} ${TOP}V${BOTTOM}H${WIDTH - 6}` }),
      ...[0, 1, Math.floor(most)].filter((v, i, all) => all.indexOf(v) === i).map((v) => svg("text", { class: "plot-word plot-left", x: LEFT - 6, y: y(v) + 6 }, `${v}`)),
      svg("text", { class: "plot-word plot-unit", x: LEFT, y: HEIGHT - 6 }, "mm to spare"),
      svg("text", { class: "plot-word", x: x(moves), y: HEIGHT - 6 }, `move ${moves}`),
      svg("path", { class: "plot-line", d: line }),
      ...touches.map((touch) => this.#point(touch, x(touch.at), y(touch.margin ?? 0))));
    const counts = ["crash", "near"].map((kind) => touches.filter((touch) => touch.kind === kind).length);
    this.root.setAttribute("aria-label", `Margin over the game: ${touches.length} touches, ${counts[1]} near misses, ${counts[0] ? "a crash" : "no crash"}.`);
    const worst = touches.at(-1).kind === "crash" ? touches.at(-1) : touches.findLast(({ kind }) => kind === "near");
    say(this.caption, worst ? touchWords(worst) : "Point at a touch to read it.");
  }

  #point(touch, x, y) {
    const words = touchWords(touch);
    const point = svg("g", { class: `plot-point plot-${touch.kind}`, tabindex: 0, role: "img", "aria-label": words, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` });
    if (touch.kind === "crash") point.append(svg("path", { d: "M-11 -11L11 11M-11 11L11 -11" }));
    else if (touch.kind === "near") point.append(svg("path", { d: "M0 -13L12 9H-12Z" }));
    else point.append(svg("circle", { r: 5 }));
    point.append(svg("circle", { class: "plot-reach", r: 15 }));
    for (const how of ["pointerenter", "focus", "click"]) point.addEventListener(how, () => say(this.caption, words));
    return point;
  }
}
