"""A night of the ladder in memory: the ratings converge to the known order."""

from __future__ import annotations

from client.ladder.ratings import table
from client.ladder.state import Version
from tests.client.ladder.night import ladder, play_night, with_anchors

BOTS = {Version(f"bot{number}", "1"): 1000.0 + 110 * number for number in range(10)}
ANCHORS = {Version("low", "x"): 1100.0, Version("middle", "x"): 1500.0, Version("high", "x"): 1900.0}


def test_ratings_converge_to_the_known_order_and_values() -> None:
    settings = with_anchors({player.name: elo for player, elo in ANCHORS.items()})
    state = play_night(settings, {**BOTS, **ANCHORS}, 5000)
    rows = {row.player: row for row in table(settings, state)}
    assert [player for player in rows if player in BOTS] == list(reversed(BOTS))
    for player, elo in ANCHORS.items():
        assert rows[player].rating == (elo, 0.0)
    for player, elo in BOTS.items():
        # draws are half wins: a share of them pulls the expected scores together a little
        assert abs(rows[player].rating.elo - elo) < 2 * rows[player].rating.error + 30
        assert 0 < rows[player].rating.error < 40


def test_games_seats_and_openings_are_shared_out() -> None:
    state = play_night(ladder(), BOTS, 2000)
    played = [tally.games for tally in state.tallies.values()]
    assert max(played) < 1.6 * min(played)
    assert all(abs(tally.first - tally.second) <= 8 for tally in state.tallies.values())
    assert len(state.owed) <= 8  # every other opening was played from both seats


def test_a_new_version_is_rated_by_itself_and_the_old_one_stays() -> None:
    settings = with_anchors({player.name: elo for player, elo in ANCHORS.items()})
    old, new = Version("bot0", "1"), Version("bot0", "2")
    state = play_night(settings, {**BOTS, **ANCHORS}, 1000)
    others = {player: elo for player, elo in BOTS.items() if player != old}
    state = play_night(settings, {**others, **ANCHORS, new: 1700.0}, 1000, state)
    rows = {row.player: row for row in table(settings, state, here={*others, *ANCHORS, new})}
    assert abs(rows[old].rating.elo - 1000) < 120
    assert abs(rows[new].rating.elo - 1700) < 120
    assert (rows[old].state, rows[new].state, rows[Version("low", "x")].state) == ("retired", "", "anchor")
    assert rows[new].tally.games > 60  # few games come first


def test_many_retired_versions_are_rated_in_one_go() -> None:
    """A year of the ladder: errors take no time cubic in the number of versions."""
    bots = {Version(f"bot{number}", "1"): 1000.0 + number for number in range(300)}
    state = play_night(ladder(), bots, 900)
    rows = table(ladder(), state)
    assert len(rows) == 300
    assert all(0 < row.rating.error < 800 for row in rows)
