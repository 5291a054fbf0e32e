// Puts the referee's console together.

import { ask, call } from "./asking.js";
import { Board } from "./board.js";
import { choices } from "./console.js";
import { EvidenceView, evidenceOf, pictures } from "./evidence.js";
import { RulingView } from "./ruling.js";
import { scene } from "./scene.js";
import { Setting, seenSpheres } from "./setting.js";
import { SettingsForm } from "./settings-form.js";
import { Steady } from "./steady.js";
import { STALE_WORDS, follow } from "./stream.js";
import { html, say, sayMoves } from "./svg.js";
import { drawTraces } from "./traces.js";
import { noteWords, pauseWords, rulingWords, sideWord, witnessWords } from "./words.js";
import { WellGrid } from "./wells.js";

const $ = (id) => document.getElementById(id);
const SURE_MS = 5000; // how long a grave button waits for its second tap
const SETTLED_MS = 600;
const PICTURE_MS = 1000;
const TRACE_MS = 500;
const TRACE_S = 30;
const SHOWN_WRONG = 4;
const HINTS = { watch: "", move: "Tap a sphere, then its well; or drag it.", set: "Drag spheres to where they stand; or tap a sphere, then a well." };
const SPHERES = { w: "the plain white sphere", b: "the plain black sphere", W: "White's coloured sphere", B: "Black's coloured sphere" };

let state = null;
let live = null;
let desk = null;
let mode = "watch";

const board = new Board($("board"));
const ruling = new RulingView($("ruling"), $("announcer"));
const evidence = new EvidenceView($("evidence"), $("evidence-heading"), $("evidence-body"));
const inHand = new Steady(SETTLED_MS, showBoard);
const tell = (text, wrong = false) => {
  say($("said"), text);
  $("said").classList.toggle("wrong", wrong);
};

const wells = new WellGrid($("wells"), {
  onMove: (from, to) => (mode === "set" ? setting.move(from, to) : enterMove(from, to)),
  onTap: (well) => (mode === "set" ? setting.tap(well) : say($("board-line"), `No sphere stands on ${well}: choose a sphere first.`)),
  onPick: (well) => say($("board-line"), well ? `Now choose a well for the sphere on ${well}.` : HINTS[mode]),
});
const setting = new Setting({ tray: $("tray"), side: $("set-side"), white: $("set-white"), black: $("set-black") }, showBoard, (text) => say($("board-line"), text), wells);
const form = new SettingsForm($("settings"), (changes) => send({ do: "settings", ...changes }, "In force, and noted in the log."));

/** Sends a command and says what came of it; gives whether it was done. */
async function send(command, done = "Done.") {
  const problem = await ask("/api/v1/console", command);
  tell(problem ?? done, problem !== null);
  if (problem === null) lookAtDesk();
  return problem === null;
}

async function enterMove(from, to) {
  if (!to) return;
  const problem = await ask("/api/v1/console", { do: "move", move: `${from}-${to}` });
  say($("board-line"), problem ?? `${from}-${to} is entered.`);
}

function choose(next) {
  mode = next;
  for (const button of $("modes").children) button.setAttribute("aria-pressed", String(button.dataset.mode === mode));
  $("wells").hidden = mode === "watch";
  $("setting").hidden = mode !== "set";
  wells.leave();
  if (mode === "set") setting.begin(state?.game?.position ?? "");
  say($("board-line"), HINTS[mode]);
  showBoard();
}

function showBoard() {
  if (!state) return;
  const sure = live && { ...live, in_hand: inHand.value };
  const seen = mode === "set" ? { spheres: setting.spheres, last: null, wrong: null, misplaced: [], candidates: [], inHand: null } : scene(state, sure);
  board.show(seen);
  if (mode !== "watch") wells.show(seen.spheres);
  say($("ruling-note"), noteWords(state, sure));
}

// What is to be done now

const astrayWords = ({ sphere, at, to }) => `${SPHERES[sphere]}${at ? ` on ${at}` : " beside the board"}: to ${to ?? "beside the board"}`;

function nowWords() {
  const { match, game } = state;
  if (state.paused_since) return `${pauseWords(state)} Nothing that is done at the board counts.`;
  if (!match) return "No match is on. Begin one under Players and match.";
  if (game?.waiting?.for === "answer") return "The referee asks you: what has happened?";
  if (game?.waiting?.for === "restore") return "An illegal move waits to be put back.";
  if (game && !game.over) return `${match[game.side] || sideWord(game.side)} (${sideWord(game.side)}) is to move. There is nothing you have to do.`;
  const next = match.over ? "The match is over. A new one begins with the next game." : `Game ${(match.games_played ?? 0) + 1} is to be set up.`;
  if (!desk) return next;
  if (desk.out_of_start === null) return `${next} The camera cannot tell whether the start position stands.`;
  return desk.out_of_start.length ? `${next} The start position does not stand yet:` : `${next} The start position stands.`;
}

