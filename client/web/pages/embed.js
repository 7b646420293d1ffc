// One game for the page of another site: board, names and clocks, with a link to the table.

/** @import { App } from "../app.js" */
import { h, fill } from "../dom.js";
import { everyTick } from "../parts.js";
import { Tile } from "../tile.js";

/** @param {App} app @param {HTMLElement} main @param {string} id */
export function show(app, main, id) {
  const { session } = app;
  const tile = new Tile(session);
  main.className = "embed";
  fill(main, h("h1", { class: "sr" }, "A game on Parlour"), tile.node,
    h("a", { class: "link soft", href: `/room/${encodeURIComponent(id)}`, target: "_blank", rel: "noopener" }, "Open the table"));
  /** @param {Event} event */
  const onRoom = (event) => {
    const { room } = /** @type {CustomEvent} */ (event).detail;
    if (room.id === id) tile.show(room);
  };
  session.addEventListener("room", onRoom);
  session.watch(id).catch((error) => tile.message(error.message));
  const stopTicking = everyTick(() => tile.tick());
  return {
    close() {
      session.removeEventListener("room", onRoom);
      stopTicking();
      session.unwatch(id);
    },
  };
}
