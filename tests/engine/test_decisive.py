"""The cells that decided a game, and the cells where a move ends."""

from __future__ import annotations

from itertools import product

import pytest

from engine.contract.positions import walk
from engine.game import Game
from engine.registry import create
from tests.engine.variants import NAMES, VARIANTS, Variant, positions

every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=NAMES)


@every_variant
def test_only_finished_positions_have_decisive_cells(variant: Variant) -> None:
    for game, state in positions(variant, 2):
        cells = game.decisive(state)
        names = [cell.name for cell in game.draw(state).cells()]
        assert list(cells) == [name for name in names if name in cells], "decisive cells are in the order of the board"
        assert not cells or game.outcome(state) is not None


@every_variant
def test_path_of_a_game_is_the_path_of_its_notation(variant: Variant) -> None:
    for game, state in positions(variant, 1):
        for move in game.moves(state):
            assert game.path(state, move) == Game.path(game, state, move)


@every_variant
def test_move_ends_in_a_cell_that_it_changes(variant: Variant) -> None:
    for game, state in list(positions(variant, 1))[::3]:
        before = {cell.name: cell for cell in game.draw(state).cells()}
        for move in game.moves(state):
            after = {cell.name: cell for cell in game.draw(game.after(state, move)).cells()}
            end = game.end_of(state, move)
            captured = game.name == "mancala"  # the last stone may be captured, or lie where the sowing began
            assert before[end] != after[end] or captured


def test_blocked_squares_decide_conga() -> None:
    game = create("conga", {"start": "b10,w1,.,./w1,w8,.,./.,.,.,./.,.,.,. b"})
    assert game.decisive(game.start()) == ("a4",)


def test_stores_decide_mancala() -> None:
    game = create("mancala", {"start": "0,0,0,0,0,0/0,0,0,0,0,0 20,28 1"})
    assert game.decisive(game.start()) == ("store 2", "store 1")


def fours(owners: dict[str, int | None], side: int) -> set[str]:
    """Return the cells of all quadruples of a side, found square by square."""
    found: set[str] = set()
    for file, rank in product(range(7), range(6)):
        for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
            line = ["abcdefghijk"[file + right * i] + str(rank + 1 + up * i) for i in range(4)]
            if all(owners.get(name) == side for name in line):
                found.update(line)
    return found


def test_fours_of_both_sides_decide_maxconnect4() -> None:
    winners = set()
    for seed in range(40):
        game = create("maxconnect4")
        *_, state = walk(game, seed)
        owners = {cell.name: cell.owner for cell in game.draw(state).cells()}
        outcome = game.outcome(state)
        assert outcome is not None
        assert set(game.decisive(state)) == fours(owners, 0) | fours(owners, 1)
        winners.add(outcome.winner)
    assert winners == {0, 1, None}


def test_line_of_the_loser_decides_cohcoh() -> None:
    game = create("cohcoh", {"n": 4, "k": 3})
    state = game.start()
    for text in ("a1", "d1", "b2", "d3", "c3"):
        state = game.play(state, game.parse(state, text))
    assert game.decisive(state) == ("c3", "b2", "a1")


@pytest.mark.parametrize(
    ("start", "move", "end"),
    [
        ("b1,.,.,./.,.,.,./.,.,.,./.,.,.,w1 b", "a4b4", "b4"),
        ("b2,.,.,./.,.,.,./.,.,.,./.,.,.,w2 b", "a4b4", "c4"),
        ("b3,.,.,./.,.,.,./.,.,.,./.,.,.,w3 b", "a4b4", "c4"),
        ("b4,.,.,./.,.,.,./.,.,.,./.,.,.,w4 b", "a4b4", "d4"),
        ("b4,.,.,w1/.,.,.,./.,.,.,./.,.,.,w3 b", "a4b4", "c4"),
        ("b4,.,w1,./.,.,.,./.,.,.,./.,.,.,w3 b", "a4b4", "b4"),
        (".,.,b4,./.,.,.,./.,.,.,./.,.,.,w4 b", "c4d4", "d4"),
    ],
)
def test_conga_move_ends_on_the_last_square_of_its_run(start: str, move: str, end: str) -> None:
    stones = sum(int(part[1:]) for part in start.replace("/", ",").split(" ")[0].split(",") if part[0] == "b")
    game = create("conga", {"stones": stones, "start": start})
    assert game.end_of(game.start(), game.parse(game.start(), move)) == end
