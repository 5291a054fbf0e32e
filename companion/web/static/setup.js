// The set-up, step by step: what camera and cells make of the table now, and what there is to do.

import { ask, call } from "./asking.js";
import { STALE_WORDS, follow } from "./stream.js";
import { html, say, svg } from "./svg.js";
import { drawTraces } from "./traces.js";
import { rulingWords, witnessWords } from "./words.js";

const $ = (id) => document.getElementById(id);
const LOOK_MS = 1000;
const TRACE_MS = 500;
const TRACE_S = 30;
const CORNERS = ["a6", "g6", "g1", "a1"];
const LIVELY_G = 20; // a press that moves a line by so much was felt

let view = null;
let state = null;
let live = null;
let corners = [];
const tested = new Set();
const felt = { low: false, high: false };
let findings = null;
let printed = false;

const send = (command) => ask("/api/v1/setup", command);
function tell(element, problem, done) {
  element.classList.toggle("wrong", problem !== null);
  say(element, problem ?? done);
}

// Ticks

function mark(element, ok, words) {
  if (element.dataset.ok === String(ok)) return;
  element.dataset.ok = String(ok);
  say(element.querySelector("[data-state]"), words ?? (ok === true ? "done" : ok === "wrong" ? "needs attention" : "not yet"));
}

const step = (name) => document.querySelector(`[data-step="${name}"]`);

function showTicks() {
  const faults = (state?.faults ?? []).filter(({ remedy }) => remedy);
  const camera = view?.camera;
  const cells = view?.load_cells;
  mark(step("computer"), findings === null ? false : findings.every(({ ok }) => ok) ? true : "wrong");
  mark(step("prints"), printed);
  mark(step("camera"), camera?.board ? true : camera?.source === "none" ? false : "wrong");
  mark(step("light"), camera?.light ? (camera.light.length ? "wrong" : true) : false);
  mark(step("cells"), faults.some(({ witness }) => witness === "load_cells") ? "wrong" : felt.low && felt.high);
  mark(step("calibration"), cells?.calibration?.done || live?.half_spacing_mm > 0 ? true : false);
  mark(step("colours"), view ? true : false);
  mark(step("moves"), ["start", "lift", "move"].every((test) => tested.has(test)));
}

function lines(list, items) {
  const key = JSON.stringify(items);
  if (list.dataset.shown === key) return;
  list.dataset.shown = key;
  list.replaceChildren(...items.map(({ ok, words, remedy }) => {
    const text = html("span", {}, words);
    if (remedy) text.append(html("strong", {}, remedy));
    return html("li", { "data-ok": ok ? "true" : "wrong" }, html("span", { class: "tick", "aria-hidden": "true" }), text);
  }));
}

// Camera

function cameraWords({ source, by_corners: byCorners, wanted, found, board, size_px: size }) {
  if (source === "none") return "This table has no camera: set source under [camera] in table.toml.";
  if (!size) return "No picture comes from the camera yet.";
  if (byCorners) return board ? "The board is found by its corners." : "The board's corners are not found: point at them again.";
  const seen = Object.keys(found).length;
  if (board) return `The board is found: ${seen} of ${wanted.length} markers are seen.`;
  const missing = wanted.filter((marker) => !(marker in found));
  return `${seen} of ${wanted.length} markers are seen${missing.length ? `; not ${missing.join(", ")}` : ""}. All must be in the picture, flat and lit.`;
}

function showCamera() {
  const { camera } = view;
  say($("camera-words"), cameraWords(camera));
  const size = camera.size_px;
  if (!size) return;
  const scale = size[0] / 640;
  const points = (list) => list.map((point) => point.join(",")).join(" ");
  $("marks").setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
  $("marks").parentElement.style.aspectRatio = `${size[0]} / ${size[1]}`;
  $("marks").replaceChildren(
    ...Object.values(camera.found).map((marker) => svg("polygon", { class: "marker", points: points(marker) })),
    ...(camera.board ? [svg("polygon", { class: "outline-casing", points: points(camera.board) }), svg("polygon", { class: "outline", points: points(camera.board) })] : []),
    ...corners.flatMap(([x, y], i) => [svg("circle", { class: "corner", cx: x, cy: y, r: 9 * scale }),
      svg("text", { class: "corner-name", x, y: y - 14 * scale, "font-size": 22 * scale, "stroke-width": 5 * scale }, CORNERS[i])]));
}

