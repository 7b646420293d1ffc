"""The Mancala course programme: its 7-line input, its 4-line output, its traverse log.  docs/rules.md, Mancala.

    2               the task: 1 greedy, 2 minimax, 3 alpha-beta
    1               my player
    3               the cut-off depth
    0 0 0 1 1       player 2's row, from the left
    1 0 0 0 1       player 1's row
    0               player 2's store
    0               player 1's store

The log's rows come from the very minimax.py and alphabeta.py that any game can be searched with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf

from engine.course.alphabeta import alphabeta
from engine.course.lines import Lines
from engine.course.minimax import greedy, minimax
from engine.course.tree import Choice, Node, Value
from engine.game import Move, Side, State
from engine.games.mancala import MOST_STONES, Mancala
from engine.options import whole

GREEDY, MINIMAX, ALPHABETA = 1, 2, 3
MOST_DEPTH = 10_000
EVALUATION = "stores"

Sink = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Task:
    """An input file, read."""

    task: int
    side: Side
    depth: int
    top: tuple[int, ...]
    bottom: tuple[int, ...]
    stores: tuple[int, int]  # player 2's, player 1's

    def game(self) -> Mancala:
        rows = "/".join(",".join(map(str, row)) for row in (self.top, self.bottom))
        return Mancala({"start": f"{rows} {self.stores[0]},{self.stores[1]} {self.side + 1}", "rules": "course"})


def read_task(text: str) -> Task:
    """The task of an input file; CourseFileError names the line and what was expected there."""
    lines = Lines(text)
    task = number(lines, "the task, 1 (greedy), 2 (minimax) or 3 (alpha-beta)", GREEDY, ALPHABETA)
    player = number(lines, "my player, 1 or 2", 1, 2)
    depth = number(lines, f"the cut-off depth, a whole number from 1 to {MOST_DEPTH}", 1, MOST_DEPTH)
    top = row(lines, "player 2's row, 1 to 10 pits", range(1, 11))
    bottom = row(lines, f"player 1's row, {len(top)} pits like player 2's", range(len(top), len(top) + 1))
    most = 20 * MOST_STONES
    stores = [number(lines, f"player {p}'s store, a whole number from 0 to {most}", 0, most) for p in (2, 1)]
    lines.end()
    return Task(task, player - 1, depth, top, bottom, (stores[0], stores[1]))


def number(lines: Lines, expected: str, low: int, high: int) -> int:
    value = whole(lines.next(expected).strip())
    if value is None or not low <= value <= high:
        raise lines.wrong(expected)
    return value


def row(lines: Lines, expected: str, lengths: range) -> tuple[int, ...]:
    expected = f"{expected} of 0 to {MOST_STONES} stones with blanks between"
    pits = [whole(word) for word in lines.next(expected).split()]
    stones = tuple(pit for pit in pits if pit is not None and 0 <= pit <= MOST_STONES)
    if len(stones) != len(pits) or len(stones) not in lengths:
        raise lines.wrong(expected)
    return stones


def solve(task: Task, sink: Sink) -> str:
    """The next state's text; the lines of the traverse log (without their ends) go to `sink`, none for greedy."""
    game = task.game()
    state = game.start()
    if not game.moves(state):
        return _over(game, task, state, sink)
    choice = _search(game, task, state, sink)
    return next_state(game, whole_turn(game, state, choice.line))


def _search(game: Mancala, task: Task, state: State, sink: Sink) -> Choice:
    if task.task == GREEDY:
        return greedy(game, state, EVALUATION, order=from_the_left)
    search = minimax if task.task == MINIMAX else alphabeta
    log = Traverse(game, sink, windows=task.task == ALPHABETA)
    return search(game, state, task.depth, EVALUATION, log, from_the_left)


def _over(game: Mancala, task: Task, state: State, sink: Sink) -> str:
    """A row is empty before anybody moved: nothing to choose, each side sweeps its own row."""
    swept = State(game.rules.swept(state.mine), game.rules.swept(state.rest), state.turn)
    if task.task != GREEDY:
        log = Traverse(game, sink, windows=task.task == ALPHABETA)
        log(Node(swept), -inf, -inf, inf)
        log(Node(swept), game.evaluate(EVALUATION, swept, task.side), -inf, inf)
    return next_state(game, swept)


def from_the_left(state: State, moves: tuple[Move, ...]) -> Sequence[Move]:
    """Children in the order of the board: side 1's pits are counted from its own left, the right of the board."""
    return moves if state.turn == 0 else moves[::-1]


def whole_turn(game: Mancala, state: State, line: Sequence[Move]) -> State:
    """The state after a line's first turn: all its extra moves, and the sweep if it ends the game."""
    side = state.turn
    for move in line:
        if state.turn != side:
            break
        state = game.after(state, move)
    return state


def next_state(game: Mancala, state: State) -> str:
    rows, stores, _ = game.dump(state).split(" ")
    top, bottom = rows.replace(",", " ").split("/")
    return "\n".join([top, bottom, *stores.split(",")]) + "\n"


class Traverse:
    """The traverse log of tasks 2 and 3: its header at once, then a row for everything a search tells it."""

    def __init__(self, game: Mancala, sink: Sink, windows: bool) -> None:
        pits = game.rules.PITS
        self._names = [f"B{pit + 2}" for pit in range(pits)], [f"A{pits + 1 - pit}" for pit in range(pits)]
        self._sink = sink
        self._windows = windows
        sink("Node,Depth,Value,Alpha,Beta" if windows else "Node,Depth,Value")

    def __call__(self, node: Node, value: Value, alpha: Value, beta: Value, /) -> None:
        name = "root" if node.move < 0 else self._names[node.mover][node.move]
        line = f"{name},{node.depth},{INFINITIES.get(value, value)}"
        if self._windows:
            line += f",{INFINITIES.get(alpha, alpha)},{INFINITIES.get(beta, beta)}"
        self._sink(line)


INFINITIES = {inf: "Infinity", -inf: "-Infinity"}
