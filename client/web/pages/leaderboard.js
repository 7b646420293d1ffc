// The best players of a game.

/** @import { App } from "../app.js" */
/** @import { Leader } from "../types.d.ts" */
import { h, fill } from "../dom.js";
import { dayText } from "../texts.js";

/** @param {App} app @param {HTMLElement} main @param {string} game */
export function show(app, main, game) {
  load(app, main, game).catch((error) => app.message("This leaderboard cannot be shown", error.message));
  return {};
}

/** @param {App} app @param {HTMLElement} main @param {string} game */
async function load(app, main, game) {
  const { session } = app;
  main.className = "page";
  const { leaders = [] } = await session.ask("leaderboard", { game, limit: 100 });
  const title = session.title(game);
  app.title(`Leaderboard of ${title}`);
  fill(main,
    h("div", { class: "hero" }, h("div", {}, h("h1", {}, `Leaderboard of ${title}`), h("p", {}, "Established ratings first, then provisional ones (?). Only rated games between accounts count."))),
    h("nav", { class: "tabs", "aria-label": "Games" }, session.games.map((info) =>
      h("a", { href: `/leaderboard/${info.name}`, "aria-current": info.name === game && "page" }, info.title))),
    h("section", { class: "card" }, leaders.length ? table(leaders, game) : h("p", { class: "empty" }, "No rated game has been played yet.")));
}

/** @param {Leader[]} leaders @param {string} game */
function table(leaders, game) {
  const row = (/** @type {Leader} */ leader, /** @type {number} */ at) =>
    h("tr", {}, h("td", {}, leader.provisional ? "" : at + 1),
      h("td", {}, h("a", { class: "link", href: `/player/${encodeURIComponent(leader.name)}?game=${encodeURIComponent(game)}` }, leader.name)),
      h("td", {}, h("b", {}, `${leader.rating}${leader.provisional ? "?" : ""}`), h("small", {}, ` ±${2 * leader.deviation}`)),
      h("td", {}, leader.games), h("td", {}, dayText(leader.at)));
  return h("div", { class: "scroll" }, h("table", {},
    h("thead", {}, h("tr", {}, ["#", "player", "rating", "games", "last game"].map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, leaders.map(row))));
}
