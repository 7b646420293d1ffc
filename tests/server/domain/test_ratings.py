"""Ratings: profiles, which games count, and what is reported and stored."""

from __future__ import annotations

import pytest

from protocol.commands import Abort, Join, Resign
from protocol.events import Created, Ended, Seated
from protocol.types import Options, Player, TimeControl
from server.domain import creation, ratings
from server.domain.decide import decide
from server.domain.decision import Decision, Refusal, end_game
from server.domain.endings import abort, resign
from server.domain.glicko2 import PERIOD_MS
from server.domain.ratings import RatingRow
from server.domain.room import Room, apply
from tests.server.domain.helpers import NOW

ANN = Player(id="p1", name="ann", account=True)
BEN = Player(id="p2", name="ben", account=True)
GUEST = Player(id="p3", name="guest")


def room(first: Player = ANN, second: Player = BEN, rated: bool = True) -> Room:
    options = creation.resolve_options("cohcoh", {"n": 3}, TimeControl())
    created = Created(
        room="r1", seq=1, at=NOW, game="cohcoh", options=options, clock=TimeControl(), by=first.id, rated=rated
    )
    waiting = creation.create_room(created, first, 0).room
    return decide(waiting, second, Join(id=1, room="r1"), NOW).room


def resigned(before: Room) -> Decision:
    return resign(before, 1, Resign(id=1, room="r1"), NOW)


@pytest.mark.parametrize(
    ("game", "options", "name"),
    [
        ("conga", {}, "conga"),
        ("conga", {"stones": 10, "max_plies": 400}, "conga"),
        ("conga", {"max_plies": 50, "stones": 5}, "conga stones=5 max_plies=50"),
        ("mancala", {"rules": "standard"}, "mancala rules=standard"),
    ],
)
def test_profile_lists_the_options_that_are_not_default(game: str, options: Options, name: str) -> None:
    assert ratings.profile(game, options) == name
    assert ratings.profile(game, creation.resolve_options(game, options, TimeControl())) == name


def test_requested_profile_is_validated_and_ignores_the_start() -> None:
    start = "b10,.,.,./.,.,.,./.,.,.,./.,.,.,w10 b"
    assert ratings.resolve_profile("conga", {"start": start, "max_plies": 50}) == "conga max_plies=50"
    with pytest.raises(Refusal) as refused:
        ratings.resolve_profile("chess", {})
    assert refused.value.code == "unknown_game"


def test_only_a_rated_game_with_a_result_counts() -> None:
    begun = room()
    ended = resigned(begun)
    assert ratings.is_rated_end(begun, ended)
    assert not ratings.is_rated_end(ended.room, Decision((), ended.room))
    assert not ratings.is_rated_end(begun, abort(begun, 0, Abort(id=1, room="r1"), NOW))
    for casual in (room(rated=False), room(GUEST, ANN, rated=False)):
        assert not ratings.is_rated_end(casual, resigned(casual))


def test_guest_in_a_rated_room_of_an_old_log_is_not_rated() -> None:
    old = apply(room(), Seated(room="r1", seq=5, at=NOW, seat=1, player="p3", name="guest"))
    assert not ratings.is_rated_end(old, resigned(old))


def test_guest_cannot_join_a_rated_room() -> None:
    with pytest.raises(Refusal) as refused:
        room(ANN, GUEST)
    assert refused.value.code == "account_needed"


def test_end_of_a_rated_game_reports_and_stores_the_ratings() -> None:
    begun = room()
    known = {"p1": RatingRow("cohcoh n=3", "p1", 7, 1700.0, 60.0, 0.06, NOW - PERIOD_MS, "r0")}
    decision, (first, second) = ratings.rate_game(resigned(begun), known)
    end = decision.events[-1]
    assert isinstance(end, Ended)
    assert apply(begun, end) == decision.room
    assert end.ratings is not None
    assert [change.before for change in end.ratings] == [1700, 1500]
    assert [change.provisional for change in end.ratings] == [False, True]
    assert (first.games, second.games) == (8, 1)
    assert round(first.rating) == end.ratings[0].after > 1700
    assert round(second.rating) == end.ratings[1].after < 1500
    assert (first.profile, first.room, first.at) == ("cohcoh n=3", "r1", NOW)


def test_rating_becomes_provisional_again_after_a_long_pause() -> None:
    row = RatingRow("conga", "p1", 50, 1700.0, 60.0, 0.06, NOW, "r0")
    assert ratings.with_rating(ANN, None, NOW) == ANN
    fresh, stale = ratings.with_rating(ANN, row, NOW), ratings.with_rating(ANN, row, NOW + 100 * PERIOD_MS)
    assert (fresh.rating, fresh.provisional) == (1700, False)
    assert (stale.rating, stale.provisional) == (1700, True)
    before = ratings.current_rating(row, NOW - PERIOD_MS)
    assert before == ratings.current_rating(row, NOW), "the system clock went back"


def test_draw_of_equal_players_changes_no_rating() -> None:
    begun = room()
    decision, rows = ratings.rate_game(end_game(begun, None, "agreed", NOW), {})
    assert [round(row.rating) for row in rows] == [1500, 1500]
    assert decision.room.ended is not None
    assert decision.room.ended.result == "1/2-1/2"


def test_leaderboard_entry_shows_the_deviation_of_today() -> None:
    row = RatingRow("conga", "p1", 50, 1700.4, 60.0, 0.06, NOW, "r0")
    entry = ratings.leaderboard_entry("ann", row, NOW)
    assert (entry.name, entry.rating, entry.deviation, entry.games, entry.provisional) == ("ann", 1700, 60, 50, False)
    later = ratings.leaderboard_entry("ann", row, NOW + 100 * PERIOD_MS)
    assert later.deviation > 60
    assert later.provisional


def test_rated_game_shows_the_rating_after_it() -> None:
    row = RatingRow("conga", "p1", 50, 1700.4, 60.6, 0.06, NOW, "r7")
    game = ratings.rated_game(row)
    assert (game.room, game.rating, game.deviation, game.games, game.at) == ("r7", 1700, 61, 50, NOW)
