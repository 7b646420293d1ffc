// An exercise beside the board: the task, what became of the last try, and the buttons for help.

/** @import { Exercise } from "./exercise.js" */
import { h, fill, say } from "./dom.js";

/** @typedef {{ changed(): void, next(): void, stop(): void }} Owner */

export class ExerciseView {
  /** @type {Exercise | null} */
  exercise = null;
  #owner;
  #title = h("h2");
  #count = h("small");
  #text = h("p", { class: "task", role: "status" });
  #hint = h("button", { class: "btn", type: "button", click: () => this.#act((exercise) => exercise.hint()) }, "Hint");
  #show = h("button", { class: "btn", type: "button", click: () => this.#act((exercise) => exercise.giveUp()) }, "Solution");
  #next = h("button", { class: "btn", type: "button", click: () => this.#owner.next() }, "Next");
  #stop = h("button", { class: "btn", type: "button", click: () => this.#owner.stop() });
  node = h("section", { class: "exercise", hidden: true, "aria-label": "Exercise" },
    h("div", { class: "row" }, this.#title, this.#count), this.#text,
    h("div", { class: "actions" }, this.#next, this.#hint, this.#show, this.#stop));

  /** @param {Owner} owner @param {string} [stop] the name of the button that ends the exercises; without it there is none */
  constructor(owner, stop = "") {
    this.#owner = owner;
    say(this.#stop, stop);
    this.#stop.hidden = !stop;
  }

  /** @param {Exercise | null} exercise @param {string} title @param {string} count @param {boolean} [last] whether none follows */
  show(exercise, title, count, last = false) {
    this.exercise = exercise;
    this.node.hidden = !exercise;
    if (!exercise) return;
    say(this.#title, title);
    say(this.#count, count);
    const { state } = exercise;
    const sign = state === "solved" ? "✓" : state === "wrong" ? "✗" : "";
    this.#text.className = `task ${state}`;
    fill(this.#text, sign && h("span", { class: state === "solved" ? "up" : "down", "aria-hidden": "true" }, `${sign} `), exercise.text);
    this.#hint.disabled = exercise.hinted || exercise.isOver;
    this.#show.disabled = exercise.isOver;
    this.#next.hidden = last;
    this.#next.classList.toggle("main", exercise.isOver);
    say(this.#next, exercise.isOver ? "Next" : "Skip");
  }
  /** @param {(exercise: Exercise) => void} change */
  #act(change) {
    if (this.exercise) change(this.exercise);
    this.#owner.changed();
  }
}
