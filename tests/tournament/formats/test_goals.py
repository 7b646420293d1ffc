"""The games that goals need."""

from __future__ import annotations

from client.tournament.model.plan import Contestant, Goal, Sprt
from tests.tournament.plans import plan, play


def test_students_get_same_openings_and_only_needed_games() -> None:
    players = (
        Contestant("greedy", bot="greedy"),
        *(Contestant(name, bot="random", student=True) for name in ("ann", "ben")),
    )
    goals = (Goal("beats", "beats it", "greedy", 200, Sprt(0, 100)), Goal("points", "some", "greedy", 20, points=3))
    given = plan("grading", players=players, goals=goals)
    known, _ = play(given, lambda game: "1-0" if (game.seats[0] == "ann") or game.seats[1] == "ben" else "0-1")
    ann = [game for game in known.games if "ann" in game.seats]
    ben = [game for game in known.games if "ben" in game.seats]
    openings = {game.opening for game in known.games}
    assert openings == set(range(1, len(openings) + 1))
    for games in (ann, ben):
        assert {1, 2} <= {game.opening for game in games}
    assert known.games == (*ann, *ben), "one student after the other"
    assert 0 < len(ann) < 100
