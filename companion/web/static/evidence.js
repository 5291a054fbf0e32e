// What a ruling was based on: pictures, explanations with their odds, loads, and all of it as a file.

import { call } from "./asking.js";
import { html, say, svg } from "./svg.js";
import { drawTraces } from "./traces.js";

const ORIGINS = { both: "camera and load cells", camera: "the camera", load_cells: "the load cells", person: "a person", table: "the table" };

/** The pictures before and after; an empty list where there are none. */
export function pictures(seq, has) {
  return ["before", "after"].filter((when) => has[when]).map((when) =>
    html("figure", {}, html("img", { src: `/api/v1/evidence/${seq}/${when}.jpg`, alt: `The board ${when} it` }),
      html("figcaption", {}, when === "before" ? "Before" : "After")));
}

/** What is kept of a ruling, or null. */
export async function evidenceOf(seq) {
  try {
    const { status, said } = await call("GET", `/api/v1/evidence/${seq}`);
    return status === 200 ? said : null;
  } catch {
    return null;
  }
}

function explanations(hypotheses) {
  if (!hypotheses.length) return html("p", { class: "soft" }, "This was not weighed against other explanations.");
  const row = ({ says, meaning, reason, p }) =>
    html("tr", {}, html("td", {}, String(says).replaceAll("_", " ")), html("td", {}, [meaning, reason].filter(Boolean).join(": ").replaceAll("_", " ")),
      html("td", {}, p >= 0.001 ? `${(100 * p).toFixed(1)} %` : "under 0.1 %"));
  const head = ["What", "Meaning", "Probability"].map((word) => html("th", { scope: "col" }, word));
  return html("div", { class: "scrolls" }, html("table", { class: "list" }, html("thead", {}, html("tr", {}, ...head)), html("tbody", {}, ...hypotheses.map(row))));
}

export class EvidenceView {
  constructor(dialog, heading, body) {
    Object.assign(this, { dialog, heading, body });
    dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
  }

  async open(seq) {
    const about = await evidenceOf(seq);
    say(this.heading, about ? about.says : `There is no evidence for event ${seq}.`);
    this.body.replaceChildren(...(about ? this.#parts(seq, about) : []));
    this.dialog.showModal();
  }

  #parts(seq, about) {
    const title = (words) => html("h4", {}, words);
    const traces = svg("svg", { class: "traces", viewBox: "0 0 600 200", role: "img" });
    drawTraces(traces, about.loads, about.since_s);
    const seen = pictures(seq, about.has);
    const file = html("a", { class: "button", href: `/api/v1/evidence/${seq}.zip`, download: `evidence-${seq}.zip` }, "Save all of it as one file");
    return [
      html("p", {}, about.rule ? `The rule: ${about.rule}` : ""),
      html("p", { class: "soft" }, `Event ${seq}, reported by ${ORIGINS[about.event.origin] ?? about.event.origin}; position before: ${about.position_before}`),
      title("Pictures"), seen.length ? html("div", { class: "pair" }, ...seen) : html("p", { class: "soft" }, "There was no camera picture."),
      title("Explanations"), explanations(about.hypotheses),
      title("Loads"), traces, html("p", { class: "buttons" }, file),
    ];
  }
}
