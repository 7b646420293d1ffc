// Dialogs: questions, a new game, the person's name.

/** @import { App } from "./app.js" */
/** @import { BotInfo, Control, GameInfo } from "./types.d.ts" */
import { h, fill, say } from "./dom.js";

const GUARD_MS = 350; // a click or key meant for the board must not answer a question that has just appeared
/** @type {[string, Control][]} */
const CLOCKS = [
  ["5 min + 3 s per move", { kind: "fischer", base: 300_000, increment: 3000 }],
  ["1 min + 1 s per move", { kind: "fischer", base: 60_000, increment: 1000 }],
  ["15 min + 10 s per move", { kind: "fischer", base: 900_000, increment: 10_000 }],
  ["10 s per move", { kind: "move", per_move: 10_000 }],
  ["No clock", { kind: "none" }],
];
const BOT_AFTER_MS = 8000;

/** Show a dialog until it is closed, then remove it. @param {HTMLDialogElement} dialog */
function open(dialog) {
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.showModal();
  return dialog;
}

/**
 * Ask a question that cannot be answered by accident: the buttons work only after a moment, and No has the focus.
 * @param {string} question @param {string} text @param {string} yes @returns {Promise<boolean>}
 */
export function confirmed(question, text, yes) {
  return new Promise((resolve) => {
    const agree = h("button", { class: "btn main", value: "yes", disabled: true }, yes);
    const dialog = h(
      "dialog",
      { "aria-label": question },
      h("form", { method: "dialog" }, h("h2", {}, question), h("p", { class: "soft" }, text),
        h("div", { class: "actions" }, h("button", { class: "btn", value: "no", autofocus: true }, "No"), agree)),
    );
    setTimeout(() => (agree.disabled = false), GUARD_MS);
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"));
    open(dialog);
  });
}

/**
 * Ask for a text. @param {string} title @param {string} label @param {string} button @returns {Promise<string | null>}
 */
export function askText(title, label, button) {
  return new Promise((resolve) => {
    const field = h("input", { class: "field", required: true, autocomplete: "off", autofocus: true });
    const dialog = h(
      "dialog",
      { "aria-label": title },
      h("form", { method: "dialog" }, h("h2", {}, title), h("label", {}, label, field),
        h("div", { class: "actions" },
          h("button", { class: "btn", value: "no", type: "button", click: () => dialog.close("no") }, "Cancel"),
          h("button", { class: "btn main", value: "yes" }, button))),
    );
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes" ? field.value.trim() : null));
    open(dialog);
  });
}

/** Show a long text that can be copied. @param {string} title @param {string} text */
export function showText(title, text) {
  const dialog = h(
    "dialog",
    { "aria-label": title },
    h("form", { method: "dialog" }, h("h2", {}, title), h("pre", { class: "record", tabindex: "0" }, text),
      h("div", { class: "actions" }, copyButton(() => text), h("button", { class: "btn main", autofocus: true }, "Close"))),
  );
  open(dialog);
}

/** A button that copies a text. @param {() => string} text @param {string} [words] */
export function copyButton(text, words = "Copy") {
  const button = h("button", { class: "btn", type: "button", click: copy }, words);
  async function copy() {
    // A page that was not loaded over TLS has no clipboard.
    const copied = await navigator.clipboard?.writeText(text()).then(() => true, () => false);
    say(button, copied ? "Copied" : "Copy it by hand");
    if (!copied) showText("Copy this text", text());
  }
  return button;
}

/** The person's name, token and wish to be remembered. @param {App} app */
function identityFields(app) {
  const { session } = app;
  const name = h("input", { class: "field", name: "name", maxlength: session.welcome?.limits.name_length ?? 32, autocomplete: "nickname", value: session.name });
  const token = h("input", { class: "field", name: "token", type: "password", autocomplete: "off", placeholder: "only for accounts" });
  const remember = h("input", { type: "checkbox", name: "remember" });
  remember.checked = true;
  token.addEventListener("input", () => { remember.checked = token.value === ""; }); // a token is kept only if asked for
  const isNew = () => token.value.trim() !== "" || (name.value.trim() !== "" && name.value.trim() !== session.name);
  return { name, token, remember, isNew };
}

/** Change the person's name, or sign in with a token. @param {App} app */
export function identityDialog(app) {
  const { session } = app;
  const fields = identityFields(app);
  const error = h("p", { class: "error", role: "alert" });
  const seated = [...session.rooms.values()].some((room) => room.seat !== null && room.status !== "ended");
  const dialog = h(
    "dialog",
    { "aria-label": "Your name" },
    h("form", { submit },
      h("h2", {}, "Your name"),
      seated && h("p", { class: "soft" }, `You have a seat as ${session.name}. Finish that game before you change your name.`),
      h("label", {}, "Name", fields.name),
      h("label", {}, "Account token", fields.token),
      h("label", { class: "check" }, fields.remember, "Remember me in this tab: a reload keeps my seat"),
      error,
      h("div", { class: "actions" },
        h("button", { class: "btn", type: "button", click: () => dialog.close() }, "Cancel"),
        h("button", { class: "btn main", disabled: seated }, "Save"))),
  );
  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    if (await becomePerson(app, fields, error)) dialog.close();
  }
  open(dialog);
}

/**
 * Apply the identity fields. Return false, and say why, if the server refuses.
 * @param {App} app @param {ReturnType<typeof identityFields>} fields @param {HTMLElement} error
 */
