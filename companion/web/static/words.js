// What the screen says, as pure functions from the state to text.

import { SPHERE_WORDS, endsOf, turnsOf } from "./position.js";
import { countOutOfPlace, moreOutOfPlace } from "./scene.js";

const NAMES = { white: "White", black: "Black" };
const OTHER = { white: "black", black: "white" };

export const sideWord = (side) => NAMES[side] ?? "Somebody";
const points = (n) => `${n} ${n === 1 ? "point" : "points"}`;
const wins = (ruling) => `${sideWord(ruling.winner)} wins ${points(ruling.points)}`;

const STEPS = { lift: "lifting", place: "placing", remove: "removing the captured sphere" };

function illegalWords({ player, move, reason }) {
  const who = sideWord(player);
  const ends = endsOf(move);
  const from = ends?.from ?? String(move ?? "").slice(0, 2);
  const moved = `Illegal: ${who} moved ${move}`;
  const back = ends ? `Put it back on ${from}.` : "Put it back.";
  switch (reason) {
    case "backward": return `${moved}, backward. ${back}`;
    case "too_far": return `${moved}, too far. ${back}`;
    case "same_sphere_twice": return `${moved}, the same plain sphere twice running. ${back}`;
    case "opponents_sphere": return `Illegal: ${who} took the opponent's sphere on ${from}. Put it back.`;
    case "not_your_turn": return `Illegal: ${who} moved ${move} out of turn. ${back}`;
    case "plain_capture": return `${moved}, but only the coloured sphere can be captured. ${back}`;
    case "rolled": return `Illegal: ${who} rolled ${move}. Spheres are lifted. ${back}`;
    case "put_back": return `Illegal: ${who} set the sphere back on ${from}. A lifted sphere must move.`;
    case "occupied": return `${moved}, into a taken well. ${back}`;
    default: return `${moved}. ${back}`;
  }
}

function gameOverWords(ruling, before) {
  if (ruling.awarded && ruling.winner) return `The referee awards the game to ${sideWord(ruling.winner)}: ${points(ruling.points)}`;
  const loser = sideWord(OTHER[ruling.winner]);
  switch (ruling.termination) {
    case "capture": return `${sideWord(ruling.winner)} captures the coloured sphere and wins ${points(ruling.points)}`;
    case "crash": {
      const step = before?.kind === "crash" ? STEPS[before.step] : null;
      return `Crash${step ? ` on ${step}` : ""}: ${wins(ruling)}`;
    }
    case "no_move": return `${loser} cannot move: ${wins(ruling)}`;
    case "forfeit": return `${loser} forfeits: ${wins(ruling)}`;
    case "resignation": return `${loser} resigns: ${wins(ruling)}`;
    case "void": return "The game is void: no points";
    default: return ruling.winner ? `Game over: ${wins(ruling)}` : "Game over";
  }
}

const HAPPENINGS = {
  put_back: "a sphere set back", put_back_then: "a sphere set back first", in_hand: "a sphere still in a hand",
  nothing: "no move at all", restored: "the spheres put right", something_else: "something else", let_stand: "let it stand", game_over: "the game is over",
};

const DENIED = {
  crash: "nobody tipped the board", held: "nobody held the board", put_back: "no sphere was set back",
  game_over: "the game goes on", restored: "the position is not right yet",
};

/** What may have happened: `d1-d2`, `d1-d2 rolled`, two moves `d1-d2 c6-c5`, or a word such as `put_back`. What says who did it is in words. `about`: of what the question is. */
export function candidateWords(text, about = null) {
  if (text === "nothing" && about in DENIED) return DENIED[about];
  if (/ by (White|Black), |, a legal move$/.test(text)) return text;
  if (text in HAPPENINGS) return HAPPENINGS[text];
  const [, what, side] = /^(crash|forfeit) (white|black)$/.exec(text) ?? [];
  if (what) return what === "crash" ? `${sideWord(side)} tipped it` : `${sideWord(side)} forfeits`;
  const [first, ...rest] = text.split(" ");
  if (!endsOf(first)) return text.replaceAll("_", " ");
  return rest.reduce((said, part) => said + (part === "rolled" ? ", rolled" : ` and then ${part}`), first);
}

function questionWords({ about, candidates = [] }) {
  const unsure = "The referee is not sure";
  if (about === "crash") {
    const sides = candidates.map(({ move }) => move.replace(/^crash /, "")).filter((side) => side in NAMES);
    return sides.length === 1 ? `${unsure}: did ${sideWord(sides[0])} tip the board?` : `${unsure}: who tipped the board, White or Black?`;
  }
  const [first] = candidates;
  if (about === "illegal" && first) return `${unsure}: was ${candidateWords(first.move)} illegal, or does it stand?`;
  if (about === "held") return "The board is held: does the referee call it a forfeit?";
  if (about === "game_over") return `${unsure}: is the game over?`;
  if (about === "restored") return `${unsure}: is the position right again?`;
  const said = candidates.slice(0, 3).map(({ move }) => candidateWords(move, about));
  if (!said.length) return `${unsure}: what happened?`;
  return `${unsure}: was it ${[said.slice(0, -1).join(", "), said.at(-1)].filter(Boolean).join(" or ")}?`;
}

