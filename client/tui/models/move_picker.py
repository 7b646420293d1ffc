"""Picking a move by pointing at cells. Knows the legal moves and their paths, but no rules of any game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from client.tui.render.board_picture import column_of
from engine.board import Board, Cell
from engine.game import Game, Move, Side, State


def as_if_to_move(state: State, side: Side) -> State:
    """Return the position with a side to move, from which a premove is chosen."""
    return state if state.turn == side else State(state.rest, state.mine, side)


class MovePicker:
    """The cells picked so far, and the moves that they can still become."""

    def __init__(self, game: Game, state: State) -> None:
        self.game, self.state = game, state
        self.board = game.draw(state)
        self.texts = game.legal(state)
        self.picked: tuple[str, ...] = ()
        paths = ((game.path(state, move), move) for move in game.moves(state))
        self._moves = {path: move for path, move in paths if path}
        self._drops = dict(self._drop_cells())

    def point(self, name: str) -> Move | None:
        """Point at a cell. Return the move that this completes.

        Pointing at the last picked cell unpicks it. A cell that does not continue the path starts a new one.
        """
        if self.picked and name == self.picked[-1]:
            self.picked = self.picked[:-1]
            return None
        path = self._extended(name)
        self.picked = () if path is None or path in self._moves else path
        return None if path is None else self._moves.get(path)

    def accepts(self, name: str) -> bool:
        """Return whether pointing at a cell has an effect: it belongs to the path of a move, or is unpicked."""
        return name in self.picked[-1:] or self._extended(name) is not None

    def aim(self, name: str) -> Move | None:
        """Return the move that pointing at a cell would complete."""
        path = self._extended(name)
        return None if path is None else self._moves.get(path)

    def targets(self) -> frozenset[str]:
        """Return the cells that continue the picked path. If nothing is picked, return all cells that start one."""
        at = len(self.picked)
        return frozenset(path[at] for path in self._moves if len(path) > at and path[:at] == self.picked)

    def effect(self, move: Move) -> Mapping[str, Cell]:
        """Return the cells that a move would change, with their new contents."""
        return changes(self.board, self.game.draw(self.game.after(self.state, move)))

    def move_of(self, text: str) -> Move | None:
        """Return the legal move of a text, or None."""
        return self.game.parse(self.state, text) if text in self.texts else None

    def clear(self) -> bool:
        """Unpick all cells. Return whether any was picked."""
        held, self.picked = self.picked, ()
        return bool(held)

    def _extended(self, name: str) -> tuple[str, ...] | None:
        """Return the picked path extended by a cell, or else a new path from it. Return None if no move has either."""
        for start in dict.fromkeys((self.picked, ())):
            path = (*start, self._landing_cell(name))
            if any(known[: len(path)] == path for known in self._moves):
                return path
        return None

    def _landing_cell(self, name: str) -> str:
        """Return the cell where a piece dropped into this column lands; the cell itself if pieces are not dropped."""
        return self._drops.get(column_of(self.board, name), name)

    def _drop_cells(self) -> Iterator[tuple[int | None, str]]:
        """Yield the columns into which pieces are dropped, with the cell where each would land.

        A move drops a piece if it is named after its column and starts in an empty cell.
        """
        empty = {name for name, cell in cells(self.board).items() if cell.owner is None}
        for path, move in self._moves.items():
            column = column_of(self.board, path[0])
            label = None if column is None else self.board.files[column]
            if path[0] in empty and self.game.format(self.state, move) == label:
                yield column, path[0]


def cells(board: Board) -> dict[str, Cell]:
    return {cell.name: cell for row in board.rows for cell in row if cell is not None}


def changes(before: Board, after: Board) -> dict[str, Cell]:
    """Return the cells that differ between two boards, with their new contents."""
    old = cells(before)
    return {name: cell for name, cell in cells(after).items() if old.get(name) != cell}
