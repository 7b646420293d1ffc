"""The bus between the workers of one machine.

A worker sends the bytes of new events to the workers that have the room loaded, and to no other. So a move costs the
same with any number of workers. Lists, bots and limits go to all workers, on a tick or when they change.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from protocol.codec import MSGPACK
from protocol.events import AnyEvent, Created
from protocol.replies import LobbyUpdate, TournamentUpdate
from protocol.types import BotInfo, ReviewState
from server.cluster.bus import BusListener, Payloads
from server.cluster.followers import Followers
from server.cluster.lobby_batch import LobbyBatch
from server.cluster.unix.link import Message, Receiver, Sender
from server.domain.room import Room
from server.logs import log
from server.metrics import saved_sample, worker_file

LOBBY_TICK_S = 0.25  # between lobby updates
METRICS_TIMEOUT_S = 1.0  # for the metrics of another worker


def address_of(folder: str, index: int) -> str:
    """Return the unix socket of a worker."""
    return str(Path(folder) / f"worker-{index}")


class UnixBus:
    """A bus for the workers 0 to `count` - 1. `folder` has their sockets, `node` is the id of this worker as a node."""

    has_listeners = sends_events = True
    overloaded = False  # a worker that reads nothing is disconnected
    unsent_bytes = coalesced = unreadable = 0

    def __init__(self, folder: str, node: str, index: int, count: int) -> None:
        self._folder, self._node, self._index, self._count = folder, node, index, count
        self._listener: BusListener | None = None
        self._senders: dict[int, Sender] = {}
        self._receivers: dict[int, Receiver] = {}  # by the index of the other worker
        self._server: asyncio.AbstractServer | None = None
        self._followers: Followers[int] = Followers()  # other workers, by index
        self._lobby = LobbyBatch(self._schedule_flush)
        self._bots: tuple[BotInfo, ...] = ()
        self._watchers: dict[str, int] = {}  # as last sent
        self._ticking = False
        self._asking: dict[int, asyncio.Future[None]] = {}  # questions for metrics, by the worker asked
        self._samples: dict[int, Any] = {}  # the latest metrics of each worker
        self._handlers: dict[str, Callable[..., None]] = {
            "hello": self._introduced,
            "withdraw": self._rematch_withdrawn,
            "follow": self._followed,
            "unfollow": self._unfollowed,
            "node": self._node_received,
            "lobby": self._lobby_received,
            "invite": self._invitation_received,
            "tournament": self._tournament_received,
            "review": self._review_received,
            "numbers": self._numbers_received,
            "ask": self._asked,
            "metrics": self._metrics_received,
        }

    @property
    def up(self) -> bool:
        return all(sender.up for sender in self._senders.values())

    @property
    def responsive(self) -> bool:
        return self.up

    @property
    def lost(self) -> int:
        return sum(sender.lost for sender in self._senders.values())

    def is_near(self, node: str) -> bool:
        """Return whether a node is another worker of this machine."""
        return any(receiver.node == node for receiver in self._receivers.values())

    reaches = is_near

    def listen(self, listener: BusListener) -> None:
        self._listener = listener

    async def open(self) -> None:
        """Listen, and connect to the other workers in the background: a worker works without them."""
        own = address_of(self._folder, self._index)
        with suppress(FileNotFoundError):
            os.unlink(own)  # noqa: PTH108  # of the worker that this one replaces
        loop = asyncio.get_running_loop()
        self._server = await loop.create_unix_server(lambda: Receiver(self._received, self._lost_worker), own)
        for index in range(self._count):
            if index != self._index:
                self._senders[index] = Sender(address_of(self._folder, index), self._connected)
                self._senders[index].start()

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for receiver in self._receivers.values():
            receiver.close()
        await asyncio.gather(*(sender.close() for sender in self._senders.values()))

    # -- sending

    def _send_all(self, *message: Any) -> None:
        for sender in self._senders.values():
            sender.send(message)

    def _connected(self, sender: Sender) -> None:
        """Tell a worker that has started, or is back, what it does not know."""
        sender.send(("hello", self._index, self._node))
        sender.send(self._node_message())
        if self._listener is not None:
            for what, numbers in self._listener.shared_numbers().items():
                sender.send(("numbers", what, numbers))
            for room, seq in self._listener.loaded_rooms().items():
                sender.send(("follow", room, seq))

    def _node_message(self) -> Message:
        return "node", MSGPACK.encode(LobbyUpdate(rooms=(), bots=self._bots)), self._watchers

    def publish(self, room: Room, events: Sequence[AnyEvent], payloads: Payloads, deadline: int | None) -> None:
        followers = self._followers.of(room.setup.room)
        if followers is None and type(events[0]) is Created:  # the players of a rematch are in the previous room
            followers = self._followers.copy(room.setup.previous, room.setup.room)
        if followers:
            message = ("events", room.setup.room, room.seq, payloads, deadline)
            for index in followers:
                self._senders[index].send(message)

    def follow(self, room: str, seq: int) -> None:
        self._send_all("follow", room, seq)

    def unfollow(self, room: str) -> None:
        for index in self._followers.take(room):
            self._senders[index].send_later(("unfollow", room))

    def withdraw_rematch(self, room: str) -> None:
        for index in self._followers.of(room, ()):
            self._senders[index].send(("withdraw", room))

    def share(self, what: str, key: str, number: float) -> None:
        for sender in self._senders.values():
            sender.send_later(("numbers", what, {key: number}))

    def show(self, room: Room) -> None:
        self._lobby.show(room)

    def advance(self, plies: dict[str, int]) -> None:
        self._lobby.advance(plies)

    def introduce(self, bots: tuple[BotInfo, ...]) -> None:
        self._bots = bots
        self._send_all(*self._node_message())

    def invite(self, room: Room, name: str, origin: str = "") -> None:
        self._send_all("invite", room.setup.room, name, origin)

    def report(self, update: TournamentUpdate) -> None:
        self._send_all("tournament", MSGPACK.encode(update))

    def announce_review(self, room: str, state: ReviewState, done: int = 0, total: int = 0) -> None:
        self._send_all("review", room, state, done, total)

    def _schedule_flush(self) -> None:
        if not self._ticking:
            self._ticking = True
            asyncio.get_running_loop().call_later(LOBBY_TICK_S, self._flush)

    def _flush(self) -> None:
        self._ticking = False
        if self._lobby and self._listener is not None:
            watchers = self._listener.watchers()
            if watchers != self._watchers:  # before the rooms, so that the other workers know the counts
                self._watchers = watchers
                self._send_all(*self._node_message())
            self._send_all("lobby", MSGPACK.encode(self._lobby.take(self._listener)))

    async def metrics_samples(self) -> list[Any]:
        """Return the metrics of the other workers: the latest known ones if a worker does not answer in time.

        Counters would seem to start again if a worker that is slow for a moment, or is being restarted, were left out.
        """
        loop = asyncio.get_running_loop()
        answers = []
        for index, sender in self._senders.items():
            if sender.up:
                if index not in self._asking or self._asking[index].done():
                    self._asking[index] = loop.create_future()
                answers.append(self._asking[index])
                sender.send(("ask",))  # also if an earlier question is open: it may be lost
        if answers:
            await asyncio.wait(answers, timeout=METRICS_TIMEOUT_S)
        missing = [index for index in self._senders if index not in self._samples]
        saved = [saved_sample(worker_file(self._folder, index)) for index in missing]
        return [*self._samples.values(), *(sample for sample in saved if sample is not None)]

    # -- receiving

    def _received(self, receiver: Receiver, messages: list[Message]) -> None:
        listener = self._listener
        if listener is None:
            return
        apply_events = listener.events_received
        for kind, *values in messages:
            try:
                if kind == "events":  # the common case
                    apply_events(*values)
                    if values[1] == len(values[2]):
                        self._created_elsewhere(listener, receiver, values[0])
                else:
                    self._handlers[kind](listener, receiver, *values)
            except Exception:  # one message must not stop the next one
                log("bug", logging.ERROR, trace=True, message=kind)

    def _introduced(self, listener: BusListener, receiver: Receiver, index: int, node: str) -> None:
        before = self._receivers.pop(index, None)
        if before is not None:  # the worker was restarted before this one noticed
            self._forget(before)
        receiver.index, receiver.node = index, node
        self._receivers[index] = receiver

    def _lost_worker(self, receiver: Receiver) -> None:
        if self._receivers.get(receiver.index) is receiver:
            del self._receivers[receiver.index]
            self._forget(receiver)

    def _forget(self, receiver: Receiver) -> None:
        self._followers.forget(receiver.index)
        self._samples.pop(receiver.index, None)
        asking = self._asking.pop(receiver.index, None)
        if asking is not None:
            asking.cancel()
        if self._listener is not None:
            self._listener.bots_announced(receiver.node, ())
            self._listener.watchers_announced(receiver.node, {})
            self._listener.node_left(receiver.node)

    def _created_elsewhere(self, listener: BusListener, receiver: Receiver, room: str) -> None:
        """Note that another worker has a new room, which it has just sent."""
        if listener.room_loaded(room):
            self._followers.add(room, receiver.index)
        else:
            self._senders[receiver.index].send_later(("unfollow", room))

    def _rematch_withdrawn(self, listener: BusListener, receiver: Receiver, room: str) -> None:
        listener.rematch_withdrawn(room)

    def _followed(self, listener: BusListener, receiver: Receiver, room: str, seq: int) -> None:
        known = listener.room_loaded(room)
        if not known:
            return
        if self._followers.add(room, receiver.index) or known > seq:
            self._senders[receiver.index].send(("follow", room, known))
        if known < seq:  # written before that worker knew of this one
            listener.events_received(room, seq, (), None)

    def _unfollowed(self, listener: BusListener, receiver: Receiver, room: str) -> None:
        self._followers.remove(room, receiver.index)

    def _node_received(self, listener: BusListener, receiver: Receiver, data: bytes, watchers: dict[str, int]) -> None:
        update: Any = MSGPACK.decode_server_message(data)
        listener.bots_announced(receiver.node, update.bots or ())
        listener.watchers_announced(receiver.node, watchers)

    def _lobby_received(self, listener: BusListener, receiver: Receiver, data: bytes) -> None:
        update: Any = MSGPACK.decode_server_message(data)
        listener.lobby_announced(update.rooms, update.plies)

    def _invitation_received(
        self, listener: BusListener, receiver: Receiver, room: str, name: str, origin: str
    ) -> None:
        listener.invitation_announced(room, name, origin)

    def _tournament_received(self, listener: BusListener, receiver: Receiver, data: bytes) -> None:
        update: Any = MSGPACK.decode_server_message(data)
        listener.tournament_announced(update)

    def _review_received(
        self, listener: BusListener, receiver: Receiver, room: str, state: ReviewState, done: int, total: int
    ) -> None:
        listener.review_announced(room, state, done, total)

    def _numbers_received(
        self, listener: BusListener, receiver: Receiver, what: str, numbers: dict[str, float]
    ) -> None:
        listener.numbers_shared(receiver.node, what, numbers)

    def _asked(self, listener: BusListener, receiver: Receiver) -> None:
        self._senders[receiver.index].send(("metrics", listener.metrics_sample()))

    def _metrics_received(self, listener: BusListener, receiver: Receiver, sample: Any) -> None:
        self._samples[receiver.index] = sample
        asking = self._asking.get(receiver.index)
        if asking is not None and not asking.done():
            asking.set_result(None)
