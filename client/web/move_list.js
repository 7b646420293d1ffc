// The moves of a game, two a line. A click shows the position after the move.

/** @import { PlayedMove } from "./types.d.ts" */
import { h, fill } from "./dom.js";

export class MoveList {
  node = h("div", { class: "moves", role: "group", tabindex: "0", "aria-label": "Moves" });
  /** @type {HTMLElement[]} */
  #cells = [];
  #face = "";

  /** @param {(ply: number) => void} choose */
  constructor(choose) {
    this.choose = choose;
  }

  /** @param {PlayedMove[]} moves @param {number} current the ply that the board shows */
  show(moves, current) {
    const face = moves.map((played) => played.move).join(" ");
    if (face !== this.#face || !this.node.firstChild) {
      this.#face = face;
      this.#build(moves);
    }
    this.#cells.forEach((cell, at) => {
      const on = at + 1 === current;
      if (on === cell.hasAttribute("aria-current")) return;
      cell.toggleAttribute("aria-current", on);
      if (on) cell.setAttribute("aria-current", "true");
    });
    this.#scrollTo(this.#cells[current - 1]);
  }
  /** @param {PlayedMove[]} moves */
  #build(moves) {
    this.#cells = moves.map((played) =>
      h("button", { type: "button", title: `${(played.took / 1000).toFixed(1)} s`, click: () => this.choose(played.ply) }, played.move));
    const parts = [];
    for (let at = 0; at < moves.length; at += 2) {
      parts.push(h("i", {}, at / 2 + 1), this.#cells[at], this.#cells[at + 1] ?? null);
    }
    fill(this.node, parts.length ? parts : h("p", { class: "soft empty" }, "No moves yet."));
  }
  /** @param {HTMLElement | undefined} cell */
  #scrollTo(cell) {
    if (!cell) return;
    const { node } = this; // scrollIntoView would move the page as well
    node.scrollTop += cell.getBoundingClientRect().bottom - node.getBoundingClientRect().bottom + 8 > 0
      || cell.offsetTop < node.scrollTop ? cell.getBoundingClientRect().bottom - node.getBoundingClientRect().bottom + 8 : 0;
    node.scrollLeft += cell.getBoundingClientRect().right - node.getBoundingClientRect().right + 8;
  }
}
