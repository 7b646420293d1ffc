// The review of a finished game: how far it is, the accuracy of both sides, the winning chances as a curve, and the
// judgement of the move that the board shows.

/** @import { ReviewedMove, ReviewUpdate } from "./types.d.ts" */
/** @import { Room } from "./room.js" */
import { h, fill, say } from "./dom.js";
import { certaintyOf, chancesOf, isMistake, markOf, mistakesOf, progressText, sentenceOf } from "./review_texts.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 300, HEIGHT = 80;

/** @typedef {{ look(ply: number): void, showBetter(move: ReviewedMove): void, learn(): void }} Owner */

export class ReviewView {
  /** @type {ReviewUpdate | null} */
  update = null;
  #owner;
  #progress = h("progress", { "aria-label": "Progress of the review" });
  #state = h("p", { class: "soft", role: "status" });
  #waiting = h("div", { class: "review-wait" }, this.#progress, this.#state);
  #sides = h("dl", { class: "accuracy" });
  #graph = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", class: "graph chances", role: "img" });
  #legend = h("p", { class: "ends" });
  #verdict = h("div", { class: "verdict", "aria-live": "polite" });
  #learn = h("button", { class: "btn", type: "button", click: () => this.#owner.learn() }, "Learn from the mistakes");
  #better = h("button", { class: "btn", type: "button", click: () => this.#judged && this.#owner.showBetter(this.#judged) });
  /** @type {ReviewedMove | undefined} */
  #judged;
  #done = h("div", { class: "review" }, this.#sides, this.#graph, this.#legend, this.#verdict, h("div", { class: "actions" }, this.#better, this.#learn));
  node = h("section", { hidden: true, "aria-label": "Review" }, this.#waiting, this.#done);
  #face = "";

  /** @param {Owner} owner */
  constructor(owner) {
    this.#owner = owner;
    this.#graph.addEventListener("click", (event) => this.#click(/** @type {MouseEvent} */ (event)));
  }
  /** The moves of a review that is there, else an empty list. */
  get moves() {
    return this.update?.state === "done" ? (this.update.moves ?? []) : [];
  }

  /** @param {Room} room @param {number} ply that the board shows @param {string} learnText */
  show(room, ply, learnText) {
    const { update, moves } = this;
    this.node.hidden = !update;
    if (!update) return;
    this.#waiting.hidden = moves.length > 0;
    this.#done.hidden = moves.length === 0;
    if (!moves.length) return this.#showProgress(update);
    const face = `${update.room} ${moves.length}`;
    if (face !== this.#face) {
      this.#face = face;
      this.#showSides(room, update);
      this.#drawCurve(room);
    }
    this.#learn.hidden = !learnText;
    say(this.#learn, learnText);
    this.#mark(ply);
    return this.#showVerdict(moves[ply - 1]);
  }
  /** @param {ReviewUpdate} update */
  #showProgress(update) {
    say(this.#state, progressText(update));
    this.#progress.hidden = update.state === "failed";
    this.#progress.max = update.total || 1;
    if (update.state === "running") this.#progress.value = update.done ?? 0;
    else this.#progress.removeAttribute("value");
  }
  /** @param {Room} room @param {ReviewUpdate} update */
  #showSides(room, update) {
    fill(this.#sides, [0, 1].map((side) => {
      const percent = update.summary?.accuracy[side];
      return [
        h("dt", {}, h("i", { class: `chip side-${side} c-${room.layout?.colours[side] ?? ""}` }), h("span", { class: "name" }, room.nameOf(side) || room.sides[side])),
        h("dd", { class: "counts" }, mistakesOf(this.moves, side).map(({ mark, count, words, slip }) =>
          h("span", { title: words }, h("span", { "aria-hidden": "true" }, h("b", { class: `mark ${slip ? "slip" : "down"}` }, mark), ` ${count}`), h("span", { class: "sr" }, `${words}, `)))),
        h("dd", { title: "Accuracy" }, percent == null ? "–" : `${Math.round(percent)} %`, h("span", { class: "sr" }, " accuracy")),
      ];
    }).flat());
  }

  // -- the curve

  /** @param {number} ply */
  #x(ply) {
    return (WIDTH * ply) / Math.max(1, this.moves.length);
  }
  /** @param {Room} room */
  #drawCurve(room) {
    const heights = [0.5, ...chancesOf(this.moves)].map((chance) => HEIGHT - 6 - chance * (HEIGHT - 12));
    const points = heights.map((y, ply) => `${this.#x(ply).toFixed(1)},${y.toFixed(1)}`).join(" ");
    this.#graph.replaceChildren(
      svg("path", { class: "area", d: `M0 ${HEIGHT} ${points} ${WIDTH},${HEIGHT}` }),
      svg("path", { class: "zero", d: `M0 ${HEIGHT / 2}H${WIDTH}` }),
      ...this.moves.filter(isMistake).map((move) =>
        svg("path", { class: `fault ${move.judgement === "inaccuracy" ? "slip" : ""}`, d: `M${this.#x(move.ply).toFixed(1)} 0V${HEIGHT}` })),
      svg("path", { class: "curve", d: `M${points}` }),
      svg("path", { class: "here", d: "" }),
    );
    const faults = this.moves.filter(isMistake).length;
    this.#graph.setAttribute("aria-label", `Winning chances of ${room.sides[0]} over ${this.moves.length} moves, with ${faults} mistakes. The list of moves has the same marks.`);
    fill(this.#legend, h("span", {}, `High: good for ${room.nameOf(0) || room.sides[0]}`), h("span", {}, "Click to go there"));
  }
  /** @param {number} ply */
  #mark(ply) {
    this.#graph.lastElementChild?.setAttribute("d", `M${this.#x(ply).toFixed(1)} 0V${HEIGHT}`);
  }
  /** @param {MouseEvent} event */
  #click(event) {
    const { left, width } = this.#graph.getBoundingClientRect();
    this.#owner.look(Math.round(((event.clientX - left) / width) * this.moves.length));
  }

  // -- the move that the board shows

  /** @param {ReviewedMove | undefined} move */
  #showVerdict(move) {
    const better = move !== undefined && move.best !== move.move;
    this.#judged = move;
    this.#better.hidden = !better;
    if (!move) return fill(this.#verdict, h("p", { class: "soft" }, "Choose a move to see what the reviewer says."));
    say(this.#better, better ? `Show ${move.best}` : "");
    return fill(this.#verdict,
      h("p", {}, h("b", { class: isMistake(move) ? "down" : "" }, `${move.move}${markOf(move)}`), ` ${sentenceOf(move)} `, h("small", {}, certaintyOf(move))),
      better && h("p", {}, "Better: ", h("b", {}, move.best), move.line.length > 1 && h("span", { class: "soft" }, ` then ${move.line.slice(1, 5).join(" ")}`)));
  }
}

/** @param {string} tag @param {Record<string, any>} given @param {...Node} inside */
function svg(tag, given, ...inside) {
  const node = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(given)) node.setAttribute(key, String(value));
  node.append(...inside);
  return node;
}