function nowChoices() {
  const { match, game } = state;
  if (game && !game.over) return choices(game);
  if (!match) return [];
  const wrong = desk?.out_of_start?.length > 0;
  return [{ words: wrong ? "Start all the same" : "Start the game", command: { do: "start", anyway: wrong || desk?.out_of_start === null } }];
}

function showNow() {
  const now = nowChoices();
  const wrong = state.game && !state.game.over ? (state.game.waiting?.misplaced ?? []) : (desk?.out_of_start ?? []);
  say($("now-line"), nowWords());
  $("now").toggleAttribute("data-urgent", ["answer", "restore"].includes(state.game?.waiting?.for));
  const key = JSON.stringify([now, wrong]);
  if (key !== $("now").dataset.shown) {
    $("now").dataset.shown = key; // a button under a finger stays
    $("now-buttons").replaceChildren(...now.map(({ words, command }, i) => {
      const numbered = command.do === "answer" ? `${i + 1}: ${words}` : words; // as on the board's arrows
      const button = html("button", { type: "button", class: i === 0 ? "main" : "" }, numbered);
      button.addEventListener("click", () => send(command));
      return button;
    }));
    const more = wrong.length - SHOWN_WRONG;
    $("now-wrong").replaceChildren(...wrong.slice(0, SHOWN_WRONG).map((astray) => html("li", {}, astrayWords(astray))), ...(more > 0 ? [html("li", {}, `and ${more} more`)] : []));
  }
  const question = state.game?.waiting?.for === "answer" ? state.game.waiting.question.seq : null;
  if (question === null || desk?.evidence.includes(question)) showQuestion(question);
  for (const [button, what, verb] of [[$("undo"), state.can_undo, "Take back"], [$("redo"), state.can_redo, "Put back"]]) {
    button.disabled = !what;
    sayMoves(button.firstElementChild, what ? `${verb} ${what.says}` : verb);
  }
  say($("pause"), state.paused_since ? "Resume" : "Pause");
  for (const button of $("ending").querySelectorAll("button")) button.disabled = !state.game || Boolean(state.game.over);
  for (const side of ["white", "black"]) {
    const input = $("names").elements[side];
    if (document.activeElement !== input && input.dataset.shown !== state.match?.[side]) input.value = input.dataset.shown = state.match?.[side] ?? "";
  }
}

let asked = null;
async function showQuestion(seq) {
  if (seq === asked) return;
  asked = seq;
  const about = seq === null ? null : await evidenceOf(seq);
  if (seq !== asked) return;
  const seen = about ? pictures(seq, about.has) : [];
  $("now-pictures").replaceChildren(...seen);
  $("now-pictures").hidden = seen.length === 0;
}

// Rulings, with their evidence

