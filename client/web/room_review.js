// The review of a room, loaded when it is asked for: its view, the better move on the board, and mistakes as exercises.

/** @import { Legal, Reply, ReviewedMove, ReviewUpdate } from "./types.d.ts" */
/** @import { ParlourBoard } from "./board.js" */
/** @import { MoveInput } from "./move_input.js" */
/** @import { Room } from "./room.js" */
import { h } from "./dom.js";
import { Exercise } from "./exercise.js";
import { ExerciseView } from "./exercise_view.js";
import { isMistake, markKind, markOf, sentenceOf } from "./review_texts.js";
import { ReviewView } from "./review_view.js";
import { loadStyles } from "./styles.js";

await loadStyles("review.css");

/**
 * What the review needs of its page. `look` shows the position after a ply (null: the last one); `refresh` redraws all.
 * @typedef {{ look(ply: number | null): Promise<void>, refresh(): void, ask(type: string, fields?: Record<string, any>): Promise<Reply | null | undefined> }} Owner
 */

export class RoomReview {
  #owner;
  /** @type {Room} */
  #room;
  #view = new ReviewView({ look: (ply) => this.#owner.look(ply), showBetter: (move) => this.#showBetter(move), learn: () => this.#learn(0) });
  #exercise = new ExerciseView({ changed: () => this.#owner.refresh(), next: () => this.#learn(this.#lesson + 1), stop: () => this.stop() }, "Stop");
  /** The number of the mistake that is an exercise now. */
  #lesson = 0;
  /** The mistake whose better move the board shows. @type {ReviewedMove | null} */
  #better = null;
  node = this.#view.node;
  exerciseNode = this.#exercise.node;

  /** @param {Owner} owner @param {Room} room */
  constructor(owner, room) {
    this.#owner = owner;
    this.#room = room;
  }

  /** Whether a review is there or under way. */
  get isKnown() {
    return Boolean(this.#view.update) && this.#view.update?.state !== "failed";
  }
  get isDone() {
    return this.#view.moves.length > 0;
  }
  get isWaiting() {
    return this.isKnown && !this.isDone;
  }
  get isLearning() {
    return this.#exercise.exercise !== null;
  }

  /** @param {ReviewUpdate} update */
  receive(update) {
    if (!this.isDone) this.#view.update = update;
  }
  /** @param {number | null} viewed the ply that the board shows, null for the last one */
  show(viewed) {
    const count = this.#mistakes.length;
    if (viewed !== (this.#better?.ply ?? 0) - 1) this.#better = null;
    this.#view.show(this.#room, this.#better?.ply ?? viewed ?? this.#room.ply, count ? `Learn from ${count === 1 ? "the mistake" : `${count} mistakes`}` : "");
    this.#exercise.show(this.#exercise.exercise, "Find a better move", `${this.#lesson + 1} of ${count}`, this.#lesson + 1 >= count);
    if (this.isLearning) this.node.hidden = true;
  }
  /** The mark beside a move, and the judgement for screen readers. @param {number} ply */
  markOf(ply) {
    const move = this.#view.moves[ply - 1];
    if (!move || !markOf(move)) return [];
    return [h("span", { class: `mark ${markKind(move)}`, "aria-hidden": "true" }, markOf(move)), h("span", { class: "sr" }, `, ${move.judgement}`)];
  }

  // -- the board

  /** Mark the better move, if it is shown now. @param {ParlourBoard} board */
  markBoard(board) {
    if (this.#better) board.picked = this.#better.path ?? [];
  }
  /** Draw the exercise. @param {ParlourBoard} board @param {MoveInput} input */
  showExercise(board, input) {
    const { exercise } = this.#exercise;
    if (!exercise) return;
    board.toggleAttribute("live", !exercise.isOver);
    board.setAttribute("label", exercise.text);
    board.layout = exercise.task.layout;
    board.board = exercise.task.board;
    board.last = exercise.task.last;
    board.decisive = [];
    input.show(exercise.position, !exercise.isOver);
    if (exercise.marked.length) board.picked = exercise.marked;
    if (exercise.preview) board.preview = exercise.preview;
  }
  /** @param {ReviewedMove} move */
  #showBetter(move) {
    this.#better = move;
    this.#owner.look(move.ply - 1);
  }

  // -- exercises

  /** The mistakes of this player, or of both sides for a watcher. */
  get #mistakes() {
    const { seat } = this.#room;
    return this.#view.moves.filter((move) => isMistake(move) && (seat === null || move.side === seat));
  }
  /** Make an exercise of a mistake. @param {number} number */
  async #learn(number) {
    const room = this.#room, move = this.#mistakes[number];
    if (!move) return this.stop();
    const reply = await this.#owner.ask("boards", { ply: move.ply - 1, legal: true });
    const board = reply?.boards?.[0];
    if (!reply || !board) return undefined;
    await this.#owner.look(move.ply - 1);
    this.#lesson = number;
    this.#exercise.exercise = new Exercise({
      id: `${room.id} ${move.ply}`, layout: room.layout, board, last: reply.lasts?.[0] ?? [], legal: reply.legal ?? [],
      solution: move.best, also: move.also ?? [], played: move.move,
      task: `Move ${move.ply}, ${room.sides[move.side]}: ${move.move} was played. ${sentenceOf(move)} Find a better move.`,
      wrong: `${move.move} was played. ${sentenceOf(move)} Try again.`,
      right: move.line.length > 1 ? `The best line continues with ${move.line.slice(1, 5).join(" ")}.` : "",
    });
    return this.#owner.refresh();
  }
  /** @param {Legal} move */
  try(move) {
    this.#exercise.exercise?.try(move.move);
    this.#owner.refresh();
  }
  /** Leave the exercises, without showing anything else. */
  leave() {
    this.#exercise.exercise = null;
  }
  stop() {
    this.leave();
    this.#owner.look(null);
  }
}
