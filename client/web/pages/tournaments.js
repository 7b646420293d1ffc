// The tournaments that the server has heard of.

/** @import { App } from "../app.js" */
/** @import { TournamentInfo } from "../types.d.ts" */
import { h, fill, KeyedList, say } from "../dom.js";
import { counted } from "../texts.js";
import { formatText, progressText, stateText } from "../tournament_texts.js";

const REFRESH_MS = 5000;

/** @param {App} app @param {HTMLElement} main */
export function show(app, main) {
  return new TournamentsPage(app, main);
}

class TournamentsPage {
  #count = h("small");
  #list = h("ul", { class: "list" });
  #empty = h("p", { class: "empty", hidden: true }, "No tournament is being played. Start one with: parlour tournament run cup --game conga --bot greedy --bot random --url ",
    h("code", {}, location.host));
  #rows = new KeyedList(this.#list, (/** @type {TournamentInfo} */ info) => info.name, (info) => this.#row(info),
    (info) => ({ ...info, age: stateText(info) }));
  #timer;

  /** @param {App} app @param {HTMLElement} main */
  constructor(app, main) {
    this.app = app;
    app.title("Tournaments");
    main.className = "page";
    fill(main,
      h("div", { class: "hero" }, h("div", {}, h("h1", {}, "Tournaments"), h("p", {}, "Live standings, boards and results. The latest news first."))),
      h("section", { class: "card" }, h("header", {}, h("h2", {}, "On this server"), this.#count), this.#list, this.#empty));
    this.#timer = setInterval(() => this.#load(), REFRESH_MS);
    this.#load();
  }
  close() {
    clearInterval(this.#timer);
  }
  async #load() {
    const reply = await this.app.session.ask("tournaments").catch(() => null);
    if (!reply?.tournaments) return; // the next attempt follows
    this.#rows.show(reply.tournaments);
    this.#empty.hidden = reply.tournaments.length > 0;
    say(this.#count, reply.tournaments.length ? counted(reply.tournaments.length, "tournament") : "");
  }
  /** @param {TournamentInfo} info */
  #row(info) {
    const facts = [this.app.session.title(info.game), formatText(info), progressText(info), stateText(info)];
    return h("li", {},
      h("p", {}, h("b", {}, info.title), h("small", {}, facts.filter(Boolean).join(" · "))),
      h("a", { class: "btn small", href: `/tournament/${encodeURIComponent(info.name)}`, "aria-label": `Watch ${info.title}` }, "Watch"));
  }
}
