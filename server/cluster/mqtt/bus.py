"""The bus on an MQTT broker: signed messages between nodes (peers.py), and topics for subscribers (public_topics.py).

A node does not trust the broker. Messages between nodes are signed with a key in the store, and a message that cannot
be verified changes no room and no list.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from hashlib import blake2b
from secrets import token_bytes
from typing import Any

from protocol.codec import MSGPACK, Malformed, to_builtins
from protocol.events import AnyEvent
from protocol.replies import TournamentUpdate
from protocol.types import BotInfo, ReviewState
from runtime.tasks import BackgroundTasks
from server.cluster.bus import BusListener, Payloads, WithoutWorkers
from server.cluster.lobby_batch import LobbyBatch
from server.cluster.mqtt.client import MqttClient
from server.cluster.mqtt.fast_path import Publication
from server.cluster.mqtt.old_nodes import OldNodes
from server.cluster.mqtt.peers import Peers
from server.cluster.mqtt.public_topics import PublicTopics
from server.cluster.mqtt.signing import Signer
from server.cluster.mqtt.url import Topics, broker_address
from server.config import Settings
from server.domain.room import Room
from server.logs import log
from server.storage.interface import Store

LOBBY_TICK_S = 0.25  # between lobby updates
PING_INTERVAL_S = 0.25
MAX_UNANSWERED_PINGS = 3  # with one more, the broker counts as silent: after 0.75 to 1 s
MAX_RECEIVED_BYTES = 1 << 20  # of a message; nodes send far shorter ones
# what a message from outside may cause; any other exception is a bug
UNREADABLE = (Malformed, ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError)


class MqttBus(WithoutWorkers):
    """A bus for several nodes. A node works without the broker, but then sees events of other nodes later."""

    has_listeners = True

    def __init__(
        self,
        settings: Settings,
        store: Store,
        node: str,
        is_near: Callable[[str], bool] = lambda node: False,
    ) -> None:
        """`node`: the id of this node. `is_near`: whether another node is reached by a faster bus as well."""
        self.node = node
        self._settings, self._store, self._is_near = settings, store, is_near
        self._topics = Topics(settings.bus_prefix)
        self._own_topic = self._topics.node(self.node)
        self._address = broker_address(settings)
        self._listener: BusListener | None = None
        self._client: MqttClient | None = None
        self._peers: Peers | None = None  # this and the following: from `open` on
        self._public: PublicTopics | None = None
        self._old_nodes: OldNodes | None = None
        self._tasks = BackgroundTasks()
        self._lobby = LobbyBatch(self._schedule_flush)
        self._bots: tuple[BotInfo, ...] = ()
        self._watchers: dict[str, int] = {}  # as last published
        self._ticking = False
        self.unreadable = 0
        self._secret = token_bytes(32)

    @property
    def up(self) -> bool:
        return self._client is not None and self._client.up

    @property
    def responsive(self) -> bool:
        return self.up and self._peers is not None and self._peers.unanswered_pings <= MAX_UNANSWERED_PINGS

    def reaches(self, node: str) -> bool:
        return self._peers is not None and self._peers.reaches(node)

    @property
    def overloaded(self) -> bool:
        return self._client is not None and self._client.overloaded

    @property
    def unsent_bytes(self) -> int:
        return 0 if self._client is None else self._client.unsent_bytes

    @property
    def coalesced(self) -> int:
        return sum(part.coalesced for part in (self._peers, self._public) if part is not None)

    @property
    def lost(self) -> int:
        return sum(part.lost for part in (self._peers, self._client) if part is not None)

    def listen(self, listener: BusListener) -> None:
        self._listener = listener

    async def open(self) -> None:
        """Read the key, and start to connect. Do not wait for the broker: the node works without it."""
        listener, topics = self._listener, self._topics
        assert listener is not None
        signer = Signer(await self._store.key("bus"), self.node, listener.now)
        client = MqttClient(
            self._address,
            f"parlour-{self.node}",
            self._will,
            topics.for_node(self.node),
            self._received,
            self._connected,
            lambda added: peers.subscribed(added),
        )
        peers = Peers(self.node, topics, client, signer, listener, self._is_near)
        self._public = PublicTopics(self._settings, topics, client, listener, self._store.unfinished_rooms)
        self._client, self._peers, self._old_nodes = client, peers, OldNodes(self.node, topics, client, listener)
        self._tasks.start(self._public.clean_up(lambda: self.node < min(peers.nodes, default="~")))
        self._tasks.start(self._keep_pinging(peers, listener))
        client.start()

    async def close(self) -> None:
        if self._client is None or self._peers is None or self._public is None:
            return
        await self._tasks.cancel()
        self._flush()
        self._public.close()
        self._peers.send_all("gone")
        self._peers.send_now()
        self._client.send(self._own_topic, b"", True)  # an empty message deletes the retained one
        await self._client.close()

    # -- publishing

    def publish(self, room: Room, events: Sequence[AnyEvent], payloads: Payloads, deadline: int | None) -> None:
        if self._peers is not None and self._public is not None and self._old_nodes is not None:
            self._peers.publish(room, events, payloads, deadline)
            self._public.publish(room, events)
            if self._old_nodes.online:
                self._old_nodes.announce(room)

    def follow(self, room: str, seq: int) -> None:
        if self._peers is not None:
            self._peers.follow(room, seq)

    def unfollow(self, room: str) -> None:
        if self._peers is not None:
            self._peers.unfollow(room)

    def withdraw_rematch(self, room: str) -> None:
        if self._peers is not None:
            self._peers.withdraw_rematch(room)

    def show(self, room: Room) -> None:
        self._lobby.show(room)

    def advance(self, plies: dict[str, int]) -> None:
        self._lobby.advance(plies)

    def introduce(self, bots: tuple[BotInfo, ...]) -> None:
        self._bots = bots
        self._publish_node()

    def _publish_node(self) -> None:
        if self._client is None or self._peers is None:
            return
        self._peers.introduce(self._bots, self._watchers)
        known = {
            "node": self.node,
            "online": True,
            "signed": True,
            "bots": [to_builtins(bot) for bot in self._bots],
            "watchers": self._watchers,
        }
        self._client.send(self._own_topic, json.dumps(known).encode(), True)

    def invite(self, room: Room, name: str, origin: str = "") -> None:
        if self._peers is not None:
            self._peers.send_all("invite", room.setup.room, name, self._conceal(origin))

    def _conceal(self, address: str) -> str:
        """Return a text that stands for an address and reveals nothing about it to other readers of the broker."""
        return blake2b(address.encode(), key=self._secret, digest_size=8).hexdigest() if address else ""

    def report(self, update: TournamentUpdate) -> None:
        if self._peers is not None and self._public is not None:
            self._peers.send_all("tournament", MSGPACK.encode(update))
            self._public.send(self._topics.tournaments, update)

    def announce_review(self, room: str, state: ReviewState, done: int = 0, total: int = 0) -> None:
        if self._peers is not None:
            self._peers.send_all("review", room, state, done, total)

    def _schedule_flush(self) -> None:
        if not self._ticking:
            self._ticking = True
            asyncio.get_running_loop().call_later(LOBBY_TICK_S, self._flush)

    def _flush(self) -> None:
        """Send the changes of lists. While the broker does not keep up, keep the latest of them for later."""
        self._ticking = False
        if self._listener is None or self._peers is None or self._public is None or not self._lobby:
            return
        if self.overloaded:
            self._schedule_flush()
            return
        watchers = self._listener.watchers()
        if watchers != self._watchers:  # before the rooms, so that the other nodes know the counts
            self._watchers = watchers
            self._publish_node()
        update = self._lobby.take(self._listener)
        self._peers.send_all("lobby", MSGPACK.encode(update))
        self._public.send(self._topics.lobby, update)

    # -- connecting

    def _will(self) -> Publication:
        assert self._peers is not None
        known = {"node": self.node, "online": False, **self._peers.begin_session(self._own_topic)}
        return Publication(self._own_topic, json.dumps(known).encode(), True)

    def _connected(self) -> None:
        """Publish what the broker and the other nodes do not know, and check for events that were missed."""
        assert self._peers is not None
        assert self._public is not None
        assert self._listener is not None
        self._peers.connected()
        self.introduce(self._bots)
        self._public.connected()
        self._listener.bus_reconnected()

    async def _keep_pinging(self, peers: Peers, listener: BusListener) -> None:
        """Notice, until cancelled, when the broker is silent.

        Pings are counted rather than timed, so a stall of this process does not look like a silent broker.
        """
        responsive = False
        while True:
            peers.ping()
            was_responsive, responsive = responsive, self.responsive
            if was_responsive and not responsive:
                log("bus_silent", logging.WARNING)
                listener.bus_silent()
            await asyncio.sleep(PING_INTERVAL_S)

    # -- receiving

    def _received(self, topic: str, payload: bytes, retained: bool) -> None:
        """Handle a message. It may come from outside, so an error in it must not stop this node from reading on."""
        try:
            if len(payload) > MAX_RECEIVED_BYTES:
                raise ValueError(f"{len(payload)} bytes")
            self._read(topic, payload, retained)
        except UNREADABLE as error:
            self.unreadable += 1
            log("bus_unreadable", logging.DEBUG, topic=topic, why=type(error).__name__)
        except Exception:
            self.unreadable += 1
            log("bug", logging.ERROR, trace=True, topic=topic)

    def _read(self, topic: str, payload: bytes, retained: bool) -> None:
        topics = self._topics
        assert self._peers is not None
        assert self._public is not None
        assert self._old_nodes is not None
        if topic.startswith(topics.peers):
            self._peers.received(topic, payload)
        elif not payload:  # a retained message was deleted
            self._old_nodes.seen(topic.removeprefix(topics.nodes), False)
        elif topic.startswith(topics.rooms):
            self._public.state_received(topic, retained)
        elif topic == topics.calls:
            self._old_nodes.received(json.loads(payload))
        elif topic != self._own_topic:
            self._node_changed(topic, json.loads(payload), retained)

    def _node_changed(self, topic: str, node: dict[str, Any], retained: bool) -> None:
        """React to the last will of a node, and to nodes of an earlier version."""
        assert self._peers is not None
        assert self._old_nodes is not None
        name, online = str(node["node"]), node["online"] is True
        if "session" in node:
            self._peers.died(name, topic, str(node["session"]), str(node["signature"]))
        elif "signed" not in node:
            self._old_nodes.seen(name, online)
        if retained and not online and self._client is not None:
            self._client.send(topic, b"", True)  # it died before this node connected, and node ids are never reused
