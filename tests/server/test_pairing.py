"""Who is paired with whom."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from server.domain.pairing import (
    MAX_RATING_GAP,
    MAX_RATING_GAP_PROVISIONAL,
    RATING_GAP_PER_SECOND,
    Seeker,
    find_opponents,
    is_close_enough,
    match_seekers,
    nearest_opponent,
)

NOW = 1_000_000


def wait(name: str, rating: int | None = None, seconds: float = 0, met: str = "") -> Seeker:
    return Seeker(f"r-{name}", name, rating, NOW - int(seconds * 1000), met)


def names(waits: list[Seeker]) -> list[str]:
    return [found.player for found in waits]


def test_the_nearest_comes_first_and_of_equals_who_waits_longest() -> None:
    others = [wait("far", 1590), wait("near", 1510), wait("old", 1510, seconds=3), wait("much too far", 1900)]
    assert names(find_opponents(wait("me", 1500), others, NOW)) == ["old", "near", "far"]


def test_the_longer_somebody_waits_the_farther_they_reach() -> None:
    me, other = wait("me", 1500), wait("other", 1500 + MAX_RATING_GAP + 10 * RATING_GAP_PER_SECOND)
    assert not is_close_enough(me, other, NOW)
    assert not is_close_enough(me, other, NOW + 9_999)
    assert is_close_enough(me, other, NOW + 10_000)
    assert is_close_enough(
        wait("me", 1500), wait("patient", 1500 + MAX_RATING_GAP + 10 * RATING_GAP_PER_SECOND, seconds=10), NOW
    )


def test_a_rating_that_is_not_certain_need_not_be_near() -> None:
    me, other = wait("me", 1500), wait("other", 1500 + MAX_RATING_GAP_PROVISIONAL)
    assert not is_close_enough(me, other, NOW)
    assert is_close_enough(me, other._replace(provisional=True), NOW)
    assert is_close_enough(me._replace(provisional=True), other, NOW)
    assert not is_close_enough(
        me._replace(provisional=True), other._replace(rating=1501 + MAX_RATING_GAP_PROVISIONAL), NOW
    )


def test_who_has_no_rating_plays_anybody_but_the_near_ones_come_first() -> None:
    others = [wait("guest"), wait("near", 1450), wait("far", 2400)]
    assert names(find_opponents(wait("me", 1500), others, NOW)) == ["near", "guest"]
    assert set(names(find_opponents(wait("newcomer"), others, NOW))) == {"guest", "near", "far"}


def test_not_the_same_opponent_again_while_another_waits() -> None:
    me = wait("me", 1500, met="ben")
    ben, cy = wait("ben", 1500), wait("cy", 1590)
    assert names(find_opponents(me, [ben, cy], NOW)) == ["cy"]
    assert names(find_opponents(me, [ben], NOW)) == ["ben"]
    assert names(find_opponents(wait("me", 1500), [wait("ben", 1500, met="me"), cy], NOW)) == ["cy"]
    assert names(find_opponents(me, [ben, wait("far", 3000)], NOW)) == []  # one of the two will reach so far in time


def test_nobody_waits_for_ever_because_all_have_met() -> None:
    ring = [wait("a", met="b"), wait("b", met="c"), wait("c", met="a")]
    assert len(match_seekers(ring, NOW)) == 1


def test_oneself_is_no_opponent() -> None:
    assert find_opponents(wait("me"), [wait("me")], NOW) == []
    assert match_seekers([wait("me"), wait("me")], NOW) == []


def test_the_younger_goes_over_to_the_older() -> None:
    old, young = wait("old", 1500, seconds=60), wait("young", 2000, seconds=1)
    assert match_seekers([young, old], NOW) == [(young, old)]
    assert match_seekers([wait("a", 1500), wait("b", 2000)], NOW) == []


def test_the_nearest_bot_and_the_first_where_ratings_say_nothing() -> None:
    bots = {"new": None, "weak": 900.0, "equal": 1480.0}
    assert nearest_opponent(1500, bots) == "equal"
    assert nearest_opponent(None, bots) == "new"
    assert nearest_opponent(1500, {"newer": None, "new": None}) == "newer"


waits = st.lists(
    st.builds(
        wait,
        st.sampled_from("abcdefgh"),
        st.none() | st.integers(800, 2400),
        st.floats(0, 120),
        st.sampled_from(["", *"abcdefgh"]),
    ),
    unique_by=lambda found: found.player,
)


@given(waits)
def test_matches_are_allowed_and_nobody_is_in_two(found: list[Seeker]) -> None:
    pairs = match_seekers(found, NOW)
    taken = [player for pair in pairs for player in (pair[0].player, pair[1].player)]
    assert len(set(taken)) == len(taken)
    for guest, host in pairs:
        assert is_close_enough(guest, host, NOW)
        assert host.since <= guest.since


@given(waits)
def test_in_the_end_everybody_plays(found: list[Seeker]) -> None:
    late = NOW + 1_000_000
    left = found
    while pairs := match_seekers(left, late):
        left = [one for one in left if not any(one in pair for pair in pairs)]
    assert len(left) <= 1
