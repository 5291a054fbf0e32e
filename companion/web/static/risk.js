// What the foretold risks mean for who looks on: pure functions from the live values to levels and words.

/** From this risk on a touch wants care; the level of a warning is the table's own setting. */
const CAREFUL = 0.1;

/** `safe`, `careful` or `danger`. */
export function levelOf(risk, warnAbove) {
  return risk > warnAbove ? "danger" : risk >= CAREFUL ? "careful" : "safe";
}

/** A risk as a whole percentage; what is not 0 or 1 is not rounded to it. */
export function percent(risk) {
  if (risk <= 0) return "0%";
  if (risk >= 1) return "100%";
  return `${Math.min(99, Math.max(1, Math.round(100 * risk)))}%`;
}

/** The risks that may be shown here: those meant for spectators only where the page is opened with `?watch`. */
export function visibleRisks(live, search) {
  if (!live?.risks) return null;
  return live.warnings_for === "all" || new URLSearchParams(search).has("watch") ? live.risks : null;
}

const list = (wells) => (wells.length > 3 ? `${wells.slice(0, 3).join(" ")} and ${wells.length - 3} more` : wells.join(" "));
const DOING = { lift: "Lifting", remove: "Removing", place: "Placing on" };

/**
 * The one thing to know at a glance: `{ level, word, note }` with `level` as in `levelOf`, `nowhere` where no way on is
 * safe, `none` where nothing can be said. `zone` is how the board stands now, as in gauge.js.
 */
export function verdict(risks, zone = "unknown") {
  const next = ahead(risks);
  if (next.level === "none") return next;
  if (zone === "crash") return { level: "nowhere", word: "Over the edge", note: "The board tips now." };
  if (zone === "near" && next.level === "safe") return { level: "careful", word: "Careful", note: `The board is near its edge now. ${next.note}` };
  return next;
}

/** The same for the next touch alone. */
function ahead(risks) {
  const wells = risks?.wells ?? [];
  if (!wells.length) return { level: "none", word: "", note: "" };
  const { warn_above: warnAbove, least_risk: least, in_hand: held } = risks;
  const worst = wells[0].risk;
  const bad = wells.filter(({ risk }) => risk > warnAbove);
  const forced = (risks.warnings ?? []).find(({ kind }) => kind === "forced");
  const also = forced ? ` ${forced.text}.` : "";
  const what = held.length ? "place for it" : "move";
  if (least > warnAbove) return { level: "nowhere", word: `No safe ${what}`, note: `${risks.player}: at best ${percent(least)} crash.${also}` };
  if (bad.length) {
    const doing = DOING[bad[0].step];
    return { level: "danger", word: `Danger: ${list(bad.map(({ well }) => well))}`, note: `${doing} ${bad[0].well}: ${percent(worst)} crash; safest ${risks.safest} ${percent(least)}.${also}` };
  }
  const range = percent(least) === percent(worst) ? percent(worst) : `${percent(least)} to ${percent(worst)}`;
  if (worst >= CAREFUL) return { level: "careful", word: "Careful", note: `${risks.player}: crash risk ${range}; safest ${risks.safest}.${also}` };
  return { level: "safe", word: held.length ? "Safe to place" : "Safe", note: `${risks.player}: crash risk ${range}.${also}` };
}

/** Every marked well in words, for those who do not see the marks. */
export function inWords(risks) {
  const part = ({ well, step, risk }) => `${DOING[step].toLowerCase()} ${well} ${percent(risk)}`;
  return risks?.wells?.length ? `Crash risk: ${risks.wells.map(part).join(", ")}.` : "";
}
