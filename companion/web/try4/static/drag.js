// Dragging tiles with a finger, a pen or a mouse: from the tray to the board, about the board, and back.

import { picture } from "./tile.js";

const SLACK_PX = 6; // a press that moves less is a tap
const LIFT_OF_TILE = 0.85; // a finger hides what lies under it, so its tile is held above it

/**
 * `movable(element)` gives {tile, from} of what may be dragged, or null; `from` is a cell, or null for the tray.
 * `onAim(cell)` follows the tile, `onDrop(tile, from, cell)` ends it: `cell` is null away from the board.
 */
export function dragging(root, { movable, onStart, onAim, onDrop, onEnd }) {
  let held = null;

  function cellAt(x, y) {
    return document.elementFromPoint(x, y)?.closest("[data-cell]")?.dataset.cell ?? null;
  }

  function follow(event) {
    const lift = held.finger ? held.side * LIFT_OF_TILE : 0;
    held.ghost.style.setProperty("translate", `${event.clientX - held.side / 2}px ${event.clientY - held.side / 2 - lift}px`);
    onAim(cellAt(event.clientX, event.clientY));
  }

  function begin(event) {
    const side = held.element.getBoundingClientRect().width;
    const ghost = picture(held.tile);
    ghost.classList.add("ghost");
    ghost.style.setProperty("width", `${side}px`);
    document.body.append(ghost);
    Object.assign(held, { ghost, side, finger: event.pointerType === "touch" });
    document.body.classList.add("dragging");
    onStart(held.tile, held.from);
  }

  function end() {
    held?.ghost?.remove();
    document.body.classList.remove("dragging");
    onAim(null);
    const was = held;
    held = null;
    if (was?.ghost) onEnd();
    return was;
  }

  root.addEventListener("pointerdown", (event) => {
    if (held || event.button !== 0) return;
    const element = event.target.closest("[data-tile]");
    const what = element && movable(element);
    if (!what) return;
    held = { ...what, element, pointer: event.pointerId, x: event.clientX, y: event.clientY };
    if (element.hasPointerCapture(event.pointerId)) element.releasePointerCapture(event.pointerId);
  });
  addEventListener("pointermove", (event) => {
    if (!held || event.pointerId !== held.pointer) return;
    if (!held.ghost && Math.hypot(event.clientX - held.x, event.clientY - held.y) < SLACK_PX) return;
    if (!held.ghost) begin(event);
    follow(event);
  });
  addEventListener("pointerup", (event) => {
    if (!held || event.pointerId !== held.pointer) return;
    const cell = held.ghost ? cellAt(event.clientX, event.clientY) : null;
    const { ghost, tile, from } = end();
    if (!ghost) return;
    // The click that follows is part of the drag and chooses nothing.
    addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => removeEventListener("click", swallow, { capture: true }), 50);
    onDrop(tile, from, cell);
  });
  addEventListener("pointercancel", (event) => event.pointerId === held?.pointer && end());
  addEventListener("keydown", (event) => event.key === "Escape" && held?.ghost && end());
  root.addEventListener("dragstart", (event) => event.preventDefault());
}

function swallow(event) {
  event.stopPropagation();
  event.preventDefault();
}
