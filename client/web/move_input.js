// Enter a move: by click, by drag, by keyboard, by typing; before one's turn, as a premove.

/** @import { Legal } from "./types.d.ts" */
/** @import { ParlourBoard } from "./board.js" */
/** @import { Room } from "./room.js" */
import { h } from "./dom.js";
import { Picker } from "./picker.js";

/** @typedef {{ play(move: Legal): Promise<void>, announce(text: string): void, changed(): void }} Owner */

export class MoveInput {
  /** What the person can do next, in words. */
  hint = "";
  #board;
  #owner;
  #picker = new Picker([], null, null);
  /** The position that the picker is about. */
  #about = "";
  #on = false;
  #mine = false;
  /** A preview is shown only after the person has touched the board in this position. */
  #touched = false;
  #touchPointer = false;
  #sending = false;
  /** @type {string | null} */
  #aimed = null;
  /** The cells chosen before one's turn. @type {string[]} */
  #premove = [];
  #premoveText = "";
  #pathLength = 2; // until legal moves have been seen
  #field = h("input", { class: "field", "aria-label": "Type a move", placeholder: "Type a move", autocomplete: "off", spellcheck: "false", input: () => this.#typing() });
  form = h("form", { class: "typed", hidden: true, submit: (/** @type {Event} */ event) => this.#submit(event) }, this.#field);

  /** @param {ParlourBoard} board @param {Owner} owner */
  constructor(board, owner) {
    this.#board = board;
    this.#owner = owner;
    board.addEventListener("pointerdown", (event) => (this.#touchPointer = event.pointerType === "touch"));
    board.addEventListener("pick", (event) => this.#pick(/** @type {CustomEvent} */ (event).detail.cell));
    board.addEventListener("point", (event) => this.#point(/** @type {CustomEvent} */ (event).detail.cell));
    board.addEventListener("pointerleave", () => this.#point(null));
    board.addEventListener("slide", (event) => this.#slide(/** @type {CustomEvent} */ (event).detail));
  }

  /** @param {Room} room @param {boolean} on whether this player plays and looks at the current position */
  show(room, on) {
    this.#on = on;
    this.#mine = on && room.myMove;
    this.form.hidden = !(room.seat !== null && room.status === "running");
    const about = JSON.stringify([room.id, room.ply, this.#mine, room.legal.length]);
    if (about !== this.#about) {
      this.#about = about;
      this.#picker = new Picker(this.#mine ? room.legal : [], room.layout, room.board);
      this.#touched = false;
      this.#aimed = null;
      this.#sending = false;
      if (room.legal.length) this.#pathLength = Math.max(1, ...room.legal.map(({ path }) => path.length));
      if (room.status !== "running") this.#forgetPremove();
      if (this.#mine) this.#playPremove();
    }
    this.#update();
  }
  /** Unpick everything. */
  clear() {
    this.#picker.clear();
    this.#forgetPremove();
    this.#aimed = null;
    this.#field.value = "";
    this.#update();
  }
  startTyping() {
    if (!this.form.hidden) this.#field.focus();
  }

  /** @param {string} cell */
  #pick(cell) {
    if (!this.#on || this.#sending) return;
    this.#touched = true;
    if (!this.#mine) return this.#pickPremove(cell);
    const aimed = this.#picker.aim(cell);
    if (aimed && this.#touchPointer && this.#aimed !== aimed.move) {
      this.#aimed = aimed.move; // a finger sees the preview first, and taps again to play
      return this.#update();
    }
    const move = this.#picker.point(cell);
    this.#aimed = null;
    if (move) this.#send(move);
    return this.#update();
  }
  /** @param {string | null} cell */
  #point(cell) {
    if (!this.#on || !this.#mine || this.#touchPointer) return;
    if (cell !== null) this.#touched = true;
    const aimed = cell === null ? null : (this.#picker.aim(cell)?.move ?? null);
    if (aimed === this.#aimed) return;
    this.#aimed = aimed;
    this.#update();
  }
  /** @param {{ from: string, to: string }} cells */
  #slide({ from, to }) {
    if (!this.#on || this.#sending) return;
    if (!this.#mine) {
      this.#premove = [from, to];
      return this.#update();
    }
    this.#picker.clear();
    this.#picker.point(from);
    const move = this.#picker.point(to);
    if (move) this.#send(move);
    else this.#picker.clear();
    return this.#update();
  }
  /** @param {Legal} move */
  async #send(move) {
    this.#sending = true;
    this.#aimed = null;
    this.#field.value = "";
    await this.#owner.play(move);
    this.#sending = false;
    this.#update();
  }

  // -- typing

  #typing() {
    this.#touched = true;
    this.#aimed = this.#mine ? (this.#picker.typed(this.#field.value)?.move ?? null) : null;
    this.#update();
  }
  /** @param {Event} event */
  #submit(event) {
    event.preventDefault();
    const text = this.#field.value.trim();
    if (!text) return;
    if (!this.#mine) {
      this.#forgetPremove();
      this.#premoveText = text;
      this.#field.value = "";
      return this.#update();
    }
    const move = this.#picker.typed(text);
    this.#field.setCustomValidity(move ? "" : "no such move");
    if (move) this.#send(move);
    else {
      this.hint = `${text} is not a legal move`;
      this.#owner.announce(this.hint);
      this.#owner.changed();
    }
    this.#field.setCustomValidity("");
    return undefined;
  }

  // -- premoves

  /** @param {string} cell */
  #pickPremove(cell) {
    this.#premoveText = "";
    if (this.#premove.at(-1) === cell) this.#premove = [];
    else this.#premove = this.#premove.length >= this.#pathLength ? [cell] : [...this.#premove, cell];
    return this.#update();
  }
  #forgetPremove() {
    this.#premove = [];
    this.#premoveText = "";
  }
  #playPremove() {
    const cells = this.#premove, text = this.#premoveText;
    if (!cells.length && !text) return;
    this.#forgetPremove();
    const move = text ? this.#picker.typed(text) : (this.#picker.along(cells) ?? this.#picker.along(cells.slice(-1)));
    if (move) this.#send(move);
    else this.#owner.announce(`Premove ${text || cells.join(" ")} is no longer legal.`);
  }

  #update() {
    const board = this.#board, picker = this.#picker;
    const aimed = this.#touched ? picker.legal.find(({ move }) => move === this.#aimed) : undefined;
    board.legal = this.#mine && !this.#sending ? picker.targets() : [];
    board.picked = this.#mine ? (aimed && !picker.picked.length ? [] : picker.picked) : this.#on ? this.#premove : [];
    board.preview = aimed?.board ?? null;
    this.hint = this.#words(aimed);
    this.#owner.changed();
  }
  /** @param {Legal | undefined} aimed */
  #words(aimed) {
    if (!this.#on) return "";
    if (!this.#mine) {
      const premove = this.#premoveText || this.#premove.join(" ");
      return premove ? `premove ${premove} · Esc cancels it` : "";
    }
    if (this.#sending) return "sending your move";
    if (aimed) return `${aimed.move} shown · ${this.#touchPointer ? "tap again" : "click or Enter"} plays it`;
    if (this.#picker.picked.length) return `${this.#picker.picked.join(" ")} picked · choose where to go`;
    return "";
  }
}
