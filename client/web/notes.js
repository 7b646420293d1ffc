// Notes that bots attach to moves: `depth 9 value +3.5 nodes 1200 line a4b3 d1c2 | text`.

/** @import { PlayedMove } from "./types.d.ts" */

/** @typedef {{ value: number | null, depth: number | null, line: string, text: string }} Note */

/** @param {string} text @returns {Note} */
export function parseNote(text) {
  const [head, tail = ""] = text.split("| ");
  const value = /\bvalue ([-+]?[\d.]+(?:e[-+]?\d+)?)/.exec(head);
  const depth = /\bdepth (\d+)/.exec(head);
  const line = /\bline (.+)$/.exec(head.trim());
  const known = value || depth || line;
  return {
    value: value ? Number(value[1]) : null,
    depth: depth ? Number(depth[1]) : null,
    line: line ? line[1] : "",
    text: known ? tail : text,
  };
}

/** The values from the view of the first side, one a move; null where a note has none. @param {PlayedMove[]} moves */
export function values(moves) {
  return moves.map((played) => {
    const value = played.note ? parseNote(played.note).value : null;
    return value === null ? null : played.side === 0 ? value : -value;
  });
}

/** @param {number} value */
export function valueText(value) {
  const text = Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
  return value > 0 ? `+${text}` : text.replace("-", "−");
}
