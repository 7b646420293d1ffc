"""A decision on its way into the store, and what becomes of it there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from protocol.commands import RoomCommand
from protocol.events import Moved, Rematched
from protocol.frames import Packet
from server.domain import ratings as rating
from server.domain.creation import create_rematch
from server.domain.decision import Decision, Refusal
from server.domain.ratings import RatingRow
from server.domain.room import Room
from server.rooms.client import Peer
from server.rooms.live_room import Live
from server.storage.interface import Append, Conflict, Store, Unavailable, append_and_wait
from server.storage.room_index import changed_row, creation_append, deadline_covered, room_row

if TYPE_CHECKING:
    from server.rooms.registry import Hall

Action = Callable[[Room, int], Decision]
Origin = tuple[Peer | None, RoomCommand | None, Action | None, int]  # a peer's command, and when it came
THE_HOUSE: Origin = (None, None, lambda room, at: Decision((), room), 0)  # which has done what it wanted


class Pending(Append):
    __slots__ = ("coming", "due", "events", "following", "hall", "live", "origin", "packets", "refusal")

    def __init__(
        self,
        hall: Hall,
        live: Live,
        origin: Origin,
        decision: Decision,
        refusal: Refusal | None,
        ratings: tuple[RatingRow, ...] = (),
    ) -> None:
        events, room = decision
        first, stored = events[0], live.stored_due
        self.hall = hall
        self.live = live
        self.origin = origin
        self.events = events
        self.coming = room
        self.refusal = refusal
        self.ratings = ratings
        self.due = due = room.deadline
        self.room = first.room
        self.after = first.seq - 1
        self.following = self.also = self.row = None
        if len(events) == 1 and type(first) is Moved:  # what most are
            packet = Packet(first)
            self.packets = [packet]
            self.payloads = (packet.payload,)
            self.event_only = deadline_covered(due, stored)
            if not self.event_only:
                self.row = room_row(room, due)
        else:
            self.packets = [Packet(event) for event in events]
            self.payloads = tuple([packet.payload for packet in self.packets])
            if type(first) is Rematched and len(events) == 1:
                self.following = create_rematch(room, first.next, first.at, [bool(peers) for peers in live.players])
                self.also = creation_append(self.following)
            self.row = changed_row(decision, due, stored)
            self.event_only = len(events) == 1 and self.row is None and self.also is None and not ratings

    def done(self, error: Exception | None) -> None:
        if error is None:
            self.hall.agenda.committed(self)
        elif isinstance(error, Conflict):
            self.live.queue.appendleft(self.origin)
            self.hall.spawn(self.hall.others.catch_up(self.live))
        else:
            self.hall.agenda.failed(self.live, self.origin, error)


async def end_rated(hall: Hall, live: Live, origin: Origin, decision: Decision, refusal: Refusal | None) -> None:
    """A rated game ends: write that down with what it does to ratings as they are; anew if they change meanwhile."""
    setup, seats = decision.room.setup, decision.room.seats
    players = [seat.player for seat in seats if seat is not None]
    before = None
    while True:
        try:
            known = await hall.store.ratings(rating.profile(setup.game, setup.options), players)
        except Unavailable as error:
            hall.agenda.failed(live, origin, error)
            return
        rated, rows = rating.rate_game(decision, known)
        pending = Pending(hall, live, origin, rated, refusal, rows)
        trouble = await outcome(hall.store, pending)
        if not isinstance(trouble, Conflict) or known == before:  # it is the room that has changed
            pending.done(trouble)
            return
        before = known


async def outcome(store: Store, append: Append) -> Exception | None:
    try:
        await append_and_wait(store, append)
    except (Conflict, Unavailable) as error:
        return error
    return None
