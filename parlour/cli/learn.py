"""Ask for moves: better ones than the mistakes of a reviewed game, and the solutions of puzzles."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial

from client.sdk.sides import legend, side_names
from engine.errors import GameError
from engine.game import Game, Move, State
from engine.puzzles import Puzzle
from engine.record import Record, replay
from engine.review import MARKS, Budget, Evaluator, MoveReview, Review
from engine.review.reviewer import review_move
from runtime.printable import print_line, print_lines, printable

HELP = "Type a move, or: moves, hint, show, next, quit"
Verdict = Callable[[Move], tuple[bool, str]]  # whether a move solves the position, and why


class Quit(Exception):
    """The user has quit, or the input has ended."""


def ask_move(game: Game, state: State, line: Sequence[str], verdict: Verdict) -> bool:
    """Ask for a move until it is right or the user gives up. Return whether it was right at the first try.

    Raises Quit.
    """
    tries = 0
    while True:
        words = read_words()
        if words in ("next", ""):
            return False
        if words == "show":
            print_line(f"Best was {' '.join(line)}.")
            return False
        if words == "hint":
            print_line(f"It begins at {game.path(state, game.parse(state, line[0]))[0]}.")
            tries += 1
        elif words == "moves":
            print_line(" ".join(game.legal(state)))
        elif words in ("help", "?"):
            print_line(HELP)
        else:
            try:
                move = game.parse(state, words)
            except GameError as error:
                print_line(str(error))
                continue
            right, why = verdict(move)
            print_line(why)
            if right:
                return tries == 0
            tries += 1


def board_text(game: Game, state: State) -> str:
    """Return the board, below the letters of the sides where their names do not begin with them."""
    board = game.draw(state)
    letters = legend(board.marks, side_names(type(game)))
    return f"{letters}\n{board.text()}" if letters else board.text()


def read_words() -> str:
    """Return a line of input. Raises Quit."""
    sys.stdout.write("> ")
    sys.stdout.flush()
    line = "" if sys.stdin is None else sys.stdin.readline()
    if not line or line.strip() == "quit":
        raise Quit
    return line.strip()


def learn(record: Record, review: Review, sides: Sequence[int], budget: Budget, compiled: bool | None) -> None:
    """Step through the mistakes of these sides."""
    game, states = replay(record)
    mistakes = [move for move in review.moves if move.is_mistake and move.side in sides]
    if not mistakes:
        print_line("There are no mistakes to learn from.")
        return
    evaluator = Evaluator(game, budget.nodes, compiled=compiled)
    solved = asked = 0
    print_line(HELP)
    try:
        for move in mistakes:
            before = states[: move.ply]
            print_lines(f"\n{question(game, move)}\n{board_text(game, before[-1])}")
            solved += ask_move(game, before[-1], move.line, partial(judge_try, evaluator, before, move))
            asked += 1
    except Quit:
        print_line()
    print_line(f"Found at the first try: {solved} of {asked}.")


def question(game: Game, move: MoveReview) -> str:
    why = f", which {printable(move.words)}" if move.words else ""
    side = side_names(type(game))[move.side]
    return f"Ply {move.ply}, {side} to move. Played: {move.move} {MARKS[move.judgement]}{why}."


def judge_try(evaluator: Evaluator, states: Sequence[State], mistake: MoveReview, move: Move) -> tuple[bool, str]:
    """Return whether a move is no mistake, with the reason. Moves that the review knows are not searched again."""
    game, state = evaluator.game, states[-1]
    text = game.format(state, move)
    if text == mistake.move:
        return False, f"{text}: {mistake.judgement}, {mistake.words}. Try again."
    if text == mistake.best:
        return True, f"{text}: best."
    if text in mistake.also:
        return True, f"{text}: as good as {mistake.best}."
    now = [*states, game.after(state, move)]
    _, found = review_move(evaluator, now, move, evaluator.value(now))
    if found.is_mistake:
        return False, f"{text}: {found.judgement}, {found.words}. Try again."
    return True, f"{text}: {found.judgement}."


def solve_puzzles(puzzles: Sequence[Puzzle]) -> None:
    """Ask puzzles one after the other."""
    solved = asked = 0
    print_line(HELP)
    try:
        for puzzle in puzzles:
            game = puzzle.create()
            state = game.start()
            print_lines(f"\n{task(game, puzzle)}\n{board_text(game, state)}")
            solved += ask_move(game, state, (puzzle.move,), partial(judge_answer, game, puzzle))
            asked += 1
    except Quit:
        print_line()
    print_line(f"Solved at the first try: {solved} of {asked}.")


def task(game: Game, puzzle: Puzzle) -> str:
    """Return what to find in a puzzle."""
    side = side_names(type(game))[game.start().turn]
    return f"{game.title}, level {puzzle.level}: {side} to move. One move {puzzle.goal(game)}."


def judge_answer(game: Game, puzzle: Puzzle, move: Move) -> tuple[bool, str]:
    right = game.format(game.start(), move) == puzzle.move
    return right, "Right." if right else "No. Try again."
