// Asks the table's program about games of Try 4, and tells it what a player does.

const NO_ANSWER = "The table did not answer; try again.";
const PATIENCE_MS = 6000;

/** What could not be done, in words for players. `stale`: the board has changed meanwhile. */
export class NotDone extends Error {
  constructor(words, stale = false) {
    super(words);
    this.stale = stale;
  }
}

async function answerOf(request) {
  let answer;
  let said;
  try {
    answer = await request;
    said = await answer.json();
  } catch {
    throw new NotDone(NO_ANSWER); // whatever the browser says of it is not for players
  }
  if (!answer.ok) throw new NotDone(said.error ?? NO_ANSWER, answer.status === 409);
  return said;
}

/** The JSON at an address. */
export function look(address) {
  return answerOf(fetch(address, { cache: "no-store", signal: AbortSignal.timeout(PATIENCE_MS) }));
}

/** Posts a command; gives the state after it. */
export function tell(address, command) {
  return answerOf(
    fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Senryaku": "1" },
      body: JSON.stringify(command),
      signal: AbortSignal.timeout(PATIENCE_MS),
    }),
  );
}
