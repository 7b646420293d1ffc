// The latest note of a bot, and the values of all notes as a curve.

/** @import { Room } from "./room.js" */
import { h, fill, say } from "./dom.js";
import { parseNote, values, valueText } from "./notes.js";
import { botMark, drawValues, newGraph } from "./parts.js";

export class NoteView {
  #who = h("b", { class: "name" });
  #mark = h("span");
  #view = h("span", { class: "push soft" });
  #value = h("span", { class: "value" });
  #graph = newGraph("Value of the position");
  #text = h("small");
  node = h("section", { hidden: true, "aria-label": "Note" },
    h("div", { class: "note" }, this.#who, this.#mark, this.#view, this.#value), this.#graph, this.#text);

  /** @param {Room} room */
  show(room) {
    const noted = room.moves.findLast((played) => played.note);
    this.node.hidden = !noted;
    if (!noted) return;
    const note = parseNote(noted.note ?? "");
    const series = values(room.moves), latest = series.findLast((value) => value !== null) ?? null;
    say(this.#who, room.nameOf(noted.side));
    fill(this.#mark, botMark(room.seats[noted.side]));
    say(this.#view, latest === null ? "" : `for ${room.sides[0]}`);
    say(this.#value, latest === null ? "" : valueText(latest));
    this.#graph.classList.toggle("sr", latest === null);
    this.#graph.setAttribute("aria-label", latest === null ? "No value" : `Value for ${room.sides[0]}: now ${valueText(latest)}`);
    drawValues(this.#graph, series);
    say(this.#text, [note.depth === null ? "" : `depth ${note.depth}`, note.line, note.text].filter(Boolean).join(" · "));
  }
}