async function becomePerson(app, fields, error) {
  const { session } = app, { identity, remember } = session;
  const token = fields.token.value.trim(), name = fields.name.value.trim();
  try {
    if (fields.isNew()) await session.changeIdentity(token ? { token } : { name }, fields.remember.checked);
    else session.keep(fields.remember.checked);
    return true;
  } catch (refusal) {
    say(error, /** @type {Error} */ (refusal).message);
    await session.changeIdentity(identity, remember).catch(() => undefined);
    return false;
  }
}

/**
 * Choose a game, its options and an opponent, and open the room. @param {App} app
 * @param {{ bots: BotInfo[], bot?: string, game?: string }} given
 */
export function newGameDialog(app, { bots, bot = "", game: preset = "" }) {
  const { session } = app;
  const playable = bot ? session.games.filter((game) => bots.find((one) => one.name === bot)?.plays.includes(game.name)) : session.games;
  const game = h("select", { class: "field", name: "game", change: gameChosen }, playable.map(({ name, title }) => h("option", { value: name }, title)));
  if (preset) game.value = preset;
  const opponent = h("select", { class: "field", name: "opponent" });
  const clock = h("select", { class: "field", name: "clock" }, CLOCKS.map(([text], at) => h("option", { value: at }, text)));
  const side = h("select", { class: "field", name: "side" });
  const options = h("div", { class: "pair" });
  const isPrivate = h("input", { type: "checkbox", name: "private" });
  const rated = h("input", { type: "checkbox", name: "rated", disabled: !session.welcome?.you.account });
  const fields = identityFields(app);
  const error = h("p", { class: "error", role: "alert" });
  const dialog = h(
    "dialog",
    { "aria-label": "New game" },
    h("form", { submit },
      h("h2", {}, bot ? `Play against ${bot}` : "Play a game"),
      h("div", { class: "pair" }, h("label", {}, "Game", game), h("label", {}, "Opponent", opponent)),
      h("div", { class: "pair" }, h("label", {}, "Clock", clock), h("label", {}, "You play", side)),
      options,
      h("div", { class: "pair" },
        h("label", { class: "check" }, isPrivate, "Private"),
        h("label", { class: "check", title: "Rated games need an account" }, rated, "Rated")),
      h("label", {}, "Your name", fields.name),
      h("label", { class: "check" }, fields.remember, "Remember me in this tab: a reload keeps my seat"),
      error,
      h("div", { class: "actions" },
        h("button", { class: "btn", type: "button", click: () => dialog.close() }, "Cancel"),
        h("button", { class: "btn main" }, "Play"))),
  );

  function gameChosen() {
    const info = session.games.find(({ name }) => name === game.value);
    if (!info) return;
    fill(side, h("option", { value: "" }, "either side"), info.sides.map((name, seat) => h("option", { value: seat }, name)));
    const able = bots.filter((one) => one.plays.includes(info.name));
    fill(
      opponent,
      !bot && h("option", { value: "any" }, able.length ? "The next player, or a bot" : "The next player"),
      able.filter((one) => !bot || one.name === bot).map((one) => h("option", { value: `bot:${one.name}` }, one.name)),
      !bot && h("option", { value: "wait" }, "A room that waits"),
    );
    fill(options, optionFields(info));
  }
  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    say(error, "");
    if (!(await becomePerson(app, fields, error))) return;
    try {
      const room = await createRoom();
      dialog.close();
      app.go(`/room/${room}`);
    } catch (refusal) {
      say(error, /** @type {Error} */ (refusal).message);
    }
  }
  async function createRoom() {
    const info = /** @type {GameInfo} */ (session.games.find(({ name }) => name === game.value));
    const setup = { game: info.name, options: readOptions(info, options), clock: CLOCKS[Number(clock.value)][1], rated: rated.checked };
    const [kind, name = ""] = opponent.value.split(/:(.*)/s);
    const pairing = kind === "any" && !isPrivate.checked && side.value === "";
    const reply = pairing
      ? await session.ask("pair", { ...setup, bot_after: BOT_AFTER_MS })
      : await session.ask("create", { ...setup, invite: name, private: isPrivate.checked, seat: side.value === "" ? null : Number(side.value) });
    return reply.room;
  }
  gameChosen();
  if (bot) opponent.value = `bot:${bot}`;
  return open(dialog);
}

/** @param {GameInfo} info */
function optionFields(info) {
  return info.options.filter(({ name }) => name !== "start" && name !== "max_plies").map((option) => {
    const field = option.choices?.length
      ? h("select", { class: "field", name: option.name }, option.choices.map((choice) => h("option", {}, choice)))
      : h("input", { class: "field", name: option.name, type: "number", min: option.low ?? 0, max: option.high ?? 1000 });
    field.value = String(option.default);
    field.dataset.option = option.name;
    return h("label", {}, option.help.charAt(0).toUpperCase() + option.help.slice(1), field);
  });
}

/** The options that differ from their defaults. @param {GameInfo} info @param {HTMLElement} node */
function readOptions(info, node) {
  /** @type {Record<string, number | string>} */
  const chosen = {};
  for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (node.querySelectorAll("[data-option]"))) {
    const option = info.options.find(({ name }) => name === field.dataset.option);
    if (!option || field.value === String(option.default)) continue;
    chosen[option.name] = typeof option.default === "number" ? Number(field.value) : field.value;
  }
  return chosen;
}
