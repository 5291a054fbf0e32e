// What the board is to show, as a pure function of the state and the live values.

import { endsOf, moved, spheresOf } from "./position.js";

const LETTERS = { empty: "", white: "w", black: "b", white_coloured: "W", black_coloured: "B" };

/**
 * The wells that the camera sees otherwise than they should stand while the game waits for that, as
 * `{ well, stands, belongs }` with letters, "" for empty. Hidden wells are not judged.
 */
export function outOfPlace(state, live) {
  const { waiting } = state?.game ?? {};
  if (waiting?.for !== "restore" || !waiting.position || !live?.reading) return [];
  const right = spheresOf(waiting.position);
  return Object.entries(live.reading)
    .map(([well, word]) => ({ well, stands: LETTERS[word], belongs: right.get(well) ?? "" }))
    .filter(({ stands, belongs }) => stands !== undefined && stands !== belongs);
}

/** The wells out of place where they are more than the one illegal move explains; else none. */
export function moreOutOfPlace(state, live) {
  const ends = endsOf(state?.game?.waiting?.illegal?.move);
  const all = outOfPlace(state, live);
  return all.some(({ well }) => well !== ends?.from && well !== ends?.to) ? all : [];
}

/** How many spheres must be moved: one that left its well and stands in another counts once. */
export function countOutOfPlace(wells) {
  return Math.max(wells.filter(({ stands }) => stands).length, wells.filter(({ belongs }) => belongs).length);
}

/**
 * spheres: Map well -> letter, as they stand; last: ends of the last move; wrong: ends of an illegal move that must be
 * put back; misplaced: wells out of place, where they are more than that; candidates: ends of the moves a question is
 * about; inHand: the well a sphere was probably lifted from.
 */
export function scene(state, live) {
  const { game } = state ?? {};
  const seen = { spheres: new Map(), last: null, wrong: null, misplaced: [], candidates: [], inHand: null };
  if (!game) return seen;
  seen.spheres = spheresOf(game.position);
  const { waiting } = game;
  if (waiting?.for === "restore") {
    const ends = endsOf(waiting.illegal?.move);
    const right = spheresOf(waiting.position ?? game.position);
    seen.spheres = waiting.placement ? spheresOf(waiting.placement) : ends ? moved(right, ends) : right;
    seen.misplaced = moreOutOfPlace(state, live);
    for (const { well, stands } of seen.misplaced) stands ? seen.spheres.set(well, stands) : seen.spheres.delete(well);
    if (ends && seen.spheres.has(ends.to) && !seen.spheres.has(ends.from)) seen.wrong = ends;
  } else if (waiting?.for === "answer") {
    const moves = (waiting.question?.candidates ?? []).map(({ move }) => endsOf(move.split(" ")[0]));
    seen.candidates = moves.filter(Boolean).slice(0, 3);
  } else {
    seen.last = endsOf(game.moves.at(-1)?.move);
  }
  if (live?.in_hand && seen.spheres.has(live.in_hand)) seen.inHand = live.in_hand;
  return seen;
}
