// The balance: the board edge-on, tilting on its two pinnacles, and how much room the centre of mass has.

import { say, svg } from "./svg.js";

/** Below this margin an ordinary touch (a sphere set down hard, a nudge) can tip the board, mm. */
const NEAR_MM = 1;
const PINNACLE = 112; // from the middle to a pinnacle, whatever the half spacing
const END = 180;
const MOST_TILT = 2.6; // degrees
const STRIP = 22;
/** Where things are drawn: with the sides named beside the board, or on a narrow screen above it, in larger letters. */
const WIDE = { view: [640, 100], middle: 320, beam: 22, strip: 56, ends: [[2, 27], [638, 27]] };
const NARROW = { view: [420, 128], middle: 210, beam: 38, strip: 82, ends: [[14, 14], [406, 14]] };
const IS_NARROW = "(max-width: 560px)";

const ENDS = { ranks: ["White's side", "Black's side"], files: ["file a", "file g"] };
/** What holds now; whether the next touch is safe is the verdict's to say. */
const WORDS = { safe: "Stands", near: "Near the edge", crash: "Over the edge", unknown: "Not known yet" };

/** `safe`, `near`, `crash` or `unknown`. */
export function zoneOf(margin) {
  if (typeof margin !== "number") return "unknown";
  if (margin <= 0) return "crash";
  return margin < NEAR_MM ? "near" : "safe";
}

export class Gauge {
  constructor(root, margin, axis) {
    Object.assign(this, { root, margin, ends: ENDS[axis] ?? ENDS.ranks });
    const narrow = matchMedia(IS_NARROW);
    narrow.addEventListener("change", () => this.#lay(narrow.matches ? NARROW : WIDE));
    this.#lay(narrow.matches ? NARROW : WIDE);
  }

  #lay(layout) {
    this.layout = layout;
    this.half = undefined;
    const { view, middle, beam, strip, ends } = layout;
    this.beam = svg("g", { class: "beam" },
      svg("rect", { class: "plank", x: middle - 196, y: beam - 9, width: 392, height: 12, rx: 6, fill: "url(#wood)" }),
      ...[-3, -2, -1, 0, 1, 2, 3].map((i) => svg("circle", { class: "beam-well", cx: middle + i * 54, cy: beam - 9, r: 5 })));
    this.beam.style.transformOrigin = `${middle}px ${beam + 6}px`;
    this.zones = svg("g");
    this.pointer = svg("g", { class: "pointer" },
      svg("path", { class: "pointer-casing", d: `M0 ${strip}V${strip + STRIP}` }),
      svg("path", { class: "pointer-line", d: `M0 ${beam + 6}V${strip}` }),
      svg("path", { class: "pointer-needle", d: `M0 ${strip}V${strip + STRIP}` }),
      svg("path", { class: "pointer-mark", d: `M0 ${strip + 1}l8 -13h-16z` }));
    this.root.setAttribute("viewBox", `0 0 ${view.join(" ")}`);
    this.root.replaceChildren(patterns(), this.#pinnacle(middle - PINNACLE), this.#pinnacle(middle + PINNACLE), this.beam, this.zones, this.pointer,
      ...ends.map(([x, y], i) => svg("text", { class: i ? "gauge-end gauge-end-high" : "gauge-end", x, y }, this.ends[i])));
    this.show(this.live, this.least);
  }

  /** Draws the live values; `least` is the margin in words, the least of the last moments, as nobody reads a swing. */
  show(live, least = live?.margin_mm) {
    Object.assign(this, { live, least });
    const { middle } = this.layout;
    const { margin_mm: margin, half_spacing_mm: half, centre_mm: centre } = live ?? {};
    this.#say(typeof margin === "number" ? least : null);
    const zone = zoneOf(margin);
    const known = typeof half === "number" && half > 0 && typeof centre === "number";
    this.#zones(typeof half === "number" && half > 0 ? half : null);
    const offset = known ? Math.max(-END, Math.min(END, (centre / half) * PINNACLE)) : 0;
    this.pointer.style.transform = `translate(${(middle + offset).toFixed(1)}px, 0px)`;
    this.root.classList.toggle("unknown", !known);
    const tilt = known ? (zone === "crash" ? Math.sign(centre) * MOST_TILT : (centre / half) * MOST_TILT * 0.3) : 0;
    this.beam.style.transform = `rotate(${tilt.toFixed(2)}deg)`;
  }

  #pinnacle(x) {
    const { beam, strip } = this.layout;
    return svg("path", { class: "pinnacle", d: `M${x} ${beam + 4}l12 ${strip - beam - 6}h-24z` });
  }

  #say(margin) {
    const zone = zoneOf(margin);
    this.margin.dataset.zone = zone;
    const number = zone === "unknown" ? "" : zone === "crash" ? (margin < -0.05 ? ` by ${(-margin).toFixed(1)} mm` : "") : ` · ${margin.toFixed(1)} mm to spare`;
    say(this.margin.firstElementChild, WORDS[zone]);
    say(this.margin.lastElementChild, number);
    const label = `Balance: ${WORDS[zone]}${number.replace(" ·", ",")}.`;
    if (this.root.getAttribute("aria-label") !== label) this.root.setAttribute("aria-label", label);
  }

  #zones(half) {
    if (half === this.half) return;
    this.half = half;
    const { middle, strip } = this.layout;
    const near = half === null ? 0 : Math.min(1, NEAR_MM / half) * PINNACLE;
    const zone = (kind, from, to) => [
      svg("rect", { class: `zone zone-${kind}`, x: from, y: strip, width: to - from, height: STRIP }),
      svg("rect", { class: "zone-pattern", x: from, y: strip, width: to - from, height: STRIP, fill: kind === "safe" ? "none" : `url(#pattern-${kind})` })];
    const [l, r] = [middle - PINNACLE, middle + PINNACLE];
    const word = (x, text) => svg("text", { class: "zone-word", x, y: strip + STRIP + 17 }, text);
    this.zones.replaceChildren(
      svg("clipPath", { id: "strip" }, svg("rect", { x: middle - END, y: strip, width: 2 * END, height: STRIP, rx: 11 })),
      svg("g", { "clip-path": "url(#strip)" },
        ...zone("crash", middle - END, l), ...zone("near", l, l + near), ...zone("safe", l + near, r - near),
        ...zone("near", r - near, r), ...zone("crash", r, middle + END)),
      word(l - 34, "crash"), word(r + 34, "crash"), word(middle, "stands"),
      ...(near > 8 ? [word(l + near / 2 + 6, "near"), word(r - near / 2 - 6, "near")] : []));
  }
}

function patterns() {
  const pattern = (id, size, d) =>
    svg("pattern", { id: `pattern-${id}`, width: size, height: size, patternUnits: "userSpaceOnUse" }, svg("path", { class: "pattern-line", d }));
  return svg("defs", {}, pattern("crash", 8, "M0 8L8 0M-2 2L2 -2M6 10L10 6"), pattern("near", 6, "M3 0V6"));
}
