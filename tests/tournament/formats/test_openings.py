"""Random openings."""

from __future__ import annotations

import pytest

from client.tournament.formats.openings import opening
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
