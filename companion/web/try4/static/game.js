// Puts the screen game together: what the players do goes to the table's program, and what it says is shown.

import { say } from "/static/svg.js";
import { look, NotDone, tell } from "./api.js";
import { Board } from "./board.js";
import { dragging } from "./drag.js";
import { showExample } from "./help.js";
import { Record } from "./record.js";
import { announce, message, sentence } from "./saying.js";
import { playerName, turnWords } from "./scores.js";
import { Settings } from "./settings.js";
import { Statistics } from "./statistics.js";
import { words } from "./tile.js";
import { Tray } from "./tray.js";

const LOOK_AGAIN_MS = 4000;
const KEPT = "try4-game"; // under which this browser remembers the number of its game

const $ = (id) => document.getElementById(id);

let game = null; // what the table's program last said
let laid = {}; // tiles on the board that are not yet played
let chosen = null; // {tile, from}: what a tap or a key has taken; `from` is a cell, or null for the tray
let marked = [];
let waiting = Promise.resolve(); // commands go one after the other
let underWay = 0;
let aimed = null;
let playing = false;
let unsaved = false; // tiles were laid that the table's program did not hear of

const board = new Board($("board"), $("overlay"), $("board-fit"), { onCell, onAway: takeAway });
const tray = new Tray($("tray"), { onTile });
const record = new Record(board, show);
const statistics = new Statistics($("statistics"));
const settings = new Settings($("settings"), {
  onSave: (asked) => send({ do: "settings", ...asked }),
  onForget: () => send({ do: "delete_history" }),
});

function show() {
  if (!game) return;
  const left = { ...game.unplaced };
  for (const tile of Object.values(laid)) left[tile] -= 1;
  const turn = game.turns[record.chosen];
  board.show({
    columns: game.columns, rows: game.rows, board: game.board, laid, marked,
    fresh: turn && record.chosen === game.turns.length - 1 ? Object.keys(turn.tiles) : [],
    chosen: chosen?.from ?? null,
  });
  tray.show(game.rows_of_tiles, left, chosen && chosen.from === null ? chosen.tile : null);
  $("tray").parentElement.classList.toggle("over", game.over);
  $("play").disabled = game.over;
  $("take-back").disabled = !Object.keys(laid).length;
  say($("delete"), game.over ? "New game" : "Delete");
  record.show(game, Object.keys(laid).length);
}

const who = (player) => (game.players > 1 ? `${playerName(game.names, player)}: ` : "");

/** Shows the squares of a turn on the board and how each came about. */
function showTurn(index) {
  record.choose(index);
  const turn = game.turns[index];
  if (turn) message(turnWords(turn, who(turn.player)), turn.squares.length ? "good" : "plain");
}


// What the players do

function onTile(tile, byKey) {
  if (game.over) return;
  chosen = chosen?.from === null && chosen.tile === tile ? null : { tile, from: null };
  show();
  if (!chosen) return;
  hint();
  if (byKey) board.focus();
}

function onCell(cell, byKey) {
  if (chosen && !(cell in game.board) && !(cell in laid)) {
    const { tile, from } = chosen;
    put(tile, from, cell);
    if (byKey && from === null) tray.focus();
    return;
  }
  if (cell in laid) {
    chosen = chosen?.from === cell ? null : { tile: laid[cell], from: cell };
    show();
    if (chosen) hint();
  } else if (chosen) {
    announce(`${cell} is taken.`);
    message(`${cell} is taken: choose an empty cell.`, "bad");
  } else if (!(cell in game.board)) {
    message("Take a tile from the tray first.");
  }
}

function hint() {
  message(chosen.from ? `${sentence(words(chosen.tile))} from ${chosen.from}: choose its cell, or Take back.` : `${sentence(words(chosen.tile))}: choose its cell.`);
}

function put(tile, from, cell) {
  if (from) delete laid[from];
  laid[cell] = tile;
  announce(`${words(tile)} laid on ${cell}`);
  changed();
}

function takeAway(cell) {
  if (!(cell in laid)) return;
  announce(`${words(laid[cell])} taken back from ${cell}`);
  delete laid[cell];
  changed();
}

