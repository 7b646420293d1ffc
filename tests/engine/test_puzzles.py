"""Puzzles: the file format, and proofs that exactly one move keeps the value."""

from __future__ import annotations

import json
import random
import re

import pytest

from client.bots.builtin.levels import LEVELS
from engine.contract.exact import TooManyPositions
from engine.game import Game
from engine.puzzles import (
    InvalidPuzzles,
    Puzzle,
    candidates,
    follow_ups,
    is_proved,
    make_puzzle,
    parse_puzzles,
    shipped_puzzles,
    wins_within,
    write_puzzles,
)
from engine.puzzles.maker import lowest_level
from engine.puzzles.self_play import self_play
from engine.registry import GAMES, create
from engine.review import Evaluator
from engine.search import Limits, Thinker
from tests.engine.naive_solver import NaiveSolver

HEAD = '{"format": "parlour puzzles 1"}\n'
MIN_SHIPPED = 200
SMALL = create("mancala", {"pits": 3, "stones": 3})


def made_puzzles(game: Game, games: int) -> list[Puzzle]:
    rng, evaluator = random.Random(1), Evaluator(game, 3_000, compiled=False)
    states = [state for _ in range(games) for state in candidates(game, self_play(game, rng, compiled=False))]
    made = (make_puzzle(evaluator, state, {1: 10, 4: 50}, compiled=False) for state in states)
    return [puzzle for puzzle in made if puzzle is not None]


def check_independently(puzzle: Puzzle, max_positions: int) -> bool:
    """Compare a puzzle with an exhaustive solver. Return False if that would take too long."""
    try:
        values = NaiveSolver(puzzle.create(), max_positions).moves(puzzle.position)
    except TooManyPositions:
        return False
    best = max(values.values())
    assert puzzle.value == best
    assert [move for move, value in values.items() if value == best] == [puzzle.move]
    return True


def things_left(puzzle: Puzzle) -> int:
    """Return the stones in the pits, or the empty squares: the fewer, the shorter the rest of the game."""
    board = puzzle.position.split()[0]
    if puzzle.game == "mancala":
        return sum(map(int, re.findall(r"\d+", board)))
    return board.count("0") + board.count(".")


def test_made_puzzles_agree_with_an_exhaustive_solver() -> None:
    puzzles = made_puzzles(SMALL, games=2)
    assert puzzles
    assert all(check_independently(puzzle, 50_000) for puzzle in puzzles)
    assert parse_puzzles(write_puzzles(puzzles)) == puzzles


def test_puzzle_of_conga_is_the_shortest_forced_win() -> None:
    shipped = next(puzzle for puzzle in shipped_puzzles("conga") if puzzle.plies == 3)
    game = shipped.create()
    state = game.load(shipped.position)
    made = make_puzzle(Evaluator(game, 3_000, compiled=False), state, {1: 10}, compiled=False)
    assert made is not None
    assert (made.position, made.move, made.plies, made.value) == (shipped.position, shipped.move, 3, 1)
    lost = game.play(state, game.parse(state, shipped.move))
    assert make_puzzle(Evaluator(game, 3_000, compiled=False), lost, {1: 10}, compiled=False) is None


def test_positions_after_a_winning_move_are_candidates() -> None:
    shipped = next(puzzle for puzzle in shipped_puzzles("conga") if puzzle.plies == 3)
    game = shipped.create()
    state = game.load(shipped.position)
    following = follow_ups(Evaluator(game, 3_000, compiled=False), state)
    after = game.play(state, game.parse(state, shipped.move))
    assert following
    assert set(following) <= {game.play(after, move) for move in game.moves(after)}
    assert all(answered.turn == state.turn and len(game.moves(answered)) >= 3 for answered in following)
    assert follow_ups(Evaluator(SMALL, 100, compiled=False), SMALL.start()) == []


