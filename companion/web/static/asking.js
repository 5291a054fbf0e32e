// Sends a person's command to the table.

const NO_ANSWER = "The table did not answer; try again.";
const PATIENCE_MS = 5000;

/** Posts a command to one of the table's addresses; gives what went wrong in words, or null. */
export async function ask(address, command) {
  try {
    const answer = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Senryaku": "1" },
      body: JSON.stringify(command),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const said = await answer.json();
    return answer.ok ? null : `Not done: ${said.error}`;
  } catch {
    return NO_ANSWER; // whatever the browser says of it is not for players
  }
}