/** One ruling in words. `before` is the ruling before it, which tells how a crash came about. */
export function rulingWords(ruling, before = null) {
  switch (ruling?.kind) {
    case "start": return "A new game begins";
    case "move": return `${sideWord(ruling.player)} ${ruling.move.includes("x") ? "captures" : "moves"} ${ruling.move}`;
    case "illegal": return illegalWords(ruling);
    case "restored": return "The position is right again";
    case "held": return `${sideWord(ruling.player)} holds the board`;
    case "crash": return `Crash on ${STEPS[ruling.step] ?? "touching the board"}: ${sideWord(ruling.player)} tipped it`;
    case "game_over": return gameOverWords(ruling, before);
    case "question": return questionWords(ruling);
    case "answer": return `Answered: ${candidateWords(ruling.move, ruling.about)}`;
    case "correct": return ruling.let_stand ? `The referee lets ${ruling.move} stand` : "The referee has set the position";
    default: return "Waiting for the first game";
  }
}

/** What stands in large letters while the game rests. */
export function pauseHeadline({ paused_by: by, match }) {
  return by ? `${match?.[by] || sideWord(by)} calls the referee` : "Paused";
}

/** Why the game rests. */
export function pauseWords({ paused_by: by, match }) {
  return by ? `${match?.[by] || sideWord(by)} (${sideWord(by)}) calls the referee: the game is paused.` : "The game is paused.";
}

/** The line under the ruling: what the game waits for, what is in hand, who touches the board, what was taken back. */
export function noteWords(state, live) {
  const { match, game, can_redo: redo } = state;
  if (match?.over && match.winner) {
    return `${match[match.winner]} (${sideWord(match.winner)}) wins the match ${scoreOf(match, match.winner)}.`;
  }
  if (state.paused_since) return pauseWords(state);
  if (game?.waiting?.for === "restore") {
    const { illegal } = game.waiting;
    if (illegal?.reason === "put_back" && !endsOf(illegal.move)) return touchedWords(game);
    const back = more(game, live);
    if (back.length) return `Put ${back.map(wayBack).join(", ")}; the game waits.`;
    const n = countOutOfPlace(moreOutOfPlace(state, live));
    if (n) return `${n} ${n === 1 ? "sphere is" : "spheres are"} out of place; the game waits.`;
    return "The game waits until the position is right.";
  }
  if (game?.waiting?.for === "answer") {
    const about = game.waiting.question?.about;
    if (about === "held") return "The game goes on meanwhile.";
    return ["crash", "game_over", "restored"].includes(about)
      ? "The game waits for the referee's answer."
      : "Put the spheres as they should stand; the game goes on when the position is right.";
  }
  const takenBack = redo?.says ? `Taken back: ${redo.says}.` : "";
  const setUp = game?.over ? "Set up the spheres for the next game." : game ? "" : "Set up the spheres to begin.";
  if (setUp) return takenBack ? `${takenBack} ${setUp}` : setUp; // what there is to do stays, whoever touches the board
  if (live?.in_hand) return `In hand: probably the sphere from ${live.in_hand}.`;
  if (live?.touching) return "A hand touches the board.";
  if (takenBack) return takenBack;
  const name = shortened(match?.[game.side] ?? "");
  if (live?.waits_for_board && live.misplaced?.length) return `The game goes on when the board shows the position: ${live.misplaced.map(wayBack).join(", ")}.`;
  return `${repeatedWords(game.repetition ?? 1)}${name ? `${name} (${sideWord(game.side)})` : sideWord(game.side)} is to move.`;
}

/** What is to be put right, where it is more than what the ruling itself says. */
function more(game, live) {
  const seen = live?.reading ? (live.misplaced ?? []) : (game.waiting.misplaced ?? []);
  return seen.length > 1 ? seen : [];
}

const named = (sphere) => `${sphere in { w: 1, b: 1 } ? "the " : ""}${SPHERE_WORDS[sphere]} sphere`;
const wayBack = ({ sphere, at, to }) => `${at ?? `${named(sphere)} from beside the board`} ${to ? `to ${to}` : "beside the board"}`;

const touchedWords = ({ waiting, side }) => `${sideWord(side)} must move the sphere on ${waiting.illegal.move.slice(0, 2)}.`;

const ORDINALS = { 3: "third", 4: "fourth", 5: "fifth" };
const repeatedWords = (n) => (n >= 3 ? `This position stands for the ${ORDINALS[n] ?? `${n}th`} time. ` : "");

const shortened = (name) => (name.length > 20 ? `${name.slice(0, 19).trimEnd()}…` : name);

const scoreOf = (match, first) => `${match[`${first}_steps`]} to ${match[`${OTHER[first]}_steps`]}`;

export function gameLine({ game, match }) {
  if (!game) return match ? `${match.games_played} games played` : "No game yet";
  const { length } = turnsOf(game).turns;
  return `Game ${game.number} · ${length === 0 ? "no move yet" : `move ${length}`}`;
}

/** Ends with a full stop where more may follow. */
const sentence = (words, _i, all) => (all.length > 1 && !words.endsWith(".") ? `${words}.` : words);

/** A witness's health: `ok`, `notice`, `missing`, `fault` or `unknown`, and the words for it. What has no remedy only tells. */
export function witnessWords(name, live, faults) {
  const said = (faults ?? []).filter(({ witness }) => witness === name);
  if (said.length) {
    const grave = said.filter(({ remedy }) => remedy);
    const words = grave.map(({ what, remedy }) => `${what}: ${remedy}`).concat(said.filter(({ remedy }) => !remedy).map(({ what }) => what));
    return { health: grave.length ? "fault" : "notice", words: words.map(sentence).join(" ") };
  }
  const word = live?.witnesses?.[name];
  if (word === undefined || word === null) return { health: "unknown", words: "not heard from yet" };
  if (word === "ok") return { health: "ok", words: "working" };
  if (word === "missing") return { health: "missing", words: "not there; the other witness carries on" };
  return { health: "fault", words: String(word).replaceAll("_", " ") };
}
