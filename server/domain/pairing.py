"""Quick pairing: choose opponents with similar ratings. The accepted gap grows with the waiting time. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import NamedTuple

MAX_RATING_GAP = 100  # points between two players who are paired at once
MAX_RATING_GAP_PROVISIONAL = 400  # if one of the two ratings is provisional
RATING_GAP_PER_SECOND = 100  # added for each second that one of the two has waited


class Seeker(NamedTuple):
    """A player who seeks an opponent."""

    room: str  # the room in which the player waits; "" for a player without a room yet
    player: str
    rating: int | None
    since: int
    met: str = ""  # the last opponent
    provisional: bool = False


def find_opponents(seeker: Seeker, others: Iterable[Seeker], now: int) -> list[Seeker]:
    """Return the opponents that a seeker may play now: the nearest rating first, then the longest wait."""
    candidates = [other for other in others if other.player != seeker.player]
    suitable = [
        other
        for other in candidates
        if is_close_enough(seeker, other, now) and not is_avoidable_rematch(seeker, other, candidates)
    ]
    return sorted(suitable, key=lambda other: (rating_gap(seeker, other), other.since, other.room))


def match_seekers(seekers: Iterable[Seeker], now: int) -> list[tuple[Seeker, Seeker]]:
    """Return pairs of seekers who may play each other now, as (guest, host).

    The guest moves to the room of the host, who has waited longer. The seeker with the longest wait chooses first.
    """
    waiting = sorted(seekers, key=lambda seeker: (seeker.since, seeker.room))
    pairs: list[tuple[Seeker, Seeker]] = []
    for host in list(waiting):
        if host in waiting:
            waiting.remove(host)
            for guest in find_opponents(host, waiting, now)[:1]:
                waiting.remove(guest)
                pairs.append((guest, host))
    return pairs


def nearest_opponent(rating: int | None, others: Mapping[str, float | None]) -> str:
    """Return the name with the nearest rating, or the first name if the ratings do not decide."""

    def distance(name: str) -> float:
        other = others[name]
        return inf if rating is None or other is None else abs(rating - other)

    return min(others, key=distance)


def is_close_enough(one: Seeker, other: Seeker, now: int) -> bool:
    seconds = (now - min(one.since, other.since)) / 1000
    allowed = MAX_RATING_GAP_PROVISIONAL if one.provisional or other.provisional else MAX_RATING_GAP
    return rating_gap(one, other) <= allowed + RATING_GAP_PER_SECOND * seconds


def rating_gap(one: Seeker, other: Seeker) -> int:
    """Return the points between two ratings. A player without a rating suits every opponent, as the last choice."""
    return MAX_RATING_GAP if one.rating is None or other.rating is None else abs(one.rating - other.rating)


def is_avoidable_rematch(one: Seeker, other: Seeker, candidates: Sequence[Seeker]) -> bool:
    """Return whether two seekers have just met, and one of them could meet another candidate."""
    if not have_just_met(one, other):
        return False
    thirds = [third for third in candidates if third.player not in (one.player, other.player)]
    return any(not have_just_met(one, third) or not have_just_met(other, third) for third in thirds)


def have_just_met(one: Seeker, other: Seeker) -> bool:
    return one.met == other.player or other.met == one.player
