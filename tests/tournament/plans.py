"""Plans for tests, and made-up results."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from client.tournament.formats.schedule import schedule
from client.tournament.formats.schedule_builder import Schedule
from client.tournament.model.plan import Contestant, Plan
from client.tournament.model.plan_defaults import with_defaults
from client.tournament.model.results import Pairing, Result

Outcome = Callable[[Pairing], str]


def plan(format: str, *names: str, **more: Any) -> Plan:
    players = more.pop("players", None) or tuple(Contestant(name, bot="random") for name in names)
    given = {"name": "test", "game": "maxconnect4", "games": 0, **more}
    return with_defaults(Plan(format=format, players=players, **given), "test")  # type: ignore[arg-type]


def random_outcome(seed: int, draws: float = 0.2) -> Outcome:
    def outcome(game: Pairing) -> str:
        rng = Random(f"{seed} {game.number}")
        return "1/2-1/2" if rng.random() < draws else rng.choice(["1-0", "0-1"])

    return outcome


def stronger_first(game: Pairing) -> str:
    """Let the player whose name comes first in the alphabet win."""
    return "1-0" if game.seats[0] < game.seats[1] else "0-1"


def play(given: Plan, outcome: Outcome, order: Random | None = None) -> tuple[Schedule, dict[int, Result]]:
    """Play a whole tournament: all known games at once, or one by one in random order."""
    results: dict[int, Result] = {}
    while True:
        known = schedule(given, results)
        todo = [game for game in known.games if game.number not in results]
        if not todo:
            assert known.finished(results)
            return known, results
        for game in todo if order is None else [order.choice(todo)]:
            results[game.number] = Result(outcome(game), "score")
