// A tournament: standings, boards, bracket, crosstable, test, goals and latest results, as its arbiter reports them.

/** @import { App } from "../app.js" */
/** @import { Room } from "../room.js" */
/** @import { TournamentGame, TournamentGoal, TournamentReport, TournamentRow, TournamentTest, TournamentTie, TournamentUpdate } from "../types.d.ts" */
import { h, fill, KeyedList, say } from "../dom.js";
import { everyTick, newBoard, showPosition, sideBelow, titleOf } from "../parts.js";
import { loadStyles } from "../styles.js";
import { clockText, gameTitle, resultHeadline, resultText, timeText } from "../texts.js";
import { formatText, leftText, pointsText, progressText, signed, SILENT_AFTER_MS, stateText } from "../tournament_texts.js";

await loadStyles("bracket.css");

const MAX_BOARDS = 4;
const MIN_SHOWN_MS = 3000; // a fast game stays so long before another one takes its place
const REPORT_DELAY_MS = 800; // a report that is known follows the welcome at once
const SVG = "http://www.w3.org/2000/svg";

/** @param {App} app @param {HTMLElement} main @param {string} name */
export function show(app, main, name) {
  return new TournamentPage(app, main, name);
}

class TournamentPage {
  #live = h("span", { class: "live" });
  #title = h("h1", { class: "name" });
  #about = h("p");
  #error = h("p", { class: "banner", role: "status", hidden: true });
  #standings = new Section("Standings", "Elo with 95 % interval");
  #boards;
  #bracket = new Section("Bracket");
  #crosstable = new Section("Crosstable", "", "crosstable");
  #test = new Section("Is it stronger?");
  #goals = new Section("Goals");
  #results = h("ul", { class: "list results" });
  #latest = new Section("Latest results");
  #resultRows = new KeyedList(this.#results, (/** @type {TournamentGame} */ game) => `${game.number}`, resultRow);
  #none;
  #page;
  #leave;
  #stopTicking;
  /** @type {TournamentReport | null} */
  #report = null;
  #reportedAt = 0;

