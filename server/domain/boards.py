"""Boards: what a client that knows no rules needs in order to draw a game and to choose a move. Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property, lru_cache

from engine.game import Game, Move, State
from protocol.events import AnyEvent, BoardEvent, Moved, Started, TakenBack
from protocol.replies import Snapshot
from protocol.types import BoardCells, Cells, Layout, LegalMove, replace

MAX_PREVIEW_CELLS = 4096  # of all boards after the legal moves; above it, the boards are left out
CACHED_LAYOUTS = 256
CACHED_CELLS = 1024


@lru_cache(CACHED_LAYOUTS)
def layout(game: Game) -> Layout:
    """Return how to draw the boards of a game."""
    board = game.draw(game.start())
    return Layout(
        kind=game.kind or ("stacks" if board.counted else "marbles"),
        rows=tuple(tuple(None if cell is None else cell.name for cell in row) for row in board.rows),
        files=board.files,
        ranks=board.ranks,
        marks=board.marks,
        colours=game.colour_names,
        counted=board.counted,
        near=game.near,
    )


@lru_cache(CACHED_LAYOUTS)
def cell_names(game: Game) -> Cells:
    """Return the names of all cells in the order of a board."""
    return tuple(cell.name for cell in game.draw(game.start()).cells())


@lru_cache(CACHED_CELLS)
def shared_cell(owner: int | None, count: int) -> tuple[int | None, int]:
    """Return the owner and the count of a cell. Equal cells are one object: a room keeps many boards."""
    return owner, 0 if owner is None else count


class Position:
    """A position of a game, and the move that led to it. It is drawn once, when a client needs it."""

    def __init__(self, game: Game, state: State, before: Position | None = None, move: Move = 0) -> None:
        self.game, self.state, self.before, self._move = game, state, before, move
        self.ply: int = 0 if before is None else before.ply + 1

    @cached_property
    def board(self) -> BoardCells:
        """The cells of the board."""
        return tuple([shared_cell(cell.owner, cell.count) for cell in self.game.draw(self.state).cells()])

    @cached_property
    def last(self) -> Cells:
        """The path of the move that led here, and the cell where it ended."""
        if self.before is None:
            return ()
        path = self.game.path(self.before.state, self._move)
        end = self.game.end_of(self.before.state, self._move) if path else ""
        return path if not path or path[-1] == end else (*path, end)

    def changed_since(self, other: Position) -> Cells:
        """Return the cells whose contents differ from those in another position."""
        names = cell_names(self.game)
        return tuple([name for name, old, new in zip(names, other.board, self.board, strict=True) if old != new])

    def legal(self, preview: bool) -> tuple[LegalMove, ...]:
        """Return the legal moves, with the boards after them if `preview` is wanted and the boards are small."""
        game, state = self.game, self.state
        moves = game.moves(state)
        preview = preview and len(moves) * len(cell_names(game)) <= MAX_PREVIEW_CELLS
        return tuple(
            LegalMove(
                move=game.format(state, move),
                path=game.path(state, move),
                board=Position(game, game.after(state, move)).board if preview else None,
            )
            for move in moves
        )


class BoardLog:
    """The positions of a room after each event that sets the position."""

    def __init__(self, game: Game) -> None:
        self._positions = [Position(game, game.start())]
        self._seqs: list[int] = []  # of the events that led to all positions but the first

    def add(self, event: AnyEvent) -> None:
        """Add the next event of the room's log."""
        position = self._positions[-1]
        if isinstance(event, Moved):
            move, state, _ = position.game.advance(position.state, event.move)
            position = Position(position.game, state, position, move)
        elif isinstance(event, TakenBack):
            while position.ply > event.ply and position.before is not None:
                position = position.before
        elif not isinstance(event, Started):
            return
        self._positions.append(position)
        self._seqs.append(event.seq)

    def at(self, seq: int) -> Position:
        """Return the position after an event."""
        return self._positions[bisect_right(self._seqs, seq)]

    def line(self, seq: int) -> list[Position]:
        """Return the positions by ply, as of an event: without moves that were taken back."""
        position: Position | None = self.at(seq)
        line = []
        while position is not None:
            line.append(position)
            position = position.before
        return line[::-1]

    def fill_in(self, event: BoardEvent, wishes: frozenset[str]) -> BoardEvent:
        """Return an event with what a client wants. Only the newest position gets legal moves: it can be answered."""
        number = bisect_left(self._seqs, event.seq)
        before, position = self._positions[number : number + 2]
        if "legal" in wishes and event.seq == self._seqs[-1]:
            event = replace(event, legal=position.legal("preview" in wishes))
        if "board" in wishes:
            event = replace(event, board=position.board, changed=position.changed_since(before), last=position.last)
        return event

    def fill_in_snapshot(self, snapshot: Snapshot, wishes: frozenset[str]) -> Snapshot:
        """Return a snapshot with what its receiver wants."""
        position = self.at(snapshot.seq)
        if "legal" in wishes and snapshot.your_move:
            snapshot = replace(snapshot, legal=position.legal("preview" in wishes))
        if "board" in wishes:
            snapshot = replace(snapshot, layout=layout(position.game), board=position.board, last=position.last)
        return snapshot
