"""Who is paired with whom: as near in rating as can be, and the longer somebody waits the farther that may be. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import NamedTuple

NEAR = 100  # points apart that are near enough at once
UNSURE = 400  # where one of the two ratings is provisional
WIDER = 100  # points more for every second that one of the two waits


class Wait(NamedTuple):
    """Somebody who looks for an opponent. `met`: the last one they had."""

    room: str  # where they wait; nowhere for who has just come
    player: str
    rating: int | None
    since: int
    met: str = ""
    provisional: bool = False


def choices(seeker: Wait, others: Iterable[Wait], now: int) -> list[Wait]:
    """Whom somebody may play now, the best first, and of equals who has waited longest."""
    around = [other for other in others if other.player != seeker.player]
    near = [other for other in around if fits(seeker, other, now) and not tiresome(seeker, other, around)]
    return sorted(near, key=lambda other: (apart(seeker, other), other.since, other.room))


def matches(waits: Iterable[Wait], now: int) -> list[tuple[Wait, Wait]]:
    """Those who wait and can play each other by now: who goes over, and to whom. Who waits longest chooses first."""
    left = sorted(waits, key=lambda wait: (wait.since, wait.room))
    found: list[tuple[Wait, Wait]] = []
    for host in list(left):
        if host in left:
            left.remove(host)
            best = choices(host, left, now)[:1]
            for guest in best:
                left.remove(guest)
                found.append((guest, host))
    return found


def nearest(rating: int | None, others: Mapping[str, float | None]) -> str:
    """The name of who is nearest in rating; the first of those of whom that says nothing, or the same."""

    def distance(name: str) -> float:
        other = others[name]
        return inf if rating is None or other is None else abs(rating - other)

    return min(others, key=distance)


def fits(one: Wait, other: Wait, now: int) -> bool:
    seconds = (now - min(one.since, other.since)) / 1000
    at_once = UNSURE if one.provisional or other.provisional else NEAR
    return apart(one, other) <= at_once + WIDER * seconds


def apart(one: Wait, other: Wait) -> int:
    """Points between two; who has no rating is near enough to everybody, and nearer to nobody."""
    return NEAR if one.rating is None or other.rating is None else abs(one.rating - other.rating)


def tiresome(one: Wait, other: Wait, around: Sequence[Wait]) -> bool:
    """They have just played each other, and one of them could play somebody else who waits."""
    if not again(one, other):
        return False
    thirds = [third for third in around if third.player not in (one.player, other.player)]
    return any(not again(one, third) or not again(other, third) for third in thirds)


def again(one: Wait, other: Wait) -> bool:
    return one.met == other.player or other.met == one.player
