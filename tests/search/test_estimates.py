"""The estimates of positions that the search cannot prove."""

from __future__ import annotations

import random
from itertools import pairwise

from engine.registry import create
from engine.search import Limits, Report, Thinker


def test_value_of_maxconnect4_depends_little_on_the_parity_of_the_depth() -> None:
    game, values = create("maxconnect4"), list[float]()

    def progress(report: Report) -> None:
        values.append(report.value)

    for plies in (0, 1):
        state = game.start()
        for _ in range(plies):
            state = game.play(state, 3)
        values.clear()
        Thinker(game, compiled=True).think(state, Limits(depth=9), progress=progress)
        assert len(values) == 9
        assert max(abs(one - other) for one, other in pairwise(values)) < 1


def test_conga_counts_free_squares_where_moves_and_squares_are_equal() -> None:
    game, rng = create("conga"), random.Random(1)
    rules, compared, state = game.rules, 0, game.start()
    for _ in range(3000):
        moves = game.moves(state)
        state = game.after(state, rng.choice(moves)) if moves else game.start()
        mine, rest = rules.occupied(state.mine), rules.occupied(state.rest)
        free = rules.ALL_SQUARES & ~(mine | rest)
        more = rules.liberties(mine, free) - rules.liberties(rest, free)
        equal_moves = rules.mobility(state.mine, state.rest) == rules.mobility(state.rest, state.mine)
        if equal_moves and mine.bit_count() == rest.bit_count() and more:
            assert (rules.guess(state.mine, state.rest) > 0) == (more > 0)
            compared += 1
    assert compared > 5


def test_mancala_estimates_are_nearer_to_proved_margins_than_the_lead_in_the_stores() -> None:
    game, rng = create("mancala"), random.Random(1)
    rules, thinker = game.rules, Thinker(game, compiled=True)
    guessed, led = list[float](), list[float]()
    while len(led) < 60:
        state = game.start()
        while game.outcome(state) is None and rules.row_sum(state.mine) + rules.row_sum(state.rest) > 22:
            state = game.after(state, rng.choice(game.moves(state)))
        if game.outcome(state) is None:
            report = thinker.solve(state, Limits())
            guessed.append((rules.guess(state.mine, state.rest) / rules.UNIT - report.value) ** 2)
            led.append((rules.base(state.mine, state.rest) - report.value) ** 2)
    assert sum(guessed) < 0.7 * sum(led)