@pytest.mark.parametrize("name", GAMES)
def test_many_puzzles_come_with_every_game(name: str) -> None:
    puzzles = shipped_puzzles(name)
    assert len({puzzle.position for puzzle in puzzles}) == len(puzzles) >= MIN_SHIPPED
    assert len({puzzle.level for puzzle in puzzles}) >= 3
    assert all(puzzle.game == name for puzzle in puzzles)


@pytest.mark.parametrize("name", ["mancala", "maxconnect4", "cohcoh"])
def test_some_shipped_puzzles_agree_with_an_exhaustive_solver(name: str) -> None:
    late = sorted(shipped_puzzles(name), key=things_left)[:6]
    assert sum(check_independently(puzzle, 1_500) for puzzle in late) >= 1


def test_some_shipped_wins_of_conga_are_found_by_a_plain_search() -> None:
    short = [puzzle for puzzle in shipped_puzzles("conga") if puzzle.plies == 3][:2]
    assert short
    for puzzle in short:
        solver = NaiveSolver(puzzle.create())
        winning = [move for move, after in solver.successors(puzzle.position).items() if solver.forced(after, 2) == -1]
        assert winning == [puzzle.move]


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_shipped_puzzles_are_proved(name: str) -> None:
    assert [puzzle for puzzle in shipped_puzzles(name)[::5] if not is_proved(puzzle, 1_000_000)] == []


@pytest.mark.parametrize("name", GAMES)
def test_levels_of_some_shipped_puzzles_are_current(name: str) -> None:
    """The first level finds exactly the puzzles of level 1. A new estimate changes the levels."""
    for puzzle in shipped_puzzles(name)[::12]:
        game = puzzle.create()
        found = Thinker(game, 1, compiled=False).think(game.start(), Limits(nodes=LEVELS[1].nodes)).move
        assert (found == game.parse(game.start(), puzzle.move)) == (puzzle.level == 1), puzzle


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_levels_of_shipped_puzzles_are_current(name: str) -> None:
    levels = {level: found.nodes for level, found in LEVELS.items() if found.nodes is not None}
    for puzzle in shipped_puzzles(name)[::5]:
        game = puzzle.create()
        state = game.start()
        assert lowest_level(game, state, game.parse(state, puzzle.move), levels, None) == puzzle.level, puzzle


def test_wrong_solution_is_not_proved() -> None:
    puzzle = made_puzzles(SMALL, games=1)[0]
    assert is_proved(puzzle, 5_000, compiled=False)
    game = puzzle.create()
    other = next(move for move in game.legal(game.start()) if move != puzzle.move)
    wrong = Puzzle(puzzle.game, puzzle.position, puzzle.move, puzzle.value + 1, 1, options=puzzle.options)
    assert not is_proved(wrong, 5_000, compiled=False)
    assert other != puzzle.move


def test_forced_wins_are_counted_in_plies() -> None:
    game = create("conga", {"start": "w9,.,b1,./b1,b1,b3,b1/b1,b1,.,./w1,b1,.,. b"})
    assert wins_within(game, game.start(), 1)
    assert not wins_within(game, game.start(), 0)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "line 1: expected"),
        ("[]", "line 1: expected"),
        (HEAD + "[" * 100_000, "line 2: expected a JSON object"),
        (HEAD + "{}", "line 2: game, position and move must be texts"),
        (
            HEAD + json.dumps({"game": "conga", "position": "x", "move": "a1a2", "value": 1, "level": 99}),
            "level from 1",
        ),
        (HEAD + json.dumps({"game": "chess", "position": "x", "move": "e4", "value": 1, "level": 1}), "line 2: "),
        (HEAD + json.dumps({"game": "conga", "position": "x", "move": "e4", "value": 1, "level": 1}), "line 2: "),
    ],
)
def test_wrong_file_gets_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(InvalidPuzzles, match=sentence) as error:
        parse_puzzles(text)
    assert len(str(error.value)) < 400
