// A room as this client sees it: a snapshot, and the events after it.

/** @import { Board, Control, Layout, Legal, Message, Offers, PlayedMove, RatingChange, Said, Seats, Snapshot, Options } from "./types.d.ts" */

/** @returns {number} milliseconds of a clock that never jumps */
const now = () => performance.now();

export class Room {
  id = "";
  seq = 0;
  game = "";
  /** @type {Options} */
  options = {};
  /** @type {[string, string]} */
  sides = ["", ""];
  /** @type {Control} */
  clock = {};
  /** @type {"waiting" | "running" | "ended"} */
  status = "waiting";
  /** @type {Seats} */
  seats = [null, null];
  ply = 0;
  turn = 0;
  /** @type {PlayedMove[]} */
  moves = [];
  /** The seat of this player, or null. @type {number | null} */
  seat = null;
  /** @type {Offers} */
  offers = {};
  /** The ply to which a requested takeback returns. @type {number | null} */
  takebackPly = null;
  isPrivate = false;
  code = "";
  invite = "";
  rated = false;
  arbiter = "";
  /** @type {[string, string] | null} */
  players = null;
  /** When each seat may claim the game, in milliseconds of `now`. @type {[number | null, number | null]} */
  claimAt = [null, null];
  /** @type {Said[]} */
  chat = [];
  result = "*";
  /** @type {string | null} */
  reason = null;
  /** @type {number | null} */
  winner = null;
  /** @type {[number, number] | null} */
  scores = null;
  /** @type {[RatingChange, RatingChange] | null} */
  ratings = null;
  next = "";
  /** @type {Layout | null} */
  layout = null;
  /** @type {Board | null} */
  board = null;
  /** @type {string[]} */
  last = [];
  /** @type {Legal[]} */
  legal = [];
  /** @type {string[]} */
  decisive = [];
  /** Known boards and last moves, by ply. @type {Map<number, { board: Board, last: string[] }>} */
  past = new Map();
  /** The remaining time of each side when its turn began. @type {[number, number] | null} */
  #left = null;
  /** @type {number | null} */
  #running = null;
  #since = 0;

  /** @param {Snapshot} snapshot */
  reset(snapshot) {
    const wall = now() - snapshot.at; // the server's clock, in ours
    this.id = snapshot.room;
    this.takebackPly = null;
    this.seq = snapshot.seq;
    this.game = snapshot.game;
    this.options = snapshot.options ?? {};
    this.sides = snapshot.sides;
    this.clock = snapshot.clock ?? {};
    this.status = snapshot.status;
    this.seats = snapshot.seats;
    this.ply = snapshot.ply;
    this.turn = snapshot.turn;
    this.moves = snapshot.moves ?? [];
    this.seat = snapshot.your_seat ?? null;
    this.offers = snapshot.offers ?? {};
    this.isPrivate = snapshot.private ?? false;
    this.code = snapshot.code ?? "";
    this.invite = snapshot.invite ?? "";
    this.rated = snapshot.rated ?? false;
    this.arbiter = snapshot.arbiter ?? "";
    this.players = snapshot.players ?? null;
    const [first = null, second = null] = snapshot.claim_at ?? [];
    this.claimAt = [first === null ? null : first + wall, second === null ? null : second + wall];
    this.chat = [...(snapshot.chat ?? [])];
    this.result = snapshot.result ?? "*";
    this.reason = snapshot.reason ?? null;
    this.winner = snapshot.winner ?? null;
    this.scores = snapshot.scores ?? null;
    this.ratings = snapshot.ratings ?? null;
    this.next = snapshot.next ?? "";
    this.layout = snapshot.layout ?? this.layout;
    this.legal = snapshot.legal ?? [];
    this.decisive = snapshot.decisive ?? [];
    this.past.clear();
    this.#setBoard(snapshot.board, snapshot.last);
    const perMove = this.clock.per_move ?? 0;
    this.#since = now();
    this.#running = snapshot.status === "running" && snapshot.left ? snapshot.turn : null;
    this.#left = snapshot.left ? [snapshot.left[0] + perMove, snapshot.left[1] + perMove] : null;
    if (this.#left && this.#running !== null) {
      this.#left[this.#running] -= Math.min(perMove, snapshot.elapsed ?? 0);
    }
  }

  /** Apply an event. Return false if an earlier one is missing: a snapshot is needed. @param {Message} event */
  apply(event) {
    if (event.seq <= this.seq) return true; // the snapshot has it already
    if (event.seq !== this.seq + 1) return false;
    this.seq = event.seq;
    const handler = HANDLERS[event.type];
    handler?.(this, event);
    return true;
  }