function showCorners() {
  say($("corner-words"), corners.length < 4 ? `Now point at ${CORNERS[corners.length]}.` : "All four are named.");
  $("corners-keep").disabled = corners.length < 4;
  document.querySelectorAll("[data-corner]").forEach((input, i) => {
    if (document.activeElement !== input) input.value = corners[i] ? corners[i].map((v) => v.toFixed(0)).join(", ") : "";
  });
  if (view) showCamera();
}

$("marks").addEventListener("click", (event) => {
  if (!$("camera").querySelector("details").open || corners.length >= 4 || !view?.camera.size_px) return;
  const box = $("marks").getBoundingClientRect();
  const [width, height] = view.camera.size_px;
  corners.push([((event.clientX - box.left) / box.width) * width, ((event.clientY - box.top) / box.height) * height]);
  showCorners();
});
for (const input of document.querySelectorAll("[data-corner]")) {
  input.addEventListener("change", () => {
    const typed = input.value.split(/[,;\s]+/).filter(Boolean).map(Number);
    const i = Number(input.dataset.corner);
    if (typed.length === 2 && typed.every(Number.isFinite) && i <= corners.length) corners[i] = typed;
    showCorners();
  });
}
$("camera").querySelector("details").addEventListener("toggle", ({ target }) => $("marks").parentElement.classList.toggle("pointing", target.open));
$("corners-again").addEventListener("click", () => ((corners = []), showCorners()));
$("corners-keep").addEventListener("click", async () => {
  tell($("camera-said"), await send({ do: "corners", corners }), "The corners are kept.");
  look();
});

let wantsPicture = true;
$("sight").addEventListener("load", () => (($("sight").hidden = false), (wantsPicture = true), say($("sight-note"), "")));
$("sight").addEventListener("error", () => (($("sight").hidden = true), (wantsPicture = true), say($("sight-note"), "There is no camera picture.")));

// Cells and their calibration

let trace = [];
async function traces() {
  try {
    const { status, said } = await call("GET", `/api/v1/loads?since=${trace.at(-1)?.[0] ?? -1e9}`);
    if (status !== 200) return;
    if (trace.length && said.t < trace.at(-1)[0]) trace = [];
    const known = trace.at(-1)?.[0] ?? -Infinity; // an answer that was late brings nothing twice
    trace = [...trace, ...said.points.filter(([t]) => t > known)].filter(([t]) => t >= said.t - TRACE_S);
    drawTraces($("traces"), trace);
    ["low", "high"].forEach((cell, i) => {
      const values = trace.map((point) => point[i + 1]).filter((value) => value !== null);
      if (values.length && Math.max(...values) - Math.min(...values) > LIVELY_G) felt[cell] = true;
    });
  } catch {
    // the next round tries again
  }
}

function showCells() {
  const { health, words } = witnessWords("load_cells", live, state?.faults);
  const source = view?.load_cells.source;
  const items = source === "none" && health === "missing" ? [{ ok: false, words: "This table has no load cells.", remedy: "Set source under [load_cells] in table.toml." }]
    : [{ ok: health === "ok" || health === "notice", words: `The load cells: ${words}` },
      ...["low", "high"].map((cell) => ({ ok: felt[cell], words: `A press on the ${cell} side ${felt[cell] ? "was felt" : "was not felt yet"}` }))];
  lines($("cells-list"), items);
}

