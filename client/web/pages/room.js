// The table: watch or play one game, look back, chat.

/** @import { App } from "../app.js" */
/** @import { Legal, Message } from "../types.d.ts" */
/** @import { Room } from "../room.js" */
import { h, fill, say } from "../dom.js";
import { askText, confirmed, copyButton, showText } from "../dialogs.js";
import { MoveList } from "../move_list.js";
import { MoveInput } from "../move_input.js";
import { NoteView } from "../note_view.js";
import { Chat } from "../chat.js";
import { everyTick, isWide, newBoard, SeatView, settingsText, showPosition, sideBelow, titleOf } from "../parts.js";
import { offerQuestion, pendingText, playerName, resultHeadline, resultReason } from "../texts.js";

const GUARD_MS = 500; // a click meant for something else must not press a button that has just appeared
const NOTICE_MS = 6000;

/** @param {App} app @param {HTMLElement} main @param {string} id */
export function show(app, main, id) {
  return new RoomPage(app, main, id);
}

class RoomPage {
  /** @type {Room | null} */
  #room = null;
  /** The ply that is shown while looking back, or null. @type {number | null} */
  #viewed = null;
  #flipped = false;
  /** @type {number | undefined} */
  #replayTimer;
  #refusal = "";
  #refusalTimer = 0;
  #code = "";
  #board = newBoard();
  #seats = [new SeatView(), new SeatView()]; // above and below the board
  #notices = h("div", { class: "notices", role: "status" });
  #noticeFace = "";
  #wait = h("div", { class: "wait square late", role: "status" }, h("span", { class: "sr" }, "Loading"));
  #table = h("div", { class: "table" }, this.#seats[0].node, this.#notices, this.#wait, this.#seats[1].node);
  #heading = h("h1", { class: "sr" });
  #gameTitle = h("h2");
  #settings = h("small");
  #result = h("section", { class: "result", hidden: true, "aria-label": "Result" });
  #resultFace = "";
  #actions = h("div", { class: "actions" });
  #actionsFace = "";
  #moveList = new MoveList((ply) => this.#look(ply));
  #note = new NoteView();
  /** Loaded when it is asked for. @type {import("../room_review.js").RoomReview | null} */
  #review = null;
  /** @type {Promise<import("../room_review.js").RoomReview> | null} */
  #loading = null;
  #stepsNode = this.#steps();
  #chat;
  #input;
  #stopTicking;

