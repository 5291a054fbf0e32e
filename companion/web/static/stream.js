// The link to the table: a stream of events, polling where no stream is to be had, and an eye on how old the news is.

const SILENCE_MS = 5000; // after this the page says that it is out of date; the server speaks every 2 s
const DEAD_MS = 12000; // a stream that is silent for so long is opened anew
const POLL_MS = 2000;
const AGAIN_MS = 30000; // how soon to ask for a stream again after all were taken

/** What a page says of a link over which nothing new comes. */
export const STALE_WORDS = {
  lost: "Connection lost. What you see may be out of date; trying again.",
  quiet: "The table is silent. What you see may be out of date.",
};

/**
 * Follows the table for ever. `onState` and `onLive` get what arrives; `onLink` gets "live", "polling", "connecting",
 * "lost" (nothing heard) or "quiet" (the server is there, the table is silent), whenever that changes.
 */
export function follow({ onState, onLive, onLink }) {
  let source = null;
  let seq = null;
  let heard = performance.now();
  let opened = heard;
  let pollUntil = 0;
  let polling = false;
  let quiet = false;
  let link = "";

  function report() {
    const silent = performance.now() - heard > SILENCE_MS;
    const now = silent ? "lost" : quiet ? "quiet" : seq === null ? "connecting" : polling ? "polling" : "live";
    if (now !== link) onLink((link = now));
  }

  function receive(handler) {
    return (event) => {
      heard = performance.now();
      handler(JSON.parse(event.data));
      report();
    };
  }

  function takeState(state) {
    seq = state.seq;
    quiet = false;
    onState(state);
  }

  function takeLive(live) {
    quiet = false;
    onLive(live);
  }

  function open() {
    source?.close();
    opened = performance.now();
    source = new EventSource(seq === null ? "/api/v1/events" : `/api/v1/events?after=${seq}`);
    source.addEventListener("state", receive(takeState));
    source.addEventListener("live", receive(takeLive));
    source.addEventListener("alive", receive(({ quiet_s: seconds }) => (quiet = seconds * 1000 > SILENCE_MS)));
    source.addEventListener("open", () => (polling = false));
    source.addEventListener("error", () => {
      if (source.readyState !== EventSource.CLOSED) return; // the browser tries again by itself
      polling = true;
      pollUntil = performance.now() + AGAIN_MS * (0.75 + Math.random() / 2);
      poll();
    });
  }

  async function poll() {
    try {
      for (const [path, take] of [["/api/v1/state", takeState], ["/api/v1/live", takeLive]]) {
        const answer = await fetch(path, { cache: "no-store", signal: AbortSignal.timeout(POLL_MS * 2) });
        if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
        take(await answer.json());
      }
      heard = performance.now();
    } catch {
      // the silence is noticed and shown; the next round tries again
    }
    report();
    if (!polling) return;
    if (performance.now() < pollUntil) setTimeout(poll, POLL_MS);
    else open();
  }

  setInterval(() => {
    const now = performance.now();
    if (!polling && now - heard > DEAD_MS && now - opened > DEAD_MS) open();
    report();
  }, 1000);
  addEventListener("pagehide", () => source?.close());
  addEventListener("pageshow", (event) => event.persisted && open());
  open();
  report();
}
