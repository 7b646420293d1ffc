// The judgements of a review in words.

/** @import { ReviewedMove, ReviewUpdate } from "./types.d.ts" */
import { counted } from "./texts.js";

/** @type {Record<string, string>} */
const MARKS = { "only move": "!", inaccuracy: "?!", mistake: "?", blunder: "??", "missed win": "?x" };
const COUNTED = ["inaccuracy", "mistake", "blunder", "missed win"];
const PLURALS = ["inaccuracies", "mistakes", "blunders", "missed wins"];

/** The sign beside a move, empty for a good one. @param {ReviewedMove} move */
export const markOf = (move) => MARKS[move.judgement] ?? "";

/** The class of that sign. @param {ReviewedMove} move */
export const markKind = (move) => (isMistake(move) ? (move.judgement === "inaccuracy" ? "slip" : "down") : "up");

/** @param {ReviewedMove} move */
export const isMistake = (move) => COUNTED.includes(move.judgement);

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** What a move was, and what it has lost. @param {ReviewedMove} move */
export function sentenceOf(move) {
  return `${capital(move.judgement)}${move.words ? `: ${move.words}` : ""}.`;
}

/** How sure the judgement is. @param {ReviewedMove} move */
export function certaintyOf(move) {
  return move.value_proved && move.played_proved ? "proved" : `estimated, ${move.depth ?? 1} moves ahead`;
}

/** The mistakes of a side by kind: the sign, the number, and both in words. @param {ReviewedMove[]} moves @param {number} side */
export function mistakesOf(moves, side) {
  return COUNTED.map((name, at) => {
    const count = moves.filter((move) => move.side === side && move.judgement === name).length;
    return { mark: MARKS[name], count, words: `${count} ${count === 1 ? name : PLURALS[at]}`, slip: at === 0 };
  }).filter(({ count }) => count);
}

/** The winning chance of the first side after each move. @param {ReviewedMove[]} moves */
export function chancesOf(moves) {
  return moves.map((move) => (move.side === 0 ? move.chance : 1 - move.chance));
}

/** How far a review is. @param {ReviewUpdate} update */
export function progressText(update) {
  if (update.state === "failed") return `The game could not be reviewed: ${update.why ?? "the reviewer gave up"}.`;
  if (update.state === "running") return `Reviewing: ${update.done ?? 0} of ${update.total ?? 0} moves.`;
  const ahead = update.ahead ?? 0;
  return `Waiting for the reviewer${ahead ? `: ${counted(ahead, "game")} first` : ""}.`;
}
