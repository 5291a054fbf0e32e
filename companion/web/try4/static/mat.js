// Puts the mat's page together: what arrives from the table is shown, what the players do goes to it.

import { follow } from "/static/stream.js";
import { say } from "/static/svg.js";
import { NotDone, tell } from "./api.js";
import { BeginSheet } from "./begin-sheet.js";
import { Board } from "./board.js";
import { CameraView } from "./camera-view.js";
import { CellSheet } from "./cell-sheet.js";
import { showExample } from "./help.js";
import { Record } from "./record.js";
import { announce, message, sentence } from "./saying.js";
import { playerName, turnWords } from "./scores.js";
import { Statistics } from "./statistics.js";
import { words } from "./tile.js";
import { Tray } from "./tray.js";

const STALE_WORDS = {
  lost: "Connection lost. What you see may be out of date; trying again.",
  quiet: "The table is silent. What you see may be out of date.",
};

const $ = (id) => document.getElementById(id);
const simulated = "simulated" in document.body.dataset;

let game = null; // the game as the table has stored it
let live = null; // what the camera reads
let chosen = null; // a tile beside the simulated mat
let failed = ""; // what could not be done
let said = ""; // what was last read out

const order = (command) => tell("/api/v1/console", command);
const board = new Board($("board"), $("overlay"), $("board-fit"), { onCell, onAway: () => null });
const record = new Record(board, show);
new CameraView($("camera-picture"), $("camera-note"));
const statistics = new Statistics($("statistics"));
const sheet = new CellSheet($("cell"), {
  onSay: (cell, tile) => order({ do: "answer", cell, tile }).catch(complain),
  onHand: simulated ? (command) => hand(command) : null,
});
const begin = new BeginSheet($("begin"), { order, onBegun: () => record.clear() });
const tray = $("tray") && new Tray($("tray"), {
  onTile(tile, byKey) {
    chosen = chosen === tile ? null : tile;
    show();
    if (chosen && byKey) board.focus();
  },
});

async function hand(command) {
  try {
    await tell("/api/v1/demo", command);
    live = { ...live, by_hand: command.do !== "let_play" };
    show();
  } catch (error) {
    complain(error);
  }
}

function complain(error) {
  if (!(error instanceof NotDone)) throw error;
  failed = `${sentence(error.message.replace(/[.]$/, ""))}.`;
  announce(failed);
  show();
}

function show() {
  if (!game || !live) return;
  const signs = {};
  for (const [cell, is] of Object.entries(live.cells)) if (is[0] === "?") signs[cell] = is.slice(1);
  const problems = game.refused.length ? game.refused : live.problems;
  const turn = game.turns[record.chosen];
  board.show({
    columns: game.columns, rows: game.rows, board: game.board, laid: live.placed, signs,
    marked: problems.flatMap(({ cells }) => cells),
    fresh: turn && record.chosen === game.turns.length - 1 ? Object.keys(turn.tiles) : [],
  });
  record.show(game, Object.keys(live.placed).length);
  tray?.show(game.rows_of_tiles, leftBeside(), chosen);
  $("play").disabled = game.over || live.pressed;
  say($("play"), live.pressed ? "Played: waiting" : "Play");
  if ($("let-play")) $("let-play").hidden = !live.by_hand;
  speak();
}

/** The tiles that lie beside a simulated mat: those that the camera does not see on it. */
function leftBeside() {
  const left = { ...game.unplaced };
  for (const tile of Object.values(live.placed)) if (tile in left) left[tile] = Math.max(0, left[tile] - 1);
  return left;
}

/** The one thing that matters most now, to read and to hear. */
function speak() {
  const [words_, tone, actions] = failed ? [failed, "bad", []] : line();
  message(words_, tone, actions);
  if (words_ !== said && tone !== "plain") announce(words_);
  said = words_;
}

