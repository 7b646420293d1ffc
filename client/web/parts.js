// Parts that several pages show: seats with clocks, the board of a room, graphs.

/** @import { Seat, RoomInfo } from "./types.d.ts" */
/** @import { Room } from "./room.js" */
/** @import { ParlourBoard } from "./board.js" */
/** @import { Session } from "./session.js" */
import "./board.js";
import { h, fill, say } from "./dom.js";
import { clockText, gameTitle, ratingText, timeText } from "./texts.js";

const LOW_TIME_MS = 10_000;
const TICK_MS = 100;
const SVG = "http://www.w3.org/2000/svg";

/** @param {Seat | null | undefined} seat */
export function botMark(seat) {
  return seat?.bot ? h("i", { class: "bot" }, "bot") : null;
}

/** Call a function ten times a second until the returned function is called. @param {() => void} tick */
export function everyTick(tick) {
  const timer = setInterval(tick, TICK_MS);
  return () => clearInterval(timer);
}

/** @returns {ParlourBoard} */
export function newBoard() {
  return /** @type {ParlourBoard} */ (document.createElement("parlour-board"));
}

/** The title of a room's game with its options. @param {Session} session @param {Room | RoomInfo} room */
export function titleOf(session, room) {
  return gameTitle(session.title(room.game), room.options, session.games.find((game) => game.name === room.game));
}

/** Draw the current position of a room. @param {ParlourBoard} board @param {Room} room @param {string} title */
export function showPosition(board, room, title) {
  if (!room.layout || !room.board) return;
  board.layout = room.layout;
  board.board = room.board;
  board.last = room.last;
  board.decisive = room.decisive;
  const label = `${title}: ${room.nameOf(0) || "open seat"} against ${room.nameOf(1) || "open seat"}, move ${room.ply}`;
  if (board.getAttribute("label") !== label && !board.hasAttribute("live")) board.setAttribute("label", label);
}

/** A board that is much wider than high has its seats below it. @param {Room} room */
export function isWide(room) {
  const rows = room.layout?.rows;
  return Boolean(rows && rows[0].length > 2 * rows.length);
}

/** The side whose seat is below the board, as the board is drawn. @param {Room} room */
export function sideBelow(room) {
  return room.layout?.near ?? room.seat ?? 0;
}

/** One player of a room with the clock. */
export class SeatView {
  #chip = h("i", { class: "chip" });
  #name = h("p");
  #detail = h("small");
  #clock = h("span", { class: "clock" });
  #face = "";
  node = h("div", { class: "seat" }, this.#chip, this.#name, this.#clock);
  /** @type {Room | null} */
  #room = null;
  #side = 0;

  /** @param {Room} room @param {number} side @param {string} [detail] an own text for the second line */
  show(room, side, detail) {
    this.#room = room;
    this.#side = side;
    const seat = room.seats[side];
    const words = detail ?? describe(room, side);
    const face = JSON.stringify([seat, side, words, room.layout?.colours, room.seat]);
    if (face !== this.#face) {
      this.#face = face;
      this.#chip.className = `chip side-${side} c-${room.layout?.colours[side] ?? ""}`;
      const name = seat?.name ?? room.players?.[side] ?? (room.invite ? room.invite : "");
      say(this.#detail, words);
      fill(this.#name, h("b", {}, name || "open seat"), " ", botMark(seat), side === room.seat && h("span", { class: "soft" }, " you"), this.#detail);
      this.node.classList.toggle("away", Boolean(seat && seat.online === false && room.status === "running"));
    }
    this.tick();
  }
  tick() {
    const room = this.#room;
    if (!room) return;
    const left = room.remaining(this.#side);
    const running = room.thinking === this.#side;
    say(this.#clock, timeText(left));
    this.#clock.className = `clock${running ? (left !== null && left < LOW_TIME_MS ? " low" : " on") : ""}`;
  }
}

/** @param {Room} room @param {number} side */
function describe(room, side) {
  const seat = room.seats[side];
  if (!seat) return room.invite || room.players ? "is invited" : "waiting for a player";
  const program = seat.bot ? [seat.engine, seat.version].filter(Boolean).join(" ") : "";
  const points = room.scores ? `${room.scores[side]} points` : "";
  const away = seat.online === false && room.status === "running" ? "disconnected" : "";
  const rating = room.ratings ? `${room.ratings[side].after}` : ratingText(seat);
  return [rating, program, points, away].filter(Boolean).join(" · ") || room.sides[side];
}

/** The kind of a room in words: clock, rated or casual. @param {Room | RoomInfo} room */
export function settingsText(room) {
  return `${clockText(room.clock)} · ${room.rated ? "rated" : "casual"}`;
}

/** Draw values as a curve; above the middle, the first side is ahead. @param {SVGSVGElement} graph @param {(number | null)[]} series */
export function drawValues(graph, series) {
  /** @type {number[]} */
  const known = [];
  for (const value of series) {
    const shown = value ?? known.at(-1); // a move without a note keeps the value before it
    if (shown !== undefined) known.push(shown);
  }
  const scale = Math.max(1, ...known.map(Math.abs));
  drawCurve(graph, known.map((value) => 32 - (value / scale) * 28), 32);
}

/** Draw heights from 0 (top) to 64 as a curve. @param {SVGSVGElement} graph @param {number[]} heights @param {number} base */
export function drawCurve(graph, heights, base) {
  const step = heights.length > 1 ? 300 / (heights.length - 1) : 300;
  const points = heights.map((y, at) => `${(at * step).toFixed(1)},${y.toFixed(1)}`).join(" ");
  const [area, zero, curve] = graph.children;
  zero.setAttribute("d", `M0 ${base}H300`);
  area.setAttribute("d", points ? `M0 ${base} ${points} 300,${base}` : "");
  curve.setAttribute("d", points ? `M${points}` : "");
}

/** @param {string} label @returns {SVGSVGElement} */
export function newGraph(label) {
  const graph = document.createElementNS(SVG, "svg");
  graph.setAttribute("class", "graph");
  graph.setAttribute("viewBox", "0 0 300 64");
  graph.setAttribute("preserveAspectRatio", "none");
  graph.setAttribute("role", "img");
  graph.setAttribute("aria-label", label);
  for (const kind of ["area", "zero", "curve"]) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("class", kind);
    graph.append(path);
  }
  return graph;
}

/** The names of both players, with bot marks. @param {RoomInfo} info @param {number | null} [winner] in bold */
export function versus(info, winner = null) {
  const side = (/** @type {number} */ at) => {
    const seat = info.seats[at];
    const name = seat?.name ?? info.players?.[at] ?? info.invite ?? "";
    return [winner === at ? h("b", {}, name || "?") : name || "?", " ", botMark(seat), seat?.bot ? " " : ""];
  };
  return [...side(0), "– ", ...side(1)];
}
