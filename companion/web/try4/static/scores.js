// How a score came about, in words.

import { parts } from "./tile.js";

/** Why a square's tiles give its colour score: 3 of 4 share blue. */
export function colourWords({ cells, colour }, board) {
  const colours = cells.map((cell) => parts(board[cell]).colour);
  const shared = colours.filter((one, i) => colours.indexOf(one) === i && colours.filter((c) => c === one).length === colour);
  return colour === 1 ? "four different colours" : `${colour} share ${shared.join(", and as many ")}`.replaceAll("_", " ");
}

/** Why a square's tiles give its number score: 1, 2, 3, 4 are all different. */
export function numberWords({ cells, number }, board) {
  const numbers = cells.map((cell) => parts(board[cell]).number).sort((a, b) => a - b);
  const kinds = new Set(numbers).size;
  const why = kinds === 1 ? "all the same" : kinds === numbers.length ? "all different" : "neither all the same nor all different";
  return `${numbers.join(", ")}: ${why}${number ? `, ${numbers.join(" + ")}` : ""}`;
}

/** A turn in one sentence, for the line above the squares and for screen readers. */
export function turnWords({ score, squares, tiles }, who) {
  const count = Object.keys(tiles).length;
  const laid = `${count} tile${count === 1 ? "" : "s"}`;
  if (!squares.length) return `${who}${laid}, no new square: 0`;
  return `${who}${squares.length} new square${squares.length === 1 ? "" : "s"}: ${score}`;
}

/** A player's name, or what stands for it. */
export function playerName(names, player) {
  return names[player] || `Player ${player + 1}`;
}
