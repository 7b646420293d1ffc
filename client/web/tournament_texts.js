// Texts about tournaments.

/** @import { TournamentReport } from "./types.d.ts" */
import { counted } from "./texts.js";

/** A running tournament reports once a minute. */
export const SILENT_AFTER_MS = 150_000;
/** @type {Record<string, string>} */
const FORMATS = { "round-robin": "round robin", gauntlet: "gauntlet", swiss: "Swiss system", knockout: "knockout", match: "match", grading: "grading", ladder: "ladder" };

/** "round robin of 6" @param {{ format: string, players: number }} tournament */
export function formatText({ format, players }) {
  return `${FORMATS[format] ?? format} of ${players}`;
}

/** "150 of 300 games" @param {{ format: string, done?: number, total?: number, open_ended?: boolean, finished?: boolean }} tournament */
export function progressText({ format, done = 0, total = 0, open_ended = false, finished = false }) {
  if (finished || format === "ladder") return counted(done, "game");
  return `${done} of ${open_ended ? "about " : ""}${counted(total, "game")}`;
}

/** "running", "finished" or "no news for 3 minutes" @param {{ finished?: boolean, age: number }} tournament */
export function stateText({ finished = false, age }) {
  if (finished) return "finished";
  return age < SILENT_AFTER_MS ? "running" : `no news for ${durationText(age / 1000)}`;
}

/** "about 40 minutes left" @param {TournamentReport} report */
export function leftText({ left, open_ended }) {
  return left == null || open_ended ? "" : `about ${durationText(left)} left`;
}

/** @param {number} seconds */
function durationText(seconds) {
  if (seconds < 100) return counted(Math.max(1, Math.round(seconds)), "second");
  if (seconds < 5400) return counted(Math.round(seconds / 60), "minute");
  return counted(Math.round(seconds / 3600), "hour");
}

/** Points as they are printed: 5½ @param {number} points */
export function pointsText(points) {
  const whole = Math.floor(points);
  return points === whole ? `${whole}` : `${whole || ""}½`;
}

/** @param {number} value with a real minus sign */
export function signed(value) {
  return value < 0 ? `−${Math.abs(value)}` : `${value}`;
}
