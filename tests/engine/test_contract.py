"""The contract of games, checked for every registered game with default and unusual options."""

from __future__ import annotations

import re

import pytest

from engine.board import Board
from engine.contract.checks import CHECKS, Check
from engine.contract.positions import positions, walk
from engine.game import Outcome
from engine.registry import GAMES, create
from engine.search.table import NO_MOVE
from tests.engine.reference_rules import REFERENCE_RULES, successors
from tests.engine.variants import NAMES, VARIANTS, Variant

every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=NAMES)
GAMES_EACH = 2


GROWTH = {"conga": 0, "mancala": 0, "maxconnect4": 1, "cohcoh": 1}  # stones that a move adds to the board


def test_games_are_registered_by_name() -> None:
    assert all(name == game.name for name, game in GAMES.items())
    assert all(re.fullmatch(r"[a-z]\w*", name) for name in GAMES), "a name must be one word, for files and commands"
    assert {name for name, _ in VARIANTS} == set(GAMES)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name.replace(" ", "-"))
@every_variant
def test_every_game_keeps_the_contract(variant: Variant, check: Check) -> None:
    game = create(*variant)
    check.run(game, list(positions(game, check.games)))


@every_variant
def test_play_agrees_with_the_reference_rules(variant: Variant) -> None:
    if variant[0] not in REFERENCE_RULES:
        pytest.skip("no reference rules for this game")
    game = create(*variant)
    for state in positions(game, GAMES_EACH):
        after = {game.format(state, move): game.dump(game.play(state, move)) for move in game.moves(state)}
        assert after == successors(game.name, game.spec.options, game.dump(state))


@every_variant
def test_each_move_adds_the_expected_number_of_stones(variant: Variant) -> None:
    game = create(*variant)
    if game.name not in GROWTH:
        pytest.skip("the number of stones may change")
    counts = [stones(game.draw(state)) for state in walk(game, 1)]
    assert counts == [counts[0] + ply * GROWTH[game.name] for ply in range(len(counts))]


def stones(board: Board) -> int:
    return sum(cell.count for row in board.rows for cell in row if cell is not None and cell.owner is not None)


def test_move_limit_is_that_of_the_transposition_table() -> None:
    from engine.contract.checks import MOVE_LIMIT

    assert MOVE_LIMIT == NO_MOVE


def test_results_are_written_as_in_chess() -> None:
    assert [Outcome(winner, "line").result for winner in (0, 1, None)] == ["1-0", "0-1", "1/2-1/2"]
