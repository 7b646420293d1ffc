"""The path of a command through its room.

    queue → decide → encode once → append to the store → apply → broadcast → observe

A room has one append under way at a time. Commands that arrive meanwhile wait in its queue. No client sees an event
before it is durable.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Protocol

from protocol.commands import Leave, Move, RoomCommand
from protocol.events import AnyEvent, Moved, Rematched, RematchOffered, Resumed
from protocol.frames import Packet
from protocol.replies import Ok
from runtime.tasks import BackgroundTasks
from server.domain import ratings
from server.domain.creation import create_rematch
from server.domain.decide import decide
from server.domain.decision import Decision, Refusal
from server.domain.endings import check_deadline
from server.domain.moves import move
from server.domain.ratings import RatingRow
from server.domain.room import Room
from server.logs import log
from server.metrics import Metrics
from server.rooms.broadcast import Broadcaster
from server.rooms.catch_up import CatchUp, DamagedLog
from server.rooms.client import Client
from server.rooms.live_room import LiveRoom
from server.rooms.status import FLAG_GRACE_OFFLINE_MS, FLAG_GRACE_ONLINE_MS, RETRY_AFTER_S, NodeStatus
from server.rooms.timers import Now, RoomTimers
from server.storage.interface import Append, Conflict, RoomRow, Store, Unavailable, append_and_wait
from server.storage.room_index import changed_row, changes_listing, creation_append, room_row

Action = Callable[[Room, int], Decision]  # decides from a room and the time
# client, command, action instead of `decide`, time of arrival
Request = tuple[Client | None, RoomCommand | None, Action | None, int]
Share = Callable[[str, str, float], None]  # what, key, number: tells other workers what counts for a common limit
NO_REQUEST: Request = (None, None, lambda room, at: Decision((), room), 0)  # for commits without a command


class RoomBus(Protocol):
    """What rooms need of the bus (server/cluster/bus.py)."""

    @property
    def has_listeners(self) -> bool:
        """Whether another node or a subscriber receives what is published."""

    @property
    def sends_events(self) -> bool:
        """Whether rooms get their events from the other nodes, and need not read them from the store."""

    def publish(
        self, room: Room, events: Sequence[AnyEvent], payloads: tuple[bytes, ...], deadline: int | None
    ) -> None:
        """Publish durable events, and the room after them. `deadline`: the room's deadline in the index, if known."""

    def withdraw_rematch(self, room: str) -> None:
        """Tell the other nodes that have a room loaded that a player has left after offering a rematch."""

    def show(self, room: Room) -> None:
        """Announce that the entry of a room in lists has changed."""

    def invite(self, room: Room, name: str, origin: str = "") -> None:
        """Announce an invitation of a player, who may be at another node. `origin`: the address it comes from."""


class RoomObserver:
    """Hooks into what happens in rooms. Each does nothing by default."""

    def listing_changed(self, room: Room) -> None:
        """React to a public room whose line in lists has changed."""

    def ended(self, live: LiveRoom) -> None:
        """React to the end of a game."""

    def left(self, live: LiveRoom, client: Client) -> None:
        """React to a client that has left a room with `leave`."""

    def rematch_created(self, live: LiveRoom, new: Decision, payloads: tuple[bytes, ...]) -> None:
        """React to the room that a rematch has created."""

    def moved_over(self, old: LiveRoom, new: LiveRoom) -> None:
        """React to a waiting player who was moved to another room."""

    def caught_up(self, live: LiveRoom, events: list[AnyEvent]) -> None:
        """React to events that another node wrote."""

    def log_damaged(self, live: LiveRoom) -> None:
        """React to a log that cannot be read; called while the exception is handled."""


class Commit(Append):
    """A decision on its way into the store."""

    __slots__ = ("due", "events", "live", "packets", "refusal", "rematch", "request", "result")

    def __init__(
        self,
        live: LiveRoom,
        request: Request,
        decision: Decision,
        refusal: Refusal | None = None,
        rating_rows: tuple[RatingRow, ...] = (),
    ) -> None:
        events, room = decision
        first, stored_due = events[0], live.stored_deadline
        self.live = live
        self.request = request
        self.events = events
        self.result = room
        self.refusal = refusal
        self.ratings = rating_rows
        self.due = due = room.deadline
        self.room = first.room
        self.after = first.seq - 1
        self.rematch = self.also = self.row = None
        if len(events) == 1 and type(first) is Moved:  # the common case
            packet = Packet(first)
            self.packets = [packet]
            self.payloads = (packet.payload,)
            # the deadline in the index may be too early, never too late
            self.event_only = due is None or (stored_due is not None and stored_due <= due)
            if not self.event_only:
                self.row = room_row(room, due)
        else:
            self.packets = [Packet(event) for event in events]
            self.payloads = tuple([packet.payload for packet in self.packets])
            if type(first) is Rematched and len(events) == 1:
                online = [bool(live.players[seat]) or live.rematch_elsewhere == seat for seat in (0, 1)]
                self.rematch = create_rematch(room, first.next, first.at, online)
                self.also = creation_append(self.rematch)
            self.row = changed_row(decision, due, stored_due)
            self.event_only = len(events) == 1 and self.row is None and self.also is None and not rating_rows


