"""The Max-Connect4 assignment: one-move IN OUT DEPTH, boards in files of seven lines with any line ends."""

from __future__ import annotations

from pathlib import Path

from client.programs.adapters.base import Adapter, Run, one_of, output_file
from client.programs.failure import Failure
from engine.course.lines import CourseFileError
from engine.course.maxconnect4 import read_board, write_board
from engine.game import Game, Move, State
from engine.games.maxconnect4 import MaxConnect4

INPUT, OUTPUT = "input.txt", "output.txt"


class MaxConnect4Adapter(Adapter):
    game = "maxconnect4"
    default = "one-move {in} {out} {depth}"
    output = OUTPUT

    def prepare(self, game: Game, state: State, depth: int, seconds: float) -> Run:
        assert isinstance(game, MaxConnect4)
        board = write_board(game, state)
        player = board.split()[-1]
        words = {"in": INPUT, "out": OUTPUT, "depth": str(depth), "seconds": f"{seconds:.3f}", "side": player}
        return Run(words, {INPUT: board})

    def read(self, game: Game, state: State, folder: Path, said: str) -> tuple[Move, ...]:
        try:
            board = game.dump(read_board(output_file(folder, OUTPUT)))
        except CourseFileError as error:
            raise Failure("garbage", f"{OUTPUT}, {error}") from None
        found = {game.dump(game.after(state, move)): move for move in game.moves(state)}
        return (one_of(game, state, found, board, "board"),)