/** The tiles that lie there have changed: it is shown at once, and kept by the table's program. */
function changed() {
  chosen = null;
  marked = [];
  if (Object.keys(laid).length) record.clear();
  const lying = Object.keys(laid).length;
  message(lying ? `${lying} tile${lying === 1 ? "" : "s"} laid: press Play, or lay more.` : "");
  show();
  lay();
}

function lay() {
  send(layNow).then(() => (unsaved = false)).catch((error) => {
    unsaved ||= !error.stale;
    complain(error);
  });
}

/** What lies there when its turn comes to be sent: Play may have been answered since it was laid. */
const layNow = () => ({ do: "lay", laid: { ...laid } });

async function play() {
  if (playing) return; // a second press of the same turn
  playing = true;
  const before = game.turns.length;
  try {
    await send({ do: "play", laid: { ...laid } });
  } catch (error) {
    complain(error);
    return;
  } finally {
    playing = false;
  }
  unsaved = false;
  if (game.refused.length) {
    marked = game.refused.flatMap(({ cells }) => cells);
    const why = game.refused.map(({ text }) => sentence(text)).join(". ");
    message(`${why}.`, "bad");
    announce(`Not played. ${why}`);
    show();
  } else if (game.turns.length > before) {
    showTurn(game.turns.length - 1);
    const turn = game.turns.at(-1);
    const end = game.over ? ` The game is over${game.players > 1 ? "" : `, total ${game.total}`}.` : "";
    announce(`${turnWords(turn, who(turn.player))}. ${turn.squares.map((s) => `${s.cells[0]} to ${s.cells[3]}: colour ${s.colour}, number ${s.number}`).join("; ")}.${end}`);
    if (game.over) sayOver();
  }
}

function sayOver() {
  const turn = game.turns.at(-1);
  const end = game.players > 1
    ? `The game is over: ${game.totals.map((total, player) => `${playerName(game.names, player)} ${total}`).join(", ")}.`
    : `The game is over: total ${game.total}.`;
  message(`${turn ? `${turnWords(turn, who(turn.player))}. ` : ""}${end}`, "good", [["Statistics", () => openStatistics()]]);
}

async function clearBoard() {
  try {
    await send({ do: "clear" });
  } catch (error) {
    complain(error);
    return;
  }
  record.clear();
  const { cleared } = game;
  message(cleared ? "The board is cleared." : "A new game.", "plain", cleared === null ? [] : [["Bring it back", () => bringBack(cleared)]]);
  announce(cleared ? "The board is cleared." : "A new game.");
  show();
}

async function bringBack(number) {
  try {
    await send({ do: "bring_back", cleared: number });
    message("The game goes on.");
  } catch (error) {
    complain(error);
  }
  show();
}

function complain(error) {
  if (!(error instanceof NotDone)) throw error;
  message(`${sentence(error.message)}${/[.!]$/.test(error.message) ? "" : "."}`, "bad");
  announce(error.message);
  if (error.stale) arrive(true).catch(() => null);
}

// The link to the table's program

/** Sends a command, or what a function then gives, once those before are done. */
function send(command) {
  underWay += 1;
  let asked;
  const sent = waiting.then(() => {
    asked = typeof command === "function" ? command() : command;
    return tell("/try4/command", { game: game.game, turns: game.turns.length, was: game.laid, ...asked });
  });
  waiting = sent.catch(() => null).finally(() => (underWay -= 1));
  return sent.then((said) => {
    away(false);
    take(said, asked.do, asked.laid);
  });
}

function take(said, done, sent = {}) {
  const another = said.game !== game?.game;
  const more = said.turns.length !== game?.turns.length;
  game = said;
  localStorage.setItem(KEPT, String(game.game));
  if (done === "lay") for (const [cell, tile] of Object.entries(said.laid)) if (!(cell in sent) && !(cell in laid)) laid[cell] = tile; // another screen's
  if (done === "lay" && underWay > 1) return; // besides this one a newer change is on its way
  if (done === "lay") laid = { ...game.laid };
  if (done === "play" && !another) keepWhatCameMeanwhile(more);
  else if (another || more || done !== "lay") {
    laid = { ...game.laid };
    chosen = null;
  }
  if (another || more) {
    marked = [];
    record.clear();
  }
  show();
}

