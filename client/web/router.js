// The routes of the pages, and moving between them without losing the session.

/** @import { Page } from "./types.d.ts" */
/** @import { App } from "./app.js" */

/** @typedef {{ show(app: App, main: HTMLElement, parameter: string): Page }} PageModule */
/** @typedef {{ pattern: RegExp, load: () => Promise<PageModule>, bare?: boolean, inRoom?: boolean }} Route */

/** A bare page has no header. The server knows the same routes: client/presentation/website.py. @type {Route[]} */
export const ROUTES = [
  { pattern: /^\/$/, load: () => import("./pages/lobby.js") },
  { pattern: /^\/room\/([^/]+)$/, load: () => import("./pages/room.js"), inRoom: true },
  { pattern: /^\/game\/([^/]+)$/, load: () => import("./pages/room.js"), inRoom: true },
  { pattern: /^\/tv$/, load: () => import("./pages/tv.js"), bare: true },
  { pattern: /^\/tournaments$/, load: () => import("./pages/tournaments.js") },
  { pattern: /^\/tournament\/([^/]+)$/, load: () => import("./pages/tournament.js") },
  { pattern: /^\/embed\/([^/]+)$/, load: () => import("./pages/embed.js"), bare: true },
  { pattern: /^\/leaderboard\/([^/]+)$/, load: () => import("./pages/leaderboard.js") },
  { pattern: /^\/player\/([^/]+)$/, load: () => import("./pages/player.js") },
  { pattern: /^\/puzzles$/, load: () => import("./pages/puzzles.js") },
  { pattern: /^\/puzzles\/([^/]+)$/, load: () => import("./pages/puzzles.js") },
  { pattern: /^\/rules\/([^/]+)$/, load: () => import("./pages/rules.js") },
];

/** @param {string} path @returns {{ route: Route, parameter: string } | null} */
export function findRoute(path) {
  for (const route of ROUTES) {
    const found = route.pattern.exec(path);
    if (found) return { route, parameter: decode(found[1] ?? "") };
  }
  return null;
}

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Call `go` for clicks on links of this site, instead of loading a page. @param {(path: string) => void} go */
export function interceptLinks(go) {
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    if (!(link instanceof HTMLAnchorElement) || event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || link.target || link.hasAttribute("download")) return;
    const url = new URL(link.href);
    if (url.origin !== location.origin || !findRoute(url.pathname) || url.hash) return;
    event.preventDefault();
    go(url.pathname + url.search);
  });
}