function line() {
  const who = (player) => (game.players > 1 ? `${playerName(game.names, player)}: ` : "");
  const last = game.turns.at(-1);
  const scored = last ? turnWords(last, who(last.player)) : "";
  if (game.over) return [`${scored}. The game is over: ${totals()}.`, "good", [["New game", () => begin.open(game)]]];
  if (live.blind) return [`The camera does not see the mat${live.fault ? ` (${live.fault})` : ""}. Press a cell to say what you laid there, then Play.`, "bad", []];
  if (live.phase === "lost") return [live.fault ? `${sentence(live.fault)}.` : "Waiting for the camera.", "bad", []];
  if (game.refused.length) return [`Not played. ${game.refused.map(({ text }) => `${sentence(text)}.`).join(" ")} Put it right and press Play.`, "bad", []];
  if (live.phase === "hands") return [`Something is over ${hiddenCells()}: a hand? ${live.pressed ? "The turn waits until it is away." : "The mat is read once it is away."}`, "plain", []];
  if (live.questions.length) {
    const [first] = live.questions;
    const text = first.known ? `${first.cell}: ${words(first.known)} was played here and is turned over, or cannot be read.` : `${first.cell}: a tile that cannot be read with certainty.`;
    return [text, "ask", [[`What lies on ${first.cell}?`, () => openCell(first.cell)]]];
  }
  if (live.problems.length) return [live.problems.map(({ text }) => `${sentence(text)}.`).join(" "), "bad", []];
  const laid = Object.keys(live.placed).length;
  if (live.pressed) return ["Looking at the mat.", "plain", []];
  if (laid) return [`${who(game.player)}${laid} tile${laid === 1 ? "" : "s"} laid: press Play.`, "plain", []];
  if (game.cleared !== null && !game.turns.length) return ["The board is cleared. Take the tiles off the mat.", "plain", [["Bring it back", () => order({ do: "bring_back" }).catch(complain)]]];
  if (scored) return [scored, last.squares.length ? "good" : "plain", []];
  return [`${who(game.player)}lay one, two or three tiles, then press Play.`, "plain", []];
}

/** The cells in which nothing is seen, in words; many are a number. */
function hiddenCells() {
  const cells = live.hidden ?? [];
  return cells.length > 4 ? `${cells.length} cells` : cells.length ? cells.join(", ") : "the mat";
}

function totals() {
  return game.players > 1 ? game.totals.map((total, player) => `${playerName(game.names, player)} ${total}`).join(", ") : `total ${game.total}`;
}

function onCell(cell, byKey) {
  if (!game || !live) return;
  failed = "";
  if (chosen) {
    hand({ do: "lay", cell, tile: chosen });
    chosen = null;
    show();
    if (byKey) tray.focus();
    return;
  }
  openCell(cell);
}

function openCell(cell) {
  const asked = live.questions.find((one) => one.cell === cell);
  const known = game.board[cell] ?? null;
  const tiles = asked ? asked.candidates : [...new Set([...(known ? [known] : []), ...Object.keys(game.unplaced)])];
  sheet.open(cell, { tiles, known, asked: Boolean(asked), lies: cell in live.cells });
}

function play() {
  failed = "";
  order({ do: "play", turns: game.turns.length }).catch(complain);
}

follow({
  onState(arrived) {
    const another = arrived.game !== game?.game || arrived.turns.length !== game?.turns.length;
    const more = game && arrived.game === game.game && arrived.turns.length > game.turns.length;
    game = arrived;
    if (another) {
      failed = "";
      record.choose(game.turns.length ? game.turns.length - 1 : null);
    }
    if (more) announce(turnWords(game.turns.at(-1), ""));
    show();
  },
  onLive(arrived) {
    live = arrived;
    show();
  },
  onLink(link) {
    say($("stale"), STALE_WORDS[link] ?? "");
    document.body.classList.toggle("out-of-date", link in STALE_WORDS);
  },
});

$("play").addEventListener("click", play);
$("let-play")?.addEventListener("click", () => hand({ do: "let_play" }));
$("open-statistics").addEventListener("click", () => statistics.open().catch(complain));
$("open-begin").addEventListener("click", () => game && begin.open(game));
$("open-help").addEventListener("click", () => $("help").showModal());
for (const button of document.querySelectorAll("[data-close]")) {
  button.addEventListener("click", () => button.closest("dialog").close());
}
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && chosen) {
    chosen = null;
    show();
  }
  // Enter plays wherever it means nothing else.
  if (event.key === "Enter" && event.target === document.body && !event.repeat && !$("play").disabled) play();
});
showExample($("example"));
