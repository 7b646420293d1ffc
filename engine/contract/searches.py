"""Checks of the search of a game: compiled equals plain, and both agree with exhaustive search."""

from __future__ import annotations

import random

from engine.contract.exact import solve_random_game
from engine.contract.sentences import ContractError, expect
from engine.game import Game, State
from engine.search import Limits, Thinker, think
from engine.search.kernel import compilable

STATES, PLIES, NODES = 3, 20, 1500
LATE_NODES = 5000


def some_states(game: Game, count: int, plies: int, seed: int) -> list[State]:
    """Return unfinished positions of random games."""
    rng = random.Random(seed)
    states: list[State] = []
    while len(states) < count:
        state = game.start()
        for _ in range(rng.randrange(plies)):
            moves = game.moves(state)
            if not moves:
                break
            state = game.after(state, rng.choice(moves))
        if game.moves(state):
            states.append(state)
    return states


def compiled_search_equals_plain(game: Game) -> None:
    """Search some positions twice, compiled and as plain Python. Raises ContractError if the results differ."""
    for state in some_states(game, STATES, PLIES, seed=1):
        plain, fast = Thinker(game, compiled=False), compiled_thinker(game)
        for _ in range(2):  # the second search starts with a filled table
            expected, got = (thinker.think(state, Limits(nodes=NODES)) for thinker in (plain, fast))
            for name in ("nodes", "depth", "value", "move", "line", "proved"):
                first, second = getattr(expected, name), getattr(got, name)
                expect(
                    first == second,
                    f"the compiled rules differ from plain Python: in {game.dump(state)!r} the {name} of a search is "
                    f"{second} compiled and {first} plain; every number must fit 64 signed bits, also in between",
                )


def compiled_thinker(game: Game) -> Thinker:
    try:
        return Thinker(game, table_mb=0.25, compiled=True)
    except Exception as error:
        raise ContractError(
            f"the rules cannot be compiled: {error}; rule functions use only ints, ranges and tuples of ints"
        ) from error


def can_compile(game: Game) -> bool:
    return compilable(game)


def late_values_equal_minimax(game: Game) -> None:
    """Check that the search finds the exact values of late positions. Raises ContractError."""
    if game.spec.max_plies is not None:
        return  # its values depend on earlier moves
    for seed in range(2):
        exact, states = solve_random_game(game, seed)
        for state in states[-1:]:
            value = exact.value(state)
            report = Thinker(game, compiled=False).solve(state, Limits())
            expect(
                (report.value, report.proved) == (value, True),
                f"the search gives {game.dump(state)!r} the value {report.value}, but it is {value}: see score(), "
                "bounds(), candidates(), base() and key()",
            )
            report = think(game, state, Limits(nodes=LATE_NODES), compiled=False)
            expect(
                not report.proved or report.value == value,
                f"the search proves the value {report.value} of {game.dump(state)!r}, but it is {value}",
            )
