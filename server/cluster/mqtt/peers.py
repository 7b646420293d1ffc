"""Messages between nodes, through the broker.

A node that loads a room asks, on a topic by a hash of the room, which other nodes have it loaded. Those with the room
answer, and from then on each sends the bytes of its new events to the others. So a move costs nothing at nodes without
the room, and nothing at the broker if only one node has it. Messages for a node are collected for a moment and sent as
one, signed. A room that is not public sends only the seq of its newest event: the others read the store.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from secrets import token_hex
from typing import Any, Protocol

from protocol.codec import MSGPACK
from protocol.events import AnyEvent, Created
from protocol.replies import LobbyUpdate
from protocol.types import BotInfo, ReviewState
from server.cluster.bus import BusListener, Payloads
from server.cluster.followers import Followers
from server.cluster.mqtt.signing import Signer
from server.cluster.mqtt.url import Topics
from server.domain.room import Room
from server.logs import log

SEND_INTERVAL_S = 0.002  # between messages to the other nodes
OVERLOAD_RETRY_S = 0.05
MAX_UNSENT_ITEMS = 500  # for a topic, during an overload; beyond them only the latest seq of each room is kept
ITEMS_PER_MESSAGE = 200
UNUSED_BUCKET_S = 60.0  # how long a topic is received after its last room

Item = tuple[Any, ...]  # kind, values


class Link(Protocol):
    """What this module needs of the connection to the broker."""

    @property
    def up(self) -> bool: ...
    @property
    def overloaded(self) -> bool: ...
    def send(self, topic: str, payload: bytes, retain: bool = False) -> None: ...
    def subscribe(self, topics: Sequence[str]) -> None: ...
    def unsubscribe(self, topics: Sequence[str]) -> None: ...


class Peers:
    """The other nodes. `is_near`: whether a node is reached by a faster bus as well, which then carries everything."""

    def __init__(
        self,
        node: str,
        topics: Topics,
        link: Link,
        signer: Signer,
        listener: BusListener,
        is_near: Callable[[str], bool],
    ) -> None:
        self._node, self._topics, self._link, self._signer = node, topics, link, signer
        self._listener, self._is_near = listener, is_near
        self._session = ""  # of the connection of this node
        self._sessions: dict[str, str] = {}  # of the other nodes
        self._heard: set[str] = set()  # nodes that have sent something since this one has connected
        self._followers: Followers[str] = Followers()
        self._buckets: Counter[str] = Counter()  # rooms of each topic by hash
        self._entered: dict[str, str] = {}  # rooms that are loaded here, and their topic
        self._outbox: dict[str, list[Item]] = {}  # by topic
        self._sending = False
        self._bots: tuple[BotInfo, ...] = ()
        self._watchers: dict[str, int] = {}
        self.unanswered_pings = 0
        self.lost = 0  # items without a connection; `connected` repairs that
        self.coalesced = 0  # items that a later one has replaced during an overload
        self._handlers: dict[str, Callable[..., None]] = {
            "events": self._events_received,
            "follow": self._followed,
            "unfollow": self._unfollowed,
            "withdraw": self._rematch_withdrawn,
            "hello": self._introduced,
            "node": self._node_received,
            "lobby": self._lobby_received,
            "invite": self._invited,
            "tournament": self._tournament_received,
            "review": self._review_received,
            "gone": self._left,
        }

    @property
    def nodes(self) -> list[str]:
        """The other nodes that are connected, as far as this one knows."""
        return list(self._sessions)

    def reaches(self, node: str) -> bool:
        """Return whether another node is connected to the broker, as far as this one knows."""
        return node in self._heard

    # -- sending

    def publish(self, room: Room, events: Sequence[AnyEvent], payloads: Payloads, deadline: int | None) -> None:
        """Send new events to the nodes that have the room loaded."""
        name = room.setup.room
        followers = self._followers.of(name)
        if followers:
            if not is_public(room):
                payloads = ()
            item = ("events", name, room.seq, payloads, deadline)
            for node in followers:
                self._send(self._topics.inbox(node), item)
        elif type(events[0]) is Created:
            self._enter(name)

    def follow(self, room: str, seq: int) -> None:
        """Ask the nodes that have a room loaded for its events after `seq`."""
        self._send(self._enter(room), ("follow", room, seq))

    def unfollow(self, room: str) -> None:
        """Tell the other nodes that this one has forgotten a room."""
        if self._followers.take(room):
            self._send(self._topics.bucket(room), ("unfollow", room))  # where `follow` is sent: in this order
        topic = self._entered.pop(room, None)
        if topic is not None:
            self._buckets[topic] -= 1
            if not self._buckets[topic]:
                asyncio.get_running_loop().call_later(UNUSED_BUCKET_S, self._drop_bucket, topic)

    def withdraw_rematch(self, room: str) -> None:
        """Tell the nodes that have a room loaded that a player has left after offering a rematch."""
        for node in self._followers.of(room, ()):
            self._send(self._topics.inbox(node), ("withdraw", room))

    def _enter(self, room: str) -> str:
        """Receive the questions about a room from now on. Return their topic."""
        topic = self._entered.get(room)
        if topic is None:
            topic = self._entered[room] = self._topics.bucket(room)
            if topic not in self._buckets:
                self._link.subscribe([topic])
            self._buckets[topic] += 1
        return topic

    def _drop_bucket(self, topic: str) -> None:
        if topic in self._buckets and not self._buckets[topic]:
            del self._buckets[topic]
            self._link.unsubscribe([topic])

    def introduce(self, bots: tuple[BotInfo, ...], watchers: dict[str, int]) -> None:
        """Tell all nodes about the bots and watchers of this one."""
        self._bots, self._watchers = bots, watchers
        self._send(self._topics.peers, self._introduction("node"))

    def _introduction(self, kind: str) -> Item:
        return kind, self._session, MSGPACK.encode(LobbyUpdate(rooms=(), bots=self._bots)), self._watchers

    def send_all(self, *item: Any) -> None:
        """Send a message to all nodes."""
        self._send(self._topics.peers, item)

    def ping(self) -> None:
        """Send a message to this node itself. It waits for what was sent before, and for nothing else."""
        self.unanswered_pings += 1
        if self._link.up:
            inbox = self._topics.inbox(self._node)
            self._link.send(inbox, self._signer.sign(inbox, []))

    def connected(self) -> None:
        """Introduce this node, and ask for the rooms that are loaded here: messages may have been lost."""
        self._outbox.clear()
        self._heard.clear()
        self._send(self._topics.peers, self._introduction("hello"))
        for room, seq in self._listener.loaded_rooms().items():
            self.follow(room, seq)

    def subscribed(self, topics: set[str]) -> None:
        """Ask for the rooms of topics by hash: questions of other nodes about them may have been missed until now."""
        for room, topic in self._entered.items():
            if topic in topics and (seq := self._listener.room_loaded(room)):
                self._send(topic, ("follow", room, seq))

    def _send(self, topic: str, item: Item) -> None:
        """Send an item at the end of this loop iteration, or SEND_INTERVAL_S after the last ones."""
        items = self._outbox.get(topic)
        if items is None:
            self._outbox[topic] = [item]
        else:
            items.append(item)
        if not self._sending:
            self._sending = True
            asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        self._sending = bool(self._outbox)
        if not self._outbox:
            return
        overloaded = self._link.overloaded
        if overloaded:
            self._coalesce()
        else:
            self.send_now()
        delay = OVERLOAD_RETRY_S if overloaded else SEND_INTERVAL_S
        asyncio.get_running_loop().call_later(delay, self._flush)

    def send_now(self) -> None:
        """Send everything that is collected."""
        outbox, self._outbox = self._outbox, {}
        if not self._link.up:
            self.lost += sum(map(len, outbox.values()))
            return
        for topic, items in outbox.items():
            for first in range(0, len(items), ITEMS_PER_MESSAGE):
                some = items[first : first + ITEMS_PER_MESSAGE]
                self._link.send(topic, self._signer.sign(topic, some))

    def _coalesce(self) -> None:
        """Keep only the latest seq of each room: the other nodes then read its events from the store."""
        for topic, items in self._outbox.items():
            if len(items) > MAX_UNSENT_ITEMS:
                latest = {item[1]: ("events", item[1], item[2], (), None) for item in items if item[0] == "events"}
                kept = [item for item in items if item[0] != "events"]
                self.coalesced += len(items) - len(kept) - len(latest)
                self._outbox[topic] = [*kept, *latest.values()]

    # -- receiving

    def received(self, topic: str, payload: bytes) -> None:
        """Handle a message. Raises Refused, or an error of the decoder, if no node has sent it."""
        node, items = self._signer.verify(topic, payload)
        if node == self._node:
            self.unanswered_pings = 0
        if node == self._node or self._is_near(node):
            return
        for kind, *values in items:
            handler = self._handlers.get(kind)
            if handler is not None:  # otherwise that node has a later version
                try:
                    handler(node, *values)
                except Exception:  # one item must not stop the next one
                    log("bug", logging.ERROR, trace=True, message=kind)

    def _events_received(
        self, node: str, room: str, seq: int, payloads: list[bytes], deadline: int | None, *_: Any
    ) -> None:
        if not self._listener.room_loaded(room):
            self._send(self._topics.bucket(room), ("unfollow", room))
        elif payloads:
            self._listener.events_received(room, seq, tuple(payloads), deadline)
        else:
            self._listener.room_announced(room, seq)

    def _followed(self, node: str, room: str, seq: int, *_: Any) -> None:
        known = self._listener.room_loaded(room)
        if not known:
            return
        if self._followers.add(room, node) or known > seq:
            self._send(self._topics.inbox(node), ("follow", room, known))
        if known < seq:  # written before that node knew of this one
            self._listener.room_announced(room, seq)

    def _unfollowed(self, node: str, room: str, *_: Any) -> None:
        self._followers.remove(room, node)

    def _rematch_withdrawn(self, node: str, room: str, *_: Any) -> None:
        self._listener.rematch_withdrawn(room)

    def _introduced(self, node: str, session: str, bots: bytes, watchers: dict[str, int], *_: Any) -> None:
        self._send(self._topics.inbox(node), self._introduction("node"))
        self._node_received(node, session, bots, watchers)

    def _node_received(self, node: str, session: str, bots: bytes, watchers: dict[str, int], *_: Any) -> None:
        update: Any = MSGPACK.decode_server_message(bots)
        self._sessions[node] = session
        self._heard.add(node)
        self._listener.bots_announced(node, update.bots or ())
        self._listener.watchers_announced(node, watchers)

    def _lobby_received(self, node: str, data: bytes, *_: Any) -> None:
        update: Any = MSGPACK.decode_server_message(data)
        self._listener.lobby_announced(update.rooms, update.plies)

    def _invited(self, node: str, room: str, name: str, origin: str, *_: Any) -> None:
        self._listener.invitation_announced(room, name, origin)

    def _tournament_received(self, node: str, data: bytes, *_: Any) -> None:
        update: Any = MSGPACK.decode_server_message(data)
        self._listener.tournament_announced(update)

    def _review_received(self, node: str, room: str, state: ReviewState, done: int, total: int, *_: Any) -> None:
        self._listener.review_announced(room, state, done, total)

    def _left(self, node: str, *_: Any) -> None:
        self._heard.discard(node)
        if self._sessions.pop(node, None) is not None:
            self._followers.forget(node)
            self._listener.bots_announced(node, ())
            self._listener.watchers_announced(node, {})

    def begin_session(self, topic: str) -> dict[str, str]:
        """Begin a new connection. Return what its last will contains."""
        self._session = token_hex(8)
        return {"session": self._session, "signature": self._signer.signature(topic, self._session.encode()).hex()}

    def died(self, node: str, topic: str, session: str, signature: str) -> bool:
        """Forget a node because of its last will. Return False if the will is not that of its latest connection."""
        signed = self._signer.signature(topic, session.encode()).hex() == signature
        if not signed or self._sessions.get(node) != session:
            return False
        self._left(node)
        return True


def is_public(room: Room) -> bool:
    """Return whether all of a room is public now."""
    return not room.setup.private and (not room.setup.delay or room.status == "ended")
