// The chat of a room. Names and texts of other people are text nodes.

/** @import { Room } from "./room.js" */
import { h, fill, say } from "./dom.js";
import { resultHeadline } from "./texts.js";

export class Chat {
  #lines = h("ol", { tabindex: "0", "aria-label": "Messages" });
  #count = h("small");
  #face = "";
  #linesAtEnd = -1; // the number of messages when the game ended
  node;

  /** @param {(text: string) => Promise<unknown>} send */
  constructor(send) {
    const field = h("input", { class: "field", "aria-label": "Say something", placeholder: "Say something", autocomplete: "off", maxlength: 500 });
    const form = h("form", {
      /** @param {Event} event */
      async submit(event) {
        event.preventDefault();
        const text = field.value.trim();
        if (text && (await send(text))) field.value = "";
      },
    }, field);
    this.node = h("section", { class: "card chat", "aria-label": "Chat" }, h("header", {}, h("h2", {}, "Chat"), this.#count), this.#lines, form);
  }

  /** @param {Room} room */
  show(room) {
    if (room.status !== "ended") this.#linesAtEnd = -1;
    else if (this.#linesAtEnd < 0) this.#linesAtEnd = room.chat.length;
    const face = JSON.stringify([room.id, room.status, room.chat.length, room.result]);
    if (face === this.#face) return;
    this.#face = face;
    const lines = room.chat.map(({ name, text }) => h("li", {}, h("b", { class: "name" }, name), text));
    if (room.status === "ended") lines.splice(this.#linesAtEnd, 0, h("li", { class: "sys" }, `${resultHeadline(room)}.`));
    if (room.status !== "waiting") lines.unshift(h("li", { class: "sys" }, `The game has begun. ${room.nameOf(0)} plays ${room.sides[0]}.`));
    fill(this.#lines, lines);
    this.#lines.scrollTop = this.#lines.scrollHeight;
    say(this.#count, room.chat.length ? `${room.chat.length}` : "");
  }
}
