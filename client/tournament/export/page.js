
// The replay of a tournament's games. Names and notes are untrusted: they are only ever set as textContent.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const view = byId("board");
let game = null;
let positions = [];
let ply = 0;

// Returns the boards of all positions: each move changes some cells of the board before it.
function replayed({ start, changes }) {
  const found = [start];
  for (const change of changes) {
    const next = found.at(-1).slice();
    for (const [at, owner, count] of change) next[at] = [owner, count];
    found.push(next);
  }
  return found;
}

function seat(node, side) {
  const chip = document.createElement("i");
  chip.className = `chip side-${side} c-${data.layout.colours[side]}`;
  node.replaceChildren(chip, ` ${game.seats[side]}`);
}

function show() {
  const over = ply === game.moves.length;
  byId("title").textContent = `Game ${game.number}, round ${game.round}: ${game.seats[0]} - ${game.seats[1]}`;
  view.board = positions[ply];
  view.last = ply ? game.lasts[ply - 1] : [];
  view.decisive = over ? game.decisive : [];
  view.setAttribute("label", `${game.seats[0]} against ${game.seats[1]}, move ${ply}`);
  byId("state").textContent = `${ply} of ${game.moves.length} moves${over ? `  ${game.result} ${game.reason}` : ""}`;
  const mistake = mistakeAt(ply);
  const said = [mistake ? mistake[2] : "", ply ? game.notes[ply - 1] : ""];
  byId("note").textContent = said.filter(Boolean).join("\n");
  Array.from(byId("moves").children).forEach((move, at) => {
    move.className = at + 1 === ply ? "now" : "";
  });
  const now = byId("moves").querySelector(".now");
  byId("moves").scrollTop = now ? now.offsetTop - byId("moves").clientHeight / 2 : 0; // the page itself does not scroll
}

// Returns the mistake [ply, mark, sentence] of a reviewed game at a ply.
function mistakeAt(wanted) {
  return (game.mistakes || []).find(([at]) => at === wanted);
}

function go(to) {
  if (game === null) return;
  ply = Math.max(0, Math.min(game.moves.length, to));
  show();
}

function open(number, at) {
  game = data.games.find((entry) => entry.number === number) || null;
  byId("viewer").hidden = game === null;
  if (game === null) return;
  positions = replayed(game);
  view.layout = data.layout;
  const below = data.layout.near ?? 0;
  seat(byId("above"), 1 - below);
  seat(byId("below"), below);
  const moves = byId("moves");
  moves.replaceChildren();
  game.moves.forEach((move, at) => {
    const span = document.createElement("span");
    const mistake = mistakeAt(at + 1);
    span.textContent = `${at + 1}. ${move}${mistake ? ` ${mistake[1]}` : ""}`;
    span.addEventListener("click", () => go(at + 1));
    moves.append(span, " ");
  });
  go(at);
  byId("viewer").scrollIntoView({ block: "nearest" });
}

function openFromHash() {
  const wanted = /^#game-(\d+)(?:-(\d+))?$/.exec(location.hash);
  if (wanted) open(Number(wanted[1]), Number(wanted[2] || 0));
}

// Draws the position before a mistake, and marks where the move begins.
function drawMistake(small) {
  const found = data.games.find((entry) => entry.number === Number(small.dataset.game));
  const at = Number(small.dataset.ply) - 1;
  small.layout = data.layout;
  small.board = replayed(found)[at];
  small.picked = found.lasts[at].slice(0, 1);
}

const drawn = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    drawn.unobserve(target);
    drawMistake(target);
  }
});
const cards = document.querySelectorAll("parlour-board[data-game]");
cards.forEach((board) => drawn.observe(board));
addEventListener("beforeprint", () => cards.forEach(drawMistake));

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
