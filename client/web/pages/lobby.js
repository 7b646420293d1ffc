// The lobby: a featured game, players who wait, bots, running games, and the latest results.

/** @import { App } from "../app.js" */
/** @import { BotInfo, RoomInfo } from "../types.d.ts" */
/** @import { Room } from "../room.js" */
import { h, fill, say, KeyedList } from "../dom.js";
import { copyButton, newGameDialog } from "../dialogs.js";
import { LobbyModel } from "../lobby_model.js";
import { linesOf } from "../move_list.js";
import { values } from "../notes.js";
import { botMark, drawValues, everyTick, isWide, newBoard, newGraph, SeatView, settingsText, showPosition, sideBelow, titleOf, versus } from "../parts.js";
import { clockText, counted, ratingText, resultText, resultHeadline, shortReason } from "../texts.js";

const SHOWN_TURNS = 4;
const AFTER_END_MS = 5000; // how long the featured game stays after its end
const MAX_LISTED = 12;

/** @param {App} app @param {HTMLElement} main */
export function show(app, main) {
  return new LobbyPage(app, main);
}

class LobbyPage {
  #model = new LobbyModel();
  #waitingCount = h("small");
  #own = h("ul", { class: "list" });
  #waiting = h("ul", { class: "list" });
  #noneWaiting = h("div", { class: "empty" }, h("p", {}, "No player is waiting. Open a room, and others see it here."),
    h("button", { class: "btn small", type: "button", click: () => this.#newGame() }, "Open a room"));
  #botCount = h("small");
  #bots = h("ul", { class: "list" });
  #noBots = h("p", { class: "empty" }, "No bot is connected.");
  #runningCount = h("small");
  #running = h("ul", { class: "list" });
  #noneRunning = h("p", { class: "empty" }, "No game is being played.");
  #results = h("ul", { class: "list" });
  #noResults = h("p", { class: "empty" }, "No game has ended yet.");
  #feature;
  #error = h("p", { class: "banner", role: "alert", hidden: true });
  #leaveLobby;
  /** The bot for the dialog that opens once the lobby is known, "" for any opponent. @type {string | null} */
  #wanted = null;

  /** @param {App} app @param {HTMLElement} main */
  constructor(app, main) {
    this.app = app;
    this.session = app.session;
    this.#feature = new Feature(app, () => this.#newGame());
    main.className = "page";
    fill(main, this.#error, this.#hero(), h("div", { class: "lobby" }, h("div", {}, this.#feature.node, this.#lists(), this.#connect()), this.#waitingAndBots()));
    this.ownList = new KeyedList(this.#own, (/** @type {Room} */ room) => room.id, (room) => this.#ownRow(room), (room) => [room.id, room.status, room.seats]);
    this.waitingList = new KeyedList(this.#waiting, (/** @type {RoomInfo} */ info) => info.room, (info) => this.#waitingRow(info));
    this.botList = new KeyedList(this.#bots, (/** @type {BotInfo} */ bot) => bot.name, (bot) => this.#botRow(bot));
    this.runningList = new KeyedList(this.#running, (/** @type {RoomInfo} */ info) => info.room, (info) => this.#runningRow(info));
    this.resultList = new KeyedList(this.#results, (/** @type {RoomInfo} */ info) => info.room, (info) => this.#resultRow(info));
    this.#leaveLobby = this.session.lobby();
    this.session.addEventListener("lobby", this.#onLobby);
    this.session.addEventListener("state", this.#onState);
    this.#onState();
    this.#loadResults();
  }
  close() {
    this.#wanted = null;
    this.#leaveLobby();
    this.session.removeEventListener("lobby", this.#onLobby);
    this.session.removeEventListener("state", this.#onState);
    this.#feature.close();
  }

  #hero() {
    return h("div", { class: "hero" },
      h("div", {}, h("h1", {}, "Bots and people, at one table"),
        h("p", {}, "Watch a game, play one, or send a program of your own. No account needed.")),
      h("div", { class: "row" }, h("a", { class: "btn", href: "#connect" }, "Connect a bot"),
        h("button", { class: "btn main", type: "button", click: () => this.#newGame() }, "Play a game")));
  }
  #lists() {
    return h("div", { class: "two" },
      h("section", { class: "card" }, h("header", {}, h("h2", {}, "Being played"), this.#runningCount), this.#running, this.#noneRunning),
      h("section", { class: "card" }, h("header", {}, h("h2", {}, "Latest results")), this.#results, this.#noResults));
  }
  #connect() {
    const url = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`;
    const command = `parlour bot my_bot.py --url ${url}`;
    return h("section", { class: "card connect", id: "connect" },
      h("div", {}, h("h2", {}, "Connect a bot"), h("p", { class: "soft" }, "One file in Python, or any program that reads a line and answers with a move.")),
      copyButton(() => command), h("div", { class: "code" }, h("code", {}, command)));
  }
  #waitingAndBots() {
    return h("div", {},
      h("section", { class: "card" }, h("header", {}, h("h2", {}, "Waiting for you"), this.#waitingCount), this.#own, this.#waiting, this.#noneWaiting),
      h("section", { class: "card" }, h("header", {}, h("h2", {}, "Bots, ready to play"), this.#botCount), this.#bots, this.#noBots));
  }

  async #loadResults() {
    const reply = await this.session.ask("history", { limit: 8 }).catch(() => null);
    if (reply?.rooms) this.#model.addResults(reply.rooms);
    this.#update();
  }
  #onState = () => {
    const { state, notice } = this.session;
    this.#error.hidden = state === "connecting" || (state === "open" && !notice);
    if (state === "paused") fill(this.#error, notice, h("button", { class: "btn", type: "button", click: () => this.session.takeBack() }, "Use it here"));
    else say(this.#error, state === "lost" ? `Reconnecting… nothing is lost. ${notice}` : notice);
    if (state === "open") this.#update();
  };
  #onLobby = (/** @type {Event} */ event) => {
    this.#model.apply(/** @type {CustomEvent} */ (event).detail);
    this.#update();
  };
  #update() {
    const model = this.#model;
    const waiting = model.waiting(this.session.name).filter((info) => !info.seats.some((seat) => seat?.player === this.session.welcome?.you.id));
    const running = model.running();
    const own = [...this.session.rooms.values()].filter((room) => room.seat !== null && room.status !== "ended");
    this.ownList.show(own);
    this.waitingList.show(waiting.slice(0, MAX_LISTED));
    this.botList.show(model.bots);
    this.runningList.show(running.slice(0, MAX_LISTED));
    this.resultList.show(model.results);
    this.#noneWaiting.hidden = waiting.length + own.length > 0 || !model.loaded;
    this.#noBots.hidden = model.bots.length > 0 || !model.loaded;
    this.#noneRunning.hidden = running.length > 0 || !model.loaded;
    this.#noResults.hidden = model.results.length > 0;
    say(this.#waitingCount, waiting.length ? counted(waiting.length, "room") : "");
    say(this.#botCount, model.bots.length ? counted(model.bots.length, "bot") : "");
    say(this.#runningCount, running.length ? counted(running.length, "game") : "");
    if (model.loaded) this.#feature.choose(running);
    if (this.#wanted !== null && model.loaded && this.session.state === "open") {
      newGameDialog(this.app, { bots: model.bots, bot: this.#wanted });
      this.#wanted = null;
    }
  }

  /** A game in which this player has a seat. @param {Room} room */
  #ownRow(room) {
    const opponent = room.nameOf(1 - (room.seat ?? 0)) || room.invite || "an opponent";
    return h("li", {},
      h("p", {}, h("b", {}, room.status === "running" ? `Your game with ${opponent}` : `You wait for ${opponent}`),
        h("small", {}, `${titleOf(this.session, room)} · ${settingsText(room)}`)),
      h("a", { class: "btn small", href: `/room/${encodeURIComponent(room.id)}`, "aria-label": `Return to the game with ${opponent}` }, "Return"));
  }
  /** @param {RoomInfo} info */
  #waitingRow(info) {
    const seat = info.seats[0] ?? info.seats[1];
    const name = seat?.name ?? info.arbiter ?? "";
    return h("li", {},
      h("p", {}, name, " ", botMark(seat), ratingText(seat) && h("span", { class: "soft" }, ` ${ratingText(seat)}`),
        h("small", {}, `${titleOf(this.session, info)} · ${settingsText(info)}`)),
      h("button", { class: "btn small", type: "button", "aria-label": `Play against ${name}`, click: () => this.#join(info.room) }, "Play"));
  }
  /** @param {BotInfo} bot */
  #botRow(bot) {
    const all = bot.plays.length === this.session.games.length;
    const games = all ? "all games" : bot.plays.map((name) => this.session.title(name)).join(", ");
    const program = [bot.engine, bot.version].filter(Boolean).join(" ");
    return h("li", {},
      h("p", {}, bot.name, " ", h("i", { class: "bot" }, "bot"), h("small", {}, [program, games].filter(Boolean).join(" · "))),
      h("button", { class: "btn small", type: "button", "aria-label": `Play against ${bot.name}`, click: () => this.#newGame(bot.name) }, "Play"));
  }
  /** @param {RoomInfo} info */
  #runningRow(info) {
    const names = `${info.seats[0]?.name ?? ""} against ${info.seats[1]?.name ?? ""}`;
    return h("li", {},
      h("p", {}, versus(info), h("small", {}, `${titleOf(this.session, info)} · ${clockText(info.clock)} · move ${info.ply ?? 0}`)),
      h("a", { class: "btn small bare", href: `/room/${encodeURIComponent(info.room)}`, "aria-label": `Watch ${names}` }, "Watch"));
  }
  /** @param {RoomInfo} info */
  #resultRow(info) {
    const winner = info.result === "1-0" ? 0 : info.result === "0-1" ? 1 : null;
    const why = [titleOf(this.session, info), shortReason(info)].filter(Boolean).join(" · ");
    return h("li", {},
      h("p", {}, versus(info, winner), h("small", {}, why)),
      h("a", { class: "res", href: `/game/${encodeURIComponent(info.room)}`, "aria-label": `Show the game, ${info.result}` }, resultText(info.result ?? "*")));
  }
  /** @param {string} [bot] */
  #newGame(bot = "") {
    this.#wanted = bot;
    this.#update();
  }
  /** @param {string} room */
  async #join(room) {
    try {
      await this.session.ask("join", { room });
      this.app.go(`/room/${encodeURIComponent(room)}`);
    } catch (error) {
      this.#error.hidden = false;
      say(this.#error, `${/** @type {Error} */ (error).message}`);
    }
  }
}

/** The featured game: the most watched or best rated one; the next one some seconds after its end. */
class Feature {
  #board = newBoard();
  #seats = [new SeatView(), new SeatView()];
  #live = h("span", { class: "live" }, "Live");
  #watching = h("small", { class: "push" });
  #turns = h("div", { class: "turns" });
  #graph = newGraph("Value for the first side");
  #title = h("b");
  #settings = h("small");
  #link = h("a", { class: "btn push", href: "/" }, "Watch");
  #empty;
  #aside = h("aside", {},
    h("div", { class: "row" }, this.#live, this.#watching),
    this.#seats[0].node,
    h("div", { class: "mid" }, this.#turns, this.#graph),
    this.#seats[1].node,
    h("div", { class: "row" }, h("p", {}, this.#title, h("br"), this.#settings), this.#link));
  node = h("section", { class: "card feature", "aria-label": "Featured game" });
  #room = "";
  #next = 0;
  /** @type {RoomInfo[]} */
  #candidates = [];
  #stopTicking;

  /** @param {App} app @param {() => void} play */
  constructor(app, play) {
    this.session = app.session;
    this.#empty = h("div", { class: "none" }, h("p", {}, "No game is being played at the moment."),
      h("button", { class: "btn", type: "button", click: play }, "Play the first one"));
    fill(this.node, h("div", { class: "wait square late", role: "status" }, h("span", { class: "sr" }, "Loading")));
    this.session.addEventListener("room", this.#onRoom);
    this.#stopTicking = everyTick(() => this.#seats.forEach((seat) => seat.tick()));
  }
  close() {
    this.session.removeEventListener("room", this.#onRoom);
    this.#stopTicking();
    clearTimeout(this.#next);
    if (this.#room) this.session.unwatch(this.#room);
  }
  /** Take the first of these games if none is shown. @param {RoomInfo[]} running the most interesting first */
  choose(running) {
    this.#candidates = running;
    const info = running.find(({ room }) => room === this.#room);
    if (info) say(this.#watching, info.watchers ? `${info.watchers} watching` : "");
    if (!this.#room) this.#take();
  }
  async #take() {
    const [best] = this.#candidates.filter(({ room }) => room !== this.#room);
    if (this.#room) this.session.unwatch(this.#room);
    this.#room = best?.room ?? "";
    if (!best) return fill(this.node, this.#empty);
    const reply = await this.session.watch(best.room).catch(() => null);
    if (!reply && this.#room === best.room) this.#room = "";
    return undefined;
  }
  #onRoom = (/** @type {Event} */ event) => {
    const { room, message } = /** @type {CustomEvent} */ (event).detail;
    if (room.id !== this.#room) return;
    this.#show(room);
    if (message.type === "ended" || (message.type === "snapshot" && room.status === "ended")) {
      clearTimeout(this.#next);
      this.#next = setTimeout(() => this.#take(), AFTER_END_MS);
    }
  };
  /** @param {Room} room */
  #show(room) {
    const title = titleOf(this.session, room);
    showPosition(this.#board, room, title);
    const below = sideBelow(room);
    this.#seats[0].show(room, 1 - below);
    this.#seats[1].show(room, below);
    say(this.#live, room.status === "ended" ? resultHeadline(room) : "Live");
    this.#live.classList.toggle("over", room.status === "ended");
    this.#showTurns(room);
    const series = values(room.moves);
    this.#graph.classList.toggle("sr", !series.some((value) => value !== null));
    drawValues(this.#graph, series);
    say(this.#title, title);
    say(this.#settings, `${settingsText(room)} · move ${room.ply}`);
    this.#link.href = `/room/${encodeURIComponent(room.id)}`;
    this.node.classList.toggle("wide", isWide(room));
    if (this.#board.parentNode !== this.node) fill(this.node, this.#board, this.#aside);
  }
  /** @param {Room} room */
  #showTurns(room) {
    const lines = linesOf(room.moves), first = Math.max(0, lines.length - SHOWN_TURNS);
    fill(this.#turns, lines.slice(first).flatMap((line, at) => [
      h("span", {}, first + at + 1),
      ...line.map((played) => h(played && played === room.moves.at(-1) ? "b" : "span", {}, played?.move ?? "")),
    ]));
  }
}
