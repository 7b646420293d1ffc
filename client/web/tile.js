// One game as a picture with its players: for the TV wall and for embedding.

/** @import { Room } from "./room.js" */
/** @import { Session } from "./session.js" */
import { h, fill, say } from "./dom.js";
import { isWide, newBoard, SeatView, showPosition, sideBelow, titleOf } from "./parts.js";
import { resultHeadline } from "./texts.js";

export class Tile {
  #board = newBoard();
  #seats = [new SeatView(), new SeatView()]; // above and below the board
  #title = h("span");
  #move = h("span");
  node = h("section", { class: "card tile" }, this.#board,
    h("aside", {}, this.#seats[0].node, h("div", { class: "what" }, this.#title, this.#move), this.#seats[1].node));

  /** @param {Session} session */
  constructor(session) {
    this.session = session;
  }
  /** @param {Room} room */
  show(room) {
    const title = titleOf(this.session, room);
    showPosition(this.#board, room, title);
    const below = sideBelow(room);
    this.#seats[0].show(room, 1 - below);
    this.#seats[1].show(room, below);
    say(this.#title, title);
    say(this.#move, room.status === "ended" ? resultHeadline(room) : `move ${room.ply}`);
    this.node.classList.toggle("wide", isWide(room));
  }
  tick() {
    for (const seat of this.#seats) seat.tick();
  }
  /** Show a text instead of a game. @param {string} text */
  message(text) {
    fill(this.node, h("p", { class: "none" }, text));
  }
}