function showCalibration() {
  const now = view.load_cells.calibration;
  const on = Boolean(now) && !now.done;
  $("calibration-begin").hidden = on;
  $("calibration-step").hidden = !on;
  if (on) {
    say($("asks"), now.asks);
    $("progress").value = now.waiting ? 0 : now.progress;
    say($("calibration-problem"), now.problem ? `${now.problem.what}. ${now.problem.remedy}` : "");
    $("confirm").disabled = !now.waiting;
  } else if (now?.done) {
    const { half_spacing_mm: half, board_g: board } = now.found;
    tell($("calibration-said"), view.problem, `Calibrated: the pinnacles stand ${(2 * half).toFixed(1)} mm apart, the board weighs ${board.toFixed(0)} g.`);
  }
}

$("calibrate").addEventListener("click", async () => {
  const typed = $("mass").value.trim().replace(",", ".");
  tell($("calibration-said"), await send({ do: "calibrate", mass_g: typed ? Number(typed) : null }), "");
  look();
});
$("confirm").addEventListener("click", async () => (await send({ do: "confirm" }), look()));
$("stop").addEventListener("click", async () => (tell($("calibration-said"), await send({ do: "stop" }), "Stopped; nothing was changed."), look()));

// The rest

for (const link of $("prints").querySelectorAll("a")) link.addEventListener("click", () => ((printed = true), showTicks()));

$("doctor").addEventListener("click", async () => {
  $("doctor").disabled = true;
  say($("doctor"), "Looking…");
  try {
    const { status, said } = await call("POST", "/api/v1/setup", { do: "doctor" });
    findings = status === 200 ? said.findings : [{ part: "doctor", ok: false, what: said.error, remedy: "" }];
  } catch {
    findings = [{ part: "table", ok: false, what: "it did not answer", remedy: "Try again." }];
  }
  lines($("findings"), findings.map(({ part, ok, what, remedy }) => ({ ok, words: `${part}: ${what}`, remedy })));
  $("doctor").disabled = false;
  say($("doctor"), "Look again");
  showTicks();
});

function showColours() {
  const { known, ...now } = view.colours;
  for (const select of $("colours-form").querySelectorAll("select")) {
    if (select.options.length) continue;
    select.append(...known.map((name) => html("option", { value: name }, name)));
    select.value = now[select.name];
  }
}
$("colours-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const { white_coloured: white, black_coloured: black } = event.target.elements;
  tell($("colours-said"), await send({ do: "colours", white_coloured: white.value, black_coloured: black.value }), "Kept.");
  look();
});

async function look() {
  try {
    const { status, said } = await call("GET", "/api/v1/setup");
    if (status === 401) location.assign("/pair");
    if (status !== 200) return;
    view = said;
  } catch {
    return; // the next round tries again
  }
  $("restart").hidden = !view.written.length;
  say($("restart"), view.written.length ? `Changed: ${[...new Set(view.written)].join(", ")}. It is in force when the table's program starts the next time.` : "");
  showCamera();
  lines($("light-list"), view.camera.light === null ? [{ ok: false, words: "The light is looked at once the board is found." }]
    : view.camera.light.length ? view.camera.light.map(({ what, remedy }) => ({ ok: false, words: what, remedy })) : [{ ok: true, words: "The light is good." }]);
  showCalibration();
  showColours();
  showCells();
  showTicks();
}

function test(name) {
  if (tested.has(name)) return;
  tested.add(name);
  mark(document.querySelector(`[data-test="${name}"]`), true);
  showTicks();
}

follow({
  onState(arrived) {
    state = arrived;
    if (state.game) test("start");
    for (const { kind } of state.recent ?? []) if (["move", "illegal", "restored"].includes(kind)) test(kind);
    say($("moves-ruling"), state.last_ruling ? rulingWords(state.last_ruling, state.recent?.at(-2)) : "");
    showTicks();
  },
  onLive(arrived) {
    live = arrived;
    if (live.in_hand || live.touching) test("lift");
  },
  onLink(link) {
    say($("stale"), STALE_WORDS[link] ?? "");
  },
});
showCorners();
look();
setInterval(() => !document.hidden && look(), LOOK_MS);
setInterval(() => !document.hidden && traces(), TRACE_MS);
setInterval(() => {
  if (document.hidden || !wantsPicture) return;
  wantsPicture = false;
  $("sight").src = `/picture.jpg?t=${Date.now()}`;
}, LOOK_MS);
