"use strict";
// Names and notes are untrusted: they are only ever set as textContent.
const games = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
let game = null;
let ply = 0;

function show() {
  byId("title").textContent = `Game ${game.number}, round ${game.round}: ${game.seats[0]} - ${game.seats[1]}`;
  const over = ply === game.moves.length ? `  ${game.result} ${game.reason}` : "";
  byId("board").textContent = game.boards[ply];
  byId("state").textContent = `${ply} of ${game.moves.length} moves${over}`;
  byId("note").textContent = ply ? game.notes[ply - 1] : "";
  Array.from(byId("moves").children).forEach((span, at) => {
    span.className = at + 1 === ply ? "now" : "";
  });
}

function go(to) {
  if (game === null) return;
  ply = Math.max(0, Math.min(game.moves.length, to));
  show();
}

function open(number) {
  game = games.find((entry) => entry.number === number) || null;
  byId("viewer").hidden = game === null;
  if (game === null) return;
  const moves = byId("moves");
  moves.replaceChildren();
  game.moves.forEach((move, at) => {
    const span = document.createElement("span");
    span.textContent = `${at + 1}. ${move}`;
    span.addEventListener("click", () => go(at + 1));
    moves.append(span, " ");
  });
  go(0);
}

function openFromHash() {
  const wanted = /^#game-(\d+)$/.exec(location.hash);
  if (wanted) open(Number(wanted[1]));
}

byId("first").addEventListener("click", () => go(0));
byId("back").addEventListener("click", () => go(ply - 1));
byId("next").addEventListener("click", () => go(ply + 1));
byId("last").addEventListener("click", () => go(game.moves.length));
document.addEventListener("keydown", (event) => {
  const target = { ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: 0, End: game ? game.moves.length : 0 };
  if (game !== null && event.key in target) {
    go(target[event.key]);
    event.preventDefault();
  }
});
window.addEventListener("hashchange", openFromHash);
openFromHash();
