// A screen that nobody touches: it stays awake, hides an idle pointer, and fills all of itself where asked.

const IDLE_MS = 4000;

/** Keeps the screen awake as long as the page is seen, where the browser can. */
async function stayAwake() {
  try {
    if (document.visibilityState === "visible") await navigator.wakeLock?.request("screen");
  } catch {
    // low battery, or a page that came without encryption from elsewhere
  }
}

function hideIdlePointer() {
  let timer = null;
  addEventListener("pointermove", () => {
    document.body.classList.remove("idle");
    clearTimeout(timer);
    timer = setTimeout(() => document.body.classList.add("idle"), IDLE_MS);
  });
}

/** For the wall and for a kiosk. */
export function standAlone(body, full) {
  if (!body.classList.contains("wall") && !body.classList.contains("kiosk")) return;
  stayAwake();
  document.addEventListener("visibilitychange", stayAwake);
  hideIdlePointer();
  if (body.classList.contains("kiosk")) addEventListener("contextmenu", (event) => event.preventDefault());
  full?.addEventListener("click", () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()));
}
