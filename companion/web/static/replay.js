// A game that was played, moment by moment, with a slider; and what there is to say about it.

import "./times.js";
import { Board } from "./board.js";
import { MarginPlot, touchesOf } from "./margin_plot.js";
import { endsOf, moved, spheresOf } from "./position.js";
import { html, say, svg } from "./svg.js";
import { rulingWords, sideWord } from "./words.js";

const $ = (id) => document.getElementById(id);
const STEP_MS = 1200;
const LONG_S = 60; // a move that took longer than this is worth a word
const NOTHING = { last: null, wrong: null, misplaced: [], candidates: [], inHand: null };

/** The moments of a game: `{ words, scene, ruling }`, one a ruling. */
export function moments(game) {
  let spheres = spheresOf(game.start);
  const made = [];
  game.rulings.forEach((ruling, i) => {
    const scene = { ...NOTHING };
    if (ruling.kind === "illegal") {
      const ends = endsOf(ruling.move);
      scene.spheres = ruling.placement ? spheresOf(ruling.placement) : ends ? moved(spheres, ends) : spheres;
      if (ends && scene.spheres.has(ends.to) && !scene.spheres.has(ends.from)) scene.wrong = ends;
    } else {
      if (ruling.position && ruling.kind !== "question") spheres = spheresOf(ruling.position);
      scene.spheres = spheres;
      if (ruling.kind === "move") scene.last = endsOf(ruling.move);
    }
    made.push({ words: rulingWords(ruling, game.rulings[i - 1]), scene, ruling });
  });
  return made;
}

/** What a look back tells: captures that were missed, spheres left in danger, long thoughts. */
export function remarks(game) {
  const said = [];
  for (const { n, player, move, missed, exposed, seconds } of game.moves) {
    const who = sideWord(player);
    if (missed) said.push({ n, words: `${who} played ${move} and missed the capture ${missed}.` });
    else if (exposed) said.push({ n, words: `${who}'s ${move} left the coloured sphere open to capture.` });
    if (seconds > LONG_S) said.push({ n, words: `${who} thought ${Math.round(seconds)} s about ${move}.` });
  }
  return said;
}

/** How many crashes and near misses there were, and how many crashes the risks foretold together. */
export function foretoldWords(touches) {
  const counted = (kind, one, more) => { const n = touches.filter((touch) => touch.kind === kind).length; return `${n} ${n === 1 ? one : more}`; };
  const foretold = touches.reduce((sum, { risk }) => sum + (risk ?? 0), 0);
  return `${touches.length} touches: ${counted("near", "near miss", "near misses")}, ${counted("crash", "crash", "crashes")}; the risks foretold add up to ${foretold.toFixed(1)}.`;
}

class Replay {
  constructor(game) {
    this.moments = moments(game);
    this.board = new Board($("board"));
    this.at = 0;
    this.timer = null;
    $("slider").max = String(Math.max(0, this.moments.length - 1));
    this.rows = this.moments.map(({ words, ruling }, i) => {
      const button = html("button", { type: "button" }, words);
      button.addEventListener("click", () => this.go(i));
      return html("li", { "data-kind": ruling.kind }, button);
    });
    $("rulings").replaceChildren(...this.rows);
    const on = (id, act) => $(id).addEventListener("click", () => (this.stop(), act()));
    on("first", () => this.go(0));
    on("previous", () => this.go(this.at - 1));
    on("next", () => this.go(this.at + 1));
    on("last", () => this.go(this.moments.length - 1));
    $("play").addEventListener("click", () => (this.timer ? this.stop() : this.play()));
    $("slider").addEventListener("input", () => (this.stop(), this.go(Number($("slider").value))));
    this.go(Number(new URLSearchParams(location.search).get("at") ?? 0));
  }

  /** Shows the moment of an event of the log. */
  goTo(seq) {
    const i = this.moments.findIndex(({ ruling }) => ruling.seq === seq);
    if (i >= 0) this.go(i);
  }

  go(to) {
    if (!this.moments.length) return;
    this.rows[this.at].removeAttribute("aria-current");
    this.at = Math.max(0, Math.min(this.moments.length - 1, to || 0));
    const { words, scene } = this.moments[this.at];
    this.board.show(scene);
    say($("said"), words);
    $("slider").value = String(this.at);
    $("slider").setAttribute("aria-valuetext", `${this.at + 1} of ${this.moments.length}: ${words}`);
    const row = this.rows[this.at];
    row.setAttribute("aria-current", "true");
    const list = $("rulings");
    if (row.offsetTop < list.scrollTop || row.offsetTop + row.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = row.offsetTop - list.clientHeight / 2;
    for (const id of ["first", "previous"]) $(id).disabled = this.at === 0;
    for (const id of ["next", "last"]) $(id).disabled = this.at === this.moments.length - 1;
  }

  play() {
    if (this.at === this.moments.length - 1) this.go(0);
    this.timer = setInterval(() => (this.at < this.moments.length - 1 ? this.go(this.at + 1) : this.stop()), STEP_MS);
    say($("play"), "❚❚");
    $("play").setAttribute("aria-label", "Pause");
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    say($("play"), "▸▸");
    $("play").setAttribute("aria-label", "Play");
  }
}

function drawTimes(game) {
  const most = Math.max(1, ...game.moves.map(({ seconds }) => seconds));
  const width = 540 / Math.max(1, game.moves.length);
  const bars = game.moves.map(({ seconds, player }, i) => {
    const height = (seconds / most) * 110;
    return svg("rect", { class: `bar bar-${player}`, x: 52 + i * width + width * 0.1, y: 132 - height, width: width * 0.8, height });
  });
  const text = (x, y, words, more = {}) => svg("text", { class: "trace-text", x, y, ...more }, words);
  $("times").replaceChildren(svg("path", { class: "axis", d: "M50 132H594" }), ...bars, text(2, 30, `${most.toFixed(0)} s`), text(2, 132, "0 s"),
    text(52, 158, "Time for each move: White light, Black dark"));
  const mean = (side) => {
    const own = game.moves.filter(({ player }) => player === side);
    return own.length ? `${(own.reduce((sum, { seconds }) => sum + seconds, 0) / own.length).toFixed(1)} s` : "no move";
  };
  $("times").setAttribute("aria-label", `Mean time a move: White ${mean("white")}, Black ${mean("black")}`);
  return `Mean time a move: White ${mean("white")}, Black ${mean("black")}.`;
}

if ($("slider")) {
  const answer = await fetch(`/api/v1/games/${document.body.dataset.game}`);
  const game = await answer.json();
  const replay = new Replay(game);
  const played = { moves: game.moves, over: game.result };
  const plot = new MarginPlot($("margin-plot"), $("plot-caption"), (seq) => (replay.stop(), replay.goTo(seq)));
  plot.show(played, game.rulings);
  say($("plot-counts"), foretoldWords(touchesOf(played, game.rulings)));
  const means = game.moves.length ? drawTimes(game) : "No move was made.";
  $("times").toggleAttribute("hidden", game.moves.length === 0);
  const told = [...remarks(game).slice(0, 30).map(({ words }) => words), means];
  $("analysis").replaceChildren(...told.map((words) => html("li", {}, words)));
}
