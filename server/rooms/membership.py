"""Who hears of a room: connections come and go, and whoever sits somewhere is here or away."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from protocol.commands import Rematch
from server.domain.decide import decide
from server.domain.decision import Decision
from server.domain.room import Room
from server.domain.seating import leave, set_presence
from server.ids import new_room_id
from server.rooms.client import Peer, require
from server.rooms.live_room import Live

if TYPE_CHECKING:
    from server.rooms.registry import Hall

ENDED_KEPT = 1  # ended rooms that a connection still hears of: for a last word, or a rematch


class Attendance:
    def __init__(self, hall: Hall) -> None:
        self._hall = hall

    def arrive(self, live: Live, peer: Peer) -> int | None:
        """A connection begins to hear a room; whoever sits there is online from now on."""
        self._hall.teller.catch_up(live)
        seat = live.attach(peer)
        if seat is None:
            self._watched(live)
        elif live.room.away[seat] is not None or live.busy:  # it may be about to be written that nobody is there
            self._hall.agenda.act(live, partial(self.presence_of, live, seat))
        return seat

    def _watched(self, live: Live) -> None:
        """By one more, or one less."""
        if live.room.status != "ended":
            self._hall.show(live.room)

    def depart(self, peer: Peer) -> None:
        """A connection is gone."""
        self._hall.lobby.gone(peer)
        for live in list(peer.rooms.values()):
            if peer in live.watchers:
                self.leave(live, peer)
                continue
            seat = live.detach(peer)
            if seat is not None and not self._hall.draining and live.room.status != "ended":
                self._hall.agenda.act(live, partial(self.presence_of, live, seat))
            self._hall.let_go(live)

    @staticmethod
    def presence_of(live: Live, seat: int, room: Room, at: int) -> Decision:
        return set_presence(room, seat, bool(live.players[seat]), at)

    def call_the_roll(self) -> None:
        """Write down who came or went while that could not be done."""
        if self._hall.store.shared:  # who is not here may be at another node
            return
        for live in list(self._hall.rooms.values()):
            for seat in (0, 1):
                if live.room.seats[seat] is not None:
                    self._hall.agenda.act(live, partial(self.presence_of, live, seat))

    def leave(self, live: Live, peer: Peer) -> None:
        """A connection does not hear of a room any more."""
        watched = peer in live.watchers
        live.detach(peer)
        if watched:
            self._watched(live)
        self.unseat(live)
        self._hall.let_go(live)

    @staticmethod
    def give_up(live: Live, peer: Peer, room: Room, at: int) -> Decision:
        """A player leaves with this connection: before the start the seat is given back, later the last one counts."""
        seat = room.seat_of(require(peer).id)
        if seat is None or (room.status != "waiting" and any(other is not peer for other in live.players[seat])):
            return Decision((), room)
        return leave(room, seat, at)

    def unseat(self, live: Live) -> None:
        """Whoever gave a seat back hears with other connections what everybody may hear."""
        for seat, peers in enumerate(live.players):
            for peer in [peer for peer in peers if live.room.seat_of(require(peer).id) != seat]:
                live.detach(peer)
                if not live.room.setup.private:
                    self.arrive(live, peer)

    def rematch(self, live: Live, peer: Peer, command: Rematch, room: Room, at: int) -> Decision:
        """Another game with the same opponent, who may hear of newer rooms only by now, at this node or another."""
        decision = decide(room, require(peer), command, at, next_room=new_room_id(at))
        self.gather(live)
        for seat, peers in zip(room.seats, live.players, strict=True):
            if seat is not None and not peers:
                self._hall.bus.invite(room, seat.name)
        return decision

    def gather(self, live: Live) -> list[Peer]:
        """Bring the players who are at this node back to a room; those who did not hear of it any more."""
        back = []
        for seat in live.room.seats:
            for peer in self._hall.present.named(seat.name) if seat is not None else ():
                if live.room.seat_of(require(peer).id) is not None:
                    if peer.rooms.pop(live.room.id, None) is None:  # either way it is the last one of theirs now
                        back.append(peer)
                    live.attach(peer)
                    self.tidy(peer)
        return back

    def go_over(self, old: Live, new: Live) -> None:
        """The players of a room go on in another one, and see it."""
        for peer in [*old.players[0], *old.players[1]]:
            new.attach(peer)
            peer.send(new.snapshot(peer, self._hall.now()))
        for seat in (0, 1):
            elsewhere = self._hall.store.shared and not new.players[seat]
            if not elsewhere:
                self._hall.agenda.act(new, partial(self.presence_of, new, seat))

    def send_away(self, live: Live) -> None:
        """Whoever hears of a room that is not there any more; when they come back, they see what they still have."""
        for peer in [*live.players[0], *live.players[1], *live.watchers]:
            live.detach(peer)
            peer.cut(1011, "the log of a room is damaged")

    def over(self, live: Live) -> None:
        """A game is: whoever heard of it leaves older ones behind."""
        for peer in [*live.players[0], *live.players[1], *live.watchers]:
            if live.room.started_at is None:  # nothing was played here: it goes before those where something was
                peer.rooms = {live.room.id: live, **peer.rooms}
            self.tidy(peer)
        self._hall.let_go(live)

    def tidy(self, peer: Peer) -> None:
        """Whoever plays or watches one game after the other stays in the last few ended rooms only."""
        over = [live for live in peer.rooms.values() if live.room.status == "ended"]
        for live in over[:-ENDED_KEPT]:
            self._hall.teller.catch_up(live)  # the very end may still wait for the tick
            live.detach(peer)
            self._hall.let_go(live)