  /** @param {App} app @param {HTMLElement} main @param {string} name */
  constructor(app, main, name) {
    this.app = app;
    this.session = app.session;
    app.title(name);
    main.className = "page";
    this.#boards = new Boards(app);
    const tv = `/tv?tournament=${encodeURIComponent(name)}`;
    fill(this.#latest.body, this.#results);
    this.#none = h("div", { class: "card message", hidden: true }, h("h1", { class: "name" }, name),
      h("p", { class: "soft" }, "No tournament of this name has been reported to this server. It appears here when it starts."),
      h("div", { class: "actions" }, h("a", { class: "btn", href: "/tournaments" }, "All tournaments")));
    this.#page = h("div", { hidden: true },
      h("div", { class: "hero" }, h("div", {}, this.#live, this.#title, this.#about),
        h("div", { class: "row" }, h("a", { class: "btn", href: tv }, "Show on TV"),
          h("button", { class: "btn", type: "button", click: () => print() }, "Print"))),
      this.#error,
      h("div", { class: "cup" },
        h("div", {}, this.#standings.node, this.#boards.section.node, this.#bracket.node, this.#crosstable.node),
        h("div", {}, this.#test.node, this.#goals.node, this.#latest.node)));
    fill(main, this.#none, this.#page);
    this.session.addEventListener("tournament_update", this.#onUpdate);
    this.session.addEventListener("state", this.#onState);
    this.#leave = this.session.watchTournament(name);
    this.session.ready().then(() => setTimeout(() => (this.#none.hidden = this.#report !== null), REPORT_DELAY_MS), (error) =>
      app.message("This tournament cannot be shown", error.message));
    this.#stopTicking = everyTick(() => this.#tick());
  }
  close() {
    this.#leave();
    this.#stopTicking();
    this.#boards.close();
    this.session.removeEventListener("tournament_update", this.#onUpdate);
    this.session.removeEventListener("state", this.#onState);
  }

  #onState = () => {
    const { state, notice } = this.session;
    this.#error.hidden = state === "open" || state === "connecting" || Boolean(this.#report?.finished);
    say(this.#error, state === "lost" ? `Reconnecting… nothing is lost. ${notice}` : notice);
  };
  #onUpdate = (/** @type {Event} */ event) => {
    const { report, age } = /** @type {CustomEvent<TournamentUpdate>} */ (event).detail;
    this.#reportedAt = Date.now() - age;
    this.#none.hidden = true;
    this.#page.hidden = false;
    this.#announce(report);
    this.#report = report;
    this.#show(report);
  };
  #tick() {
    this.#boards.tick();
    if (this.#report) this.#showState(this.#report);
  }
  /** @param {TournamentReport} report */
  #showState(report) {
    const age = Date.now() - this.#reportedAt;
    const text = stateText({ finished: report.finished, age });
    say(this.#live, text[0].toUpperCase() + text.slice(1));
    this.#live.classList.toggle("over", Boolean(report.finished) || age > SILENT_AFTER_MS);
  }
  /** Read the newest result to screen readers. @param {TournamentReport} report */
  #announce(report) {
    const [game] = report.latest ?? [];
    if (!this.#report || !game || game.number === this.#report.latest?.[0]?.number) return;
    this.app.announce(`${game.first} against ${game.second}: ${resultText(game.result ?? "*")}, ${game.why}`);
  }
  /** @param {TournamentReport} report */
  #show(report) {
    const game = this.session.games.find(({ name }) => name === report.game);
    const clock = report.clock?.kind && report.clock.kind !== "none" ? clockText(report.clock) : "";
    this.app.title(report.title);
    say(this.#title, report.title);
    say(this.#about, [gameTitle(this.session.title(report.game), report.options ?? {}, game), formatText(report), clock, progressText(report), leftText(report)]
      .filter(Boolean).join(" · "));
    this.#showState(report);
    const rows = report.rows ?? [];
    this.#standings.show(rows, () => standingsTable(rows));
    if (rows.length < report.players) this.#standings.note(`the best ${rows.length} of ${report.players}`);
    this.#boards.show(report.running ?? []);
    this.#showBracket(report);
    this.#showCrosstable(report);
    this.#showTest(report.sprt);
    this.#showGoals(report);
    this.#showResults(report);
  }
  /** @param {TournamentReport} report */
  #showBracket({ bracket = [] }) {
    this.#bracket.node.hidden = !bracket.length;
    this.#bracket.show(bracket, () => bracketColumns(bracket));
    this.#bracket.note("a level tie goes to the player who is higher in the list");
  }
  /** @param {TournamentReport} report */
  #showCrosstable({ crosstable = [], rows = [] }) {
    this.#crosstable.node.hidden = !crosstable.length;
    this.#crosstable.show({ crosstable, names: rows.map(({ name }) => name) }, () => crossTable(rows, crosstable));
    this.#crosstable.note("points of the row's player, and games if not all are played");
  }
  /** @param {TournamentTest | null | undefined} test */
  #showTest(test) {
    this.#test.node.hidden = !test;
    if (!test) return;
    this.#test.heading(`Is ${test.player} stronger?`);
    this.#test.show(test, () => h("div", { class: "inner" }, ...testParts(test)));
  }
  /** @param {TournamentReport} report */
  #showGoals({ goals = [], goals_met = 0, goals_total = 0 }) {
    this.#goals.node.hidden = !goals.length;
    this.#goals.note(`${goals_met} of ${goals_total} met`);
    this.#goals.show(goals, () => h("ul", { class: "goals inner" }, goals.map(goalRow)));
  }
  /** @param {TournamentReport} report */
  #showResults({ latest = [], done = 0 }) {
    this.#resultRows.show(latest);
    this.#latest.note(done > latest.length ? `${latest.length} of ${done}` : "");
    this.#latest.node.hidden = !latest.length;
  }
}

/** A card whose content is made again only when its data changes. */
class Section {
  #heading = h("h2");
  #note = h("small");
  #face = "";
  body = h("div");
  node;

  /** @param {string} heading @param {string} [note] @param {string} [kind] */
  constructor(heading, note = "", kind = "") {
    this.node = h("section", { class: `card ${kind}` }, h("header", {}, this.#heading, this.#note), this.body);
    this.heading(heading);
    this.note(note);
  }
  /** @param {string} text */
  heading(text) {
    say(this.#heading, text);
  }
  /** @param {string} text */
  note(text) {
    say(this.#note, text);
  }
  /** @param {any} data @param {() => Node} make */
  show(data, make) {
    const face = JSON.stringify(data);
    if (face !== this.#face) fill(this.body, make());
    this.#face = face;
  }
}

/** @param {TournamentRow[]} rows */
function standingsTable(rows) {
  const seconds = (/** @type {TournamentRow} */ row) => `${(row.seconds ?? 0).toFixed((row.seconds ?? 0) < 0.1 ? 2 : 1)} s`;
  const rating = (/** @type {TournamentRow} */ row) => (row.elo == null ? "" : [signed(row.elo), h("small", {}, ` ±${row.error ?? 0}`)]);
  const line = (/** @type {TournamentRow} */ row, /** @type {number} */ at) =>
    h("tr", {}, h("td", {}, at + 1), h("td", { class: "who" }, h("b", {}, row.name), row.state && h("small", {}, ` ${row.state}`)), h("td", {}, h("b", {}, row.points.toFixed(1))),
      h("td", {}, row.games ?? 0), h("td", {}, row.wins ?? 0), h("td", {}, row.draws ?? 0), h("td", {}, row.losses ?? 0),
      h("td", {}, rating(row)), h("td", {}, seconds(row)), h("td", { class: row.forfeits ? "down" : "" }, row.forfeits ?? 0));
  const heads = ["#", "player", "points", "games", "won", "drawn", "lost", "Elo", "per move", "forfeits"];
  return scrolling("Standings", h("table", { class: "standings" }, h("thead", {}, h("tr", {}, heads.map((text) => h("th", { scope: "col" }, text)))), h("tbody", {}, rows.map(line))));
}

/** @param {TournamentRow[]} rows @param {string[][]} cells */
function crossTable(rows, cells) {
  const games = Math.max(0, ...cells.flat().map((cell) => Number(cell.split("/")[1] ?? 0)));
  const cell = (/** @type {string} */ text, /** @type {number} */ at, /** @type {number} */ row) => {
    if (at === row) return h("td", { class: "self" });
    const [points, played] = text.split("/").map(Number);
    if (!text || !played) return h("td");
    return h("td", { class: points * 2 > played ? "w" : "" }, pointsText(points), played < games && h("small", {}, `/${played}`));
  };
  return scrolling("Crosstable", h("table", { class: "cross" },
    h("thead", {}, h("tr", {}, h("th", {}, h("span", { class: "sr" }, "rank")), h("th", {}, h("span", { class: "sr" }, "player")), cells.map((_, at) => h("th", { scope: "col" }, at + 1)))),
    h("tbody", {}, cells.map((row, at) => h("tr", {}, h("td", {}, at + 1), h("td", { class: "who" }, h("b", {}, rows[at]?.name ?? "")), row.map((text, column) => cell(text, column, at)))))));
}

/** The rounds side by side, and the winner. @param {TournamentTie[]} bracket */
function bracketColumns(bracket) {
  const numbers = [...new Set(bracket.map(({ round }) => round))];
  const rounds = numbers.map((number) => bracket.filter(({ round }) => round === number));
  /** @type {Record<number, string>} */
  const names = { 1: "Final", 2: "Semi-finals", 4: "Quarter-finals" };
  const column = (/** @type {string} */ title, /** @type {Node[]} */ ties) => h("section", {}, h("h3", {}, title), ties);
  const winner = bracket[bracket.length - 1]?.winner;
  return scrolling("Bracket", h("div", { class: "bracket" },
    rounds.map((ties) => column(names[ties.length] ?? `Round of ${2 * ties.length}`, ties.map(tieNode))),
    column("Winner", [h("div", { class: "tie" }, h("p", { class: winner ? "won" : "" }, h("span", {}, winner || "?")))])));
}
/** @param {TournamentTie} tie */
function tieNode({ first = "", second = "", first_points = 0, second_points = 0, left = 0, winner = "", bye = false }) {
  const begun = first && second && (first_points || second_points || winner);
  const side = (/** @type {string} */ name, /** @type {number} */ points, /** @type {string} */ otherwise) =>
    h("p", { class: winner && name === winner ? "won" : "" }, h("span", {}, name || otherwise), begun && h("b", {}, pointsText(points)));
  return h("div", { class: "tie" }, side(first, first_points, "?"), side(second, second_points, bye ? "bye" : "?"),
    left ? h("small", {}, `${left} ${left === 1 ? "game" : "games"} to play`) : "");
}

/** A table that scrolls sideways, also with the keyboard. @param {string} label @param {Node} table */
function scrolling(label, table) {
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, table);
}

/** @param {TournamentTest} test */
function testParts({ player, against, llr, lower, upper, elo0, elo1, pairs, verdict, model }) {
  const elo = model === "normalized" ? "normalized Elo" : "Elo";
  const verdicts = { yes: `Yes, by about ${elo1} ${elo} or more.`, no: `No, by ${elo0} ${elo} at most.`, "": "Not decided" };
  const end = verdict ? `Decided after ${counted(pairs)}.` : `after ${counted(pairs)}.`;
  return [testBar(llr, lower, upper),
    h("div", { class: "ends" }, h("span", {}, `${signed(round(lower))} · no`), h("b", {}, signed(round(llr))), h("span", {}, `${signed(round(upper))} · yes`)),
    h("p", { class: "soft" }, `SPRT of ${player} against ${against}: ${elo0} or ${elo1} ${elo}. ${verdicts[verdict ?? ""]} ${end}`)];
}
/** @param {number} pairs */
function counted(pairs) {
  return `${pairs} ${pairs === 1 ? "pair" : "pairs"} of games`;
}
/** @param {number} value */
function round(value) {
  return Math.round(value * 100) / 100;
}
/** The log-likelihood ratio between its bounds, from zero on. @param {number} llr @param {number} lower @param {number} upper */
function testBar(llr, lower, upper) {
  const place = (/** @type {number} */ value) => (300 * (Math.min(upper, Math.max(lower, value)) - lower)) / (upper - lower || 1);
  const zero = place(0), now = place(llr);
  const bar = svg("svg", { class: "test", viewBox: "0 0 300 22", preserveAspectRatio: "none", role: "img", "aria-label": `${round(llr)} between ${round(lower)} and ${round(upper)}` });
  bar.append(svg("rect", { class: "ground", x: 0, y: 5, width: 300, height: 12, rx: 6 }),
    svg("rect", { class: "value", x: Math.min(zero, now), y: 5, width: Math.abs(now - zero), height: 12 }),
    svg("path", { class: "zero", d: `M${zero} 0V22` }));
  return bar;
}
/** @param {string} tag @param {Record<string, string | number>} given */
function svg(tag, given) {
  const node = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(given)) node.setAttribute(key, String(value));
  return node;
}

/** @param {TournamentGoal} goal */
function goalRow({ student, goal, verdict, evidence }) {
  const word = { pass: "met", fail: "not met", open: "open" }[verdict];
  return h("li", { class: verdict }, h("p", {}, h("b", {}, student), ` ${goal}: ${word}`, evidence && h("small", {}, evidence)));
}

/** @param {TournamentGame} game */
function resultRow({ first, second, result = "*", why = "", forfeit = false, moves = 0, room = "" }) {
  const [one, other] = [result === "1-0" ? h("b", {}, first) : first, result === "0-1" ? h("b", {}, second) : second];
  const text = forfeit ? h("small", { class: "down" }, `forfeit: ${why}`) : h("small", {}, [why, moves && `${moves} moves`].filter(Boolean).join(" · "));
  const score = resultText(result);
  return h("li", {}, h("p", {}, one, " – ", other, text),
    room ? h("a", { class: "res", href: `/game/${encodeURIComponent(room)}`, "aria-label": `Show the game of ${first} against ${second}, ${score}` }, score) : h("span", { class: "res" }, score));
}

/** The running games. A game keeps its place until it has ended and another one needs the place. */
class Boards {
  section = new Section("On the boards");
  #grid = h("div", { class: "minis" });
  #none = h("p", { class: "empty" }, "No game is being played at the moment.");
  /** @type {MiniGame[]} */
  #places = [];

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    fill(this.section.body, this.#grid, this.#none);
    app.session.addEventListener("room", this.#onRoom);
  }
  close() {
    this.app.session.removeEventListener("room", this.#onRoom);
    for (const { room } of this.#places) this.app.session.unwatch(room);
  }
  tick() {
    for (const place of this.#places) place.tick();
  }
  /** @param {TournamentGame[]} running */
  show(running) {
    const rooms = new Set(running.map(({ room }) => room));
    const shown = new Set(this.#places.map(({ room }) => room));
    for (const { room } of running) {
      if (!room || shown.has(room)) continue;
      const free = this.#places.findIndex((place) => !rooms.has(place.room) && place.isOld);
      if (this.#places.length < MAX_BOARDS) this.#put(this.#places.length, room);
      else if (free >= 0) this.#put(free, room);
    }
    this.#none.hidden = this.#places.length > 0;
    this.section.note(running.length > MAX_BOARDS ? `${MAX_BOARDS} of ${running.length} games` : "");
  }
  /** @param {number} at @param {string} room */
  #put(at, room) {
    if (this.#places[at]) this.app.session.unwatch(this.#places[at].room);
    this.#places[at] = new MiniGame(this.app, room);
    this.app.session.watch(room).catch(() => undefined); // it may have ended long ago
    fill(this.#grid, ...this.#places.map(({ node }) => node));
  }
  #onRoom = (/** @type {Event} */ event) => {
    const { room } = /** @type {CustomEvent} */ (event).detail;
    this.#places.find((place) => place.room === room.id)?.show(room);
  };
}

class MiniGame {
  #board = newBoard();
  #names = [h("span", { class: "who" }), h("span", { class: "who" })];
  #chips = [h("i", { class: "chip" }), h("i", { class: "chip" })];
  #clocks = [h("span", { class: "push" }), h("span", { class: "push" })];
  #result = h("small");
  #since = Date.now();
  /** @type {Room | null} */
  #view = null;
  node;

  /** @param {App} app @param {string} room */
  constructor(app, room) {
    this.app = app;
    this.room = room;
    this.#board.setAttribute("mini", "");
    const seat = (/** @type {number} */ at) => h("div", { class: "seat" }, this.#chips[at], this.#names[at], this.#clocks[at]);
    this.node = h("a", { class: "mini-game", href: `/room/${encodeURIComponent(room)}` }, seat(0), this.#board, seat(1), this.#result);
  }
  get isOld() {
    return Date.now() - this.#since > MIN_SHOWN_MS;
  }
  /** @param {Room} room */
  show(room) {
    this.#view = room;
    showPosition(this.#board, room, titleOf(this.app.session, room));
    const below = sideBelow(room);
    [1 - below, below].forEach((side, at) => {
      say(this.#names[at], room.nameOf(side));
      this.#chips[at].className = `chip side-${side} c-${room.layout?.colours[side] ?? ""}`;
    });
    say(this.#result, room.status === "ended" ? resultHeadline(room) : `move ${room.ply}`);
    this.tick();
  }
  tick() {
    const room = this.#view;
    if (!room) return;
    const below = sideBelow(room);
    [1 - below, below].forEach((side, at) => {
      say(this.#clocks[at], timeText(room.remaining(side)));
      this.#clocks[at].classList.toggle("on", room.thinking === side);
    });
  }
}
