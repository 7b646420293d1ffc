// Texts about rooms, players, clocks and results.

/** @import { Control, Options, RoomInfo, Seat, GameInfo } from "./types.d.ts" */
/** @import { Room } from "./room.js" */

const TENTHS_BELOW_MS = 10_000;
/** @type {Record<string, string>} */
const LOSSES = {
  no_moves: "{name} cannot move",
  score: "",
  line: "{name} completed a line",
  resigned: "{name} resigned",
  time: "{name} ran out of time",
  abandoned: "{name} left the game",
  illegal_moves: "{name} made too many illegal moves",
};
/** @type {Record<string, string>} */
const DRAWS = {
  no_moves: "No moves are left",
  score: "Equal points",
  repetition: "The position occurred for the third time",
  ply_limit: "The move limit is reached",
  agreed: "Both players agreed",
};
/** @type {Record<string, string>} */
const SHORT_REASONS = {
  no_moves: "no moves left",
  line: "a line was completed",
  resigned: "resigned",
  time: "time ran out",
  abandoned: "left the game",
  illegal_moves: "illegal moves",
  repetition: "third repetition",
  ply_limit: "move limit",
  agreed: "agreed",
  aborted: "aborted",
};

/** @param {number} number @param {string} noun */
export function counted(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** @param {number | null} milliseconds the face of a clock, with tenths if little time is left */
export function timeText(milliseconds) {
  if (milliseconds === null) return "";
  if (milliseconds < TENTHS_BELOW_MS) return `0:0${(Math.floor(milliseconds / 100) / 10).toFixed(1)}`;
  const seconds = Math.floor(milliseconds / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const end = String(seconds % 60).padStart(2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${end}` : `${minutes}:${end}`;
}

/** @param {Control} clock a time control in words: "5 min + 3" */
export function clockText(clock) {
  const seconds = (/** @type {number} */ value) => `${value / 1000}`;
  switch (clock?.kind) {
    case "fischer": {
      const base = clock.base ?? 0;
      const whole = base % 60_000 === 0 ? `${base / 60_000} min` : `${seconds(base)} s`;
      return clock.increment ? `${whole} + ${seconds(clock.increment)}` : whole;
    }
    case "move":
      return `${seconds(clock.per_move ?? 0)} s per move`;
    case "bank":
      return `${seconds(clock.per_move ?? 0)} s per move + ${seconds(clock.bank ?? 0)} s`;
    default:
      return "no clock";
  }
}

/** @param {Seat | null | undefined} seat */
export function ratingText(seat) {
  return seat?.rating == null ? "" : `${seat.rating}${seat.provisional ? "?" : ""}`;
}

/** The title of a game with its options: "5-4-coh-coh". @param {string} title @param {Options} options @param {GameInfo | undefined} game */
export function gameTitle(title, options, game) {
  if (title.startsWith("n-k-")) {
    const value = (/** @type {string} */ name) => options?.[name] ?? game?.options.find((option) => option.name === name)?.default;
    return `${value("n")}-${value("k")}-${title.slice(4)}`;
  }
  return title;
}

/** Who won: "You win", "search@5 wins", "A draw". @param {Room} room */
export function resultHeadline(room) {
  if (room.result === "*") return "The game does not count";
  if (room.winner === null) return "A draw";
  if (room.winner === room.seat) return "You win";
  return `${playerName(room, room.winner)} wins`;
}

/** Why the game ended, in a sentence. @param {Room} room */
export function resultReason(room) {
  const reason = room.reason ?? "";
  if (room.result === "*") return reason === "aborted" ? "It was aborted." : "Both players left.";
  const points = room.scores ? `${room.scores[0]} to ${room.scores[1]}` : "";
  if (room.winner === null) return `${DRAWS[reason] ?? reason}${points ? `: ${points}` : ""}.`;
  const loser = 1 - room.winner;
  const side = reason === "line" ? room.moves.at(-1)?.side ?? loser : loser; // a line wins or loses
  const name = side === room.seat ? "You" : playerName(room, side);
  const won = room.scores ? `${room.scores[room.winner]} to ${room.scores[1 - room.winner]} points` : "";
  const why = (LOSSES[reason] ?? reason).replace("{name}", () => name);
  return `${[why, won].filter(Boolean).join(", ")}.`;
}

/** @param {Room} room @param {number} side */
export function playerName(room, side) {
  const names = [room.nameOf(0), room.nameOf(1)];
  return names[0] === names[1] ? `${names[side]} (${room.sides[side]})` : names[side];
}

/** @param {string} result "1–0", with a dash and halves as they are printed */
export function resultText(result) {
  return { "1-0": "1–0", "0-1": "0–1", "1/2-1/2": "½–½" }[result] ?? "–";
}

/** @param {RoomInfo} info */
export function shortReason(info) {
  return SHORT_REASONS[info.reason ?? ""] ?? "";
}

/** The opponent's open offer as a question, or "". @param {Room} room */
export function offerQuestion(room) {
  if (room.seat === null) return "";
  const other = 1 - room.seat, name = room.nameOf(other);
  if (room.offers.draw === other) return `${name} offers a draw.`;
  if (room.offers.takeback === other) return `${name} asks to take back a move.`;
  if (room.offers.rematch === other && !room.next) return `${name} offers a rematch.`;
  return "";
}

/** This player's own open offer, or "". @param {Room} room */
export function pendingText(room) {
  if (room.seat === null) return "";
  const name = room.nameOf(1 - room.seat);
  if (room.offers.draw === room.seat) return `You offered a draw. ${name} has not answered yet.`;
  if (room.offers.takeback === room.seat) return `You asked to take back a move. ${name} has not answered yet.`;
  if (room.offers.rematch === room.seat && !room.next) return `You offered a rematch. ${name} has not answered yet.`;
  return "";
}

/** @param {number} milliseconds since 1970 */
export function dayText(milliseconds) {
  return new Date(milliseconds).toLocaleDateString(undefined, { year: "numeric", month: "short", day: "numeric" });
}
