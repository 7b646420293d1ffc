"""What happens in rooms, in each of them one thing at a time. The path of an event:

    decide → encode once → append to the store → the room goes on → players at once, watchers on the tick → bus

One append a room at a time; commands that come meanwhile wait in its queue. Nobody sees what is not durable.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from protocol.commands import Leave, RoomCommand
from protocol.events import Moved
from protocol.replies import Ok
from server.domain import ratings
from server.domain.decide import decide
from server.domain.decision import Decision, Refusal
from server.domain.room import Room
from server.logs import log
from server.rooms.client import Peer
from server.rooms.live_room import Live
from server.rooms.pending import Action, Origin, Pending, end_rated
from server.storage.interface import RoomRow

if TYPE_CHECKING:
    from server.rooms.registry import Hall

RETRY = 1.0  # seconds to wait while the store cannot write


class Agenda:
    def __init__(self, hall: Hall) -> None:
        self._hall = hall

    def submit(self, live: Live, peer: Peer, command: RoomCommand, action: Action | None = None) -> None:
        """A command of a peer, which will get `ok` or `error` for it; `action` decides it, if it is not `decide`."""
        came = self._hall.now()
        if live.busy or live.queue:
            live.queue.append((peer, command, action, came))
        else:
            self._settle(live, (peer, command, action, came), came)

    def act(self, live: Live, action: Action) -> None:
        """Something the house itself does."""
        live.queue.append((None, None, action, 0))
        self.go_on(live)

    async def turn(self, live: Live) -> bool:
        """Wait until everything before has had its turn in a room; False if the store failed meanwhile."""
        reached = asyncio.Event()

        def mark(room: Room, at: int) -> Decision:
            reached.set()
            return Decision((), room)

        self.act(live, mark)
        while any(origin[2] is mark for origin in live.queue):
            with suppress(TimeoutError):
                await asyncio.wait_for(reached.wait(), RETRY)
        return reached.is_set()

    def go_on(self, live: Live) -> None:
        while live.queue and not live.busy:
            self._settle(live, live.queue.popleft(), self._hall.now())

    def _settle(self, live: Live, origin: Origin, at: int) -> None:
        peer, command, action, came = origin
        hall, room = self._hall, live.room
        refusal = None
        try:
            if action is not None:
                decision = action(room, at)
            else:
                assert peer is not None
                assert command is not None
                who = peer.player
                assert who is not None
                waited = at - came + live.spared
                if hall.failing:
                    waited += hall.outage(live, came)
                decision = decide(room, who, command, at, int(peer.latency * 1000), waited)
        except Refusal as error:
            refusal = error
            if error.decision is None:
                hall.teller.refuse(live, peer, command, error)
                return
            decision = error.decision
        except Exception:
            log("bug", logging.ERROR, trace=True, room=room.id, command=type(command).__name__)
            sorry = Refusal("internal", "the server made a mistake; nothing has changed")
            hall.teller.refuse(live, peer, command, sorry)
            return
        if decision[0]:
            live.busy = True
            if room.setup.rated and ratings.is_rated_end(room, decision):
                hall.spawn(end_rated(hall, live, origin, decision, refusal))
            else:
                pending = Pending(hall, live, origin, decision, refusal)
                hall.store.append(pending, pending.done)
        elif peer is not None and command is not None:
            peer.send(Ok(id=command.id, room=room.id, seq=room.seq))
            if type(command) is Leave:
                hall.attendance.leave(live, peer)

    def move_over(self, old: Pending, new: Pending) -> None:
        """Who waits in one room sits down in another that waits: both rooms change together, or neither."""
        old.live.busy = new.live.busy = True

        def done(error: Exception | None) -> None:
            if error is not None:
                for pending in (new, old):
                    pending.done(error)
                return
            self.committed(new)
            self._hall.attendance.go_over(old.live, new.live)
            self.committed(old)

        new.also, new.event_only = old, False
        self._hall.store.append(new, done)

    def committed(self, pending: Pending) -> None:
        hall, live, packets = self._hall, pending.live, pending.packets
        events, room = pending.events, pending.coming
        peer, command, _, _ = pending.origin
        if hall.failing:
            hall.works()
        live.busy = False
        live.room = room
        live.log += pending.payloads
        if pending.refusal is None:
            hall.teller.tell(live, packets, peer, command)
        else:
            hall.teller.refuse(live, peer, command, pending.refusal)
            hall.teller.tell(live, packets, None, None)
        hall.bus.publish(room, events)
        metrics, first, due = hall.metrics, events[0], pending.due
        metrics.events += len(events)
        if type(first) is Moved:
            metrics.moves += 1
        if not pending.event_only:
            self._aftermath(pending)
        _, _, since = room.clocks
        if first.at == since:
            live.spared = hall.now() - first.at
        if due is not None:
            hall.alarms.watch(live, due)
        if live.heard > room.seq:
            hall.others.behind(live, live.heard)
        if live.queue:
            self.go_on(live)

    def _aftermath(self, pending: Pending) -> None:
        """Of events that are more than a move."""
        live = pending.live
        peer, command, _, _ = pending.origin
        if pending.row is not None:
            self._index_changed(live, pending.row)
        if pending.following is not None and pending.also is not None:
            self._hall.attendance.go_over(live, self._hall.admit(pending.following, pending.also.payloads))
        if peer is not None and type(command) is Leave:
            self._hall.attendance.leave(live, peer)

    def _index_changed(self, live: Live, line: RoomRow) -> None:
        live.stored_due = line.deadline
        self._hall.show(live.room)
        end = live.room.ended
        if end is not None:
            log("ended", room=live.room.id, game=live.room.setup.game, reason=end.reason, plies=live.room.ply)
            self._hall.attendance.over(live)

    def give_up(self, live: Live) -> None:
        """Of what waits in a room nothing comes."""
        live.busy = False
        sorry = Refusal("internal", "the log of this room is damaged; nothing has changed")
        while live.queue:
            peer, command, _, _ = live.queue.popleft()
            self._hall.teller.refuse(live, peer, command, sorry)

    def failed(self, live: Live, origin: Origin, error: BaseException) -> None:
        live.busy = False
        self._hall.fails(error, origin[3])
        log("store_failed", logging.ERROR, room=live.room.id, why=str(error))
        sorry = Refusal("unavailable", f"not done: {error}", retry_after=RETRY)
        self._hall.teller.refuse(live, origin[0], origin[1], sorry)
        self._hall.alarms.retry(live, RETRY)
        self.go_on(live)
