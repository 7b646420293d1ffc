"""How long a bot may think about a move. Pure: whoever calls says the time."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from client.sdk.room_view import RoomView

MARGIN = 0.05  # seconds for the way to the server that the latency does not cover
MOVES_TO_GO = 25  # a clock is spread over so many moves
UNTIMED = 2.0  # seconds a move without a clock


class TimeAllotment(NamedTuple):
    """`seconds` are advised; after `most` the answer is of no use, by the clock or else by the bot's owner."""

    seconds: float
    most: float
    by_clock: bool
    left: float | None


def allot_time(
    table: RoomView, now: float, latency: float, move_timeout: float, wanted: float | None = None
) -> TimeAllotment:
    """`move_timeout` is what the owner allows at most, `wanted` how long the bot would like to think."""
    assert table.seat is not None
    left = table.time_left(table.seat, now)
    if left is None:
        return TimeAllotment(min(wanted or UNTIMED, move_timeout * 0.9), move_timeout, False, None)
    usable = max(0.01, left - latency - MARGIN)
    advised = wanted or share(table, now)
    return TimeAllotment(
        seconds=max(0.01, min(advised - latency, usable * 0.8, move_timeout * 0.9)),
        most=max(0.02, min(left, move_timeout)),
        by_clock=left <= move_timeout,
        left=left,
    )


def share(table: RoomView, now: float) -> float:
    """A good part of the clock for one move."""
    clock, seat = table.setup.clock, table.seat
    assert table.left is not None
    assert seat is not None
    bank = max(0.0, (table.time_left(seat, now) or 0.0) - table.free(now))
    return 0.85 * table.free(now) + bank / MOVES_TO_GO + 0.8 * clock.increment / 1000


def human_delay(choices: int, left: float | None, increment: float, rng: Random) -> float:
    """Seconds a person would take: longer with more to choose from, never a large part of the clock."""
    wanted = min(9.0, rng.lognormvariate(0.35, 0.5) * (0.7 + 0.12 * choices))
    if choices <= 1:  # nothing to think about
        wanted = rng.uniform(0.4, 0.9)
    return wanted if left is None else min(wanted, left / 30 + increment * 0.6)
