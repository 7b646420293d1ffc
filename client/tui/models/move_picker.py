"""From the cells that somebody points at to a move. Of a game it knows its moves and their paths, and no rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.board import Board, Cell
from engine.game import Game, Move, Side, State


def as_if_to_move(state: State, side: Side) -> State:
    """The position as it would be if it were this side's turn now: what a move in advance is chosen from."""
    return state if state.turn == side else State(state.rest, state.mine, side)


class MovePicker:
    def __init__(self, game: Game, state: State) -> None:
        self.game, self.state = game, state
        self.board = game.draw(state)
        self.texts = game.legal(state)
        self.picked: tuple[str, ...] = ()
        paths = ((game.path(state, move), move) for move in game.moves(state))
        self._moves = {path: move for path, move in paths if path}
        self._drops = dict(self._dropped())

    def point(self, name: str) -> Move | None:
        """The move that is complete with this cell. Pointing at a picked cell lets go of it, elsewhere begins anew."""
        if self.picked and name == self.picked[-1]:
            self.picked = self.picked[:-1]
            return None
        path = self._extended(name)
        self.picked = () if path is None or path in self._moves else path
        return None if path is None else self._moves.get(path)

    def leads(self, name: str) -> bool:
        """Whether pointing at this cell does anything: it is on the way to a move, or is let go of."""
        return name in self.picked[-1:] or self._extended(name) is not None

    def aim(self, name: str) -> Move | None:
        """The move that pointing at this cell would make."""
        path = self._extended(name)
        return None if path is None else self._moves.get(path)

    def targets(self) -> frozenset[str]:
        """The cells that lead on from what is picked; all first cells while nothing is."""
        at = len(self.picked)
        return frozenset(path[at] for path in self._moves if len(path) > at and path[:at] == self.picked)

    def preview(self, name: str) -> Mapping[str, Cell]:
        """What would stand in the cells that change, if this cell completes a move."""
        move = self.aim(name)
        return {} if move is None else changes(self.board, self.game.draw(self.game.after(self.state, move)))

    def end_of(self, name: str) -> str | None:
        move = self.aim(name)
        return None if move is None else self.game.end_of(self.state, move)

    def drop(self) -> bool:
        """Let go of everything; whether there was anything."""
        held, self.picked = self.picked, ()
        return bool(held)

    def _extended(self, name: str) -> tuple[str, ...] | None:
        """The path with this cell added, or one that begins with it; None if no move does."""
        for start in dict.fromkeys((self.picked, ())):
            path = (*start, self._meant(name))
            if any(known[: len(path)] == path for known in self._moves):
                return path
        return None

    def _meant(self, name: str) -> str:
        """Any cell of a column stands for the one that a piece dropped there would come to."""
        return self._drops.get(column_of(self.board, name), name)

    def _dropped(self) -> Iterator[tuple[int | None, str]]:
        """The columns that a move is called after and puts something into, with the empty cell where it ends up."""
        empty = {name for name, cell in cells(self.board).items() if cell.owner is None}
        for path, move in self._moves.items():
            column = column_of(self.board, path[0])
            label = None if column is None else self.board.files[column]
            if path[0] in empty and self.game.format(self.state, move) == label:
                yield column, path[0]


def cells(board: Board) -> dict[str, Cell]:
    return {cell.name: cell for row in board.rows for cell in row if cell is not None}


def column_of(board: Board, name: str) -> int | None:
    for row in board.rows:
        for column, cell in enumerate(row):
            if cell is not None and cell.name == name:
                return column
    return None


def changes(before: Board, after: Board) -> dict[str, Cell]:
    """The cells that are not as they were."""
    old = cells(before)
    return {name: cell for name, cell in cells(after).items() if old.get(name) != cell}
