// Build and update elements. Texts become text nodes, never markup: names and chat come from other people.

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * Create an element: `h("p", { class: "soft" }, "text", child)`. A function becomes a listener of its event.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, any>} [given]
 * @param {...(Child | Child[])} inside
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, given = {}, ...inside) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(given)) {
    if (typeof value === "function") node.addEventListener(key, value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value != null) node.setAttribute(key, String(value));
  }
  fill(node, ...inside);
  return node;
}

/**
 * Replace the children of an element.
 * @param {Element} node
 * @param {...(Child | Child[])} inside
 */
export function fill(node, ...inside) {
  const parts = inside.flat().filter((part) => part !== null && part !== undefined && part !== false && part !== "");
  node.replaceChildren(...parts.map((part) => (part instanceof Node ? part : String(part))));
}

/**
 * Set the text of an element, only if it differs.
 * @param {Element} node
 * @param {string} text
 */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * Show items as children of a list. An element is made again only when the face of its item changes, so that a press
 * on a button is not lost when other items change.
 * @template T
 */
export class KeyedList {
  /** @type {Map<string, { face: string, node: Element }>} */
  #shown = new Map();

  /**
   * @param {Element} parent
   * @param {(item: T) => string} keyOf
   * @param {(item: T) => Element} make
   * @param {(item: T) => any} [faceOf]
   */
  constructor(parent, keyOf, make, faceOf = (item) => item) {
    this.parent = parent;
    this.keyOf = keyOf;
    this.make = make;
    this.faceOf = faceOf;
  }

  /** @param {T[]} items */
  show(items) {
    const next = new Map();
    for (const item of items) {
      const key = this.keyOf(item);
      const face = JSON.stringify(this.faceOf(item));
      const known = this.#shown.get(key);
      next.set(key, known?.face === face ? known : { face, node: this.make(item) });
    }
    this.#shown = next;
    const nodes = [...next.values()].map((entry) => entry.node);
    const same = nodes.length === this.parent.children.length && nodes.every((node, at) => node === this.parent.children[at]);
    if (!same) this.parent.replaceChildren(...nodes);
  }
}
