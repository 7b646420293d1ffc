"""Sets of options for the generic tests: the default, the smallest, the largest and unusual ones of every game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.contract import positions as contract
from engine.game import Game, State
from engine.registry import GAMES, create

Variant = tuple[str, Mapping[str, int | str]]


def extremes(name: str) -> list[Variant]:
    """Return the smallest and the largest options of a registered game, unless they are pointless."""
    return [(name, options) for options in contract.extremes(GAMES[name])]


UNUSUAL: list[Variant] = [
    ("conga", {"stones": 2}),
    ("conga", {"start": "b4,.,b1,b2/b2,w6,.,b1/.,.,w2,./.,w2,.,. w", "max_plies": 30}),
    *[("mancala", {"rules": rules}) for rules in ("prose", "standard")],
    *[("mancala", {"pits": 1, "stones": 1, "rules": rules}) for rules in ("prose", "standard")],
    *[("mancala", {"pits": 3, "stones": 7, "rules": rules}) for rules in ("course", "prose", "standard")],
    ("mancala", {"start": "0,0,13/1,0,0 5,2 2"}),
    ("maxconnect4", {"start": "0000000/0000000/0200000/0100002/0200111/1100222 1"}),
    *[("cohcoh", {"n": n, "k": k}) for n, k in ((1, 2), (2, 2), (3, 3), (3, 4), (5, 4), (7, 7), (12, 2), (12, 6))],
    ("cohcoh", {"n": 3, "start": ".w......b w"}),
]
VARIANTS: list[Variant] = [
    *((name, {}) for name in GAMES),
    *(one for name in GAMES for one in extremes(name)),
    *UNUSUAL,
]
NAMES = [f"{name}-{'-'.join(map(str, options.values())) or 'default'}" for name, options in VARIANTS]


def positions(variant: Variant, games: int) -> Iterator[tuple[Game, State]]:
    game = create(*variant)
    for state in contract.positions(game, games):
        yield game, state
