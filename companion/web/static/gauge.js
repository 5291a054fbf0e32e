// The balance: the board edge-on, tilting on its two pinnacles, and how much room the centre of mass has.

import { say, svg } from "./svg.js";

/** Below this margin an ordinary touch (a sphere set down hard, a nudge) can tip the board, mm. */
const NEAR_MM = 1;
const MIDDLE = 210;
const PINNACLE = 112; // from the middle to a pinnacle, whatever the half spacing
const END = 180;
const MOST_TILT = 2.6; // degrees
const BEAM_Y = 38;
const STRIP_Y = 82;
const STRIP = 22;

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
    this.root = root;
    this.margin = margin;
    this.beam = svg("g", { class: "beam" },
      svg("rect", { class: "plank", x: 14, y: BEAM_Y - 9, width: 392, height: 12, rx: 6, fill: "url(#wood)" }),
      ...[-3, -2, -1, 0, 1, 2, 3].map((i) => svg("circle", { class: "beam-well", cx: MIDDLE + i * 54, cy: BEAM_Y - 9, r: 5 })));
    this.zones = svg("g");
    this.pointer = svg("g", { class: "pointer" },
      svg("path", { class: "pointer-casing", d: `M0 ${STRIP_Y}V${STRIP_Y + STRIP}` }),
      svg("path", { class: "pointer-line", d: `M0 ${BEAM_Y + 6}V${STRIP_Y}` }),
      svg("path", { class: "pointer-needle", d: `M0 ${STRIP_Y}V${STRIP_Y + STRIP}` }),
      svg("path", { class: "pointer-mark", d: `M0 ${STRIP_Y + 1}l8 -13h-16z` }));
    const [low, high] = ENDS[axis] ?? ENDS.ranks;
    root.append(patterns(), pinnacle(MIDDLE - PINNACLE), pinnacle(MIDDLE + PINNACLE), this.beam, this.zones, this.pointer,
      svg("text", { class: "gauge-end", x: 16, y: 12 }, low), svg("text", { class: "gauge-end gauge-end-high", x: 404, y: 12 }, high));
    this.show(null);
  }

  /** Draws the live values; `least` is the margin in words, the least of the last moments, as nobody reads a swing. */
  show(live, least = live?.margin_mm) {
    const { margin_mm: margin, half_spacing_mm: half, centre_mm: centre } = live ?? {};
    this.#say(typeof margin === "number" ? least : null);
    const zone = zoneOf(margin);
    const known = typeof half === "number" && half > 0 && typeof centre === "number";
    this.#zones(typeof half === "number" && half > 0 ? half : null);
    const offset = known ? Math.max(-END, Math.min(END, (centre / half) * PINNACLE)) : 0;
    this.pointer.style.transform = `translate(${(MIDDLE + offset).toFixed(1)}px, 0px)`;
    this.root.classList.toggle("unknown", !known);
    const tilt = known ? (zone === "crash" ? Math.sign(centre) * MOST_TILT : (centre / half) * MOST_TILT * 0.3) : 0;
    this.beam.style.transform = `rotate(${tilt.toFixed(2)}deg)`;
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
    const near = half === null ? 0 : Math.min(1, NEAR_MM / half) * PINNACLE;
    const zone = (kind, from, to) => [
      svg("rect", { class: `zone zone-${kind}`, x: from, y: STRIP_Y, width: to - from, height: STRIP }),
      svg("rect", { class: "zone-pattern", x: from, y: STRIP_Y, width: to - from, height: STRIP, fill: kind === "safe" ? "none" : `url(#pattern-${kind})` })];
    const [l, r] = [MIDDLE - PINNACLE, MIDDLE + PINNACLE];
    const word = (x, text) => svg("text", { class: "zone-word", x, y: STRIP_Y + STRIP + 15 }, text);
    this.zones.replaceChildren(
      svg("clipPath", { id: "strip" }, svg("rect", { x: MIDDLE - END, y: STRIP_Y, width: 2 * END, height: STRIP, rx: 11 })),
      svg("g", { "clip-path": "url(#strip)" },
        ...zone("crash", MIDDLE - END, l), ...zone("near", l, l + near), ...zone("safe", l + near, r - near),
        ...zone("near", r - near, r), ...zone("crash", r, MIDDLE + END)),
      word(l - 34, "crash"), word(r + 34, "crash"), word(MIDDLE, "stands"),
      ...(near > 8 ? [word(l + near / 2 + 6, "near"), word(r - near / 2 - 6, "near")] : []));
  }
}

function pinnacle(x) {
  return svg("path", { class: "pinnacle", d: `M${x} ${BEAM_Y + 4}l13 34h-26z` });
}

function patterns() {
  const pattern = (id, size, d) =>
    svg("pattern", { id: `pattern-${id}`, width: size, height: size, patternUnits: "userSpaceOnUse" }, svg("path", { class: "pattern-line", d }));
  return svg("defs", {}, pattern("crash", 8, "M0 8L8 0M-2 2L2 -2M6 10L10 6"), pattern("near", 6, "M3 0V6"));
}
