// Puts the page together: what arrives from the table goes to the parts that draw it.

import { Board } from "./board.js";
import { CameraView } from "./camera.js";
import { Clock } from "./clock.js";
import { Console } from "./console.js";
import { Crier } from "./crier.js";
import { Gauge, zoneOf } from "./gauge.js";
import { Hand } from "./hand.js";
import { MarginPlot } from "./margin_plot.js";
import { Moves } from "./moves.js";
import { RiskMarks } from "./risk_marks.js";
import { visibleRisks } from "./risk.js";
import { RulingView } from "./ruling.js";
import { moreOutOfPlace, scene } from "./scene.js";
import { standAlone } from "./screen.js";
import { Least, Steady } from "./steady.js";
import { STALE_WORDS, follow } from "./stream.js";
import { say, sphere } from "./svg.js";
import { Track } from "./track.js";
import { Verdict } from "./verdict.js";
import { gameLine, noteWords, witnessWords } from "./words.js";

const $ = (id) => document.getElementById(id);
const LONG_NAME = 11; // letters that fit a player's card on one line
const HELD_MS = 1500; // how long the least margin of a swing stays in words
const SETTLED_MS = 600; // how long a guess of the table must stay the same to be shown
const LINK_WORDS = { connecting: "Connecting", live: "Live", polling: "Live, every 2 s", lost: "Connection lost", quiet: "Table silent" };

const board = new Board($("board"));
const track = new Track($("track"));
const gauge = new Gauge($("gauge"), $("margin"), document.body.dataset.axis);
const riskMarks = new RiskMarks($("board"));
const verdict = new Verdict($("verdict"));
const marginPlot = new MarginPlot($("margin-plot"), $("plot-caption"));
const moves = new Moves($("moves"), $("moves-scroll"), [$("moves-first"), $("moves-second")]);
const hand = $("hand") && new Hand($("hand"), $("demo-line"), document.querySelectorAll("[data-do]"), $("let-play"));
const referee = $("console") && new Console($("console"), $("hand-buttons"), (text) => say($("demo-line"), text));
if ($("camera-view")) new CameraView($("camera-view"), $("camera-open"));
const clock = new Clock($("clock"));
const crier = new Crier($("sound"));
const ruling = new RulingView($("ruling"), $("announcer"));
const inHand = new Steady(SETTLED_MS, showScene);
const margin = new Least(HELD_MS, showBalance);
const misplaced = new Steady(SETTLED_MS, showScene);

let state = null;
let live = null;

for (const mark of document.querySelectorAll("[data-mark]")) {
  const [plain, coloured] = mark.dataset.mark === "white" ? ["w", "W"] : ["b", "B"];
  const put = (ball, x, y) => (ball.setAttribute("transform", `translate(${x} ${y})`), ball);
  mark.append(put(sphere(plain, 15), 18, 22), put(sphere(coloured, 19), 40, 40));
}

function showPlayers({ match, game }) {
  for (const side of ["white", "black"]) {
    const turn = Boolean(game) && !game.over && !match?.over && game.side === side;
    const won = (match?.over && match.winner === side) || (game?.over && game.over.winner === side);
    const card = document.querySelector(`[data-side="${side}"]`);
    card.classList.toggle("turn", turn);
    card.classList.toggle("won", Boolean(won));
    say($(`name-${side}`), match?.[side] ?? "");
    $(`name-${side}`).classList.toggle("long", (match?.[side] ?? "").length > LONG_NAME);
    say($(`steps-${side}`), match ? String(match[`${side}_steps`]) : "");
    say($(`of-${side}`), match ? `of ${match.steps}` : "");
    say($(`turn-${side}`), turn ? "to move" : match?.over && match.winner === side ? "wins the match" : won ? "wins" : "");
  }
}

function showWitnesses() {
  for (const name of ["load_cells", "camera"]) {
    const { health, words } = witnessWords(name, live, state?.faults);
    const entry = $(`witness-${name}`);
    entry.dataset.health = health;
    say(entry.querySelector("dd"), words);
  }
}

function showBalance() {
  gauge.show(live, margin.value);
  const risks = state?.paused_since ? null : visibleRisks(live, location.search); // nobody moves now
  riskMarks.show(risks);
  verdict.show(risks, zoneOf(margin.value));
}

function showScene() {
  if (!state) return;
  const sure = live && { ...live, in_hand: inHand.value, reading: misplaced.value === null ? null : live.reading };
  const seen = scene(state, sure);
  board.show(seen);
  hand?.show(seen.spheres);
  say($("ruling-note"), noteWords(state, sure));
}

/** Gives whether a guess that was shown is no longer what the table says. */
function seeGuesses() {
  const wells = moreOutOfPlace(state, live);
  const gone = [inHand.see(live?.in_hand ?? null), misplaced.see(wells.length ? JSON.stringify(wells) : null)];
  return gone.includes(true);
}

standAlone(document.body, $("full"));
follow({
  onState(arrived) {
    if (state && state.last_ruling?.seq !== arrived.last_ruling?.seq) hand?.settle();
    state = arrived;
    seeGuesses();
    say($("game-line"), gameLine(state));
    showPlayers(state);
    ruling.show(state);
    crier.show(state);
    clock.showState(state);
    showScene();
    showWitnesses();
    track.show(state.match);
    marginPlot.show(state.game, state.recent); // before the moves, whose room depends on it
    moves.show(state.game);
    referee?.show(state);
  },
  onLive(arrived) {
    const touched = live?.touching !== arrived.touching;
    live = arrived;
    clock.showTime(live.time);
    const gone = seeGuesses();
    margin.see(live.margin_mm);
    showBalance();
    showWitnesses();
    hand?.showPlayer(live.by_hand ?? null);
    if (touched || gone) showScene();
  },
  onLink(link) {
    $("link").dataset.link = link;
    if (link === "live" || link === "polling") hand?.settle();
    say($("link-word"), LINK_WORDS[link]);
    say($("stale"), STALE_WORDS[link] ?? "");
    document.body.classList.toggle("out-of-date", link in STALE_WORDS);
  },
});
