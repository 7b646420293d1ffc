"""The n-k-coh-coh assignment: arguments `n k BOARD SECONDS`; the last line of output is the board after the move."""

from __future__ import annotations

from pathlib import Path

from client.programs.adapters.base import Adapter, ProgramInput, find_move, time_placeholders
from client.programs.failure import Failure
from engine.course.cohcoh import write_board
from engine.errors import shorten
from engine.game import Game, Move, State
from engine.games.cohcoh import CohCoh


class NkCohCohAdapter(Adapter):
    """n-k-coh-coh: arguments and standard output."""

    game = "cohcoh"
    default_args = "{n} {k} {board} {seconds}"

    def prepare(self, game: Game, state: State, depth: int, seconds: float) -> ProgramInput:
        """Return the board and the options as placeholders."""
        assert isinstance(game, CohCoh)
        options = game.spec.options
        placeholders = {
            "n": str(options["n"]),
            "k": str(options["k"]),
            "board": write_board(game, state),
            **time_placeholders(seconds),
            "depth": str(depth),
            "side": "wb"[game.turn(state)],
        }
        return ProgramInput(placeholders, {})

    def read(self, game: Game, state: State, folder: Path, output: str) -> tuple[Move, ...]:
        """Return the move that leads to the board in the last line of the output."""
        assert isinstance(game, CohCoh)
        lines = [line for line in output.splitlines() if line.strip()]
        if not lines:
            raise Failure("no_output", "it printed nothing")
        board, cells = lines[-1].strip(), len(write_board(game, state))
        if len(board) != cells or set(board) - set("wb."):
            expected = f"expected the board as the last line, {cells} of the characters w, b and ."
            raise Failure("garbage", f"{expected}, not {shorten(board)!r}")
        moves = {write_board(game, game.after(state, move)): move for move in game.moves(state)}
        return (find_move(moves, board),)

    def read_leniently(self, game: Game, state: State, folder: Path, output: str) -> tuple[Move, ...]:
        """Return the move that leads to the last board in the output, in any of its lines."""
        assert isinstance(game, CohCoh)
        moves = {write_board(game, game.after(state, move)): move for move in game.moves(state)}
        boards = [word for word in output.split() if word in moves]
        return (find_move(moves, boards[-1] if boards else output.strip()),)