function showRulings() {
  const rulings = state.recent ?? [];
  const known = new Set(desk?.evidence ?? []);
  const key = JSON.stringify(rulings.map(({ seq }) => [seq, known.has(seq)]));
  if (key === $("rulings").dataset.shown) return;
  $("rulings").dataset.shown = key;
  $("rulings").replaceChildren(...rulings.map((one, i) => {
    const words = rulingWords(one, rulings[i - 1]);
    const at = new Date(one.time * 1000);
    const row = html("li", {}, html("time", { datetime: at.toISOString() }, at.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", hour12: false })), html("span", {}));
    sayMoves(row.lastElementChild, words);
    if (known.has(one.seq)) {
      const button = html("button", { type: "button", "aria-label": `Evidence for: ${words}` }, "Evidence");
      button.addEventListener("click", () => evidence.open(one.seq));
      row.append(button);
    }
    return row;
  }).reverse());
}

async function lookAtDesk() {
  try {
    const { status, said } = await call("GET", "/api/v1/desk");
    if (status === 401) location.assign("/pair");
    if (status !== 200) return;
    desk = said;
    form.show(desk);
    if (state) {
      showNow();
      showRulings();
    }
  } catch {
    // the next change asks again
  }
}

// Camera and loads, while they are looked at

let trace = [];
let wantsPicture = true;
const image = html("img", { alt: "The board as the camera sees it now, with what was read drawn in" });
image.hidden = true;
image.addEventListener("load", () => ((image.hidden = false), (wantsPicture = true), say($("camera-note"), "")));
image.addEventListener("error", () => ((image.hidden = true), (wantsPicture = true), say($("camera-note"), "There is no camera picture at the moment.")));
$("camera").append(image);

setInterval(() => {
  if (!$("witnesses").open || document.hidden || !wantsPicture) return;
  wantsPicture = false;
  image.src = `/picture.jpg?drawn&t=${Date.now()}`;
}, PICTURE_MS);

setInterval(async () => {
  if (!$("witnesses").open || document.hidden) return;
  try {
    const { status, said } = await call("GET", `/api/v1/loads?since=${trace.at(-1)?.[0] ?? -1e9}`);
    if (status !== 200) return;
    if (trace.length && said.t < trace.at(-1)[0]) trace = []; // the table has begun anew
    const known = trace.at(-1)?.[0] ?? -Infinity; // an answer that was late brings nothing twice
    trace = [...trace, ...said.points.filter(([t]) => t > known)].filter(([t]) => t >= said.t - TRACE_S);
    drawTraces($("traces"), trace);
  } catch {
    // the page says by itself that the table does not answer
  }
}, TRACE_MS);

function showWitnesses() {
  for (const name of ["load_cells", "camera"]) {
    const { health, words } = witnessWords(name, live, state?.faults);
    const entry = $(`witness-${name}`);
    entry.dataset.health = health;
    say(entry.querySelector("dd"), words);
  }
}

// Buttons

/** A grave button does what it says at the second tap only. */
function grave(button, command) {
  const words = button.textContent;
  let timer = null;
  const rest = () => {
    clearTimeout(timer);
    timer = null;
    button.classList.remove("sure");
    say(button, words);
  };
  button.addEventListener("blur", rest);
  button.addEventListener("click", async () => {
    if (timer === null) {
      timer = setTimeout(rest, SURE_MS);
      button.classList.add("sure");
      say(button, `Sure? ${words}`);
      return;
    }
    rest();
    await send(command());
  });
}

for (const button of $("ending").querySelectorAll("button")) {
  const { do: what, name, side } = button.dataset;
  grave(button, () => ({ do: what, ...(name ? { [name]: side } : {}) }));
}
const names = () => ({ white: $("names").elements.white.value, black: $("names").elements.black.value });
grave($("new-match"), () => ({ do: "match", ...names() }));
$("names").addEventListener("submit", (event) => {
  event.preventDefault();
  send({ do: "names", ...names() }, "The names are changed.");
});
$("pause").addEventListener("click", () => send({ do: state?.paused_since ? "resume" : "pause" }));
$("undo").addEventListener("click", () => state?.can_undo && send({ do: "undo", seq: state.can_undo.seq }, `Taken back: ${state.can_undo.says}.`));
$("redo").addEventListener("click", () => state?.can_redo && send({ do: "redo", seq: state.can_redo.seq }, `Put back: ${state.can_redo.says}.`));
for (const button of $("modes").children) button.addEventListener("click", () => choose(button.dataset.mode));
$("set-position").addEventListener("click", async () => {
  if (await send({ do: "position", position: setting.text() }, "The position is set.")) choose("watch");
  else say($("board-line"), $("said").textContent);
});
$("set-back").addEventListener("click", () => setting.begin(state?.game?.position ?? ""));
$("set-camera").addEventListener("click", () => {
  const seen = seenSpheres(live?.reading);
  if (seen) setting.take(seen);
  else say($("board-line"), "The camera does not see all of the board now.");
});

follow({
  onState(arrived) {
    const fresh = state?.seq !== arrived.seq;
    state = arrived;
    for (const button of $("modes").children) button.disabled = false; // what stands on the board is known from now on
    inHand.see(live?.in_hand ?? null);
    ruling.show(state);
    showBoard();
    showNow();
    showRulings();
    showWitnesses();
    if (fresh) lookAtDesk();
  },
  onLive(arrived) {
    live = arrived;
    if (inHand.see(live.in_hand ?? null)) showBoard();
    showWitnesses();
  },
  onLink(link) {
    say($("stale"), STALE_WORDS[link] ?? "");
    document.body.classList.toggle("out-of-date", link in STALE_WORDS);
  },
});
setInterval(() => state && (!state.game || state.game.over) && lookAtDesk(), 2000); // while the spheres are set up
