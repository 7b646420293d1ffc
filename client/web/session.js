// A session: the identity of this tab. It outlives its connections.

/** @import { Message, Reply, Welcome, GameInfo } from "./types.d.ts" */
import { Room } from "./room.js";

const SUBPROTOCOL = "parlour.v1.json";
const WANTS = ["board", "legal", "preview"];
const STORED = "parlour-session";
const FIRST_DELAY_MS = 300;
const MAX_DELAY_MS = 5000;
const ANSWER_TIMEOUT_MS = 15000;
const TIMELY = ["move", "say", "review"]; // never sent again

/** An answer of the server that refuses a command. */
export class Refusal extends Error {
  /** @param {string} code @param {string} text */
  constructor(code, text) {
    super(text);
    this.code = code;
  }
}

/** @typedef {{ name?: string, token?: string, session?: string }} Identity */

/**
 * The identity kept in this tab at the person's wish, or null.
 * @returns {Identity | null}
 */
export function storedIdentity() {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? "null");
  } catch {
    return null; // forbidden, or not ours
  }
}

/** @param {Identity | null} identity */
function store(identity) {
  try {
    if (identity) sessionStorage.setItem(STORED, JSON.stringify(identity));
    else sessionStorage.removeItem(STORED);
  } catch {
    // Storage is forbidden: the identity lives as long as the page.
  }
}

/**
 * Events: "state" (connected or not), "room" (detail: the room that changed), "lobby" (detail: the message), "invited",
 * "tournament_update".
 */
export class Session extends EventTarget {
  /** @type {"connecting" | "open" | "lost" | "paused" | "refused"} */
  state = "connecting";
  /** Why the connection is refused, or what happened to it. */
  notice = "";
  /** @type {Welcome | null} */
  welcome = null;
  /** @type {Map<string, Room>} */
  rooms = new Map();
  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {Map<number, { resolve: (reply: any) => void, reject: (error: Error) => void, timer: number, again: (() => void) | null }>} */
  #asked = new Map();
  /** @type {Map<string, string>} */
  #watched = new Map(); // room -> its code
  #lobbyUsers = 0;
  #endedSession = false;
  #tournament = "";
  #nextId = 1;
  #delay = FIRST_DELAY_MS;
  #timer = 0;
  #tab = crypto.randomUUID?.() ?? String(Math.random());
  #tabs = new BroadcastChannel("parlour");

