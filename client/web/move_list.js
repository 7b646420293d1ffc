// The moves of a game, one of each side a line. A click shows the position after the move.

/** @import { PlayedMove } from "./types.d.ts" */
import { h, fill } from "./dom.js";

const SCROLL_MARGIN_PX = 8;

/**
 * The moves as lines with a place for each side. A side that moves twice in a row starts a new line.
 * @param {PlayedMove[]} moves @returns {[PlayedMove | null, PlayedMove | null][]}
 */
export function linesOf(moves) {
  /** @type {[PlayedMove | null, PlayedMove | null][]} */
  const lines = [];
  for (const played of moves) {
    const line = lines.at(-1);
    if (line && !line[1] && played.side === 1) line[1] = played;
    else lines.push(played.side === 0 ? [played, null] : [null, played]);
  }
  return lines;
}

export class MoveList {
  node = h("div", { class: "moves", role: "group", tabindex: "0", "aria-label": "Moves" });
  /** @type {HTMLElement[]} */
  #cells = [];
  #face = "";

  /** @param {(ply: number) => void} choose */
  constructor(choose) {
    this.choose = choose;
  }

  /**
   * @param {PlayedMove[]} moves @param {number} current the ply that the board shows
   * @param {(ply: number) => Node[]} [markOf] what stands beside a move of a reviewed game
   */
  show(moves, current, markOf) {
    const face = `${moves.map((played) => played.move).join(" ")}${markOf ? " reviewed" : ""}`;
    if (face !== this.#face || !this.node.firstChild) {
      this.#face = face;
      this.#build(moves, markOf ?? (() => []));
    }
    this.#cells.forEach((cell, at) => {
      const on = at + 1 === current;
      if (on === cell.hasAttribute("aria-current")) return;
      cell.toggleAttribute("aria-current", on);
      if (on) cell.setAttribute("aria-current", "true");
    });
    this.#scrollTo(this.#cells[current - 1]);
  }
  /** @param {PlayedMove[]} moves @param {(ply: number) => Node[]} markOf */
  #build(moves, markOf) {
    this.#cells = moves.map((played) =>
      h("button", { type: "button", title: `${(played.took / 1000).toFixed(1)} s`, click: () => this.choose(played.ply) }, played.move, markOf(played.ply)));
    const parts = [];
    for (const [at, line] of linesOf(moves).entries()) {
      parts.push(h("i", {}, at + 1), ...line.map((played) => (played ? this.#cells[played.ply - 1] : h("span"))));
    }
    fill(this.node, parts.length ? parts : h("p", { class: "soft empty" }, "No moves yet."));
  }
  /** @param {HTMLElement | undefined} cell */
  #scrollTo(cell) {
    if (!cell) return;
    const view = this.node.getBoundingClientRect(), place = cell.getBoundingClientRect();
    const above = place.top - view.top - SCROLL_MARGIN_PX, below = place.bottom - view.bottom + SCROLL_MARGIN_PX;
    this.node.scrollTop += below > 0 ? below : above < 0 ? above : 0; // scrollIntoView would move the page as well
    this.node.scrollLeft += place.right - view.right + SCROLL_MARGIN_PX;
  }
}
