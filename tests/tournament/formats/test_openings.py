"""Random openings, and those of a plan."""

from __future__ import annotations

from dataclasses import replace

import pytest

from client.tournament.formats.openings import opening
from client.tournament.formats.schedule import schedule
from tests.tournament.plans import plan


@pytest.mark.parametrize("game", ["conga", "mancala", "maxconnect4", "cohcoh"])
def test_openings_are_deterministic_distinct_and_playable(game: str) -> None:
    given = plan("round-robin", "a", "b", game=game, opening_plies=5, seed=3)
    found = [opening(given, number) for number in range(1, 13)]
    assert found == [opening(given, number) for number in range(1, 13)]
    assert len(set(found)) == 12, "no opening is repeated while there are others"
    assert all(given.create(position).moves(given.create(position).start()) for position in found)
    assert opening(plan("round-robin", "a", "b", game=game, opening_plies=0), 1) == ""
    assert opening(plan("round-robin", "a", "b", game="cohcoh", options={"n": 2, "k": 2}, opening_plies=9), 1) == ""
    tiny = plan("round-robin", "a", "b", game="cohcoh", options={"n": 2, "k": 2}, opening_plies=1)
    assert {opening(tiny, number) for number in range(1, 9)} == {opening(tiny, number) for number in range(1, 5)}


def test_openings_of_the_plan_are_played_in_turn() -> None:
    openings = tuple(opening(plan("match", "a", "b", game="cohcoh", opening_plies=2), number) for number in (1, 2))
    given = plan("round-robin", "a", "b", "c", game="cohcoh", openings=openings, games=6)
    assert [opening(given, number) for number in range(1, 6)] == [*openings, *openings, openings[0]]


@pytest.mark.parametrize("format", ["round-robin", "gauntlet", "swiss", "knockout"])
def test_every_two_players_can_play_from_the_same_openings(format: str) -> None:
    given = plan(format, "a", "b", "c", "d", games=6)
    apart: dict[int, set[frozenset[str]]] = {}  # opening: meetings
    same: dict[int, set[frozenset[str]]] = {}
    for found, chosen in ((apart, given), (same, replace(given, same_openings=True))):
        for game in schedule(chosen, {}).games:
            found.setdefault(game.opening, set()).add(frozenset(game.seats))
    assert all(len(players) == 1 for players in apart.values())
    assert sorted(same) == [1, 2, 3]
    assert all(players == same[1] for players in same.values())
    assert len(same[1]) > 1