  /** @param {App} app @param {HTMLElement} main @param {string} id */
  constructor(app, main, id) {
    this.app = app;
    this.session = app.session;
    this.id = id;
    this.main = main;
    this.#chat = new Chat((text) => this.#do("say", { text }));
    this.#input = new MoveInput(this.#board, {
      play: (move) => this.#play(move),
      announce: (text) => app.announce(text),
      changed: () => this.#showSeats(),
    });
    main.className = "page room";
    this.#actionsSection = h("section", {}, this.#input.form, this.#actions);
    fill(main, this.#heading, this.#table,
      h("div", { class: "card side" }, this.#result,
        h("header", {}, this.#gameTitle, this.#settings),
        this.#moveList.node, this.#stepsNode, this.#note.node, this.#actionsSection),
      this.#chat.node);
    this.session.addEventListener("room", this.#onRoom);
    this.session.addEventListener("state", this.#onState);
    this.session.addEventListener("review_update", this.#onReview);
    addEventListener("keydown", this.#onKey);
    document.addEventListener("visibilitychange", this.#showTitle);
    this.#stopTicking = everyTick(() => this.#tick());
    this.#enter(new URLSearchParams(location.hash.slice(1)).get("code") ?? "");
  }
  /** @type {HTMLElement} */
  #actionsSection;

  close() {
    this.session.removeEventListener("room", this.#onRoom);
    this.session.removeEventListener("state", this.#onState);
    this.session.removeEventListener("review_update", this.#onReview);
    removeEventListener("keydown", this.#onKey);
    document.removeEventListener("visibilitychange", this.#showTitle);
    this.#stopTicking();
    this.session.unwatch(this.id);
  }

  /** @param {string} code of a private room */
  async #enter(code) {
    this.#code = code;
    try {
      const known = this.session.rooms.get(this.id);
      if (known) this.#update(known, null);
      await this.session.watch(this.id, code);
    } catch (error) {
      const { code: why, message } = /** @type {any} */ (error);
      if (why === "bad_code") {
        const given = await askText("This room is private", code ? "That code is wrong. Try again." : "The players of the room know its code.", "Enter");
        if (given) this.#enter(given);
        else this.app.go("/");
      } else if (why === "no_room") {
        this.app.message("There is no such room", `It may have been closed before a game began. The server says: ${message}.`);
      } else {
        this.app.message("This room cannot be shown", message);
      }
    }
  }

  // -- what happens

  #onRoom = (/** @type {Event} */ event) => {
    const { room, message } = /** @type {CustomEvent} */ (event).detail;
    if (room.id === this.id) this.#update(room, message);
  };
  #onState = () => {
    if (this.session.state === "open" && this.#review?.isWaiting) this.#do("review"); // the server has forgotten who waits
    this.#showNotices();
  };
  #onReview = async (/** @type {Event} */ event) => {
    const { detail } = /** @type {CustomEvent} */ (event);
    if (detail.room !== this.id) return;
    const review = await this.#withReview();
    if (!review || review.isDone) return;
    review.receive(detail);
    if (review.isDone) this.app.announce("The review is ready.");
    this.main.classList.toggle("reviewed", review.isDone);
    this.#showAll();
  };
  /** @param {Room} room @param {Message | null} message */
  #update(room, message) {
    const before = this.#room;
    this.#room = room;
    if (!before) {
      this.#flipped = room.seat !== null && sideBelow(room) !== room.seat; // the own side is below
      this.#wait.replaceWith(this.#board);
    }
    if (message?.type === "taken_back" && this.#viewed !== null && this.#viewed > room.ply) this.#viewed = null;
    if (message?.type === "rematched" && room.seat !== null) return this.app.go(`/room/${encodeURIComponent(room.next)}`);
    if (message?.type === "moved") this.#announceMove(room, message);
    if (message?.type === "ended") this.app.announce(`${resultHeadline(room)}. ${resultReason(room)}`);
    const title = titleOf(this.session, room);
    this.main.classList.toggle("wide-board", isWide(room));
    say(this.#heading, `${title}: ${room.nameOf(0) || "open seat"} against ${room.nameOf(1) || "open seat"}`);
    say(this.#gameTitle, title);
    say(this.#settings, settingsText(room));
    this.app.context(`${title} · ${settingsText(room)}`);
    this.#showTitle();
    this.#showBoard();
    this.#showSeats();
    this.#showMoves(room);
    this.#chat.show(room);
    this.#showResult();
    this.#showActions();
    this.#showNotices();
    return undefined;
  }
  /** @param {Room} room @param {Message} message */
  #announceMove(room, message) {
    const who = message.side === room.seat ? "You" : playerName(room, message.side);
    this.app.announce(`${who} played ${message.move}.${room.myMove ? " Your move." : ""}`);
  }
  #tick() {
    for (const seat of this.#seats) seat.tick();
    if (this.#room?.claimIn != null) this.#showNotices();
  }
  #showTitle = () => {
    const room = this.#room;
    if (!room) return;
    const names = `${room.nameOf(0) || "…"} – ${room.nameOf(1) || "…"}`;
    this.app.title(`${room.myMove && document.hidden ? "Your move: " : `${this.session.title(room.game)}: `}${names}`);
  };

  // -- the board

  #showBoard() {
    const room = this.#room;
    if (!room) return;
    this.#board.toggleAttribute("flipped", this.#flipped);
    if (this.#review?.isLearning) return this.#review.showExercise(this.#board, this.#input);
    const title = titleOf(this.session, room);
    const past = this.#viewed === null ? undefined : room.past.get(this.#viewed);
    const playing = room.seat !== null && room.status === "running" && this.#viewed === null;
    this.#board.toggleAttribute("live", playing);
    if (playing) this.#board.setAttribute("label", `${title}, ${room.sides[room.turn]} to move`);
    showPosition(this.#board, room, title);
    if (past) {
      this.#board.board = past.board;
      this.#board.last = past.last;
      if (this.#viewed !== room.ply) this.#board.decisive = [];
    }
    this.#input.show(room, playing);
    this.#review?.markBoard(this.#board);
  }
  #showSeats() {
    const room = this.#room;
    if (!room) return;
    const below = this.#flipped ? 1 - sideBelow(room) : sideBelow(room);
    this.#seats[1].show(room, below, room.seat === below ? this.#ownText(room) : undefined);
    this.#seats[0].show(room, 1 - below, room.seat === 1 - below ? this.#ownText(room) : undefined);
  }
  /** What the person can do next. @param {Room} room */
  #ownText(room) {
    const rating = room.seat === null ? null : (room.ratings?.[room.seat].after ?? room.seats[room.seat]?.rating);
    const prefix = rating == null ? "" : `${rating} · `;
    if (room.status === "ended") return `${prefix}${room.winner === room.seat ? "won" : room.winner === null ? "no winner" : "lost"}`;
    if (room.status === "waiting") return `${prefix}waiting for the opponent`;
    return prefix + (this.#input.hint || (room.myMove ? "your move" : `${room.sides[room.seat ?? 0]}`));
  }
  /** @param {Legal} move */
  async #play(move) {
    const room = this.#room;
    if (!room) return;
    if (this.#review?.isLearning) return this.#review.try(move);
    await this.#do("move", { ply: room.ply, move: move.move });
  }

  // -- looking back

  #steps() {
    /** @param {string} text @param {string} label @param {() => void} click */
    const step = (text, label, click) => h("button", { class: "btn bare", type: "button", "aria-label": label, title: label, click }, text);
    return h("div", { class: "steps" },
      step("⇤", "First position (Home)", () => this.#look(0)),
      step("←", "Back (PageUp)", () => this.#step(-1)),
      step("→", "Forward (PageDown)", () => this.#step(1)),
      step("⇥", "Back to the game (Esc)", () => this.#look(null)),
      step("Flip", "Flip the board", () => this.#flip()));
  }
  #flip() {
    this.#flipped = !this.#flipped;
    this.#showBoard();
    this.#showSeats();
  }
  /** @param {number} by */
  #step(by) {
    if (this.#room) this.#look((this.#viewed ?? this.#room.ply) + by);
  }
  /** Show an earlier position; null returns to the game. @param {number | null} ply */
  async #look(ply) {
    const room = this.#room;
    if (!room) return;
    const wanted = ply === null || ply >= room.ply ? null : Math.max(0, ply);
    if (wanted !== null && !room.past.has(wanted)) {
      const reply = await this.session.ask("boards", { room: room.id }).catch(() => null);
      reply?.boards?.forEach((board, at) => room.past.set(at, { board, last: reply.lasts?.[at] ?? [] }));
      if (!room.past.has(wanted)) return;
    }
    this.#review?.leave();
    this.#viewed = wanted;
    this.#review?.show(wanted);
    this.#showBoard();
    this.#showMoves(room);
    this.#showResult();
    this.#showNotices();
  }
  #onKey = (/** @type {KeyboardEvent} */ event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const typing = target.closest("input, textarea, select");
    const onBoard = this.#board.contains(target);
    const looks = {
      PageUp: () => this.#step(-1), PageDown: () => this.#step(1),
      ...(!typing && { Home: () => this.#look(0), End: () => this.#look(null) }),
      ...(!typing && !onBoard && { ArrowLeft: () => this.#step(-1), ArrowRight: () => this.#step(1) }),
    }[event.key];
    if (looks) looks();
    else if (event.key === "Escape" && this.#review?.isLearning) this.#review.stop();
    else if (event.key === "Escape") this.#viewed === null ? this.#input.clear() : this.#look(null);
    else if (!typing && event.key.length === 1 && event.key !== " ") this.#input.startTyping();
    if (looks) event.preventDefault();
  };

  // -- the review

  /** Load what shows a review. */
  async #withReview() {
    const room = this.#room;
    if (!room) return null;
    const owner = { look: (/** @type {number | null} */ ply) => this.#look(ply), refresh: () => this.#showAll(), ask: this.#do.bind(this) };
    this.#loading ??= import("../room_review.js").then(({ RoomReview }) => {
      this.#review = new RoomReview(owner, room);
      this.#stepsNode.after(this.#review.node);
      this.#moveList.node.before(this.#review.exerciseNode);
      return this.#review;
    });
    return this.#loading;
  }
  /** Show what a review changes. */
  #showAll() {
    const room = this.#room;
    if (!room) return;
    this.#showMoves(room);
    this.#showBoard();
    this.#showResult();
    this.#showNotices();
  }
  /** @param {Room} room */
  #showMoves(room) {
    const review = this.#review;
    review?.show(this.#viewed);
    this.#moveList.show(room.moves, this.#viewed ?? room.ply, review?.isDone ? (ply) => review.markOf(ply) : undefined);
    this.#note.show(room);
    if (review?.isKnown) this.#note.node.hidden = true; // the values of the review are better
  }

  // -- the result and the actions

  #showResult() {
    const room = this.#room;
    if (!room) return;
    const ended = room.status === "ended";
    this.#result.hidden = !ended || Boolean(this.#review?.isLearning);
    const canReview = room.ply > 0 && !this.#review?.isKnown;
    const face = JSON.stringify([canReview, room.result, room.reason, room.winner, room.offers.rematch, room.next, room.ratings]);
    if (!ended || face === this.#resultFace) return;
    this.#resultFace = face;
    const canRematch = room.seat !== null && !room.next;
    const offered = canRematch && room.offers.rematch === 1 - (room.seat ?? 0);
    fill(this.#result,
      h("div", { class: "big" }, resultHeadline(room)), h("p", { class: "soft" }, resultReason(room)),
      room.ratings && h("dl", {}, [0, 1].map((side) => this.#ratingLine(room, side)).flat()),
      h("div", { class: "actions" },
        canRematch && this.#guarded(h("button", { class: "btn main", type: "button", click: () => this.#do("rematch") }, offered ? "Accept the rematch" : "Rematch")),
        canReview && h("button", { class: "btn wide", type: "button", click: () => this.#do("review") }, "Review this game"),
        room.next && h("a", { class: "btn main", href: `/room/${encodeURIComponent(room.next)}` }, "Go to the next game"),
        h("button", { class: "btn", type: "button", click: () => this.#replay() }, "Replay"),
        copyButton(() => this.#address(), "Share"),
        h("button", { class: "btn", type: "button", click: () => this.#record() }, "Record")));
  }
  /** @param {Room} room @param {number} side */
  #ratingLine(room, side) {
    const change = room.ratings?.[side];
    if (!change) return [];
    const by = change.after - change.before;
    return [
      h("dt", { class: "name" }, room.nameOf(side)),
      h("dd", {}, `${change.after}${change.provisional ? "?" : ""}`),
      h("dd", { class: by < 0 ? "down" : "up" }, by < 0 ? `−${-by}` : `+${by}`),
    ];
  }
  #address() {
    const room = this.#room;
    const fragment = room?.isPrivate && room.code ? `#code=${encodeURIComponent(room.code)}` : "";
    return `${location.origin}/${room?.status === "ended" ? "game" : "room"}/${encodeURIComponent(this.id)}${fragment}`;
  }
  async #replay() {
    clearInterval(this.#replayTimer);
    await this.#look(0);
    this.#replayTimer = setInterval(() => {
      if (this.#viewed === null || !this.#board.isConnected) clearInterval(this.#replayTimer);
      else this.#step(1);
    }, 700);
  }
  async #record() {
    const reply = await this.session.ask("export", { room: this.id }).catch((error) => this.#refuse(error));
    if (reply) showText("Record", reply.text ?? "");
  }
  #showActions() {
    const room = this.#room;
    if (!room) return;
    const seated = room.seat !== null, free = room.seats.some((seat) => !seat);
    const face = JSON.stringify([room.status, room.ply < 2, room.seat, free, room.offers, room.arbiter]);
    if (face === this.#actionsFace) return;
    this.#actionsFace = face;
    /** @param {string} text @param {() => void} click @param {string} [kind] */
    const button = (text, click, kind = "btn") => h("button", { class: kind, type: "button", click }, text);
    const buttons = [];
    if (room.status === "running" && seated) {
      if (room.ply < 2 && !room.arbiter) buttons.push(button("Abort", () => this.#abort()));
      else if (!room.arbiter) buttons.push(button("Take back", () => this.#takeBack()));
      buttons.push(button("Draw", () => this.#draw()), button("Resign", () => this.#resign()));
    } else if (room.status === "running" && room.arbiter === this.session.name) {
      buttons.push(button("Abort", () => this.#abort()));
    } else if (room.status === "waiting" && seated) {
      buttons.push(copyButton(() => this.#address(), "Copy the link"), button("Leave", () => this.#leave()));
    } else if (room.status === "waiting" && free) {
      buttons.push(button("Take the free seat", () => this.#do("join", { code: this.#code }), "btn main"));
    }
    fill(this.#actions, buttons);
    this.#actions.classList.toggle("bottom-bar", room.status === "running" && seated);
    this.#actionsSection.hidden = buttons.length === 0;
  }
  async #abort() {
    if (await confirmed("Abort the game?", "It ends without a result.", "Abort")) this.#do("abort");
  }
  async #resign() {
    if (await confirmed("Resign?", "Your opponent wins the game.", "Resign")) this.#do("resign");
  }
  async #draw() {
    if (await confirmed("Offer a draw?", "Your opponent can accept it until the next move.", "Offer a draw")) this.#do("offer_draw");
  }
  async #takeBack() {
    const room = this.#room;
    const mine = room?.moves.findLast((played) => played.side === room.seat);
    if (!mine) return this.#refuse(new Error("You have not played a move yet."));
    if (await confirmed("Take your last move back?", "Your opponent has to agree.", "Ask")) this.#do("takeback", { ply: mine.ply - 1 });
    return undefined;
  }
  async #leave() {
    await this.#do("leave");
    this.app.go("/");
  }
  /** Send a command about this room. Say why it is refused. @param {string} type @param {Record<string, any>} [fields] */
  async #do(type, fields = {}) {
    try {
      return await this.session.ask(type, { room: this.id, ...fields });
    } catch (error) {
      return this.#refuse(/** @type {Error} */ (error));
    }
  }
  /** @param {Error} error */
  #refuse(error) {
    this.#refusal = error.message;
    clearTimeout(this.#refusalTimer);
    this.#refusalTimer = setTimeout(() => {
      this.#refusal = "";
      this.#showNotices();
    }, NOTICE_MS);
    this.#showNotices();
    return null;
  }

  // -- notices above the board

  #showNotices() {
    const room = this.#room, { state, notice } = this.session;
    const question = room ? offerQuestion(room) : "";
    const claim = room?.claimIn ?? null;
    const absent = room && room.seat !== null && room.status === "running" && room.seats[1 - room.seat]?.online === false;
    const face = JSON.stringify([
      state, notice, question, this.#review?.isLearning, room && pendingText(room), this.#refusal, this.#viewed, absent,
      claim === null ? null : Math.ceil(claim / 1000), room?.status, room?.invite, room?.code,
    ]);
    if (face === this.#noticeFace) return;
    this.#noticeFace = face;
    /** @param {...any} inside */
    const banner = (...inside) => h("div", { class: "banner" }, ...inside);
    const banners = [];
    if (state === "lost") banners.push(banner(h("span", { class: "live" }, "Reconnecting… nothing is lost"), notice));
    if (state === "open" && notice) banners.push(banner(notice));
    if (state === "refused") banners.push(banner(notice, h("button", { class: "btn", type: "button", click: () => location.reload() }, "Try again")));
    if (state === "paused") banners.push(banner(notice, h("button", { class: "btn", type: "button", click: () => this.session.takeBack() }, "Use it here")));
    if (room && question && room.status === "running") banners.push(banner(question, this.#answers(room)));
    else if (room && pendingText(room)) banners.push(banner(pendingText(room)));
    if (room?.status === "waiting" && room.seat !== null) {
      const whom = room.invite || "an opponent";
      banners.push(banner(h("span", { class: "live" }, `Waiting for ${whom}.`), room.isPrivate && room.code ? `The code of this room: ${room.code}` : ""));
    }
    if (absent) {
      const seconds = claim === null ? 0 : Math.ceil(claim / 1000);
      banners.push(banner(`${room.nameOf(1 - (room.seat ?? 0))} is disconnected.`,
        claim !== null && (seconds ? `You can claim the game in ${seconds} s.`
          : h("button", { class: "btn", type: "button", click: () => this.#do("claim") }, "Claim the game"))));
    }
    if (this.#viewed !== null && !this.#review?.isLearning) banners.push(banner(`Position after move ${this.#viewed}.`, h("button", { class: "btn", type: "button", click: () => this.#look(null) }, "Back to the game (Esc)")));
    if (this.#refusal) banners.push(banner(this.#refusal));
    fill(this.#notices, banners);
  }
  /** @param {Room} room */
  #answers(room) {
    const other = 1 - (room.seat ?? 0);
    /** @param {boolean} accept */
    const answer = (accept) => {
      if (room.offers.draw === other) this.#do("answer_draw", { accept });
      else this.#do("takeback", { accept, ply: room.takebackPly });
    };
    return [
      this.#guarded(h("button", { class: "btn", type: "button", click: () => answer(true) }, "Accept")),
      this.#guarded(h("button", { class: "btn", type: "button", click: () => answer(false) }, "Decline")),
    ];
  }
  /** Enable a button some time after it has appeared. @param {HTMLButtonElement} button */
  #guarded(button) {
    button.disabled = true;
    setTimeout(() => (button.disabled = false), GUARD_MS);
    return button;
  }
}
