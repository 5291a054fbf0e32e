// What is said to the players: one line to read, and what screen readers read out.

import { html, say } from "/static/svg.js";

const KEPT_ANNOUNCEMENTS = 5;

const $ = (id) => document.getElementById(id);

/** A text as a sentence begins; a cell's name stays as it is. */
export const sentence = (text) => (/^[a-z][0-9]/.test(text) ? text : text[0].toUpperCase() + text.slice(1));

/** Says something, with buttons for what can be done about it: `actions` are [word, act]. `tone`: plain, good, bad. */
export function message(text, tone = "plain", actions = []) {
  $("message").dataset.tone = tone;
  say($("message-text"), text);
  const words = actions.map(([word]) => word).join("|");
  if ($("message-actions").dataset.words === words && !words) return;
  $("message-actions").dataset.words = words;
  $("message-actions").replaceChildren(
    ...actions.map(([word, act]) => {
      const button = html("button", { type: "button" }, word);
      button.addEventListener("click", act);
      return button;
    }));
}

/** Has something read out. */
export function announce(text) {
  $("announcer").append(html("p", {}, text));
  while ($("announcer").childElementCount > KEPT_ANNOUNCEMENTS) $("announcer").firstElementChild.remove();
}
