"""How long a bot may think about a move. Pure: whoever calls says the time."""

from __future__ import annotations

from typing import NamedTuple

from client.sdk.room_view import Table

MARGIN = 0.05  # seconds for the way to the server that the latency does not cover
MOVES_TO_GO = 25  # a clock is spread over so many moves
UNTIMED = 2.0  # seconds a move without a clock


class Allowance(NamedTuple):
    """`seconds` are advised; after `most` the answer is of no use, by the clock or else by the bot's owner."""

    seconds: float
    most: float
    by_clock: bool
    left: float | None


def allowance(table: Table, now: float, latency: float, patience: float, wanted: float | None = None) -> Allowance:
    """`patience` is what the owner allows at most, `wanted` how long the bot would like to think."""
    assert table.seat is not None
    left = table.time_left(table.seat, now)
    if left is None:
        return Allowance(min(wanted or UNTIMED, patience * 0.9), patience, False, None)
    usable = max(0.01, left - latency - MARGIN)
    advised = wanted or share(table, now)
    return Allowance(
        seconds=max(0.01, min(advised - latency, usable * 0.8, patience * 0.9)),
        most=max(0.02, min(left, patience)),
        by_clock=left <= patience,
        left=left,
    )


def share(table: Table, now: float) -> float:
    """A good part of the clock for one move."""
    clock, seat = table.setup.clock, table.seat
    assert table.left is not None
    assert seat is not None
    bank = max(0.0, (table.time_left(seat, now) or 0.0) - table.free(now))
    return 0.85 * table.free(now) + bank / MOVES_TO_GO + 0.8 * clock.increment / 1000