class RoomProcessor:
    """Decides commands one at a time per room, and makes the results durable before any client sees them."""

    def __init__(
        self,
        *,
        store: Store,
        bus: RoomBus,
        broadcaster: Broadcaster,
        catch_up: CatchUp,
        timers: RoomTimers,
        status: NodeStatus,
        metrics: Metrics,
        tasks: BackgroundTasks,
        now: Now,
    ) -> None:
        self._store, self._bus, self._broadcaster, self._timers = store, bus, broadcaster, timers
        self._status, self._metrics, self._tasks, self._now = status, metrics, tasks, now
        self._catch_up = catch_up
        self._observers: list[RoomObserver] = []

    def observe(self, observer: RoomObserver) -> None:
        """Call an observer's hooks from now on, after those that were added before."""
        self._observers.append(observer)

    # -- queue

    def submit(self, live: LiveRoom, client: Client, command: RoomCommand, action: Action | None = None) -> None:
        """Process a client's command, which gets `ok` or `error`. `action` decides it instead of `decide`."""
        at = self._now()
        if at > self._status.stalled_at:  # the process was stopped: credit that before the command is decided
            self._status.pulse()
        if live.busy or live.queue:
            live.queue.append((client, command, action, at))
        else:
            self._process(live, (client, command, action, at), at)

    def act(self, live: LiveRoom, action: Action) -> None:
        """Process an action of the server itself."""
        live.queue.append((None, None, action, 0))
        self.resume(live)

    async def turn(self, live: LiveRoom) -> bool:
        """Wait until everything queued so far is decided. Return False if the store failed meanwhile."""
        reached = asyncio.Event()

        def mark(room: Room, at: int) -> Decision:
            reached.set()
            return Decision((), room)

        self.act(live, mark)
        while any(request[2] is mark for request in live.queue):
            with suppress(TimeoutError):
                await asyncio.wait_for(reached.wait(), RETRY_AFTER_S)
        return reached.is_set()

    def resume(self, live: LiveRoom) -> None:
        """Process queued commands until one of them needs the store."""
        while live.queue and not live.busy:
            self._process(live, live.queue.popleft(), self._now())

    def reject_queue(self, live: LiveRoom) -> None:
        """Reject all queued commands of a room whose log is damaged."""
        live.busy = False
        refusal = Refusal("internal", "the log of this room is damaged; nothing has changed")
        while live.queue:
            client, command, _, _ = live.queue.popleft()
            self._broadcaster.refuse(live, client, command, refusal)

    def check_deadline(self, live: LiveRoom) -> None:
        """End a game whose deadline has passed, unless players could not move either."""
        if self._now() > self._status.stalled_at:
            self._status.pulse()
        if self._status.store_error:
            self._timers.retry(live, RETRY_AFTER_S)
        elif not self._status.draining and not self._status.resuming:
            self.act(live, partial(self._overdue, live))

    def _overdue(self, live: LiveRoom, room: Room, at: int) -> Decision:
        if self._leaves_flag_to_another_node(live, at):
            self._timers.retry(live, RETRY_AFTER_S)
            return Decision((), room)
        return check_deadline(room, at, live.uncharged_ms + self._status.stalled_ms(live, at))

    def _leaves_flag_to_another_node(self, live: LiveRoom, at: int) -> bool:
        """Return whether the player to move may be connected elsewhere, and that node still has time to flag."""
        room, due = live.room, live.deadline
        if not self._store.shared or due is None or room.status != "running" or live.mover_is_here:
            return False
        offline_since = room.away[room.turn]
        if offline_since is None:
            return at < due + FLAG_GRACE_ONLINE_MS
        return at < offline_since + FLAG_GRACE_OFFLINE_MS

    # -- decide

    def _process(self, live: LiveRoom, request: Request, at: int) -> None:
        """Decide a request, and hand the decision to the store. A refusal is answered at once."""
        client, command, action, received_at = request
        room = live.room
        refusal = None
        try:
            if action is not None:
                decision = action(room, at)
            else:
                assert client is not None
                assert command is not None
                player = client.player
                assert player is not None
                uncharged = at - received_at + live.uncharged_ms
                if self._status.store_error:
                    uncharged += self._status.stalled_ms(live, received_at)
                lag = int(client.latency * 1000)
                if type(command) is Move:  # the common case
                    decision = move(room, room.seat_of(player.id), command, at, lag, uncharged)
                else:
                    decision = decide(room, player, command, at, lag, uncharged)
        except Refusal as error:
            if error.decision is None:
                if self._store.shared and live.checked is not request:
                    self._check_refusal(live, request)
                else:
                    self._broadcaster.refuse(live, client, command, error)
                return
            # a new one: the tracebacks of `error` refer to this frame, which would refer to them
            refusal = Refusal(error.code, str(error), retry_after=error.retry_after)
            decision = error.decision
        except Exception:
            log("bug", logging.ERROR, trace=True, room=room.id, command=type(command).__name__)
            refusal = Refusal("internal", "internal error; nothing has changed")
            self._broadcaster.refuse(live, client, command, refusal)
            return
        if decision[0]:
            live.busy = True
            if room.setup.rated and ratings.is_rated_end(room, decision):
                self._tasks.start(self._end_rated(live, request, decision, refusal))
            else:
                commit = Commit(live, request, decision, refusal)
                self._store.append(commit, partial(self._done, commit))
        elif client is not None and command is not None:
            client.send(Ok(id=command.id, room=room.id, seq=room.seq))
            if type(command) is Leave:
                self._left(live, client)

    def _check_refusal(self, live: LiveRoom, request: Request) -> None:
        """Read the store and decide a request again: another node may just have written what allows it."""
        live.checked = request
        live.busy = True
        live.queue.appendleft(request)
        self._tasks.start(self.catch_up(live))

    async def _end_rated(self, live: LiveRoom, request: Request, decision: Decision, refusal: Refusal | None) -> None:
        """Append the end of a rated game with the new ratings. Repeat this if the ratings have changed."""
        setup, seats = decision.room.setup, decision.room.seats
        players = [seat.player for seat in seats if seat is not None]
        before = None
        while True:
            try:
                known = await self._store.ratings(ratings.profile(setup.game, setup.options), players)
            except Unavailable as error:
                self._store_failed(live, request, error)
                return
            rated, rows = ratings.rate_game(decision, known)
            commit = Commit(live, request, rated, refusal, rows)
            failure: Exception | None = None
            try:
                await append_and_wait(self._store, commit)
            except (Conflict, Unavailable) as error:
                failure = error
            if not isinstance(failure, Conflict) or known == before:  # unchanged ratings: the conflict is in the room
                self._done(commit, failure)
                return
            before = known

    def move_over(self, old: LiveRoom, leaving: Decision, new: LiveRoom, joining: Decision) -> None:
        """Move a waiting player to another room that waits: both rooms change, or neither."""
        leave, join = Commit(old, NO_REQUEST, leaving), Commit(new, NO_REQUEST, joining)
        old.busy = new.busy = True

        def done(error: Exception | None) -> None:
            self._done(join, error)
            if error is None:
                for observer in self._observers:
                    observer.moved_over(old, new)
            self._done(leave, error)

        join.also, join.event_only = leave, False
        self._store.append(join, done)

    # -- apply, broadcast, observe

    def _done(self, commit: Commit, error: Exception | None) -> None:
        """Apply a durable decision, send and announce its events, and process the queue again."""
        if error is not None:
            self._not_done(commit, error)
            return
        if self._status.store_error:
            self._status.store_works()
        live, room, events = commit.live, commit.result, commit.events
        client, command, _, _ = commit.request
        live.busy = False
        live.room = room
        live.log += commit.payloads
        if commit.refusal is None:
            self._broadcaster.publish(live, commit.packets, client, command)
        else:
            self._broadcaster.refuse(live, client, command, commit.refusal)
            self._broadcaster.publish(live, commit.packets)
        if self._bus.has_listeners:
            row = commit.row
            self._bus.publish(room, events, commit.payloads, live.stored_deadline if row is None else row.deadline)
        metrics, first, due = self._metrics, events[0], commit.due
        metrics.events += len(events)
        if type(first) is Moved:
            metrics.moves += 1
        if not commit.event_only:
            self._observe(commit)
        _, _, turn_began = room.clocks
        if first.at == turn_began:
            live.uncharged_ms = self._now() - first.at
        elif type(last := events[-1]) is Resumed:
            live.credit_written(last)
        if due is not None and (live.timer is None or live.timer_at > due):
            self._timers.schedule(live, due)
        if live.heard_seq > room.seq:
            self.behind(live, live.heard_seq)
        if live.queue:
            self.resume(live)

    def _observe(self, commit: Commit) -> None:
        """Call the observers after events that are more than a move."""
        live = commit.live
        client, command, _, _ = commit.request
        if commit.row is not None:
            self._row_changed(live, commit.row)
        if commit.rematch is not None and commit.also is not None:
            for observer in self._observers:
                observer.rematch_created(live, commit.rematch, commit.also.payloads)
        if client is not None and type(command) is Leave:
            self._left(live, client)

    def _row_changed(self, live: LiveRoom, row: RoomRow) -> None:
        live.stored_deadline = row.deadline
        self.announce(live.room)
        end = live.room.ended
        if end is not None:
            log("ended", room=live.room.id, game=live.room.setup.game, reason=end.reason, plies=live.room.ply)
            for observer in self._observers:
                observer.ended(live)

    def _left(self, live: LiveRoom, client: Client) -> None:
        for observer in self._observers:
            observer.left(live, client)

    def announce_events(self, room: Room, events: tuple[AnyEvent, ...], payloads: tuple[bytes, ...]) -> None:
        """Tell observers and other nodes about events that no command caused: a room was created or resumed."""
        if self._bus.has_listeners:
            self._bus.publish(room, events, payloads, room.deadline)
        self.announce(room)

    def announce(self, room: Room) -> None:
        """Tell observers and other nodes that the entry of a room in lists has changed."""
        if not room.setup.private:
            for observer in self._observers:
                observer.listing_changed(room)
            if self._bus.has_listeners:
                self._bus.show(room)

    # -- when the store did not take a commit

    def _not_done(self, commit: Commit, error: Exception) -> None:
        if isinstance(error, Conflict):
            commit.live.queue.appendleft(commit.request)
            self._tasks.start(self.catch_up(commit.live))
        else:
            self._store_failed(commit.live, commit.request, error)

    def _store_failed(self, live: LiveRoom, request: Request, error: BaseException) -> None:
        """Refuse a request that was not stored, and stop all clocks until the store works again."""
        client, command, _, received_at = request
        live.busy = False
        self._status.store_failed(error, received_at)
        log("store_failed", logging.ERROR, room=live.room.id, why=str(error))
        refusal = Refusal("unavailable", f"the server cannot do this now: {error}", retry_after=RETRY_AFTER_S)
        self._broadcaster.refuse(live, client, command, refusal)
        self._timers.retry(live, RETRY_AFTER_S)
        self.resume(live)

    def behind(self, live: LiveRoom, seq: int) -> None:
        """Catch up with another node, which has written up to this seq."""
        live.heard_seq = max(live.heard_seq, seq)
        if not live.busy:
            live.busy = True  # commands wait until the missing events are read
            self._tasks.start(self.catch_up(live))

    def receive(self, live: LiveRoom, seq: int, payloads: tuple[bytes, ...], deadline: int | None) -> None:
        """Apply events up to `seq` that another worker has sent. Read them from the store if they are not the next."""
        if seq <= live.room.seq:
            return
        if live.busy or seq - len(payloads) != live.room.seq:
            self.behind(live, seq)
            return
        try:
            events = self._catch_up.apply(live, payloads)
        except DamagedLog:
            for observer in self._observers:
                observer.log_damaged(live)
            return
        if len(events) > 1 or type(events[0]) is not Moved:
            for event in events:
                if type(event) is RematchOffered:
                    live.rematch_elsewhere = event.seat
            self._observe_others(live, events)
        due = live.room.deadline
        if due is not None:
            self._timers.schedule(live, due)
        live.stored_deadline = deadline

    async def catch_up(self, live: LiveRoom) -> None:
        """Read what another node wrote, send it to the clients here, and process the queue again."""
        try:
            events = await self._catch_up.read(live)
        except Unavailable as error:
            waiting = [live.queue.popleft() for _ in range(len(live.queue))]
            for request in waiting or [NO_REQUEST]:
                self._store_failed(live, request, error)
            return
        except DamagedLog:
            for observer in self._observers:
                observer.log_damaged(live)
            return
        if events:
            self._observe_others(live, events)
        due = live.room.deadline
        if due is not None:
            self._timers.schedule(live, due)
        if live.heard_seq > live.room.seq:
            self.behind(live, live.heard_seq)
        self.resume(live)

    def _observe_others(self, live: LiveRoom, events: list[AnyEvent]) -> None:
        live.stored_deadline = None  # the other node may have changed the index
        listed = not live.room.setup.private and any(map(changes_listing, events))
        for observer in self._observers:
            if listed:
                observer.listing_changed(live.room)
            observer.caught_up(live, events)
