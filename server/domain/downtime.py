"""Downtime: what a room gets back for the time in which no server was running, or its node could not work. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from protocol.events import AnyEvent, Resumed
from server.domain.decision import NO_RESULT, Decision, emit, end_game
from server.domain.room import Room
from server.domain.seating import awaits_pairing


class Downtime(NamedTuple):
    """From the last heartbeat of any node until a node started again, in milliseconds since the epoch."""

    began: int
    ended: int


def resume(room: Room, now: int, down_since: int | None) -> Decision:
    """Return the events of a restart after the server was down: the side to move gets that time back.

    A room that waits gets it back as well. `down_since`: at most `now`, or None if the downtime is not known because
    the clock was set back. Then the turn begins again.
    """
    if room.status == "ended":
        return Decision((), room)
    if awaits_pairing(room):
        return end_game(room, None, "aborted", now, NO_RESULT)
    _, _, since = room.clocks
    if down_since is None or since > now:
        return emit(room, Resumed(**room.event_fields(now), credit=0, turn_at=now))
    return emit(room, Resumed(**room.event_fields(now), credit=now - max(down_since, since)))


def credit_turn(room: Room, now: int, outage: int, delay: int = 0) -> Decision:
    """Return the event that credits the running turn with an outage, and with a delay, in milliseconds.

    The player to move was told of the turn before an outage, and after a delay.
    """
    if not room.clock_runs or outage + delay <= 0:
        return Decision((), room)
    return emit(room, Resumed(**room.event_fields(now), credit=outage, delay=delay, outage=True))


def credit_lost_node(room: Room, player: str, now: int, lost_at: int, grace: int = 0) -> Decision:
    """Return the credit for a player whose node was lost: the turn goes on `grace` milliseconds from now.

    `lost_at`: when that node was last known to work.
    """
    _, _, since = room.clocks
    if room.seat_of(player) != room.turn:
        return Decision((), room)
    return credit_turn(room, now, 0, now + grace - max(since, lost_at))


def resume_after(room: Room, downtimes: Iterable[Downtime]) -> Decision:
    """Return the events of the restarts after several downtimes, each at the time of its restart."""
    events: tuple[AnyEvent, ...] = ()
    for began, ended in downtimes:
        new_events, room = resume(room, ended, began)
        events += new_events
    return Decision(events, room)
