"""Correctness of the search: plain and compiled runs are equal, and both agree with minimax."""

from __future__ import annotations

import random

import pytest

from engine.contract.exact import ExactSolver
from engine.contract.searches import compiled_search_equals_plain, late_values_equal_minimax, some_states
from engine.game import Game, State
from engine.registry import GAMES, create
from engine.search import Limits, Thinker, think
from engine.search.kernel import compilable
from engine.search.primitives import mix
from tests.engine.variants import NAMES, VARIANTS, Variant
from tests.long import long_cases

COMPILED = [  # each takes seconds to compile
    *((name, {}) for name in GAMES),
    *long_cases(
        ("mancala", {"pits": 6, "stones": 40, "rules": "standard"}),  # all 63 bits
        ("cohcoh", {"n": 7, "k": 3}),
    ),
]
SMALL: list[tuple[str, dict[str, object]]] = [
    ("mancala", {"pits": 2, "stones": 2}),
    ("mancala", {"pits": 3, "stones": 2}),
    ("mancala", {"pits": 2, "stones": 3, "rules": "prose"}),
    ("mancala", {"pits": 3, "stones": 2, "rules": "standard"}),
    ("cohcoh", {"n": 3, "k": 2}),
    ("cohcoh", {"n": 3, "k": 3}),
    ("cohcoh", {"n": 3, "k": 4}),
]


@pytest.mark.parametrize(("name", "options"), COMPILED)
def test_plain_and_compiled_searches_are_equal(name: str, options: dict[str, object]) -> None:
    compiled_search_equals_plain(create(name, options))


@pytest.mark.parametrize(("name", "options"), SMALL)
def test_solved_values_equal_minimax(name: str, options: dict[str, object]) -> None:
    game = create(name, options)
    exact = ExactSolver(game, 10_000)
    exact.value(game.start())
    known, thinker = exact.known, Thinker(game, compiled=False)
    rng = random.Random(2)
    for state in [game.start(), *rng.sample(sorted(known), min(60, len(known)))]:
        played = [state]
        report = thinker.solve(state, Limits())
        assert (report.value, report.proved) == (known[state], True), game.dump(state)
        thought = Thinker(game, compiled=False).think(state, Limits())
        assert (thought.value, thought.proved) == (known[state], True), game.dump(state)
        for found in (report, thought):
            for move in found.line:
                after = game.play(state, move)
                value = known[after] if after.turn == state.turn else -known[after]
                assert value == known[state], f"{game.dump(state)}: {game.format(state, move)} is not a best move"
                state = after
            state = played[-1]


@pytest.mark.parametrize("variant", VARIANTS, ids=NAMES)
def test_late_positions_of_every_game_equal_minimax(variant: Variant) -> None:
    late_values_equal_minimax(create(*variant))


def late_max_connect4(empty: int, seed: int) -> tuple[Game, State]:
    game = create("maxconnect4")
    rng, state = random.Random(seed), game.start()
    for _ in range(42 - empty):
        state = game.after(state, rng.choice(game.moves(state)))
    return game, state


@pytest.mark.parametrize("seed", range(6))
def test_late_maxconnect4_positions_equal_minimax(seed: int) -> None:
    game, state = late_max_connect4(8, seed)
    report = think(game, state, Limits())
    assert report.proved
    assert report.value == ExactSolver(game, 10**6).value(state)


@pytest.mark.parametrize("seed", range(4))
def test_values_proved_by_deepening_equal_solved_values(seed: int) -> None:
    """A proof can come long before the last ply and must not depend on estimates."""
    game = create("cohcoh", {"n": 4, "k": 3})
    for state in some_states(game, 8, 12, seed):
        solved = Thinker(game).solve(state, Limits())
        deepened = Thinker(game).think(state, Limits())
        assert solved.proved
        assert deepened.proved
        assert solved.value == deepened.value, game.dump(state)


def test_wide_options_run_as_plain_python() -> None:
    for name, options in (("cohcoh", {"n": 9, "k": 4}), ("mancala", {"pits": 8, "stones": 500})):
        game = create(name, options)
        assert not compilable(game)
        report = think(game, game.start(), Limits(nodes=300))
        assert report.move in game.moves(game.start())


def test_hash_of_wide_words_depends_on_all_bits() -> None:
    assert len({mix(1 << bit, 0) for bit in range(200)} | {mix(0, 1 << bit) for bit in range(200)}) == 400
    game = create("mancala", {"start": "1,0,0,3,1,0,4,1,0,1/0,0,0,0,0,0,4,0,0,1 179,205 1", "pits": 10})
    assert not compilable(game)
    report = Thinker(game).solve(game.start(), Limits())
    assert (report.value, report.proved) == (ExactSolver(game).value(game.start()), True)


@pytest.mark.parametrize(
    ("stores", "compiled"),
    [((0, 0), False), ((6000, 0), False), ((30_000, 30_000), False), *long_cases(((0, 6000), True))],
)
def test_store_size_does_not_change_the_move_value(stores: tuple[int, int], compiled: bool) -> None:
    game = create("mancala", {"start": f"1,2/2,1 {stores[0]},{stores[1]} 1"})
    thinker = Thinker(game, compiled=compiled)
    for report in (thinker.think(game.start(), Limits()), thinker.solve(game.start(), Limits())):
        assert report.proved
        assert report.value == stores[1] - stores[0]
        assert report.move in game.moves(game.start())


def test_proofs_respect_the_ply_limit() -> None:
    position = ".,.,b1,w4/.,b1,b1,b1/b1,b1,w1,b1/w5,b2,b1,. w"  # white loses in two plies
    for limit, proved in ((1, False), (2, True), (400, True)):
        game = create("conga", {"start": position, "max_plies": limit})
        report = think(game, game.start(), Limits(depth=6), compiled=False)
        assert report.proved is proved, limit


@pytest.mark.parametrize(("reply", "image"), [("d4", "b2"), ("b2", "d4"), ("c4", "c2")])
def test_search_avoids_a_sure_draw(reply: str, image: str) -> None:
    """White holds the centre and could draw by answering every move with its image."""
    game = create("cohcoh", {"n": 5, "k": 4})
    state = game.start()
    for text in ("c3", reply):
        state = game.play(state, game.parse(state, text))
    report = Thinker(game, compiled=False).think(state, Limits(nodes=3000))
    assert report.move is not None
    assert game.format(state, report.move) != image
    assert not report.proved


def test_finished_game_has_a_value_and_no_move() -> None:
    game = create("mancala", {"start": "0,0,0,0,0,0/0,0,0,0,0,0 20,28 1"})
    report = think(game, game.start(), Limits(seconds=1))
    assert (report.move, report.value, report.proved, report.line) == (None, 8, True, ())
