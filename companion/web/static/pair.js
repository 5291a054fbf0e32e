// Pairing a device by the code; on the table's own screen the code itself; sending paired devices away.

import { ask, call } from "./asking.js";
import { html, say } from "./svg.js";

const $ = (id) => document.getElementById(id);
const AGAIN_MS = 5000;

let code = null;

const day = (seconds) => new Date(seconds * 1000).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

async function look() {
  try {
    const { said } = await call("GET", "/api/v1/session");
    code = said.code ?? null;
    $("own").hidden = code === null;
    say($("code"), code ? `${code.slice(0, 3)} ${code.slice(3)}` : "");
    $("this-screen").hidden = said.paired;
    $("to-console").hidden = !said.paired;
    $("paired").hidden = !said.paired;
    if (said.paired) await list();
  } catch {
    // the next round tries again
  }
}

async function list() {
  const { status, said } = await call("GET", "/api/v1/sessions");
  if (status !== 200) return;
  const key = JSON.stringify(said);
  if ($("devices").dataset.shown === key) return; // a button under a finger stays
  $("devices").dataset.shown = key;
  $("devices").replaceChildren(...said.map(({ id, name, used, this: own }) => {
    const button = html("button", { type: "button", class: "nowrap", "aria-label": `Send away ${name}` }, "Send away");
    button.addEventListener("click", async () => {
      tell(await ask(`/api/v1/sessions/${id}`, undefined, "DELETE"), `${name} was sent away.`);
      await look();
    });
    const cell = (...inside) => html("td", { role: "cell" }, ...inside);
    return html("tr", { role: "row" }, cell(own ? `${name} (this one)` : name), cell(day(used)), cell(button));
  }));
}

function tell(problem, done = "") {
  $("said").classList.toggle("wrong", problem !== null);
  say($("said"), problem ?? done);
}

async function pair(typed, name) {
  const problem = await ask("/api/v1/pair", { code: typed, name });
  tell(problem, "Paired.");
  if (!problem) $("typed").value = "";
  await look();
}

$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (!$("typed").value.trim()) {
    tell("Type the six digits of the code first.");
    $("typed").focus();
    return;
  }
  pair($("typed").value, $("device").value);
});
$("this-screen").addEventListener("click", async () => {
  await look(); // another device may have used the code that is shown
  if (code) await pair(code, "The table's own screen");
});
look();
setInterval(look, AGAIN_MS);