  /** @param {Identity | null} identity */
  constructor(identity) {
    super();
    /** @type {Identity} */
    this.identity = identity ?? {};
    this.remember = identity !== null;
    this.#tabs.onmessage = (event) => this.#heard(event.data);
    addEventListener("online", () => this.state === "lost" && this.#open());
  }

  /** @returns {GameInfo[]} */
  get games() {
    return this.welcome?.games ?? [];
  }
  /** @param {string} name */
  title(name) {
    return this.games.find((game) => game.name === name)?.title ?? name;
  }
  get name() {
    return this.welcome?.you.name ?? "";
  }

  // -- the connection

  start() {
    this.#open();
    return this;
  }
  /** Wait until the server has welcomed this client. @returns {Promise<Welcome>} */
  ready() {
    if (this.state === "open" && this.welcome) return Promise.resolve(this.welcome);
    return new Promise((resolve, reject) => {
      const look = () => {
        if (this.state === "open" && this.welcome) resolve(this.welcome);
        else if (this.state === "refused") reject(new Refusal("refused", this.notice));
        else return;
        this.removeEventListener("state", look);
      };
      this.addEventListener("state", look);
      look();
    });
  }
  /**
   * Become another player. @param {Identity} identity @param {boolean} remember keep the session in this tab
   */
  async changeIdentity(identity, remember) {
    this.identity = identity;
    this.remember = remember;
    this.rooms.clear();
    this.#drop();
    this.#become("connecting", "");
    this.#open();
    return this.ready();
  }
  /** Keep the session in this tab's storage, or remove it. @param {boolean} remember */
  keep(remember) {
    this.remember = remember;
    store(remember ? this.identity : null);
  }
  /** Use the session here again after another tab has taken it over. */
  takeBack() {
    this.#become("connecting", "");
    this.#open();
  }
  #open() {
    clearTimeout(this.#timer);
    if (this.#socket) return;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/ws${this.#hint()}`, SUBPROTOCOL);
    this.#socket = socket;
    socket.onopen = () => this.#hello(socket);
    socket.onmessage = (event) => this.#socket === socket && this.#receive(JSON.parse(event.data));
    socket.onclose = (event) => this.#socket === socket && this.#closed(event);
  }
  /** Name the room of this page, so that a balancer can choose the node of its players. */
  #hint() {
    const playing = [...this.rooms.values()].find((room) => room.seat != null && room.status !== "ended");
    const room = playing?.id ?? [...this.#watched.keys()].at(-1) ?? /^\/room\/([^/]+)$/.exec(location.pathname)?.[1];
    return room ? `?room=${room}` : "";
  }
  /** @param {WebSocket} socket */
  #hello(socket) {
    const { name, token, session } = this.identity;
    const who = token ? { token } : session ? { resume: session } : { name: name ?? "" };
    this.#ask("hello", { ...who, client: "browser", wants: WANTS }).then(
      (welcome) => this.#welcomed(welcome),
      (error) => {
        if (this.#socket !== socket) return;
        if (error.code === "bad_session") {
          this.identity = { name: this.identity.name };
          this.#endedSession = true;
          this.#drop();
          this.#open();
        } else if (error instanceof Refusal) {
          this.#drop();
          this.#become("refused", error.message);
        }
      },
    );
  }
  /** @param {Welcome} welcome */
  #welcomed(welcome) {
    this.welcome = welcome;
    this.#delay = FIRST_DELAY_MS;
    this.identity = { ...this.identity, name: welcome.you.name, session: welcome.session };
    store(this.remember ? this.identity : null);
    this.#tabs.postMessage({ session: welcome.session, tab: this.#tab });
    for (const [room, code] of this.#watched) this.#ask("watch", { room, code }).catch(() => undefined);
    if (this.#lobbyUsers) this.#ask("lobby", { on: true }).catch(() => undefined);
    if (this.#tournament) this.#ask("watch_tournament", { name: this.#tournament }).catch(() => undefined);
    this.#become("open", this.#endedSession ? "The earlier session has ended. You are a new guest now." : "");
    this.#endedSession = false;
  }
  /** @param {CloseEvent} event */
  #closed(event) {
    this.#drop();
    if (event.code === 1008 && event.reason !== "idle") this.#become("refused", `The server closed the connection: ${event.reason || "no reason given"}.`);
    else this.#retry();
  }
  async #retry() {
    this.#become("lost", "");
    const delay = this.#delay * (0.7 + 0.6 * Math.random());
    this.#delay = Math.min(MAX_DELAY_MS, this.#delay * 1.7);
    this.#timer = setTimeout(() => this.#open(), delay);
    if (this.#delay < 2 * FIRST_DELAY_MS) return;
    const notice = await reachability(); // a browser does not tell why a socket was refused
    if (this.state === "lost") this.#become("lost", notice);
  }
  #drop() {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
    for (const { reject, timer } of this.#asked.values()) {
      clearTimeout(timer);
      reject(new Error("The connection was lost."));
    }
    this.#asked.clear();
  }
  /** @param {Session["state"]} state @param {string} notice */
  #become(state, notice) {
    this.state = state;
    this.notice = notice;
    this.dispatchEvent(new Event("state"));
  }
  /** Stop if another tab has resumed this session. @param {{ session: string, tab: string }} other */
  #heard(other) {
    if (other.tab === this.#tab || other.session !== this.identity.session || this.state === "paused") return;
    clearTimeout(this.#timer);
    this.#drop();
    this.#become("paused", "This session is open in another tab.");
  }

  // -- commands

  /**
   * Send a command, again if it is over a rate limit, and wait for its answer. Rejects with a Refusal.
   * @param {string} type @param {Record<string, any>} [fields] @returns {Promise<Reply>}
   */
  async ask(type, fields = {}) {
    await this.ready();
    return this.#ask(type, fields);
  }
  /** @param {string} type @param {Record<string, any>} fields @returns {Promise<any>} */
  #ask(type, fields) {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const send = () => {
        const timer = setTimeout(() => this.#socket?.close(), ANSWER_TIMEOUT_MS);
        this.#asked.set(id, { resolve, reject, timer, again: TIMELY.includes(type) ? null : send });
        this.#socket?.send(JSON.stringify({ type, id, ...fields }));
      };
      send();
    });
  }
  /** Receive a room: a snapshot, then its events. @param {string} room @param {string} [code] */
  async watch(room, code = "") {
    const reply = await this.ask("watch", { room, code });
    this.#watched.set(room, code);
    return reply;
  }
  /** Stop receiving a room, unless this player sits there. @param {string} room */
  unwatch(room) {
    this.#watched.delete(room);
    if (this.rooms.get(room)?.seat != null) return;
    this.rooms.delete(room);
    if (this.state === "open") this.#ask("leave", { room }).catch(() => undefined);
  }
  /** Receive changes of the lobby until the returned function is called. */
  lobby() {
    this.#lobbyUsers++;
    if (this.state === "open") this.#ask("lobby", { on: true }).catch(() => undefined);
    return () => {
      this.#lobbyUsers--;
      if (!this.#lobbyUsers && this.state === "open") this.#ask("lobby", { on: false }).catch(() => undefined);
    };
  }
  /**
   * Receive the reports on a tournament as events "tournament_update" until the returned function is called.
   * @param {string} name
   */
  watchTournament(name) {
    this.#tournament = name;
    if (this.state === "open") this.#ask("watch_tournament", { name }).catch(() => undefined);
    return () => {
      if (this.#tournament !== name) return;
      this.#tournament = "";
      if (this.state === "open") this.#ask("watch_tournament", {}).catch(() => undefined);
    };
  }

  // -- messages

  /** @param {Message} message */
  #receive(message) {
    if (message.type === "ok" || message.type === "welcome" || message.type === "error") {
      this.#answered(message);
      if (message.snapshot) this.#receive({ ...message.snapshot, type: "snapshot" });
    } else if (message.type === "snapshot") {
      const room = this.rooms.get(message.room ?? "") ?? new Room();
      room.reset(/** @type {any} */ (message));
      this.rooms.set(room.id, room);
      this.#tellRoom(room, message);
    } else if (message.type === "lobby" || message.type === "invited" || message.type === "tournament_update" || message.type === "review_update") {
      this.dispatchEvent(new CustomEvent(message.type, { detail: message }));
    } else if (message.room) {
      const room = this.rooms.get(message.room);
      if (!room) return;
      if (room.apply(message)) this.#tellRoom(room, message);
      else this.#ask("watch", { room: room.id, code: this.#watched.get(room.id) ?? "" }).catch(() => undefined);
    }
  }
  /** @param {Room} room @param {Message} message */
  #tellRoom(room, message) {
    this.dispatchEvent(new CustomEvent("room", { detail: { room, message } }));
  }
  /** @param {Message} message */
  #answered(message) {
    const asked = this.#asked.get(message.id);
    if (!asked) return;
    clearTimeout(asked.timer);
    const wait = 1000 * message.retry_after;
    if (message.code === "rate_limited" && wait <= MAX_DELAY_MS && asked.again) {
      asked.timer = setTimeout(asked.again, wait + FIRST_DELAY_MS * Math.random()); // not all pages of a class at once
      return;
    }
    this.#asked.delete(message.id);
    if (message.type === "error") asked.reject(new Refusal(message.code, message.text));
    else asked.resolve(message);
  }
}

/** Say why no connection is possible. */
async function reachability() {
  try {
    const response = await fetch("/healthz", { cache: "no-store" });
    if (response.status === 503) return "The server is about to restart.";
    return "The server accepts no further connection from your address at the moment.";
  } catch {
    return "The server cannot be reached.";
  }
}
