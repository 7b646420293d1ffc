// <parlour-board>: draws any game as SVG from a layout and a board. It knows no rules.
//
// Properties: layout, board, preview (the board after a move: cells that differ are drawn as ghosts), and lists of cell
// names: last (the cell left first), legal, picked, decisive.
// Attributes: live (cells are buttons), flipped, mini, label.
// Events: "pick" and "point" with detail.cell, "slide" with detail.from and detail.to.
//
// Light DOM without style attributes: board.css and a strict Content-Security-Policy are enough.

/** @import { Board, Cell, Layout } from "./types.d.ts" */

const SVG = "http://www.w3.org/2000/svg";
const UNIT = 100; // the side of a cell
const MAX_SEEDS = 16;
const MAX_STORE_SEEDS = 40;
const CORNERS = "M9 26V17a8 8 0 0 1 8-8h9M74 9h9a8 8 0 0 1 8 8v9M91 74v9a8 8 0 0 1-8 8h-9M26 91h-9a8 8 0 0 1-8-8v-9";
/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
let boards = 0;

/**
 * @param {string} tag
 * @param {Record<string, any>} [given]
 * @param {...(Node | string)} inside
 * @returns {SVGElement}
 */
function svg(tag, given = {}, ...inside) {
  const node = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(given)) if (value != null && value !== false) node.setAttribute(key, String(value));
  node.append(...inside);
  return node;
}
/** @param {number} cx @param {number} cy @param {number} r @param {Record<string, any>} given */
const circle = (cx, cy, r, given) => svg("circle", { cx, cy, r, ...given });
/** @param {number} x @param {number} y @param {number} width @param {number} height @param {number} rx @param {Record<string, any>} given */
const rect = (x, y, width, height, rx, given) => svg("rect", { x, y, width, height, rx, ...given });
/** @param {number} x @param {number} y @param {string | number} words @param {string} kind @param {number} size */
const text = (x, y, words, kind, size) => svg("text", { x, y, class: kind, "font-size": size }, String(words));

/** One place of the grid: its group of elements, and the part of it that changes. */
class Place {
  face = "";
  /** @type {string} */
  label = "";
  /**
   * @param {string} name @param {number} index @param {number} x @param {number} y
   * @param {number} height @param {SVGElement} group @param {SVGElement} content
   */
  constructor(name, index, x, y, height, group, content) {
    this.name = name;
    this.index = index;
    this.x = x;
    this.y = y;
    this.height = height;
    this.group = group;
    this.content = content;
  }
}

class ParlourBoard extends HTMLElement {
  static observedAttributes = ["live", "flipped", "mini", "label"];
  #id = `board${++boards}-`;
  /** @type {Layout | null} */
  #layout = null;
  /** @type {Board | null} */
  #board = null;
  /** @type {Board | null} */
  #before = null;
  /** @type {Board | null} */
  #preview = null;
  /** @type {Record<"last" | "legal" | "picked" | "decisive", string[]>} */
  #marks = { last: [], legal: [], picked: [], decisive: [] };
  /** @type {Place[]} */
  #places = [];
  #stale = true;
  #due = false;
  #width = 0;
  #scale = 0; // pixels per unit of the drawing, once it has been drawn
  /** @type {string | null} */
  #pressed = null;
  #resized = new ResizeObserver(() => {
    if (this.clientWidth === this.#width) return;
    this.#scale = 0;
    requestAnimationFrame(() => this.#rebuild());
  });

