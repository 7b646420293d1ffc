// The rules of a game, with figures drawn like the games themselves.

/** @import { App } from "../app.js" */
import { h, fill } from "../dom.js";
import { newBoard } from "../parts.js";

/** @typedef {[kind: "" | "b" | "i" | "code", text: string][]} Spans */

/** @param {App} app @param {HTMLElement} main @param {string} game */
export function show(app, main, game) {
  load(app, main, game).catch((error) => app.message("These rules cannot be shown", error.message));
  return {};
}

/** @param {App} app @param {HTMLElement} main @param {string} name */
async function load(app, main, name) {
  main.className = "page book";
  await app.session.ready();
  if (!app.session.games.some((game) => game.name === name)) return app.message("There is no such game", "The address may be mistyped.");
  const response = await fetch(new URL(`../rules/${encodeURIComponent(name)}.json`, import.meta.url));
  if (!response.ok) return app.message("There is no text for this game yet", "Its moves are shown while you play.");
  const chapter = await response.json();
  app.title(`Rules of ${chapter.title}`);
  fill(main,
    h("nav", { "aria-label": "Games" }, app.session.games.map((game) =>
      h("a", { href: `/rules/${game.name}`, "aria-current": game.name === name && "page" }, game.title))),
    h("article", {}, h("div", {}, h("h1", {}, chapter.title), chapter.lead && h("p", { class: "lead" }, chapter.lead)), blocks(chapter.blocks)));
  return undefined;
}

/** Figures that follow each other stand side by side. @param {any[]} list */
function blocks(list) {
  /** @type {Node[]} */
  const nodes = [];
  /** @type {HTMLElement | null} */
  let figures = null;
  for (const block of list) {
    if (block.kind !== "figure") {
      figures = null;
      nodes.push(blockNode(block));
      continue;
    }
    if (!figures) nodes.push((figures = h("div", { class: "figures" })));
    figures.classList.toggle("wide", block.layout.rows[0].length > 2 * block.layout.rows.length);
    figures.append(figure(block));
  }
  return nodes;
}

/** @param {any} block @returns {Node} */
function blockNode(block) {
  switch (block.kind) {
    case "heading":
      return h("h2", {}, block.text);
    case "bullets":
      return h("ul", {}, block.items.map((/** @type {Spans} */ item) => h("li", {}, inline(item))));
    case "table": {
      const [head, ...rows] = block.rows;
      return h("div", { class: "scroll", tabindex: "0" }, h("table", {},
        h("thead", {}, h("tr", {}, head.map((/** @type {Spans} */ cell) => h("th", { scope: "col" }, inline(cell))))),
        h("tbody", {}, rows.map((/** @type {Spans[]} */ row) => h("tr", {}, row.map((cell) => h("td", {}, inline(cell))))))));
    }
    case "example":
      return h("pre", { tabindex: "0" }, block.text);
    default:
      return h("p", {}, inline(block.spans));
  }
}

/** @param {any} block */
function figure(block) {
  const board = newBoard();
  const caption = block.caption.map((/** @type {[string, string]} */ [, text]) => text).join("");
  board.layout = block.layout;
  board.board = block.board;
  board.preview = block.preview;
  board.last = block.last;
  board.picked = block.picked;
  board.legal = block.legal;
  board.decisive = block.decisive;
  board.setAttribute("label", caption);
  return h("figure", {}, board, h("figcaption", {}, inline(block.caption)));
}

/** @param {Spans} spans */
function inline(spans) {
  return spans.map(([kind, text]) => (kind === "" ? text : h(kind, {}, text)));
}
