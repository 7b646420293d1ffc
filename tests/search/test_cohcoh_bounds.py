"""The bounds of n-k-coh-coh always contain the exact value."""

from __future__ import annotations

import random

import pytest

from engine.game import Game, State
from engine.registry import create
from engine.search.kernel import search_rules


def value(game: Game, state: State, known: dict[State, int]) -> int:
    """Return the exact value by exhaustive search."""
    if state not in known:
        best = game.rules.score(state.mine, state.rest)
        if game.outcome(state) is None:
            best = -1
            for move in game.moves(state):
                best = max(best, -value(game, game.after(state, move), known))
                if best == 1:
                    break
        known[state] = best
    return known[state]


def nearly_mirrored(game: Game, empty: int, rng: random.Random) -> State:
    """Return a random position without a line that is nearly symmetric, so that symmetry bounds often apply."""
    n, rules = game.rules.N, game.rules
    image = rng.choice([rules.rotated, rules.left_right, rules.upside_down, lambda word: 0])
    state = game.start()
    while (state.mine | state.rest).bit_count() < n * n - empty:
        safe = [move for move in game.moves(state) if not rules.has_line(state.mine | 1 << move + move // n)]
        opposite = [move for move in safe if image(state.rest) >> move + move // n & 1]
        if not safe:
            break
        state = game.after(state, rng.choice(opposite if opposite and rng.random() < 0.8 else safe))
    return state


@pytest.mark.parametrize(
    ("n", "k", "most"), [(3, 2, 9), (3, 3, 9), (4, 3, 10), (4, 4, 8), (5, 3, 8), (5, 4, 7), (6, 3, 7)]
)
def test_exact_value_is_within_bounds(n: int, k: int, most: int) -> None:
    game = create("cohcoh", {"n": n, "k": k})
    rules, rng = search_rules(game), random.Random(n * 10 + k)
    narrowed, known = 0, dict[State, int]()
    for _ in range(120):
        state = nearly_mirrored(game, rng.randrange(1, most + 1), rng)
        if game.outcome(state) is not None:
            continue
        low, high = rules.bounds(state.mine, state.rest)
        assert low <= value(game, state, known) <= high, game.dump(state)
        narrowed += (low, high) != (-1, 1)
    assert narrowed > 5, "the bounds must be useful in some positions"


@pytest.mark.parametrize(("n", "k"), [(3, 3), (4, 3), (5, 4), (6, 4), (7, 3)])
def test_symmetric_boards_have_equal_keys(n: int, k: int) -> None:
    game = create("cohcoh", {"n": n, "k": k})
    rules, rng = game.rules, random.Random(n)
    for _ in range(20):
        state = nearly_mirrored(game, n * n - rng.randrange(1, min(12, n * n - 2)), rng)
        pair = (state.mine, state.rest)
        images = {pair}
        while len(images) < 8:
            more = {
                (turn(a), turn(b))
                for a, b in images
                for turn in (rules.upside_down, rules.left_right, rules.transposed)
            }
            if more <= images:
                break
            images |= more
        keys = {image: rules.key(*image) for image in images}
        assert {key[:2] for key in keys.values()} == {keys[pair][:2]}
        assert [image for image in images if keys[image][2]] == [keys[pair][:2]]
        assert rules.rotated(rules.rotated(state.mine)) == state.mine


def test_forbidden_finds_all_losing_squares() -> None:
    game = create("cohcoh", {"n": 6, "k": 4})
    rng = random.Random(6)
    for _ in range(50):
        state = nearly_mirrored(game, 36 - rng.randrange(4, 16), rng)
        squares = [1 << move + move // 6 for move in game.moves(state)]
        lines = sum(square for square in squares if game.rules.has_line(state.mine | square))
        assert game.rules.forbidden(state.mine) & ~(state.mine | state.rest) == lines