  /** The time that a clock shows, in milliseconds, or null without a clock. @param {number} side */
  remaining(side) {
    if (!this.#left) return null;
    const spent = this.#running === side ? now() - this.#since : 0;
    return Math.max(0, this.#left[side] - spent);
  }
  /** Milliseconds until this player may claim the game, or null. */
  get claimIn() {
    const at = this.seat === null || this.status !== "running" ? null : this.claimAt[this.seat];
    return at === null ? null : Math.max(0, at - now());
  }
  /** The side whose clock runs, or that thinks without a clock; null if none. */
  get thinking() {
    return this.status === "running" ? this.turn : null;
  }
  get myMove() {
    return this.status === "running" && this.seat !== null && this.seat === this.turn;
  }
  /** @param {number} side */
  nameOf(side) {
    return this.seats[side]?.name ?? this.players?.[side] ?? "";
  }

  /** @param {Board | null | undefined} board @param {string[] | null | undefined} last */
  #setBoard(board, last) {
    this.last = last ?? [];
    if (!board) return;
    this.board = board;
    this.past.set(this.ply, { board, last: this.last });
  }
  /** @param {Message} event */
  position(event) {
    this.turn = event.turn;
    this.legal = event.legal ?? [];
    this.#setBoard(event.board, event.last);
    const perMove = this.clock.per_move ?? 0;
    if (event.left) this.#left = [event.left[0] + perMove, event.left[1] + perMove];
    this.#running = event.left ? event.turn : null;
    this.#since = now();
  }
  stopClock() {
    if (this.#left && this.#running !== null) this.#left[this.#running] = this.remaining(this.#running) ?? 0;
    this.#running = null;
  }
  /** @param {number} side */
  flag(side) {
    if (this.#left) this.#left[side] = 0;
  }
  /** @param {number} credit */
  creditClock(credit) {
    if (this.#left && this.#running !== null) this.#left[this.#running] += credit;
  }
}

/** @type {Record<string, (room: Room, event: Message) => void>} */
const HANDLERS = {
  seated(room, event) {
    const { player, name, account, rating, provisional, bot, engine, version } = event;
    room.seats = /** @type {any} */ (room.seats.map((seat, at) =>
      at === event.seat ? { player, name, account, rating, provisional, bot, engine, version, online: true } : seat));
  },
  unseated(room, event) {
    room.seats = /** @type {any} */ (room.seats.map((seat, at) => (at === event.seat ? null : seat)));
  },
  started(room, event) {
    room.status = "running";
    room.position(event);
  },
  moved(room, event) {
    const { ply, side, move, took, charged, left, note } = event;
    room.ply = ply;
    room.moves = [...room.moves.slice(0, ply - 1), { ply, side, move, took, charged, left, note }];
    room.offers = {};
    room.position(event);
  },
  taken_back(room, event) {
    room.ply = event.ply;
    room.moves = room.moves.slice(0, event.ply);
    room.offers = {};
    for (const ply of room.past.keys()) if (ply > event.ply) room.past.delete(ply);
    room.position(event);
  },
  draw_offered(room, event) {
    room.offers = { ...room.offers, draw: event.seat };
  },
  takeback_offered(room, event) {
    room.offers = { ...room.offers, takeback: event.seat };
    room.takebackPly = event.ply;
  },
  rematch_offered(room, event) {
    room.offers = { ...room.offers, rematch: event.seat };
  },
  declined(room, event) {
    room.offers = { ...room.offers, [event.offer]: null };
  },
  ended(room, event) {
    room.stopClock();
    if (event.reason === "time" && event.winner != null) room.flag(1 - event.winner);
    room.status = "ended";
    room.offers = {};
    room.legal = [];
    room.result = event.result ?? "*";
    room.reason = event.reason;
    room.winner = event.winner ?? null;
    room.scores = event.scores ?? null;
    room.ratings = event.ratings ?? null;
    room.decisive = event.decisive ?? [];
  },
  rematched(room, event) {
    room.next = event.next;
  },
  said(room, event) {
    room.chat.push({ name: event.name, text: event.text, seat: event.seat ?? null });
  },
  presence(room, event) {
    const online = event.online ?? false;
    room.seats = /** @type {any} */ (room.seats.map((seat, at) => (at === event.seat && seat ? { ...seat, online } : seat)));
    room.claimAt[1 - event.seat] = event.claim_at == null ? null : event.claim_at - event.at + performance.now();
  },
  resumed(room, event) {
    room.creditClock((event.credit ?? 0) + (room.seat === room.turn ? 0 : (event.delay ?? 0)));
    if (event.outage) return;
    room.seats = /** @type {any} */ (room.seats.map((seat) => (seat ? { ...seat, online: false } : seat)));
  },
};
