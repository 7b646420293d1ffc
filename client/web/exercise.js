// An exercise: find one move in a position. Mistakes of a reviewed game and puzzles are exercises.

/** @import { Board, Layout, Legal } from "./types.d.ts" */

/** @typedef {{ id: string, layout: Layout | null, board: Board, last: string[], legal: Legal[], solution: string, also: string[], played: string, task: string, wrong: string, right: string }} Task */

export class Exercise {
  /** @type {"asking" | "wrong" | "solved" | "shown"} */
  state = "asking";
  tries = 0;
  hinted = false;
  tried = "";

  /** @param {Task} task */
  constructor(task) {
    this.task = task;
  }
  /** The move that the board shows at the end: the solution, or the move that was as good. */
  get best() {
    const shown = this.state === "solved" ? this.tried : this.task.solution;
    return this.task.legal.find(({ move }) => move === shown) ?? null;
  }
  get isOver() {
    return this.state === "solved" || this.state === "shown";
  }
  /** Whether it was solved at the first try and without help. */
  get isClean() {
    return this.state === "solved" && this.tries === 1 && !this.hinted;
  }

  /** Try a move. @param {string} move */
  try(move) {
    this.tries++;
    this.tried = move;
    this.state = move === this.task.solution || this.task.also.includes(move) ? "solved" : "wrong";
  }
  hint() {
    this.hinted = true;
  }
  giveUp() {
    this.state = "shown";
  }

  /** What to say now. */
  get text() {
    const { solution, played, wrong, right, task } = this.task;
    if (this.state === "solved" && this.tried !== solution) return `Right: ${this.tried} is as good as ${solution}.`;
    if (this.state === "solved") return `Right: ${solution}. ${right}`.trim();
    if (this.state === "shown") return `The move was ${solution}. ${right}`.trim();
    if (this.state === "wrong") return this.tried === played && wrong ? wrong : `${this.tried} is not the move. Try again.`;
    return task;
  }
  /** The cells to mark on the board: the hint, or the solution. @returns {string[]} */
  get marked() {
    const path = this.best?.path ?? [];
    return this.isOver ? path : this.hinted ? path.slice(0, 1) : [];
  }
  /** The board after the solution once it is known, to be shown as a preview. */
  get preview() {
    return this.isOver ? (this.best?.board ?? null) : null;
  }
  /**
   * What MoveInput needs of a room.
   * @returns {any}
   */
  get position() {
    const { id, layout, board, last, legal } = this.task;
    const open = !this.isOver;
    return { id: `${id} ${this.tries}`, ply: 0, myMove: open, seat: 0, status: open ? "running" : "ended", layout, board, last, legal: open ? legal : [] };
  }
}
