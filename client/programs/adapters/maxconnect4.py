"""The Max-Connect4 assignment: `one-move IN OUT DEPTH`, boards in files of seven lines, with any line ends."""

from __future__ import annotations

import re
from pathlib import Path

from client.programs.adapters.base import Adapter, ProgramInput, find_move, read_output_file, time_placeholders
from client.programs.failure import Failure
from engine.course.lines import CourseFileError
from engine.course.maxconnect4 import read_board, write_board
from engine.game import Game, Move, State
from engine.games.maxconnect4 import MaxConnect4

INPUT, OUTPUT = "input.txt", "output.txt"
ROW = re.compile(r"[012]{7}")


class MaxConnect4Adapter(Adapter):
    """Max-Connect4: input.txt and output.txt."""

    game = "maxconnect4"
    default_args = "one-move {in} {out} {depth}"
    output = OUTPUT

    def prepare(self, game: Game, state: State, depth: int, seconds: float) -> ProgramInput:
        """Return the board as an input file."""
        assert isinstance(game, MaxConnect4)
        board = write_board(game, state)
        player = board.split()[-1]
        placeholders = {"in": INPUT, "out": OUTPUT, "depth": str(depth), "side": player, **time_placeholders(seconds)}
        return ProgramInput(placeholders, {INPUT: board})

    def read(self, game: Game, state: State, folder: Path, output: str) -> tuple[Move, ...]:
        """Return the move that leads to the board in output.txt."""
        try:
            board = game.dump(read_board(read_output_file(folder, OUTPUT)))
        except CourseFileError as error:
            raise Failure("garbage", f"{OUTPUT}, {error}") from None
        moves = {game.dump(game.after(state, move)): move for move in game.moves(state)}
        return (find_move(moves, board),)

    def read_leniently(self, game: Game, state: State, folder: Path, output: str) -> tuple[Move, ...]:
        """Return the move that leads to the six rows, whatever else is in the file."""
        assert isinstance(game, MaxConnect4)
        rows = [line for line in map(compact, read_output_file(folder, OUTPUT).splitlines()) if ROW.fullmatch(line)]
        boards = {"".join(write_board(game, game.after(state, move)).split()[:-1]): move for move in game.moves(state)}
        return (find_move(boards, "".join(rows)),)


def compact(line: str) -> str:
    return "".join(line.split())
