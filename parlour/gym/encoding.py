"""Positions and moves as arrays, the same for every game: from its drawing, or from the bits of its position."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from engine.game import Game, Side, State

Form = Literal["planes", "bits"]
FORMS: tuple[str, ...] = get_args(Form)
PLANES = 3  # own pieces, those of the opponent, and whether the observer is side 0
Array = NDArray[Any]
Policy = Callable[[Array, Array], int]  # (observation, action mask) -> action


class Encoder:
    """Observations and action masks of one game.

    `planes`: an array rows x columns x 3 of the drawn board, from the top: the observer's pieces in each cell, those of
    the opponent, and a plane of ones if the observer is the side that moves first. A cell counts its pieces if the
    number matters (`Board.counted`), otherwise it has 0 or 1. `bits`: the two ints of the position as a vector of bits,
    the observer's word first, each from the lowest bit, as the file of the game documents them. The last bit is 1 if
    the observer is the side that moves first.

    The board is not turned for the second side. An action is the engine's number of a move.
    """

    def __init__(self, game: Game, form: Form = "planes") -> None:
        if form not in FORMS:
            raise ValueError(f"observation should be one of {', '.join(FORMS)}, not {form!r}")
        self.game, self.form = game, form
        board = game.draw(game.start())
        self._counted, self._width = board.counted, game.rules.WIDTH
        self.actions: int = game.rules.MAX_MOVES
        planes = form == "planes"
        shape = (len(board.rows), max(map(len, board.rows)), PLANES) if planes else (2 * self._width + 1,)
        high = np.iinfo(np.int16).max if planes and board.counted else 1
        self.observation_space = spaces.Box(0, high, shape, np.int16)
        self.action_space = spaces.Discrete(self.actions)

    def observation(self, state: State, side: Side) -> Array:
        """Return what `side` sees of a position."""
        found = np.zeros(self.observation_space.shape, np.int16)
        if self.form == "bits":
            own, other = state.of(side)
            for word, offset in ((own, 0), (other, self._width)):
                found[offset : offset + self._width] = [word >> bit & 1 for bit in range(self._width)]
            found[-1] = side == 0
            return found
        for row, cells in enumerate(self.game.draw(state).rows):
            for column, cell in enumerate(cells):
                if cell is not None and cell.owner is not None:
                    found[row, column, int(cell.owner != side)] = cell.count if self._counted else 1
        found[:, :, 2] = side == 0
        return found

    def mask(self, state: State, side: Side) -> Array:
        """Return 1 for each action that `side` can play, none if the other side is to move."""
        found = np.zeros(self.actions, np.int8)
        if self.game.turn(state) == side:
            found[list(self.game.moves(state))] = 1
        return found
