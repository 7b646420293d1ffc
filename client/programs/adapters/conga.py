"""A Conga program: the board on its input, a move like `1,4 2,3` as the last line of its output.

b10 .   .   .         four rows from the top, cells with blanks between: . or the owner and the stones
.   .   .   .
.   .   .   .
.   .   .   w10
1                     the player to move: 1 is black, 2 is white
"""

from __future__ import annotations

import re
from pathlib import Path

from client.programs.adapters.base import Adapter, Run
from client.programs.failure import Failure
from engine.errors import GameError, shorten
from engine.game import Game, Move, State

TILES = re.compile(r"\D*([1-4])\D+([1-4])\D+([1-4])\D+([1-4])\D*")


class CongaAdapter(Adapter):
    game = "conga"

    def prepare(self, game: Game, state: State, depth: int, seconds: float) -> Run:
        board, side = game.dump(state).split(" ")
        player = "1" if side == "b" else "2"
        stdin = board.replace(",", " ").replace("/", "\n") + f"\n{player}\n"
        return Run({"depth": str(depth), "seconds": f"{seconds:.3f}", "side": player}, {}, stdin)

    def read(self, game: Game, state: State, folder: Path, said: str) -> tuple[Move, ...]:
        lines = [line for line in said.splitlines() if line.strip()]
        last = lines[-1].strip() if lines else ""
        tiles = TILES.fullmatch(last)
        if tiles is None:
            raise Failure("garbage", f"expected a move like 1,4 2,3 as its last line, not {shorten(last)!r}")
        text = "".join("abcd"[int(digit) - 1] if at % 2 == 0 else digit for at, digit in enumerate(tiles.groups()))
        try:
            return (game.parse(state, text),)
        except GameError as error:
            raise Failure("illegal", str(error), text) from None
