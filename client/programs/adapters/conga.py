"""Conga programs: the board on standard input, a move like `1,4 2,3` as the last line of the output.

b10 .   .   .         four rows from the top, cells separated by blanks: . or the owner and the stones
.   .   .   .
.   .   .   .
.   .   .   w10
1                     the player to move: 1 is black, 2 is white
"""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from client.programs.adapters.base import Adapter, ProgramInput, time_placeholders
from client.programs.failure import Failure
from engine.errors import GameError, shorten
from engine.game import Game, Move, State

TILES = re.compile(r"\D*([1-4])\D+([1-4])\D+([1-4])\D+([1-4])\D*")


class CongaAdapter(Adapter):
    """Conga: standard input and output."""

    game = "conga"

    def prepare(self, game: Game, state: State, depth: int, seconds: float) -> ProgramInput:
        """Return the board and the player as text."""
        board, side = game.dump(state).split(" ")
        player = "1" if side == "b" else "2"
        stdin = board.replace(",", " ").replace("/", "\n") + f"\n{player}\n"
        return ProgramInput({"depth": str(depth), "side": player, **time_placeholders(seconds)}, {}, stdin)

    def read(self, game: Game, state: State, folder: Path, output: str) -> tuple[Move, ...]:
        """Return the move in the last line of the output."""
        lines = [line for line in output.splitlines() if line.strip()]
        if not lines:
            raise Failure("no_output", "it printed nothing")
        last = lines[-1].strip()
        tiles = TILES.fullmatch(last)
        if tiles is None:
            raise Failure("garbage", f"expected a move like 1,4 2,3 as the last line, not {shorten(last)!r}")
        text = "".join("abcd"[int(digit) - 1] if at % 2 == 0 else digit for at, digit in enumerate(tiles.groups()))
        try:
            return (game.parse(state, text),)
        except GameError as error:
            raise Failure("illegal", str(error), text) from None

    def read_leniently(self, game: Game, state: State, folder: Path, output: str) -> tuple[Move, ...]:
        """Return the last legal move in the output, in any of its lines."""
        for line in reversed(output.splitlines()):
            with suppress(Failure):
                return self.read(game, state, folder, line)
        raise Failure("garbage", "no line of its output is a legal move")
