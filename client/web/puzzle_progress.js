// Which puzzles of a game this browser has solved. They are kept in localStorage, if that is allowed.

export class Progress {
  /** How many in a row were solved at the first try, since the page was opened. */
  streak = 0;
  /** @type {Set<number>} */
  #solved = new Set();
  #last = -1;
  #key;

  /** @param {string} game */
  constructor(game) {
    this.#key = `parlour-puzzles-${game}`;
    try {
      const known = JSON.parse(localStorage.getItem(this.#key) ?? "[]");
      if (Array.isArray(known)) this.#solved = new Set(known.filter(Number.isInteger));
    } catch {
      // Storage is forbidden or damaged: no puzzle counts as solved.
    }
  }
  /** Note a solved puzzle. @param {number} number @param {boolean} clean at the first try and without help */
  add(number, clean) {
    if (number === this.#last) return;
    this.#last = number;
    this.streak = clean ? this.streak + 1 : 0;
    this.#solved.add(number);
    try {
      localStorage.setItem(this.#key, JSON.stringify([...this.#solved].sort((one, other) => one - other)));
    } catch {
      // Storage is forbidden: the progress lasts as long as the page.
    }
  }
  /** How many of these puzzles are solved. @param {number[]} numbers */
  count(numbers) {
    return numbers.filter((number) => this.#solved.has(number)).length;
  }
  /** The first puzzle after another one that is not solved; if all are, the next one. @param {number[]} numbers @param {number} after */
  pick(numbers, after) {
    const order = [...numbers.filter((number) => number > after), ...numbers.filter((number) => number <= after)];
    return order.find((number) => !this.#solved.has(number) && number !== after) ?? order[0] ?? 0;
  }
}
