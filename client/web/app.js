// The application: one session, the header, and the page of the current address.

/** @import { Page } from "./types.d.ts" */
import { h, fill, say } from "./dom.js";
import { findRoute, interceptLinks } from "./router.js";
import { Session, storedIdentity } from "./session.js";
import { identityDialog } from "./dialogs.js";

const LINKS = [
  { text: "Play", path: "/" },
  { text: "TV", path: "/tv" },
  { text: "Tournaments", path: "/tournaments", one: "/tournament" },
  { text: "Leaderboard", path: "/leaderboard/conga" },
  { text: "Puzzles", path: "/puzzles" },
  { text: "Rules", path: "/rules/conga" },
];

export class App {
  session = new Session(storedIdentity());
  #root = /** @type {HTMLElement} */ (document.getElementById("app"));
  #announcer = /** @type {HTMLElement} */ (document.getElementById("announcer"));
  #main = h("main");
  /** @type {Page | null} */
  #page = null;
  #visits = 0;
  #address = ""; // of the page that is shown
  #you = h("button", { class: "btn bare soft push you", type: "button", title: "Your name", click: () => identityDialog(this) });
  #context = h("span", { class: "context" });
  #nav = h("nav", { "aria-label": "Main" });
  #header = h(
    "header",
    { class: "top" },
    h("a", { class: "brand", href: "/" }, h("i", { "aria-hidden": "true" }), "Parlour"),
    this.#context,
    this.#nav,
    this.#you,
    h("button", { class: "btn bare theme", type: "button", "aria-label": "Light or dark", click: switchTheme }, "◐"),
  );

  start() {
    restoreTheme();
    interceptLinks((path) => this.go(path));
    addEventListener("popstate", () => this.#address !== address() && this.#show()); // not for #connect
    this.session.addEventListener("state", () => say(this.#you, this.session.name));
    this.session.start();
    this.#show();
  }
  /** Open a page of this site. @param {string} path */
  go(path) {
    history.pushState(null, "", path);
    this.#show();
    scrollTo(0, 0);
  }
  /** @param {string} text */
  title(text) {
    document.title = text ? `${text} · Parlour` : "Parlour";
  }
  /** The line beside the name of the site on phones. @param {string} text */
  context(text) {
    say(this.#context, text);
  }
  /** Read a text to screen readers. @param {string} text */
  announce(text) {
    say(this.#announcer, text);
  }
  /** Show a message instead of a page. @param {string} heading @param {string} text @param {...Node} actions */
  message(heading, text, ...actions) {
    this.#main.className = "page";
    fill(
      this.#main,
      h("div", { class: "card message" }, h("h1", {}, heading), h("p", { class: "soft" }, text),
        h("div", { class: "actions" }, ...(actions.length ? actions : [h("a", { class: "btn", href: "/" }, "Go to the lobby")]))),
    );
  }

  async #show() {
    const visit = ++this.#visits;
    this.#address = address();
    this.#page?.close?.();
    this.#page = null;
    const found = findRoute(location.pathname);
    const main = (this.#main = h("main"));
    document.body.classList.toggle("in-room", Boolean(found?.route.inRoom));
    this.context("");
    this.title("");
    const section = `/${location.pathname.split("/")[1]}`;
    fill(this.#nav, LINKS.map(({ text, path, one }) =>
      h("a", { href: path, "aria-current": [`/${path.split("/")[1]}`, one].includes(section) && "page" }, text)));
    fill(this.#root, found?.route.bare ? null : this.#header, main);
    if (!found) return this.message("There is no such page", "The address may be mistyped.");
    const module = await found.route.load();
    if (visit === this.#visits) this.#page = module.show(this, main, found.parameter);
  }
}

/** The address of a page, without the place on it. */
function address() {
  return location.pathname + location.search;
}

function switchTheme() {
  const { dataset } = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  dataset.theme = (dataset.theme || system) === "dark" ? "light" : "dark";
  try {
    localStorage.setItem("parlour-theme", dataset.theme);
  } catch {
    // Storage is forbidden: the choice lasts as long as the page.
  }
}

function restoreTheme() {
  const asked = new URLSearchParams(location.search).get("theme");
  try {
    const theme = asked ?? localStorage.getItem("parlour-theme");
    if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
  } catch {
    // Storage is forbidden: the system decides.
  }
}

new App().start();
