// Wells, positions and moves as the position text of the rules has them. Pure functions.

export const FILES = "abcdefg";
export const RANKS = 6;

/** Every well's name, rank 6 first, as seen from White's side. */
export const WELLS = Array.from({ length: RANKS }, (_, row) => [...FILES].map((file) => file + (RANKS - row))).flat();

/** The spheres of a placement such as `bbbBbbb/7/7/7/7/wwwWwww`: a Map from well to letter. Ignores what it cannot read. */
export function spheresOf(text) {
  const spheres = new Map();
  const rows = String(text ?? "").trim().split(/\s+/)[0].split("/");
  rows.slice(0, RANKS).forEach((row, i) => {
    let file = 0;
    for (const sign of row) {
      if (/[1-7]/.test(sign)) file += Number(sign);
      else if (/[wbWB]/.test(sign) && file < FILES.length) spheres.set(FILES[file++] + (RANKS - i), sign);
    }
  });
  return spheres;
}

/** The ends of a move text such as `d1-d2` or `c4xd5`; null for anything else. */
export function endsOf(move) {
  const found = /^([a-g][1-6])[-x]([a-g][1-6])$/.exec(move ?? "");
  return found && found[1] !== found[2] ? { from: found[1], to: found[2] } : null;
}

/** The spheres after a move was made on the board, legal or not. */
export function moved(spheres, ends) {
  const after = new Map(spheres);
  const letter = after.get(ends.from);
  if (letter) {
    after.delete(ends.from);
    after.set(ends.to, letter);
  }
  return after;
}

/** Who began a game, and its moves by turns: `[the beginner's, the other's]`, as both the list and the game line count. */
export function turnsOf(game) {
  const moves = game?.moves ?? [];
  const first = moves[0]?.player ?? game?.side ?? "white";
  const turns = [];
  for (const { player, move, let_stand: stands } of moves) {
    if (player === first || turns.length === 0 || turns.at(-1)[1]) turns.push(["", ""]);
    turns.at(-1)[player === first ? 0 : 1] = stands ? `${move} (illegal)` : move;
  }
  return { first, turns };
}

export const SPHERE_WORDS = { w: "white", b: "black", W: "White's coloured", B: "Black's coloured" };

/** The board in words, for those who do not see it. */
export function inWords(spheres) {
  const list = (letter) => WELLS.filter((well) => spheres.get(well) === letter);
  const part = (name, plain, coloured) => {
    const at = list(coloured);
    return `${name}: ${list(plain).join(" ") || "no plain spheres"}, coloured ${at.length ? `on ${at[0]}` : "captured"}`;
  };
  return spheres.size ? `${part("White", "w", "W")}. ${part("Black", "b", "B")}.` : "The board is empty.";
}
