"""How a move is animated: the boards between two positions, and how long each of them is shown.

They follow from the cells of the move and from what it changes on the board. No rules of any game are used, so the way
may differ from the rules in rare cases. The last board is always the position after the move.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, cycle, islice
from typing import NamedTuple

from client.presentation.moves import distance, place_of
from client.sdk.room_view import RoomView
from client.tui.models.move_picker import cells, changes
from engine.board import Board, Cell
from engine.game import Game, Move, State

BEAD_MS = 60
MAX_SOWING_MS = 600
ROW_MS = 30  # of a falling disc
SQUARE_MS = 80  # of a moving stack
FADE_MS = 200  # of the marks at the end of a game


class Motion(NamedTuple):
    """The boards that are shown before the position after a move, each for the same time."""

    boards: tuple[Board, ...] = ()
    step_ms: float = 0.0

    @property
    def duration_ms(self) -> float:
        return len(self.boards) * self.step_ms

    def board_at(self, elapsed_ms: float) -> Board | None:
        """Return the board to show some time after the move was played; None if the motion is over."""
        if elapsed_ms < 0 or elapsed_ms >= self.duration_ms:
            return None
        return self.boards[int(elapsed_ms // self.step_ms)]


STILL = Motion()


def fade_at(elapsed_ms: float) -> float:
    """Return how much of the marks at the end of a game is visible some time after it, from 0 to 1."""
    return min(1.0, max(0.0, elapsed_ms / FADE_MS))


def motion_of(game: Game, before: State, move: Move) -> Motion:
    """Return the motion of a move. A piece that is only put on the board does not move."""
    path = game.path(before, move)
    if not path:
        return STILL
    old, new = game.draw(before), game.draw(game.after(before, move))
    match game.kind:
        case "pits":
            boards = tuple(sowing(old, new, path[0], game.end_of(before, move)))
            return Motion(boards, min(BEAD_MS, MAX_SOWING_MS / max(1, len(boards))))
        case "discs":
            return Motion(tuple(fall(old, new)), ROW_MS)
        case "stacks":
            return Motion(tuple(run(old, new, path[0])), SQUARE_MS)
    return STILL


def motion_to(table: RoomView, ply: int) -> Motion:
    """Return the motion of the move that led to a position of a room."""
    if table.game is None or not ply:
        return STILL
    before = table.states[ply - 1]
    return motion_of(table.game, before, table.game.parse(before, table.moves[ply - 1].move))


def with_cells(board: Board, contents: Mapping[str, Cell]) -> Board:
    """Return the board with other contents in some cells."""
    rows = tuple(tuple(None if cell is None else contents.get(cell.name, cell) for cell in row) for row in board.rows)
    return replace(board, rows=rows)


# -- sowing


def sowing(before: Board, after: Board, start: str, end: str) -> Iterator[Board]:
    """Yield the boards of a sowing: bead by bead around the board. Captures come with the last position."""
    contents = cells(before)
    beads = contents[start].count
    contents[start] = replace(contents[start], count=0)
    yield with_cells(before, contents)
    for name in islice(sown_cells(before, after, start, end), beads - 1):
        contents[name] = replace(contents[name], count=contents[name].count + 1)
        yield with_cells(before, contents)


def sown_cells(before: Board, after: Board, start: str, end: str) -> Iterator[str]:
    """Return the cells that get beads, in order, endlessly.

    Beads go around the board. Which cells they skip is seen from where the last one falls. Most likely it is a store
    that does not change; it may be any store, and the pit where they come from.
    """
    ring = ring_from(before, start)
    beads, old, new = cells(before)[start].count, cells(before), cells(after)
    stores = [name for name in ring if is_store(before, name)]
    likely = tuple(name for name in stores if old[name] == new[name])
    others = (skipped for count in range(len(stores) + 2) for skipped in combinations((*stores, start), count))
    for skipped in (likely, *others):
        order = [name for name in ring if name not in skipped]
        if order and order[(beads - 1) % len(order)] == end:
            return cycle(order)
    return cycle(ring)


def ring_from(board: Board, start: str) -> list[str]:
    """Return the cells anticlockwise, from the one after a cell to this cell itself."""
    around = (*board.rows[-1], *reversed(board.rows[0]))
    names = [cell.name for cell in around if cell is not None]
    at = names.index(start) + 1
    return names[at:] + names[:at]


def is_store(board: Board, name: str) -> bool:
    """Return whether a cell is alone in its column."""
    row, column = place_of(board, name)
    return all(other == row or cells_[column] is None for other, cells_ in enumerate(board.rows))


# -- falls and runs


def fall(before: Board, after: Board) -> Iterator[Board]:
    """Yield the boards of a fall: the new disc in each row above the one where it stays."""
    for name, disc in changes(before, after).items():
        row, column = place_of(after, name)
        for above in range(row):
            cell = before.rows[above][column]
            if cell is not None and cell.owner is None:
                yield with_cells(before, {cell.name: replace(disc, name=cell.name)})


def run(before: Board, after: Board, start: str) -> Iterator[Board]:
    """Yield the boards of a run: the stones go from square to square, and some stay on each."""
    old, place = cells(before), place_of(before, start)
    grown = [cell for name, cell in changes(before, after).items() if name != start and cell.count > old[name].count]
    grown.sort(key=lambda cell: distance(place_of(before, cell.name), place))
    for number, head in enumerate(grown[:-1]):
        yield with_cells(before, run_contents(old, cells(after), start, grown, number, head))


def run_contents(
    old: Mapping[str, Cell], new: Mapping[str, Cell], start: str, grown: Sequence[Cell], number: int, head: Cell
) -> dict[str, Cell]:
    """Return the contents when the moving stones are on a square of their way, with those that still go on."""
    moving = sum(cell.count - old[cell.name].count for cell in grown[number:])
    passed = {cell.name: cell for cell in grown[:number]}
    return {start: new[start], **passed, head.name: replace(head, count=old[head.name].count + moving)}
