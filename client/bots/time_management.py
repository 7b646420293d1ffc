"""Thinking time for a move: a share of the clock, or the pace of a person. Pure: the caller passes the time."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from client.sdk.room_view import RoomView

LATENCY_MARGIN_S = 0.05  # for network delay beyond the measured latency
MOVES_TO_GO = 25  # the clock is divided by this number of moves
UNTIMED_MOVE_S = 2.0  # thinking time without a clock
MIN_MOVE_S = 0.01


class TimeAllotment(NamedTuple):
    """The time for one move in seconds. `seconds`: advised. `most`: after it the move is too late.

    `by_clock`: whether `most` is set by the game clock and not by the move timeout. `left`: on the clock, or None.
    """

    seconds: float
    most: float
    by_clock: bool
    left: float | None


def allot_time(
    view: RoomView, now: float, latency: float, move_timeout: float, wanted: float | None = None
) -> TimeAllotment:
    """Return the time for the next move. `wanted`: seconds to think if the clock allows, instead of a share of it."""
    assert view.seat is not None
    left = view.time_left(view.seat, now)
    if left is None:
        return TimeAllotment(min(wanted or UNTIMED_MOVE_S, move_timeout * 0.9), move_timeout, False, None)
    usable = max(MIN_MOVE_S, left - latency - LATENCY_MARGIN_S)
    advised = wanted or clock_share(view, now)
    return TimeAllotment(
        seconds=max(MIN_MOVE_S, min(advised - latency, usable * 0.8, move_timeout * 0.9)),
        most=max(2 * MIN_MOVE_S, min(left, move_timeout)),
        by_clock=left <= move_timeout,
        left=left,
    )


def clock_share(view: RoomView, now: float) -> float:
    """Return a reasonable share of the clock for one move, in seconds."""
    clock, seat = view.setup.clock, view.seat
    assert view.left is not None
    assert seat is not None
    bank = max(0.0, (view.time_left(seat, now) or 0.0) - view.free(now))
    return 0.85 * view.free(now) + bank / MOVES_TO_GO + 0.8 * clock.increment / 1000


def human_delay(choices: int, left: float | None, increment: float, rng: Random) -> float:
    """Return the seconds a person would take: more with more choices, never a large share of the clock."""
    wanted = min(9.0, rng.lognormvariate(0.35, 0.5) * (0.7 + 0.12 * choices))
    if choices <= 1:  # a forced move
        wanted = rng.uniform(0.4, 0.9)
    return wanted if left is None else min(wanted, left / 30 + increment * 0.6)