/** Whoever is quick lays the next tile before the answer to Play is there: it stays where it is. */
function keepWhatCameMeanwhile(played) {
  if (!played) return;
  laid = Object.fromEntries(Object.entries(laid).filter(([cell]) => !(cell in game.board)));
  if (chosen?.from && !(chosen.from in laid)) chosen = null;
  if (Object.keys(laid).length) send(layNow).catch(complain);
}

/** Looks what the game is now; `quiet`: what is said stays, as it matters more. */
async function arrive(quiet = false) {
  const kept = localStorage.getItem(KEPT);
  let said;
  try {
    said = await look(`/try4/state${kept ? `?game=${encodeURIComponent(kept)}` : ""}`);
  } catch (error) {
    away(true);
    throw error;
  }
  away(false);
  if (unsaved && said.game === game?.game && said.turns.length === game.turns.length) {
    game.laid = said.laid;
    unsaved = false;
    message("The table is back; your tiles are stored.");
    lay();
    return;
  }
  if (underWay || document.body.classList.contains("dragging")) return;
  const first = game === null;
  if (!first && JSON.stringify([said.game, said.turns, said.laid]) === JSON.stringify([game.game, game.turns, game.laid])) return;
  const news = !first && said.turns.length > game.turns.length && said.game === game.game;
  take(said, "state");
  if (quiet) record.choose(game.turns.length - 1);
  else if (news || (first && game.turns.length)) showTurn(game.turns.length - 1);
  if (game.over && !quiet) sayOver();
  else if (first && !game.turns.length && !Object.keys(laid).length) message("Lay one, two or three tiles, then press Play.");
}

/** Says over the page that the table's program does not answer, and that it is back. */
function away(is) {
  if (document.body.classList.contains("out-of-date") === is) return;
  document.body.classList.toggle("out-of-date", is);
  say($("stale"), is ? "Connection lost. Tiles that you lay now are stored once the table is back; trying again." : "");
  if (!is) announce("The table is back.");
}

async function openStatistics() {
  try {
    await statistics.open();
  } catch (error) {
    complain(error);
  }
}

async function openSettings() {
  try {
    await settings.open(game.settings, game.turns.length > 0 && !game.over);
  } catch (error) {
    complain(error);
  }
}

dragging(document.body, {
  movable(element) {
    if (!game || game.over) return null;
    const { tile, cell } = element.dataset;
    if (cell) return cell in laid ? { tile: laid[cell], from: cell } : null;
    return tile && element.getAttribute("aria-disabled") === "false" ? { tile, from: null } : null;
  },
  onStart(tile, from) {
    chosen = { tile, from };
    show();
  },
  onAim(cell) {
    const free = cell && (cell === chosen?.from || (!(cell in game.board) && !(cell in laid)));
    if (aimed !== (free ? cell : null)) board.aim((aimed = free ? cell : null));
  },
  onDrop(tile, from, cell) {
    if (cell && !(cell in game.board) && !(cell in laid)) put(tile, from, cell);
    else if (cell && cell !== from) message(`${cell} is taken: choose an empty cell.`, "bad");
    else if (!cell && from) takeAway(from);
  },
  onEnd() {
    chosen = null;
    show();
  },
});

$("play").addEventListener("click", play);
$("take-back").addEventListener("click", () => {
  if (chosen?.from) {
    takeAway(chosen.from);
    return;
  }
  laid = {};
  announce("All tiles taken back");
  changed();
});
$("delete").addEventListener("click", clearBoard);
$("open-statistics").addEventListener("click", openStatistics);
$("open-settings").addEventListener("click", openSettings);
$("open-help").addEventListener("click", () => $("help").showModal());
$("tray").addEventListener("click", (event) => {
  if (chosen?.from && !event.target.closest("[data-tile]")) takeAway(chosen.from);
});
addEventListener("keydown", ({ key }) => {
  if (key !== "Escape" || !chosen || document.querySelector("dialog[open]")) return;
  const { from } = chosen;
  chosen = null;
  message("");
  show();
  if (from === null) tray.focus();
});
for (const button of document.querySelectorAll("[data-close]")) {
  button.addEventListener("click", () => button.closest("dialog").close());
}
showExample($("example"));
arrive().catch(complain);
setInterval(() => {
  if (document.visibilityState === "visible" && !underWay) arrive().catch(() => null);
}, LOOK_AGAIN_MS);
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && arrive().catch(() => null));
