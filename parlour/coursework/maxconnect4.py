"""Run the Max-Connect4 course program.

parlour course maxconnect4 interactive IN computer-next|human-next DEPTH   (or …-first)
    play in the terminal from the board in IN (an empty board if there is no such file);
    after each move the board is written to computer.txt or human.txt
parlour course maxconnect4 one-move IN OUT DEPTH
    read IN, make one move, write OUT; a full board is only printed

parlour course maxconnect4 one-move board.txt next.txt 5

--evaluation course searches DEPTH plies deep with the evaluation of the assignment. --evaluation
strong uses Parlour's own search. Times are CPU times.
"""

from __future__ import annotations

import time
from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path

from engine.course.lines import CourseFileError
from engine.course.maxconnect4 import read_board, write_board
from engine.errors import GameError
from engine.game import Move, State
from engine.games.maxconnect4 import MaxConnect4
from parlour.coursework.files import write_text
from parlour.errors import UserError
from parlour.input_file import read_text

FIRST_PLAYERS = ("computer-next", "human-next", "computer-first", "human-first")
FILES = {"computer": "computer.txt", "human": "human.txt"}


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--evaluation", choices=("course", "strong"), default="course", help=SUPPRESS)
    modes = parser.add_subparsers(dest="mode", metavar="MODE", required=True, help="interactive or one-move")
    interactive = modes.add_parser(
        "interactive",
        help="play in the terminal",
        description="Play in the terminal, for example: parlour course maxconnect4 interactive board.txt human-next 5",
    )
    interactive.add_argument(
        "input", metavar="IN", help="the board to start from; an empty board if there is no such file"
    )
    interactive.add_argument("next", choices=FIRST_PLAYERS, help="who moves first")
    one_move = modes.add_parser(
        "one-move",
        help="read a board, make one move, write the board",
        description="Make one move, for example: parlour course maxconnect4 one-move board.txt next.txt 5",
    )
    one_move.add_argument("input", metavar="IN", help="the file with the board")
    one_move.add_argument("output", metavar="OUT", help="the file for the board after the move")
    for mode in (interactive, one_move):
        mode.add_argument("depth", metavar="DEPTH", type=depth, help="the search depth in plies, 1 to 42")
        text = "the search of the assignment (default) or Parlour's own"
        mode.add_argument("--evaluation", choices=("course", "strong"), default=SUPPRESS, help=text)


def depth(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 9 and 1 <= int(text) <= 42):
        raise ArgumentTypeError(f"expected a depth, a whole number from 1 to 42, not {text[:20]!r}")
    return int(text)


def run(args: Namespace) -> int:
    table = Table(MaxConnect4(), args.depth, args.evaluation)
    if args.mode == "one-move":
        return table.one_move(args.input, args.output)
    return table.interactive(args.input, args.next.partition("-")[0])


class Table:
    """A game against a computer that searches to a fixed depth."""

    def __init__(self, game: MaxConnect4, depth: int, evaluation: str) -> None:
        self.game = game
        self.depth = depth
        self.evaluation = evaluation

    def one_move(self, source: str, target: str) -> int:
        state = load(source)
        self.show(state)
        if not self.game.moves(state):
            return 0
        state = self.game.after(state, self.think(state))
        self.show(state)
        write_text(target, write_board(self.game, state))
        return 0

    def interactive(self, source: str, player: str) -> int:
        state = load(source) if Path(source).exists() else self.game.start()
        self.show(state)
        while self.game.moves(state):
            try:
                move = self.think(state) if player == "computer" else self.ask(state)
            except EOFError:
                print("\nThe game ends here.")
                return 0
            except KeyboardInterrupt:
                print("\nThe game ends here.")
                return 130
            state = self.game.after(state, move)
            write_text(FILES[player], write_board(self.game, state))
            self.show(state)
            player = "human" if player == "computer" else "computer"
        return 0

    def think(self, state: State) -> Move:
        """Return the computer's move, and print its value and cost."""
        begun = time.process_time()
        move, value, nodes = self.strong(state) if self.evaluation == "strong" else self.course(state)
        spent = time.process_time() - begun
        print(f"The computer plays column {self.game.format(state, move)}.")
        print(f"Depth {self.depth}, value {value:+g}, {nodes} nodes, CPU time {spent:.3f} s", flush=True)
        return move

    def course(self, state: State) -> tuple[Move, float, int]:
        from engine.course.alphabeta import alphabeta

        choice = alphabeta(self.game, state, self.depth, "course")
        return choice.line[0], choice.value, choice.nodes

    def strong(self, state: State) -> tuple[Move, float, int]:
        from engine.search import Limits, think

        report = think(self.game, state, Limits(depth=self.depth), notice=lambda sentence: print(sentence, flush=True))
        assert report.move is not None
        return report.move, report.value, report.nodes

    def ask(self, state: State) -> Move:
        """Ask the human for a column until it is a legal one."""
        player = state.turn + 1
        while True:
            text = input(f"Player {player}, your column (1 to 7): ").strip()
            try:
                return self.game.parse(state, text)
            except GameError as error:
                print(error)

    def show(self, state: State) -> None:
        """Print the board, the score, and the result if the board is full."""
        rows = write_board(self.game, state).splitlines()[:-1]
        scores = self.game.points(state)
        print()
        for row in rows:
            print("  ", " ".join(row).replace("0", "."))
        print("  ", " ".join("1234567"))
        print(f"Score: player 1 = {scores[0]}, player 2 = {scores[1]}", flush=True)
        outcome = self.game.outcome(state)
        if outcome is not None:
            result = "Draw" if outcome.winner is None else f"Player {outcome.winner + 1} wins"
            print(f"The board is full. {result}, {max(scores)} to {min(scores)}.", flush=True)


def load(path: str) -> State:
    try:
        return read_board(read_text(path))
    except CourseFileError as error:
        raise UserError(f"{path}: {error}") from None
