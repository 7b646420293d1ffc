"""The Mancala program of the course: 7-line input, 4-line output, traverse log.  See docs/rules.md, Mancala.

    2               the task: 1 greedy, 2 minimax, 3 alpha-beta
    1               my player
    3               the cut-off depth
    0 0 0 1 1       player 2's row, from the left
    1 0 0 0 1       player 1's row
    0               player 2's store
    0               player 1's store

The rows of the log come from minimax.py and alphabeta.py, which work for any game.
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
from engine.games.mancala import MAX_PIT_STONES, Mancala
from engine.options import parse_int

GREEDY, MINIMAX, ALPHABETA = 1, 2, 3
MAX_DEPTH = 10_000
EVALUATION = "stores"

Sink = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Task:
    """The content of an input file."""

    task: int
    side: Side
    depth: int
    top: tuple[int, ...]
    bottom: tuple[int, ...]
    stores: tuple[int, int]  # player 2, player 1

    def game(self) -> Mancala:
        rows = "/".join(",".join(map(str, row)) for row in (self.top, self.bottom))
        return Mancala({"start": f"{rows} {self.stores[0]},{self.stores[1]} {self.side + 1}", "rules": "course"})


def read_task(text: str) -> Task:
    """Return the task of an input file. Raises CourseFileError."""
    lines = Lines(text)
    task = number(lines, "the task, 1 (greedy), 2 (minimax) or 3 (alpha-beta)", GREEDY, ALPHABETA)
    player = number(lines, "my player, 1 or 2", 1, 2)
    depth = number(lines, f"the cut-off depth, a whole number from 1 to {MAX_DEPTH}", 1, MAX_DEPTH)
    top = row(lines, "player 2's row, 1 to 10 pits", range(1, 11))
    bottom = row(lines, f"player 1's row, {len(top)} pits like player 2's", range(len(top), len(top) + 1))
    limit = 20 * MAX_PIT_STONES
    stores = [number(lines, f"player {p}'s store, a whole number from 0 to {limit}", 0, limit) for p in (2, 1)]
    lines.end()
    return Task(task, player - 1, depth, top, bottom, (stores[0], stores[1]))


def number(lines: Lines, expected: str, low: int, high: int) -> int:
    value = parse_int(lines.next(expected).strip())
    if value is None or not low <= value <= high:
        raise lines.wrong(expected)
    return value


def row(lines: Lines, expected: str, lengths: range) -> tuple[int, ...]:
    expected = f"{expected} of 0 to {MAX_PIT_STONES} stones separated by spaces"
    pits = [parse_int(word) for word in lines.next(expected).split()]
    stones = tuple(pit for pit in pits if pit is not None and 0 <= pit <= MAX_PIT_STONES)
    if len(stones) != len(pits) or len(stones) not in lengths:
        raise lines.wrong(expected)
    return stones


def solve(task: Task, sink: Sink) -> str:
    """Return the text of the next state. Passes each line of the traverse log to `sink`; greedy has no log."""
    game = task.game()
    state = game.start()
    if not game.moves(state):
        return _solve_finished(game, task, state, sink)
    choice = _search(game, task, state, sink)
    return next_state(game, after_first_turn(game, state, choice.line))


def _search(game: Mancala, task: Task, state: State, sink: Sink) -> Choice:
    if task.task == GREEDY:
        return greedy(game, state, EVALUATION, order=board_order)
    search = minimax if task.task == MINIMAX else alphabeta
    log = Traverse(game, sink, windows=task.task == ALPHABETA)
    return search(game, state, task.depth, EVALUATION, log, board_order)


def _solve_finished(game: Mancala, task: Task, state: State, sink: Sink) -> str:
    """Return the next state if a row is empty at the start: there is no move, and each side sweeps its row."""
    swept = State(game.rules.swept(state.mine), game.rules.swept(state.rest), state.turn)
    if task.task != GREEDY:
        log = Traverse(game, sink, windows=task.task == ALPHABETA)
        log(Node(swept), -inf, -inf, inf)
        log(Node(swept), game.evaluate(EVALUATION, swept, task.side), -inf, inf)
    return next_state(game, swept)


def board_order(state: State, moves: tuple[Move, ...]) -> Sequence[Move]:
    """Return the moves from left to right on the board. The pits of side 1 are numbered from right to left."""
    return moves if state.turn == 0 else moves[::-1]


def after_first_turn(game: Mancala, state: State, line: Sequence[Move]) -> State:
    """Return the state after the first turn of a line, including extra moves and the final sweep."""
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
    """The traverse log of tasks 2 and 3: writes the header, then a row per call."""

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
