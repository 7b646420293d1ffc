"""The n-k-coh-coh assignment: n k BOARD SECONDS as arguments; the last line printed is the board after the move."""

from __future__ import annotations

from pathlib import Path

from client.programs.adapters.base import Adapter, Run, one_of
from client.programs.failure import Failure
from engine.course.cohcoh import write_board
from engine.errors import shorten
from engine.game import Game, Move, State
from engine.games.cohcoh import CohCoh


class NkCohCohAdapter(Adapter):
    game = "cohcoh"
    default = "{n} {k} {board} {seconds}"

    def prepare(self, game: Game, state: State, depth: int, seconds: float) -> Run:
        assert isinstance(game, CohCoh)
        options = game.spec.options
        words = {
            "n": str(options["n"]),
            "k": str(options["k"]),
            "board": write_board(game, state),
            "seconds": f"{seconds:.3f}".rstrip("0").rstrip("."),
            "depth": str(depth),
            "side": "wb"[game.turn(state)],
        }
        return Run(words, {})

    def read(self, game: Game, state: State, folder: Path, said: str) -> tuple[Move, ...]:
        assert isinstance(game, CohCoh)
        lines = [line for line in said.splitlines() if line.strip()]
        if not lines:
            raise Failure("garbage", "it printed nothing")
        board, cells = lines[-1].strip(), len(write_board(game, state))
        if len(board) != cells or set(board) - set("wb."):
            expected = f"expected the board as its last line, {cells} of the characters w, b and ."
            raise Failure("garbage", f"{expected}, not {shorten(board)!r}")
        found = {write_board(game, game.after(state, move)): move for move in game.moves(state)}
        return (one_of(game, state, found, board, "board"),)
