// The lobby as this client knows it: open rooms, bots, latest results.

/** @import { BotInfo, LobbyUpdate, RoomInfo } from "./types.d.ts" */

const MAX_RESULTS = 8;

export class LobbyModel {
  /** @type {Map<string, RoomInfo>} */
  rooms = new Map();
  /** @type {BotInfo[]} */
  bots = [];
  /** @type {RoomInfo[]} */
  results = [];
  loaded = false;

  /** @param {LobbyUpdate} update */
  apply(update) {
    if (update.full) {
      this.rooms.clear();
      this.loaded = true;
    }
    for (const info of update.rooms) {
      if (info.status === "ended") {
        this.rooms.delete(info.room);
        if (info.result && info.result !== "*") this.addResults([info]);
      } else {
        this.rooms.set(info.room, info);
      }
    }
    for (const [room, ply] of Object.entries(update.plies ?? {})) {
      const info = this.rooms.get(room);
      if (info) this.rooms.set(room, { ...info, ply });
    }
    if (update.bots) this.bots = update.bots;
  }
  /** @param {RoomInfo[]} results newest first */
  addResults(results) {
    const known = new Set(results.map((info) => info.room));
    this.results = [...results, ...this.results.filter((info) => !known.has(info.room))].slice(0, MAX_RESULTS);
  }

  /** Rooms in which a seat is free for this player. @param {string} name */
  waiting(name) {
    const open = (/** @type {RoomInfo} */ info) =>
      info.status === "waiting" && !info.private && (info.players ? info.players.includes(name) : !info.invite || info.invite === name);
    return this.#sorted(open, (info) => -info.created_at);
  }
  /** Running games, those with most watchers first. @param {string} [game] */
  running(game = "") {
    const fits = (/** @type {RoomInfo} */ info) => info.status === "running" && (!game || info.game === game);
    return this.#sorted(fits, interest);
  }
  /** @param {(info: RoomInfo) => boolean} fits @param {(info: RoomInfo) => number} worth */
  #sorted(fits, worth) {
    return [...this.rooms.values()].filter(fits).sort((one, other) => worth(other) - worth(one));
  }
}

/** How interesting a game is: watchers first, then ratings, then age. @param {RoomInfo} info */
export function interest(info) {
  const ratings = (info.seats[0]?.rating ?? 0) + (info.seats[1]?.rating ?? 0);
  return (info.watchers ?? 0) * 1e5 + ratings * 10 + Math.min(9, info.ply ?? 0);
}
