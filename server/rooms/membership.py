"""Membership: which clients are in which rooms, and whether the players of a room are online."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial

from protocol.commands import Rematch
from protocol.events import AnyEvent, Ended, Rematched
from runtime.tasks import BackgroundTasks
from server.domain.decide import decide
from server.domain.decision import Decision
from server.domain.downtime import credit_lost_node
from server.domain.room import Room
from server.domain.seating import leave, set_presence
from server.ids import new_room_id
from server.rooms.abort_pauses import AbortPauses
from server.rooms.broadcast import Broadcaster
from server.rooms.client import Client, player_of
from server.rooms.live_room import LiveRoom
from server.rooms.presence import PresenceTracker
from server.rooms.processor import RoomBus, RoomObserver, RoomProcessor
from server.rooms.registry import RoomRegistry
from server.rooms.status import NodeStatus
from server.rooms.timers import Now
from server.storage.interface import LostPlayer, Store, Unavailable

RETURN_GRACE_MS = 7000  # for players of a node that counts as dead: to return, or for that node to go on
REMATCH_CALL_DELAY_S = 0.25  # an opponent who is still in the room hears of an offer at once, and may have answered
ENDED_ROOMS_KEPT = 1  # ended rooms that a client stays in, for chat or a rematch


class Membership(RoomObserver):
    """Attaches clients to rooms, detaches them, and records when a player goes online or offline."""

    def __init__(
        self,
        *,
        store: Store,
        bus: RoomBus,
        registry: RoomRegistry,
        processor: RoomProcessor,
        broadcaster: Broadcaster,
        presence: PresenceTracker,
        pauses: AbortPauses,
        status: NodeStatus,
        tasks: BackgroundTasks,
        now: Now,
    ) -> None:
        self._store, self._bus, self._registry, self._processor = store, bus, registry, processor
        self._broadcaster, self._presence, self._pauses, self._status = broadcaster, presence, pauses, status
        self._tasks, self._now = tasks, now
        self.new_room_id = new_room_id

    # -- enter and leave

    def enter(self, live: LiveRoom, client: Client) -> int | None:
        """Attach a client to a room. If its player has a seat there, the player is now online. Return the seat."""
        if live.pending:  # a new watcher must not get earlier events
            self._broadcaster.flush_room(live)
        seat = live.attach(client)
        if seat is None:
            self._watchers_changed(live)
        elif live.room.away[seat] is not None or live.busy:  # an event that says "offline" may be under way
            self.update_presence(live, seat)
        return seat

    def leave(self, live: LiveRoom, client: Client) -> None:
        """Detach a client from a room."""
        watched = client in live.watchers
        self._detach(live, client)
        if watched:
            self._watchers_changed(live)
        self._demote_unseated(live)
        self._registry.evict_ended(live)

    left = leave  # as an observer of the processor

    def disconnect(self, client: Client) -> None:
        """Take a disconnected client out of all its rooms."""
        for live in list(client.rooms.values()):
            if client in live.watchers:
                self.leave(live, client)
                continue
            seat = self._detach(live, client)
            if seat is not None and not self._status.draining and live.room.status != "ended":
                self.update_presence(live, seat)
            self._registry.evict_ended(live)

    def _detach(self, live: LiveRoom, client: Client) -> int | None:
        """Detach a client. Return the seat that has no client left, if it was the last one."""
        seat = live.detach(client)
        if seat is not None and seat == live.rematch_here:
            self._bus.withdraw_rematch(live.room.id)
        return seat

    def update_presence(self, live: LiveRoom, seat: int) -> None:
        """Record whether the player of a seat is online, if that has changed."""
        self._processor.act(live, lambda room, at: set_presence(room, seat, bool(live.players[seat]), at))

    async def mark_offline(self, lost: LostPlayer) -> None:
        """Record that a player whose node died is offline, unless a client is connected here. Raises Unavailable.

        The player cannot have heard of a turn since then, and gets time to return.
        """
        for name in await self._store.rooms_of(lost.player):
            live = await self._registry.room(name)
            seat = None if live is None else live.room.seat_of(lost.player)
            if live is not None and seat is not None and not live.players[seat]:
                self._processor.act(live, partial(self._lose, live, seat, lost))

    @staticmethod
    def _lose(live: LiveRoom, seat: int, lost: LostPlayer, room: Room, at: int) -> Decision:
        """Decide that a player is offline whose node died. If several nodes do so, only the first changes anything."""
        offline = set_presence(room, seat, bool(live.players[seat]), at)
        if not offline.events:
            return offline
        credit = credit_lost_node(offline.room, lost.player, at, lost.seen_at, RETURN_GRACE_MS)
        return Decision(offline.events + credit.events, credit.room)

    async def returned(self, live: LiveRoom, player: str, seen_at: int) -> None:
        """Credit a player who comes from a node without a heartbeat since `seen_at`."""
        self._processor.act(live, lambda room, at: credit_lost_node(room, player, at, seen_at))
        await self._processor.turn(live)

    def record_presence(self, failed_at: int) -> None:
        """Emit the presence changes missed during an outage of the store."""
        if self._store.shared:  # a player who is not here may be at another node
            return
        for live in list(self._registry.rooms.values()):
            for seat in (0, 1):
                if live.room.seats[seat] is not None:
                    self.update_presence(live, seat)

    def _watchers_changed(self, live: LiveRoom) -> None:
        if live.room.status != "ended":
            self._processor.announce(live.room)

    # -- seats

    @staticmethod
    def vacate(live: LiveRoom, client: Client, room: Room, at: int) -> Decision:
        """Decide `leave`: before the start, the seat becomes free; later, the player's last client goes offline."""
        seat = room.seat_of(player_of(client).id)
        if seat is None or (room.status != "waiting" and any(other is not client for other in live.players[seat])):
            return Decision((), room)
        return leave(room, seat, at)

    def _demote_unseated(self, live: LiveRoom) -> None:
        """Turn the other clients of a player who has given up a seat into watchers."""
        for seat, clients in enumerate(live.players):
            for client in [client for client in clients if live.seat_of(client) != seat]:
                live.detach(client)
                if not live.room.setup.private:
                    self.enter(live, client)

    # -- rematches

    def rematch(self, live: LiveRoom, client: Client, command: Rematch, room: Room, at: int) -> Decision:
        """Decide `rematch`. An opponent who has left this room is brought back, at this node or another."""
        if room.setup.rated and command.accept:
            self._pauses.check(player_of(client).id)
        decision = decide(room, player_of(client), command, at, next_room=self.new_room_id(at))
        if command.accept:
            live.rematch_here = live.seat_of(client)
        self.bring_back(live)
        for number, seat in enumerate(room.seats):
            is_there = live.players[number] or live.rematch_elsewhere == number
            if seat is not None and not is_there:
                self._call_opponent(live, seat.name, answered=bool(decision.room.next))
        return decision

    def _call_opponent(self, live: LiveRoom, name: str, answered: bool) -> None:
        """Tell all nodes that a player is needed for a rematch: at once if it was accepted, otherwise after a delay."""
        if answered:
            self._bus.invite(live.room, name)
        else:
            asyncio.get_running_loop().call_later(REMATCH_CALL_DELAY_S, self.call_unless_answered, live, name)

    def call_unless_answered(self, live: LiveRoom, name: str) -> None:
        """Tell all nodes that a player is needed, unless the rematch has begun: then the player is there."""
        if not live.room.next:
            self._bus.invite(live.room, name)

    def bring_back(self, live: LiveRoom) -> list[Client]:
        """Attach all clients of a room's players that are connected here.

        Send a snapshot to those that were not attached, and return them.
        """
        back = []
        for seat in live.room.seats:
            for client in self._presence.named(seat.name) if seat is not None else ():
                if live.seat_of(client) is not None:
                    if client.rooms.pop(live.room.id, None) is None:
                        back.append(client)
                    live.attach(client)  # inserts the room again, as the client's newest
                    self.forget_old_rooms(client)
        for client in back:
            client.send(live.snapshot(client, live.seat_of(client), self._now()))
        return back

    def invite_to_rematch(self, live: LiveRoom) -> None:
        """Show an ended room to its players again, because an opponent at another node wants a rematch."""
        if self.bring_back(live) and live.room.next:
            self._tasks.start(self._follow(live, live.room.next))
        else:
            self._processor.behind(live, live.room.seq + 1)  # the offer may just have been written

    async def rematch_withdrawn(self, live: LiveRoom) -> None:
        """Note that a player of another worker has left after offering a rematch, which may have begun already."""
        seat, live.rematch_elsewhere = live.rematch_elsewhere, None
        with suppress(Unavailable):
            new = await self._registry.room(live.room.next) if live.room.next else None
            if new is not None and seat is not None and not new.players[1 - seat]:  # seats are swapped
                self.update_presence(new, 1 - seat)

    async def _follow(self, old: LiveRoom, name: str) -> None:
        """Move the players of a room to their next game."""
        with suppress(Unavailable):  # the client can still send `watch` for the room
            new = self._registry.rooms.get(name) if self._bus.sends_events else None
            new = new or await self._registry.room(name)
            if new is not None:
                self.moved_over(old, new)

    # -- observer of the processor

    def moved_over(self, old: LiveRoom, new: LiveRoom) -> None:
        """Attach the players of a room to another room, and send them its snapshot."""
        for client in [*old.players[0], *old.players[1]]:
            seat = new.attach(client)
            client.send(new.snapshot(client, seat, self._now()))
        for seat in (0, 1):
            elsewhere = self._store.shared and not new.players[seat]
            if not elsewhere:
                self.update_presence(new, seat)

    def rematch_created(self, live: LiveRoom, new: Decision, payloads: tuple[bytes, ...]) -> None:
        """Move the players to the new room."""
        room = self._registry.add(new, payloads)
        room.origin = live.origin
        self.moved_over(live, room)

    def ended(self, live: LiveRoom) -> None:
        """Detach clients from older ended rooms."""
        for client in live.clients():
            if live.room.started_at is None:  # no move was played: it is forgotten before rooms with moves
                client.rooms = {live.room.id: live, **client.rooms}
            self.forget_old_rooms(client)
        self._registry.evict_ended(live)

    def caught_up(self, live: LiveRoom, events: list[AnyEvent]) -> None:
        """React to events that another node wrote."""
        for event in events:
            if type(event) is Ended:
                self.ended(live)
            elif type(event) is Rematched:
                self._tasks.start(self._follow(live, event.next))
        self._demote_unseated(live)
        for seat in (0, 1):
            if live.players[seat] and live.room.away[seat] is not None and live.room.status != "ended":
                self.update_presence(live, seat)  # offline at the other node, but connected here

    def forget_old_rooms(self, client: Client) -> None:
        """Detach a client from all ended rooms but the latest ENDED_ROOMS_KEPT."""
        ended = [live for live in client.rooms.values() if live.room.status == "ended"]
        for live in ended[:-ENDED_ROOMS_KEPT]:
            self._broadcaster.flush_room(live)  # the end itself may wait for the tick
            live.detach(client)
            self._registry.evict_ended(live)
