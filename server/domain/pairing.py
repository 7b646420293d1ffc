"""Who is paired with whom: as near in rating as can be, and the longer somebody waits the farther that may be. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import NamedTuple

MAX_RATING_GAP = 100  # points apart that are near enough at once
MAX_RATING_GAP_PROVISIONAL = 400  # where one of the two ratings is provisional
RATING_GAP_PER_SECOND = 100  # points more for every second that one of the two waits


class Seeker(NamedTuple):
    """Somebody who looks for an opponent. `met`: the last one they had."""

    room: str  # where they wait; nowhere for who has just come
    player: str
    rating: int | None
    since: int
    met: str = ""
    provisional: bool = False


def find_opponents(seeker: Seeker, others: Iterable[Seeker], now: int) -> list[Seeker]:
    """Whom somebody may play now, the best first, and of equals who has waited longest."""
    around = [other for other in others if other.player != seeker.player]
    near = [
        other
        for other in around
        if is_close_enough(seeker, other, now) and not is_avoidable_rematch(seeker, other, around)
    ]
    return sorted(near, key=lambda other: (rating_gap(seeker, other), other.since, other.room))


def match_seekers(waits: Iterable[Seeker], now: int) -> list[tuple[Seeker, Seeker]]:
    """Those who wait and can play each other by now: who goes over, and to whom. Who waits longest chooses first."""
    left = sorted(waits, key=lambda wait: (wait.since, wait.room))
    found: list[tuple[Seeker, Seeker]] = []
    for host in list(left):
        if host in left:
            left.remove(host)
            best = find_opponents(host, left, now)[:1]
            for guest in best:
                left.remove(guest)
                found.append((guest, host))
    return found


def nearest_opponent(rating: int | None, others: Mapping[str, float | None]) -> str:
    """The name of who is nearest in rating; the first of those of whom that says nothing, or the same."""

    def distance(name: str) -> float:
        other = others[name]
        return inf if rating is None or other is None else abs(rating - other)

    return min(others, key=distance)


def is_close_enough(one: Seeker, other: Seeker, now: int) -> bool:
    seconds = (now - min(one.since, other.since)) / 1000
    at_once = MAX_RATING_GAP_PROVISIONAL if one.provisional or other.provisional else MAX_RATING_GAP
    return rating_gap(one, other) <= at_once + RATING_GAP_PER_SECOND * seconds


def rating_gap(one: Seeker, other: Seeker) -> int:
    """Points between two; who has no rating is near enough to everybody, and nearer to nobody."""
    return MAX_RATING_GAP if one.rating is None or other.rating is None else abs(one.rating - other.rating)


def is_avoidable_rematch(one: Seeker, other: Seeker, around: Sequence[Seeker]) -> bool:
    """They have just played each other, and one of them could play somebody else who waits."""
    if not have_just_met(one, other):
        return False
    thirds = [third for third in around if third.player not in (one.player, other.player)]
    return any(not have_just_met(one, third) or not have_just_met(other, third) for third in thirds)


def have_just_met(one: Seeker, other: Seeker) -> bool:
    return one.met == other.player or other.met == one.player