  constructor() {
    super();
    this.addEventListener("click", (event) => this.#tell("pick", event.target));
    this.addEventListener("pointermove", (event) => this.#tell("point", event.target));
    this.addEventListener("pointerdown", (event) => (this.#pressed = cellOf(event.target)));
    this.addEventListener("pointerup", (event) => this.#drop(event));
    this.addEventListener("keydown", (event) => this.#key(event));
  }
  connectedCallback() {
    this.#resized.observe(this);
    this.#rebuild();
  }
  disconnectedCallback() {
    this.#resized.disconnect();
  }
  /** @param {string} name @param {string | null} _before @param {string | null} value */
  attributeChangedCallback(name, _before, value) {
    if (name === "label") this.firstElementChild?.setAttribute("aria-label", value || "board");
    else this.#rebuild();
  }

  get layout() {
    return this.#layout;
  }
  set layout(value) {
    if (value === this.#layout) return;
    this.#layout = value;
    this.#before = this.#board = null;
    this.#rebuild();
  }
  get board() {
    return this.#board;
  }
  set board(value) {
    if (value === this.#board) return;
    this.#before = this.#board;
    this.#board = value;
    this.#update();
  }
  get preview() {
    return this.#preview;
  }
  set preview(value) {
    this.#preview = value;
    this.#update();
  }
  get last() {
    return this.#marks.last;
  }
  set last(names) {
    this.#mark("last", names);
  }
  get legal() {
    return this.#marks.legal;
  }
  set legal(names) {
    this.#mark("legal", names);
  }
  get picked() {
    return this.#marks.picked;
  }
  set picked(names) {
    this.#mark("picked", names);
  }
  get decisive() {
    return this.#marks.decisive;
  }
  set decisive(names) {
    this.#mark("decisive", names);
  }
  /** The name of the cell that has the focus, or null. */
  get focused() {
    return this.contains(document.activeElement) ? cellOf(document.activeElement) : null;
  }

  /** @param {"last" | "legal" | "picked" | "decisive"} kind @param {string[] | null | undefined} names */
  #mark(kind, names) {
    this.#marks[kind] = names ?? [];
    this.#update();
  }
  #rebuild() {
    this.#stale = true;
    this.#update();
  }
  #update() {
    if (this.#due) return;
    this.#due = true;
    queueMicrotask(() => {
      this.#due = false;
      if (!this.isConnected || !this.#layout || !this.#board) return;
      if (this.#stale) this.#build(this.#layout);
      this.#draw(this.#layout, this.#board);
    });
  }

  // -- input

  /** @param {string} type @param {EventTarget | null} target */
  #tell(type, target) {
    const cell = cellOf(target);
    if (cell !== null) this.dispatchEvent(new CustomEvent(type, { bubbles: true, detail: { cell } }));
  }
  /** @param {PointerEvent} event */
  #drop(event) {
    const from = this.#pressed;
    const to = cellOf(document.elementFromPoint(event.clientX, event.clientY)); // a finger captures the first target
    this.#pressed = null;
    if (from && to && from !== to) this.dispatchEvent(new CustomEvent("slide", { bubbles: true, detail: { from, to } }));
  }
  /** @param {KeyboardEvent} event */
  #key(event) {
    const step = ARROWS[event.key];
    const here = this.#places.find((place) => place.name === this.focused);
    if (!here || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#tell("pick", here.group);
    } else if (step) {
      event.preventDefault();
      event.stopPropagation();
      const next = this.#places.find((place) => place.x === here.x + step[0] && place.y === here.y + step[1]);
      if (next) this.focusCell(next.name);
    }
  }
  /** Move the focus to a cell. @param {string} name */
  focusCell(name) {
    for (const place of this.#places) place.group.setAttribute("tabindex", place.name === name ? "0" : "-1");
    const next = this.#places.find((place) => place.name === name);
    next?.group.focus();
    if (next) this.#tell("point", next.group);
  }

  // -- what does not change with a move

  /** @param {Layout} layout */
  #build(layout) {
    const mini = this.hasAttribute("mini"), live = this.hasAttribute("live");
    const turned = this.hasAttribute("flipped") && layout.kind !== "discs"; // discs fall down for both players
    const focus = this.focused;
    const high = layout.rows.length, wide = layout.rows[0].length;
    const pits = layout.kind === "pits", stacks = layout.kind === "stacks";
    const edge = stacks ? 10 : pits ? 30 : 22, gap = pits ? 34 : 0, band = pits ? 44 : 0;
    const width = wide * UNIT + 2 * edge, height = high * UNIT + gap * (high - 1) + 2 * (edge + band);
    this.#width = this.clientWidth;
    const fontSize = parseFloat(getComputedStyle(this).fontSize);
    const scale = this.#scale || (this.#width || 400) / width;
    const axis = Math.min(40, (0.85 * fontSize) / scale); // as large as the text around the board
    const left = !mini && !pits && layout.ranks.some(Boolean) ? axis * 1.7 : 0;
    const below = !mini && !pits && layout.files.some(Boolean) ? axis * 2 : 0;
    const round = pits ? 70 : stacks ? 16 : 26;
    const picture = /** @type {SVGSVGElement} */ (svg("svg", {
      viewBox: `${-left} 0 ${width + left} ${height + below + 6}`,
      class: `pb pb-${layout.kind}${mini ? " mini" : ""}`,
      role: live ? "group" : "img",
      "aria-label": this.getAttribute("label") || "board",
    }));
    picture.append(
      this.#paints(layout),
      rect(2, 6, width - 4, height, round, { class: "under" }),
      rect(0, 0, width, height, round, { class: "wood" }),
      rect(1.5, 1.5, width - 3, height - 3, round - 1, { class: "bevel" }),
    );
    this.#places = [];
    layout.rows.forEach((row, ry) => row.forEach((name, rx) => {
      if (name === null) return;
      const x = turned ? wide - 1 - rx : rx, y = turned ? high - 1 - ry : ry;
      const store = pits && layout.rows.every((other, at) => at === ry || other[rx] === null); // alone in its column
      const size = store ? height - 2 * (edge + band) : UNIT;
      const group = svg("g", {
        transform: `translate(${edge + x * UNIT} ${store ? edge + band : edge + band + y * (UNIT + gap)})`,
        "data-cell": name,
        role: live && "button",
        tabindex: live && (this.#places.length ? "-1" : "0"),
      });
      const content = svg("g");
      group.append(this.#ground(layout, size, (x + y) % 2 === 1), content, outline(layout, size, "focus"));
      picture.append(group);
      this.#places.push(new Place(name, this.#places.length, x, y, size, group, content));
    }));
    const files = turned ? [...layout.files].reverse() : layout.files;
    const ranks = turned ? [...layout.ranks].reverse() : layout.ranks;
    if (below) files.forEach((label, x) => picture.append(text(edge + x * UNIT + 50, height + 4 + axis * 1.1, label, "axis", axis)));
    if (left) ranks.forEach((label, y) => picture.append(text(-axis * 0.95, edge + y * UNIT + 50, label, "axis", axis)));
    if (pits && !mini) files.forEach((label, x) => picture.append(text(edge + x * UNIT + 50, height / 2, label, "axis in", 25)));
    this.replaceChildren(picture);
    this.#stale = false;
    if (focus) this.focusCell(focus);
    const drawn = this.#scale ? scale : (picture.getScreenCTM()?.a ?? scale);
    if (drawn && Math.abs(drawn / scale - 1) > 0.1) {
      this.#scale = drawn; // the height limits the drawing: now the size of the labels is known
      this.#build(layout);
    }
  }
  /** @param {Layout} layout */
  #paints(layout) {
    /** @param {string} id @param {Record<string, any>} given @param {...[number, string]} stops */
    const radial = (id, given, ...stops) =>
      svg("radialGradient", { id: this.#id + id, ...given }, ...stops.map(([offset, kind]) => svg("stop", { offset, class: kind })));
    const upper = { cx: 0.38, cy: 0.3, r: 0.75 };
    return svg(
      "defs",
      {},
      ...layout.colours.map((_, side) =>
        radial(`piece${side}`, { ...upper, class: pieceClass(layout, side) }, [0, "lit"], [0.55, "body"], [1, "low"])),
      ...[0, 1, 2].map((kind) => radial(`seed${kind}`, { ...upper, class: `seed${kind}` }, [0, "lit"], [1, "body"])),
      radial("shade", {}, [0.5, "shade"], [1, "clear"]),
      radial("pit", { cx: 0.5, cy: 0.62, r: 0.62 }, [0.45, "pit"], [1, "pit-low"]),
      radial("hole", { cx: 0.5, cy: 0.6, r: 0.6 }, [0.6, "hole"], [1, "hole-low"]),
    );
  }
  /** @param {string} id */
  #paint(id) {
    return { fill: `url(#${this.#id}${id})` };
  }
  /** @param {Layout} layout @param {number} size @param {boolean} odd */
  #ground(layout, size, odd) {
    if (layout.kind === "pits") {
      const place = size > UNIT ? rect(10, 3, 80, size - 6, 40, this.#paint("pit")) : circle(50, 50, 43, this.#paint("pit"));
      return svg("g", {}, rect(0, 0, UNIT, size, 0, { class: "hit" }), place);
    }
    if (layout.kind === "discs") {
      return svg("g", {}, rect(0, 0, UNIT, UNIT, 0, { class: "hit" }), circle(50, 50, 42, this.#paint("hole")), circle(50, 50, 42, { class: "lip" }));
    }
    if (layout.kind === "marbles") return rect(0, 0, UNIT, UNIT, 0, { class: "hit" });
    return rect(2, 2, 96, 96, 10, { class: odd ? "square odd" : "square" });
  }

  // -- what changes with a move

  /** @param {Layout} layout @param {Board} board */
  #draw(layout, board) {
    const { last, legal, picked, decisive } = this.#marks;
    const live = this.hasAttribute("live");
    for (const place of this.#places) {
      const now = board[place.index], after = this.#preview?.[place.index] ?? now, was = this.#before?.[place.index] ?? now;
      const marks = {
        last: last.includes(place.name) && !decisive.length,
        origin: last.length > 1 && last[0] === place.name,
        legal: legal.includes(place.name),
        picked: picked.includes(place.name),
        decisive: decisive.includes(place.name),
        dim: decisive.length > 0 && !decisive.includes(place.name),
      };
      const face = JSON.stringify([now, after, marks]);
      if (face === place.face && place.content.firstChild) continue;
      const fresh = place.face !== "" && differ(was, now);
      place.face = face;
      const kinds = Object.entries(marks).filter(([, on]) => on).map(([kind]) => kind);
      place.group.setAttribute("class", ["cell", ...kinds, fresh && "fresh"].filter(Boolean).join(" "));
      if (live) place.group.setAttribute("aria-label", spoken(layout, place.name, now, marks));
      place.content.replaceChildren(...this.#contents(layout, place, now, after, marks));
    }
    this.#before = board;
  }
  /**
   * @param {Layout} layout @param {Place} place @param {Cell} now @param {Cell} after
   * @param {Record<string, boolean>} marks
   */
  #contents(layout, place, now, after, marks) {
    const pits = layout.kind === "pits", size = place.height, changed = differ(now, after);
    /** @type {Node[]} */
    const parts = [];
    if (pits) parts.push(this.#lip(layout, size, now[0]));
    if (layout.kind === "marbles" && now[0] === null) {
      parts.push(circle(50, 50, 22, this.#paint("pit")), circle(50, 50, 22, { class: "lip" }));
    }
    if (marks.last) parts.push(outline(layout, size, marks.origin ? "was" : "came"));
    if (marks.picked) parts.push(outline(layout, size, "pick"));
    if (marks.decisive) parts.push(outline(layout, size, "won-under"), outline(layout, size, "won"));
    if (changed && now[1] && !after[1] && !pits) {
      parts.push(svg("g", { class: "leaving" }, ...this.#piece(layout, place, now, false)), outline(layout, size, "dash"));
    } else if (changed) {
      parts.push(svg("g", { class: "ghost" }, ...this.#piece(layout, place, after, true)), outline(layout, size, "dash"));
      const more = after[1] - now[1];
      if (layout.kind === "stacks" && now[1] && more > 0) {
        parts.push(rect(59, 7, 35, 25, 12.5, { class: "delta" }), text(76.5, 20, `+${more}`, "delta-text", 19));
      }
    } else {
      parts.push(...this.#piece(layout, place, now, false));
    }
    if (marks.legal && !marks.picked && !changed) {
      if (pits) parts.push(outline(layout, size, "may"));
      else parts.push(now[1] && now[0] !== null ? svg("path", { class: "corners", d: CORNERS }) : circle(50, 50, 12, { class: "dot" }));
    }
    return parts;
  }
  /** @param {Layout} layout @param {number} size @param {number | null} owner */
  #lip(layout, size, owner) {
    if (size === UNIT) return circle(50, 50, 43, { class: "lip" });
    return rect(10, 3, 80, size - 6, 40, { class: `lip store ${pieceClass(layout, owner ?? 0)}` });
  }
  /** @param {Layout} layout @param {Place} place @param {Cell} cell @param {boolean} ghost @returns {Node[]} */
  #piece(layout, place, [owner, count], ghost) {
    if (layout.kind === "pits") return this.#seeds(layout, place, owner, count);
    if (owner === null || !count) return [];
    const thing = svg("g", { class: `thing ${pieceClass(layout, owner)}` });
    const own = this.#paint(`piece${owner}`), shade = this.#paint("shade");
    if (layout.kind === "discs") {
      thing.append(
        circle(50, 50, 40, { class: "stone", ...own }),
        circle(50, 50, 29, { class: "groove" }),
        owner ? svg("path", { class: "sign", d: "M50 39 61 50 50 61 39 50Z" }) : circle(50, 50, 10, { class: "sign ring" }),
      );
    } else if (layout.kind === "marbles") {
      thing.append(
        circle(54, 58, 42, shade),
        circle(50, 50, 37, { class: "stone", ...own }),
        svg("ellipse", { class: "gleam", cx: 38, cy: 33, rx: 9, ry: 5.5, transform: "rotate(-38 38 33)" }),
      );
    } else {
      const step = count > 1 ? Math.min(4.2, 20 / (count - 1)) : 0, low = 50 + ((count - 1) * step) / 2;
      const top = low - (count - 1) * step, shown = Math.min(count, 12); // more layers than that cannot be told apart
      thing.append(circle(53, low + 7, 39, shade));
      for (let at = 0; at < shown; at++) {
        const y = low - ((count - 1) * step * at) / Math.max(1, shown - 1);
        thing.append(circle(50, y, 34, { class: "stone", ...(at === shown - 1 && own) }));
      }
      thing.append(circle(50, top, 27.5, { class: "groove" }));
      const counted = layout.counted && (count > 1 || ghost);
      if (counted) thing.append(text(50, top + 1, count, "count", this.hasAttribute("mini") ? 44 : 36));
    }
    return [thing];
  }
  /** @param {Layout} layout @param {Place} place @param {number | null} owner @param {number} count @returns {Node[]} */
  #seeds(layout, place, owner, count) {
    const size = place.height, store = size > UNIT, at = place.index;
    const shown = Math.min(count, store ? MAX_STORE_SEEDS : MAX_SEEDS), radius = shown > 11 && !store ? 8 : 9.6;
    const seeds = svg("g", { class: "thing seeds" });
    for (let i = 0; i < shown; i++) {
      const turn = i * 2.39996 + at * 1.7; // the golden angle spreads them evenly
      const far = shown === 1 ? 0 : Math.sqrt((i + 0.6) / Math.max(shown, 5)) * (store ? 26 : 29);
      const cx = Number((50 + Math.cos(turn) * far).toFixed(1));
      const cy = Number((size / 2 + Math.sin(turn) * far * (store ? (size / UNIT) * 1.15 : 1)).toFixed(1));
      seeds.append(
        svg("ellipse", { class: "drop", cx: cx + 1.5, cy: cy + 3, rx: radius, ry: radius * 0.9 }),
        svg("ellipse", {
          cx, cy, rx: radius, ry: radius * 0.86, ...this.#paint(`seed${(i * 7 + at) % 3}`), transform: `rotate(${(i * 53) % 180} ${cx} ${cy})`,
        }),
      );
    }
    const y = !store && place.y === 0 ? -25 : size + 27;
    const kind = `count out ${pieceClass(layout, owner ?? 0)}${count ? "" : " nil"}`;
    return [seeds, text(50, y, count, kind, this.hasAttribute("mini") ? 44 : 34)];
  }
}

/** @param {EventTarget | Element | null} target */
function cellOf(target) {
  const group = target instanceof Element ? target.closest("[data-cell]") : null;
  return group instanceof SVGElement ? (group.dataset.cell ?? null) : null;
}
/** @param {Cell} one @param {Cell} other */
function differ(one, other) {
  return one[0] !== other[0] || one[1] !== other[1];
}
/** @param {Layout} layout @param {number} side */
function pieceClass(layout, side) {
  return `side-${side} c-${layout.colours[side]}`; // side-N is the default for a colour that board.css does not know
}
/** @param {Layout} layout @param {number} size @param {string} kind */
function outline(layout, size, kind) {
  if (layout.kind === "pits") return size > UNIT ? rect(9, 2, 82, size - 4, 41, { class: kind }) : circle(50, 50, 44, { class: kind });
  if (layout.kind === "discs" || layout.kind === "marbles") return circle(50, 50, 43, { class: kind });
  return rect(4, 4, 92, 92, 9, { class: kind });
}
/** @param {Layout} layout @param {string} name @param {Cell} cell @param {Record<string, boolean>} marks */
function spoken(layout, name, [owner, count], marks) {
  const holds = owner === null || (layout.counted && !count) ? "empty" : layout.counted ? `${layout.colours[owner]} ${count}` : layout.colours[owner];
  return [name, holds, marks.picked && "picked", marks.legal && "can be chosen", marks.last && "last move", marks.decisive && "decisive"]
    .filter(Boolean)
    .join(", ");
}

customElements.define("parlour-board", ParlourBoard);
export { ParlourBoard };
