"""Quick pairing: ratings, waiting times and rematches."""

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


def seeker(name: str, rating: int | None = None, seconds: float = 0, met: str = "") -> Seeker:
    """Return a player who has waited for some seconds."""
    return Seeker(f"r-{name}", name, rating, NOW - int(seconds * 1000), met)


def names(seekers: list[Seeker]) -> list[str]:
    return [found.player for found in seekers]


def test_nearest_rating_comes_first_then_the_longest_wait() -> None:
    others = [seeker("far", 1590), seeker("near", 1510), seeker("old", 1510, seconds=3), seeker("much too far", 1900)]
    assert names(find_opponents(seeker("me", 1500), others, NOW)) == ["old", "near", "far"]


def test_accepted_gap_grows_with_the_waiting_time() -> None:
    me, other = seeker("me", 1500), seeker("other", 1500 + MAX_RATING_GAP + 10 * RATING_GAP_PER_SECOND)
    assert not is_close_enough(me, other, NOW)
    assert not is_close_enough(me, other, NOW + 9_999)
    assert is_close_enough(me, other, NOW + 10_000)
    assert is_close_enough(
        seeker("me", 1500), seeker("patient", 1500 + MAX_RATING_GAP + 10 * RATING_GAP_PER_SECOND, seconds=10), NOW
    )


def test_provisional_rating_may_be_farther_away() -> None:
    me, other = seeker("me", 1500), seeker("other", 1500 + MAX_RATING_GAP_PROVISIONAL)
    assert not is_close_enough(me, other, NOW)
    assert is_close_enough(me, other._replace(provisional=True), NOW)
    assert is_close_enough(me._replace(provisional=True), other, NOW)
    assert not is_close_enough(
        me._replace(provisional=True), other._replace(rating=1501 + MAX_RATING_GAP_PROVISIONAL), NOW
    )


def test_player_without_a_rating_suits_all_but_comes_last() -> None:
    others = [seeker("guest"), seeker("near", 1450), seeker("far", 2400)]
    assert names(find_opponents(seeker("me", 1500), others, NOW)) == ["near", "guest"]
    assert set(names(find_opponents(seeker("newcomer"), others, NOW))) == {"guest", "near", "far"}


def test_no_rematch_while_another_opponent_waits() -> None:
    me = seeker("me", 1500, met="ben")
    ben, cy = seeker("ben", 1500), seeker("cy", 1590)
    assert names(find_opponents(me, [ben, cy], NOW)) == ["cy"]
    assert names(find_opponents(me, [ben], NOW)) == ["ben"]
    assert names(find_opponents(seeker("me", 1500), [seeker("ben", 1500, met="me"), cy], NOW)) == ["cy"]
    far = seeker("far", 3000)
    assert find_opponents(me, [ben, far], NOW) == [], "one of the two will play the third when the gap has grown"


def test_rematch_is_allowed_if_all_have_met() -> None:
    ring = [seeker("a", met="b"), seeker("b", met="c"), seeker("c", met="a")]
    assert len(match_seekers(ring, NOW)) == 1


def test_player_is_not_paired_with_itself() -> None:
    assert find_opponents(seeker("me"), [seeker("me")], NOW) == []
    assert match_seekers([seeker("me"), seeker("me")], NOW) == []


def test_later_seeker_moves_to_the_room_of_the_earlier_one() -> None:
    old, young = seeker("old", 1500, seconds=60), seeker("young", 2000, seconds=1)
    assert match_seekers([young, old], NOW) == [(young, old)]
    assert match_seekers([seeker("a", 1500), seeker("b", 2000)], NOW) == []


def test_nearest_opponent_is_chosen_or_the_first_without_ratings() -> None:
    bots = {"new": None, "weak": 900.0, "equal": 1480.0}
    assert nearest_opponent(1500, bots) == "equal"
    assert nearest_opponent(None, bots) == "new"
    assert nearest_opponent(1500, {"newer": None, "new": None}) == "newer"


seekers = st.lists(
    st.builds(
        seeker,
        st.sampled_from("abcdefgh"),
        st.none() | st.integers(800, 2400),
        st.floats(0, 120),
        st.sampled_from(["", *"abcdefgh"]),
    ),
    unique_by=lambda found: found.player,
)


@given(seekers)
def test_pairs_are_allowed_and_disjoint(found: list[Seeker]) -> None:
    pairs = match_seekers(found, NOW)
    taken = [player for pair in pairs for player in (pair[0].player, pair[1].player)]
    assert len(set(taken)) == len(taken)
    for guest, host in pairs:
        assert is_close_enough(guest, host, NOW)
        assert host.since <= guest.since


@given(seekers)
def test_all_seekers_are_paired_in_the_end(found: list[Seeker]) -> None:
    late = NOW + 1_000_000
    left = found
    while pairs := match_seekers(left, late):
        left = [one for one in left if not any(one in pair for pair in pairs)]
    assert len(left) <= 1
