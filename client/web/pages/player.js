// A player: the rating over time, and the latest games.

/** @import { App } from "../app.js" */
/** @import { RatedGame, RoomInfo } from "../types.d.ts" */
import { h, fill } from "../dom.js";
import { drawCurve, newGraph, titleOf, versus } from "../parts.js";
import { counted, dayText, resultText, shortReason } from "../texts.js";

/** @param {App} app @param {HTMLElement} main @param {string} name */
export function show(app, main, name) {
  load(app, main, name).catch((error) => app.message("This player cannot be shown", error.message));
  return {};
}

/** @param {App} app @param {HTMLElement} main @param {string} name */
async function load(app, main, name) {
  const { session } = app;
  main.className = "page";
  app.title(name);
  await session.ready();
  const played = await session.ask("history", { player: name, limit: 30 });
  const rated = await Promise.all(session.games.map(async (game) => ({
    game, ratings: (await session.ask("ratings", { player: name, game: game.name, limit: 100 }).catch(() => null))?.ratings ?? [],
  })));
  const curves = rated.filter(({ ratings }) => ratings.length);
  const games = played.rooms ?? [];
  fill(main,
    h("div", { class: "hero" }, h("div", {}, h("h1", { class: "name" }, name), h("p", {}, games.length ? counted(games.length, "game") + " shown, the latest first." : "No finished game of this name is known."))),
    h("div", { class: "facts" },
      h("div", { class: "row-list" }, curves.length ? curves.map(({ game, ratings }) => ratingCard(game.title, ratings))
        : h("section", { class: "card" }, h("header", {}, h("h2", {}, "Ratings")), h("p", { class: "empty" }, "No rated game yet."))),
      h("section", { class: "card" }, h("header", {}, h("h2", {}, "Latest games")),
        h("ul", { class: "list" }, games.map((info) => gameRow(app, info))), !games.length && h("p", { class: "empty" }, "No games."))));
}

/** @param {string} title @param {RatedGame[]} ratings the latest first */
function ratingCard(title, ratings) {
  const series = ratings.map(({ rating }) => rating).reverse();
  const low = Math.min(...series), span = Math.max(50, Math.max(...series) - low);
  const graph = newGraph(`Rating in ${title}: from ${series[0]} to ${series.at(-1)}`);
  drawCurve(graph, series.map((rating) => 58 - ((rating - low) / span) * 52), 64);
  return h("section", { class: "card" },
    h("header", {}, h("h2", {}, title), h("small", {}, counted(ratings[0].games, "rated game"))),
    h("div", { class: "inner" },
      h("p", {}, h("b", { class: "value" }, ratings[0].rating), h("small", {}, ` ±${2 * ratings[0].deviation} on ${dayText(ratings[0].at)}`)), graph));
}

/** @param {App} app @param {RoomInfo} info */
function gameRow(app, info) {
  const winner = info.result === "1-0" ? 0 : info.result === "0-1" ? 1 : null;
  const day = info.ended_at ? dayText(info.ended_at) : "";
  return h("li", {},
    h("p", {}, versus(info, winner), h("small", {}, [titleOf(app.session, info), shortReason(info), day].filter(Boolean).join(" · "))),
    h("a", { class: "res link", href: `/game/${encodeURIComponent(info.room)}`, "aria-label": `Show the game, ${info.result}` }, resultText(info.result ?? "*")));
}
