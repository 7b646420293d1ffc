"""Which games are rated, under which name, and what is told and stored of them."""

from __future__ import annotations

import pytest

from protocol.commands import Abort, Join, Resign
from protocol.events import Created, Ended, Seated
from protocol.types import Options, Player, TimeControl
from server.domain import creation, ratings
from server.domain.decide import decide
from server.domain.decision import Decision, Refusal
from server.domain.endings import abort, resign
from server.domain.glicko2 import PERIOD_MS
from server.domain.ratings import RatingRow
from server.domain.room import Room, apply
from tests.server.rooms import NOW

ANN = Player(id="p1", name="ann", account=True)
BEN = Player(id="p2", name="ben", account=True)
GUEST = Player(id="p3", name="guest")


def room(first: Player = ANN, second: Player = BEN, rated: bool = True) -> Room:
    options = creation.resolve_options("cohcoh", {"n": 3}, TimeControl())
    created = Created(
        room="r1", seq=1, at=NOW, game="cohcoh", options=options, clock=TimeControl(), by=first.id, rated=rated
    )
    founded = creation.create_room(created, first, 0)
    return decide(founded.room, second, Join(id=1, room="r1"), NOW).room


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
def test_a_profile_is_a_game_with_what_is_unusual_about_it(game: str, options: Options, name: str) -> None:
    assert ratings.profile(game, options) == name
    assert ratings.profile(game, creation.resolve_options(game, options, TimeControl())) == name


def test_what_counts() -> None:
    begun = room()
    ended = resigned(begun)
    assert ratings.is_rated_end(begun, ended)
    assert not ratings.is_rated_end(ended.room, Decision((), ended.room))
    assert not ratings.is_rated_end(begun, abort(begun, 0, Abort(id=1, room="r1"), NOW))
    for casual in (room(rated=False), room(GUEST, ANN, rated=False)):
        assert not ratings.is_rated_end(casual, resigned(casual))


def test_a_guest_in_a_rated_room_of_old_times_is_not_rated() -> None:
    old = apply(room(), Seated(room="r1", seq=5, at=NOW, seat=1, player="p3", name="guest"))
    assert not ratings.is_rated_end(old, resigned(old))


def test_guests_are_refused_where_it_counts() -> None:
    with pytest.raises(Refusal) as refused:
        room(ANN, GUEST)
    assert refused.value.code == "account_needed"
    with pytest.raises(Refusal):
        creation.check_rated({}, GUEST)
    creation.check_rated({}, None)  # an arbiter does not play


def test_the_end_is_told_with_ratings_and_the_room_is_what_its_events_make_it() -> None:
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


def test_who_stayed_away_is_provisional_again() -> None:
    row = RatingRow("conga", "p1", 50, 1700.0, 60.0, 0.06, NOW, "r0")
    assert ratings.with_rating(ANN, None, NOW) == ANN
    fresh, stale = ratings.with_rating(ANN, row, NOW), ratings.with_rating(ANN, row, NOW + 100 * PERIOD_MS)
    assert (fresh.rating, fresh.provisional) == (1700, False)
    assert (stale.rating, stale.provisional) == (1700, True)
    assert ratings.current_rating(row, NOW - PERIOD_MS) == ratings.current_rating(row, NOW)  # a clock that went back
