// Picking a move by pointing at cells. It knows the legal moves and their paths, but no rules of any game.

/** @import { Board, Layout, Legal } from "./types.d.ts" */

export class Picker {
  /** @type {string[]} */
  picked = [];
  /** @type {Map<string, string>} */
  #drops = new Map(); // cell -> the cell where a piece dropped into its column lands

  /** @param {Legal[]} legal @param {Layout | null} layout @param {Board | null} board */
  constructor(legal, layout, board) {
    this.legal = legal;
    if (layout && board) this.#findDrops(layout, board);
  }

  /** Point at a cell. Return the move that this completes. @param {string} cell @returns {Legal | null} */
  point(cell) {
    const name = this.#drops.get(cell) ?? cell;
    if (this.picked.at(-1) === name) {
      this.picked.pop();
      return null;
    }
    const path = this.#extended(name);
    const move = path && this.#moveOf(path);
    this.picked = !path || move ? [] : path;
    return move || null;
  }
  /** The move that pointing at a cell would complete. @param {string} cell @returns {Legal | null} */
  aim(cell) {
    const path = this.#extended(this.#drops.get(cell) ?? cell);
    return (path && this.#moveOf(path)) || null;
  }
  /** The cells that continue the picked path; without one, those that start a path. */
  targets() {
    const at = this.picked.length;
    const fitting = this.legal.filter(({ path }) => path.length > at && startsWith(path, this.picked));
    return [...new Set(fitting.map(({ path }) => path[at]))];
  }
  /** The move of a typed text, or null. @param {string} text */
  typed(text) {
    const wanted = text.trim().toLowerCase();
    return this.legal.find(({ move }) => move.toLowerCase() === wanted) ?? null;
  }
  /** The move that selects exactly these cells, or null. @param {string[]} cells */
  along(cells) {
    return this.#moveOf(cells.map((cell) => this.#drops.get(cell) ?? cell)) ?? null;
  }
  clear() {
    this.picked = [];
  }

  /** @param {string} name */
  #extended(name) {
    for (const start of [this.picked, []]) {
      const path = [...start, name];
      if (this.legal.some((legal) => startsWith(legal.path, path))) return path;
    }
    return null;
  }
  /** @param {string[]} path */
  #moveOf(path) {
    return this.legal.find((legal) => legal.path.length === path.length && startsWith(legal.path, path));
  }
  /**
   * A move drops a piece if it is named after its column and its cell is empty: then the whole column stands for it.
   * @param {Layout} layout @param {Board} board
   */
  #findDrops(layout, board) {
    let index = 0;
    /** @type {Map<string, { column: number, empty: boolean }>} */
    const cells = new Map();
    for (const row of layout.rows) {
      row.forEach((name, column) => {
        if (name === null) return;
        const [owner, count] = board[index++];
        cells.set(name, { column, empty: owner === null || !count });
      });
    }
    for (const { move, path } of this.legal) {
      const cell = path.length === 1 ? cells.get(path[0]) : undefined;
      if (!cell?.empty || layout.files[cell.column] !== move) continue;
      for (const [name, other] of cells) if (other.column === cell.column) this.#drops.set(name, path[0]);
    }
  }
}

/** @param {string[]} path @param {string[]} start */
function startsWith(path, start) {
  return start.length <= path.length && start.every((cell, at) => path[at] === cell);
}
