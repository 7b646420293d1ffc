// Puzzles: a position in which exactly one move is right. The server gives the legal moves; the page knows no rules.

/** @import { App } from "../app.js" */
/** @import { Puzzle } from "../types.d.ts" */
import { h, fill, say } from "../dom.js";
import { Exercise } from "../exercise.js";
import { ExerciseView } from "../exercise_view.js";
import { MoveInput } from "../move_input.js";
import { newBoard } from "../parts.js";
import { Progress } from "../puzzle_progress.js";
import { loadStyles } from "../styles.js";

await loadStyles("review.css");

/** @type {Record<string, [string, number, number]>} */
const DIFFICULTIES = { easy: ["Easy", 1, 3], medium: ["Medium", 4, 6], hard: ["Hard", 7, 10], all: ["All", 1, 10] };

/** @param {App} app @param {HTMLElement} main @param {string} game */
export function show(app, main, game) {
  return new PuzzlePage(app, main, game || "conga");
}

class PuzzlePage {
  #difficulty = "easy";
  /** The level of each puzzle, by its number. @type {number[]} */
  #levels = [];
  /** @type {Puzzle | null} */
  #puzzle = null;
  #progress;
  #board = newBoard();
  #side = h("p", { class: "seat" });
  #chip = h("i", { class: "chip" });
  #turn = h("b");
  #games = h("nav", { class: "tabs", "aria-label": "Games" });
  #choices = h("div", { class: "tabs", role: "group", "aria-label": "Difficulty" });
  #solved = h("p", { class: "soft" });
  #wait = h("div", { class: "wait square late" });
  #streak = h("p", { class: "soft" });
  #exercise = new ExerciseView({ changed: () => this.#showExercise(), next: () => this.#next(), stop: () => undefined });
  #input;

  /** @param {App} app @param {HTMLElement} main @param {string} game */
  constructor(app, main, game) {
    this.app = app;
    this.game = game;
    this.#progress = new Progress(game);
    this.#input = new MoveInput(this.#board, {
      play: (move) => this.#try(move.move),
      announce: (text) => app.announce(text),
      changed: () => undefined,
    });
    main.className = "page puzzles";
    fill(this.#side, this.#chip, h("span", {}, this.#turn));
    fill(main,
      h("header", { class: "hero" }, h("div", {}, h("h1", {}, "Puzzles"), h("p", {}, "One move is right, and it is proved that no other one is. Find it."))),
      h("div", { class: "table" }, this.#side, this.#wait),
      h("div", { class: "card side" },
        this.#exercise.node, h("section", {}, this.#input.form, this.#solved, this.#streak),
        h("section", {}, h("h2", {}, "Game"), this.#games, h("h2", {}, "Difficulty"), this.#choices)));
    app.title("Puzzles");
    app.session.addEventListener("state", this.#onState);
    addEventListener("keydown", this.#onKey);
    this.#onState();
  }
  close() {
    this.app.session.removeEventListener("state", this.#onState);
    removeEventListener("keydown", this.#onKey);
  }

  #onState = () => {
    const { session } = this.app;
    if (session.state !== "open" || this.#levels.length) return;
    if (!session.games.some((game) => game.name === this.game)) return this.app.message("There is no such game", "The address may be mistyped.");
    fill(this.#games, session.games.map(({ name, title }) =>
      h("a", { href: `/puzzles/${name}`, "aria-current": name === this.game && "page" }, title)));
    this.#showChoices();
    this.#next();
    return undefined;
  };
  #onKey = (/** @type {KeyboardEvent} */ event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, textarea, select")) return;
    if (event.key === "Escape") this.#input.clear();
    else if (event.key === "Enter" && this.#exercise.exercise?.isOver && !target.closest("a, button, [data-cell]")) this.#next();
    else if (event.key.length === 1 && event.key !== " ") this.#input.startTyping();
  };
  #showChoices() {
    fill(this.#choices, Object.entries(DIFFICULTIES).map(([key, [name]]) =>
      h("button", { class: "btn small", type: "button", "aria-pressed": String(key === this.#difficulty), click: () => this.#choose(key) }, name)));
  }
  /** @param {string} difficulty */
  #choose(difficulty) {
    this.#difficulty = difficulty;
    this.#showChoices();
    this.#next();
  }
  /** The numbers of the puzzles of the chosen difficulty. */
  get #chosen() {
    const [, low, high] = DIFFICULTIES[this.#difficulty];
    return [...this.#levels.keys()].filter((number) => this.#levels[number] >= low && this.#levels[number] <= high);
  }

  /** Show a puzzle that has not been solved yet; if there is none, any other. */
  /** @returns {Promise<void>} */
  async #next() {
    const reply = await this.#ask(this.#levels.length ? this.#progress.pick(this.#chosen, this.#puzzle?.number ?? -1) : null);
    if (!reply) return;
    if (!this.#levels.length) {
      this.#levels = reply.levels ?? [];
      return this.#next();
    }
    const puzzle = reply.puzzle;
    if (!puzzle) return;
    this.#puzzle = puzzle;
    this.#wait.replaceWith(this.#board);
    this.#board.toggleAttribute("flipped", (puzzle.layout.near ?? puzzle.turn) !== puzzle.turn);
    this.#exercise.exercise = new Exercise({
      id: `${this.game} ${puzzle.number}`, layout: puzzle.layout, board: puzzle.board, last: [], legal: puzzle.legal,
      solution: puzzle.solution, also: [], played: "", task: puzzle.task, wrong: "", right: "",
    });
    this.#chip.className = `chip side-${puzzle.turn} c-${puzzle.layout.colours[puzzle.turn]}`;
    say(this.#turn, `${puzzle.sides[puzzle.turn]} to move`);
    this.#showExercise();
  }
  /** @param {number | null} number */
  async #ask(number) {
    try {
      return await this.app.session.ask("puzzle", { game: this.game, number });
    } catch (error) {
      return this.app.message("There is no puzzle", /** @type {Error} */ (error).message);
    }
  }
  /** @param {string} move */
  async #try(move) {
    this.#exercise.exercise?.try(move);
    this.#showExercise();
  }
  #showExercise() {
    const { exercise } = this.#exercise, puzzle = this.#puzzle;
    if (!exercise || !puzzle) return;
    if (exercise.state === "solved") this.#progress.add(puzzle.number, exercise.isClean);
    const { board } = exercise.task;
    this.#board.toggleAttribute("live", !exercise.isOver);
    this.#board.setAttribute("label", exercise.text);
    this.#board.layout = puzzle.layout;
    this.#board.board = exercise.isOver ? (exercise.preview ?? board) : board;
    this.#board.last = exercise.isOver ? (exercise.best?.path ?? []) : [];
    this.#input.show(exercise.position, !exercise.isOver);
    this.#input.form.hidden = exercise.isOver;
    if (!exercise.isOver && exercise.marked.length) this.#board.picked = exercise.marked;
    this.#exercise.show(exercise, `Puzzle ${puzzle.number + 1}`, `level ${puzzle.level} of 10`);
    const [name] = DIFFICULTIES[this.#difficulty], chosen = this.#chosen;
    say(this.#solved, `${this.#progress.count(chosen)} of ${chosen.length} solved${this.#difficulty === "all" ? "" : ` (${name.toLowerCase()})`}`);
    const { streak } = this.#progress;
    say(this.#streak, streak > 1 ? `${streak} in a row at the first try` : "");
  }
}
