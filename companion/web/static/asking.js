// Sends a person's command to the table.

const NO_ANSWER = "The table did not answer; try again.";
const PATIENCE_MS = 5000;

/** Asks one of the table's addresses; gives `{ status, said }`, or throws what the browser makes of no answer. */
export async function call(method, address, body) {
  const answer = await fetch(address, {
    method,
    headers: { "Content-Type": "application/json", "X-Senryaku": "1" },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  return { status: answer.status, said: await answer.json() };
}

/** A simulated table's own screen pairs itself: nobody else can see it, and it has the code. */
async function pairsItself() {
  if (!("simulated" in document.body.dataset)) return false;
  const { said } = await call("GET", "/api/v1/session");
  if (said.paired || !said.code) return said.paired;
  const { status } = await call("POST", "/api/v1/pair", { code: said.code, name: "This screen" });
  return status === 200;
}

/** Posts a command to one of the table's addresses; gives what went wrong in words, or null. */
export async function ask(address, command, method = "POST") {
  try {
    let answer = await call(method, address, command);
    if (answer.status === 401 && (await pairsItself())) answer = await call(method, address, command);
    return answer.status < 300 ? null : `Not done: ${answer.said.error}`;
  } catch {
    return NO_ANSWER; // whatever the browser says of it is not for players
  }
}
