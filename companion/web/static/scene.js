// What the board is to show, as a pure function of the state and the live values.

import { endsOf, moved, spheresOf } from "./position.js";

/**
 * spheres: Map well -> letter, as they stand; last: ends of the last move; wrong: ends of an illegal move that must be
 * put back; candidates: ends of the moves a question is about; inHand: the well a sphere was lifted from.
 */
export function scene(state, live) {
  const { game } = state ?? {};
  const seen = { spheres: new Map(), last: null, wrong: null, candidates: [], inHand: null };
  if (!game) return seen;
  seen.spheres = spheresOf(game.position);
  const { waiting } = game;
  if (waiting?.for === "restore") {
    const ends = endsOf(waiting.illegal?.move);
    const right = spheresOf(waiting.position ?? game.position);
    seen.spheres = waiting.placement ? spheresOf(waiting.placement) : ends ? moved(right, ends) : right;
    if (ends && seen.spheres.has(ends.to) && !seen.spheres.has(ends.from)) seen.wrong = ends;
  } else if (waiting?.for === "answer") {
    seen.candidates = (waiting.question?.candidates ?? []).map(({ move }) => endsOf(move)).filter(Boolean).slice(0, 3);
  } else {
    seen.last = endsOf(game.moves.at(-1)?.move);
  }
  if (live?.in_hand && seen.spheres.has(live.in_hand)) seen.inHand = live.in_hand;
  return seen;
}
