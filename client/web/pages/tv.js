// The TV: live games for a large screen, without controls. It follows new games by itself.
// ?boards=1, 2, 4, 6 or 9   ?game=conga   ?tournament=NAME   ?title=TEXT

/** @import { App } from "../app.js" */
/** @import { RoomInfo } from "../types.d.ts" */
import { h, fill, say } from "../dom.js";
import { LobbyModel } from "../lobby_model.js";
import { everyTick } from "../parts.js";
import { counted } from "../texts.js";
import { Tile } from "../tile.js";

const AFTER_END_MS = 6000; // how long a finished game stays
/** @type {Record<string, string>} */
const WALLS = { 1: "one", 2: "two", 4: "four", 6: "six", 9: "nine" };

/** @param {App} app @param {HTMLElement} main */
export function show(app, main) {
  return new TvPage(app, main);
}

class TvPage {
  #model = new LobbyModel();
  #asked = new URLSearchParams(location.search);
  #state = h("span");
  #wall = h("div");
  #none = h("p", { class: "none" }, "No game is being played. The next one appears here by itself.");
  /** The games on the wall, in their places. @type {{ room: string, tile: Tile, over: boolean }[]} */
  #places = [];
  #heading = h("h1");
  #arbiter = ""; // of the tournament that was asked for
  #leaveLobby;
  #leaveTournament;
  #stopTicking;

  /** @param {App} app @param {HTMLElement} main */
  constructor(app, main) {
    this.session = app.session;
    const tournament = this.#asked.get("tournament") ?? "";
    app.title("TV");
    main.className = "tv";
    fill(main,
      h("header", {}, this.#heading, this.#state,
        h("span", { class: "push" }, "play along at ", h("b", {}, location.host))),
      this.#wall);
    say(this.#heading, this.#asked.get("title") ?? (tournament || "Live games"));
    this.session.addEventListener("tournament_update", this.#onTournament);
    this.#leaveTournament = tournament ? this.session.watchTournament(tournament) : () => undefined;
    this.#leaveLobby = this.session.lobby();
    this.session.addEventListener("lobby", this.#onLobby);
    this.session.addEventListener("room", this.#onRoom);
    this.session.addEventListener("state", this.#onState);
    this.#stopTicking = everyTick(() => this.#places.forEach(({ tile }) => tile.tick()));
  }
  close() {
    this.#leaveLobby();
    this.#leaveTournament();
    this.#stopTicking();
    this.session.removeEventListener("tournament_update", this.#onTournament);
    this.session.removeEventListener("lobby", this.#onLobby);
    this.session.removeEventListener("room", this.#onRoom);
    this.session.removeEventListener("state", this.#onState);
    for (const { room } of this.#places) this.session.unwatch(room);
  }

  /** The number of boards: as asked, or as many as there are games, up to nine. @param {number} games */
  #size(games) {
    const asked = this.#asked.get("boards");
    if (asked && asked in WALLS) return Number(asked);
    return [1, 2, 4, 6].find((size) => games <= size) ?? 9;
  }
  #candidates() {
    const tournament = this.#asked.get("tournament") ?? "";
    return this.#model.running(this.#asked.get("game") ?? "").filter((info) => !tournament || (info.arbiter && [tournament, this.#arbiter].includes(info.arbiter)));
  }
  #onTournament = (/** @type {Event} */ event) => {
    const { by, report } = /** @type {CustomEvent} */ (event).detail;
    if (!this.#asked.get("title")) say(this.#heading, report.title);
    if (by === this.#arbiter) return;
    this.#arbiter = by;
    this.#arrange();
  };
  #onState = () => {
    const { state, notice } = this.session;
    if (state === "open") this.#count();
    else say(this.#state, state === "lost" ? "Reconnecting… nothing is lost" : notice);
  };
  #count() {
    const games = this.#candidates().length;
    say(this.#state, games ? counted(games, "game") : "");
  }
  #onLobby = (/** @type {Event} */ event) => {
    this.#model.apply(/** @type {CustomEvent} */ (event).detail);
    this.#arrange();
  };
  /** Fill free places with games that are not shown yet. */
  #arrange() {
    const games = this.#candidates();
    const size = this.#size(Math.max(games.length, this.#places.length));
    const shown = new Set(this.#places.map(({ room }) => room));
    for (const info of games.filter(({ room }) => !shown.has(room))) {
      const free = this.#places.findIndex(({ over }) => over);
      if (this.#places.length < size) this.#put(this.#places.length, info);
      else if (free >= 0) this.#put(free, info);
      else break;
    }
    this.#count();
    this.#layOut(size);
  }
  /** @param {number} at @param {RoomInfo} info */
  #put(at, info) {
    const old = this.#places[at];
    if (old) this.session.unwatch(old.room);
    this.#places[at] = { room: info.room, tile: new Tile(this.session), over: false };
    this.session.watch(info.room).catch(() => this.#remove(info.room));
  }
  /** @param {string} room */
  #remove(room) {
    this.session.unwatch(room);
    this.#places = this.#places.filter((place) => place.room !== room);
    this.#arrange();
  }
  /** @param {number} size */
  #layOut(size) {
    this.#wall.className = `wall ${WALLS[size]}`;
    const nodes = this.#places.length ? this.#places.map(({ tile }) => tile.node) : [this.#none];
    const same = nodes.length === this.#wall.children.length && nodes.every((node, at) => node === this.#wall.children[at]);
    if (!same) fill(this.#wall, ...nodes);
  }
  #onRoom = (/** @type {Event} */ event) => {
    const { room, message } = /** @type {CustomEvent} */ (event).detail;
    const place = this.#places.find((one) => one.room === room.id);
    if (!place) return;
    place.tile.show(room);
    if (room.status === "ended" && (message.type === "ended" || message.type === "snapshot")) {
      setTimeout(() => {
        place.over = true; // keeps its place until another game needs it
        this.#arrange();
      }, AFTER_END_MS);
    }
  };
}
