"""The bus on an MQTT broker: for other nodes and for outside subscribers.

Nodes do not read events from the broker: then each node would do the work of all of them. On the topic `calls` they
tell each other which rooms have new events, many rooms in one message, and read the events from the store. So only
public data is published: nothing about private rooms, and nothing about delayed rooms while the game runs.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from hashlib import blake2b
from secrets import token_bytes
from typing import Any

from protocol.codec import JSON, MSGPACK, Malformed, to_builtins
from protocol.events import AnyEvent, Created
from protocol.replies import TournamentUpdate
from protocol.types import BotInfo, Message
from server.cluster.bus import BusListener, Payloads, WithoutWorkers
from server.cluster.lobby_batch import LobbyBatch
from server.cluster.mqtt.client import MqttClient, Publication
from server.cluster.mqtt.url import Topics, broker_address
from server.config import Settings
from server.domain import snapshots
from server.domain.room import Room
from server.ids import new_player_id
from server.logs import log
from server.rooms.timers import now

CALL_TICK_S = 0.002  # between messages to the other nodes
STATE_TICK_S = 0.25  # between states of a room, and between lobby updates
ENDED_STATE_TTL_S = 300.0  # how long the state of an ended room stays
MAX_RECEIVED_BYTES = 1 << 20  # of a message; nodes send far shorter ones
# what a message from outside may cause; any other exception is a bug
UNREADABLE = (Malformed, ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError)


class MqttBus(WithoutWorkers):
    """A bus for several nodes. A node works without the broker, but then sees events of other nodes later."""

    has_listeners = True

    def __init__(self, settings: Settings, node: str = "", is_near: Callable[[str], bool] = lambda node: False) -> None:
        """`node`: the id of this node. `is_near`: whether another node is reached by a faster bus as well."""
        self.node = node or new_player_id()
        self._is_near = is_near
        self._codec = JSON if settings.bus_format == "json" else MSGPACK
        self._topics = Topics(settings.bus_prefix)
        self._will = Publication(
            self._topics.node(self.node), json.dumps({"node": self.node, "online": False}).encode(), True
        )
        self._address = broker_address(settings)
        self._listener: BusListener | None = None
        self._client: MqttClient | None = None
        self._calls: dict[str, int] = {}  # rooms with new events, and their latest seq
        self._states: dict[str, Room] = {}  # to be published on the next tick
        self._lobby = LobbyBatch(self._schedule_flush)
        self._bots: tuple[BotInfo, ...] = ()
        self._watchers: dict[str, int] = {}  # as last published
        self._ticking = self._calling = False
        self.unreadable = 0
        self._secret = token_bytes(32)

    @property
    def up(self) -> bool:
        return self._client is not None and self._client.up

    @property
    def lost(self) -> int:
        return 0 if self._client is None else self._client.lost

    def listen(self, listener: BusListener) -> None:
        self._listener = listener

    async def open(self) -> None:
        """Start to connect. Do not wait for the broker: the node works without it."""
        client = MqttClient(
            self._address,
            f"parlour-{self.node}",
            self._will,
            self._topics.for_nodes,
            self._received,
            self._connected,
        )
        self._client = client
        client.start()

    async def close(self) -> None:
        if self._client is not None:
            self._flush()
            self._client.send(self._will.topic, b"", True)  # an empty message deletes the retained one
            await self._client.close()

    # -- publishing

    def _send(self, topic: str, payload: bytes, retain: bool = False) -> None:
        if self._client is not None:
            self._client.send(topic, payload, retain)

    def _encode(self, message: Message) -> bytes:
        return self._codec.encode(message)

    def publish(self, room: Room, events: Sequence[AnyEvent], payloads: Payloads, deadline: int | None) -> None:
        self._calls[room.setup.room] = room.seq
        if not self._calling:
            self._announce()
        if not is_public(room):
            return
        topic = self._topics.events(room.setup.room)
        for event in events:
            if type(event) is not Created:  # Created is not public
                self._send(topic, self._encode(event))
        self._states[room.setup.room] = room
        self._schedule_flush()

    def show(self, room: Room) -> None:
        self._lobby.show(room)

    def advance(self, plies: dict[str, int]) -> None:
        self._lobby.advance(plies)

    def introduce(self, bots: tuple[BotInfo, ...]) -> None:
        self._bots = bots
        self._publish_node()

    def _publish_node(self) -> None:
        known = {
            "node": self.node,
            "online": True,
            "bots": [to_builtins(bot) for bot in self._bots],
            "watchers": self._watchers,
        }
        self._send(self._will.topic, json.dumps(known).encode(), True)

    def invite(self, room: Room, name: str, origin: str = "") -> None:
        self._call(room=room.setup.room, invite=name, origin=self._conceal(origin))

    def _conceal(self, address: str) -> str:
        """Return a text for an address that tells other readers of the broker nothing about it."""
        return blake2b(address.encode(), key=self._secret, digest_size=8).hexdigest() if address else ""

    def report(self, update: TournamentUpdate) -> None:
        self._send(self._topics.tournaments, self._encode(update))

    def _announce(self) -> None:
        """Announce rooms with new events: the first one at once, the following ones together on the next tick."""
        self._calling = bool(self._calls)
        if self._calls:
            seqs, self._calls = self._calls, {}
            self._call(seqs=seqs)
            asyncio.get_running_loop().call_later(CALL_TICK_S, self._announce)

    def _call(self, **what: Any) -> None:
        self._send(self._topics.calls, json.dumps({"node": self.node, **what}).encode())

    def _schedule_flush(self) -> None:
        if not self._ticking:
            self._ticking = True
            asyncio.get_running_loop().call_later(STATE_TICK_S, self._flush)

    def _flush(self) -> None:
        self._ticking = False
        states, self._states = self._states, {}
        at = now() if self._listener is None else self._listener.now()
        for name, room in states.items():
            self._send(self._topics.state(name), self._encode(snapshots.snapshot(room, None, at)), True)
            if room.status == "ended":
                asyncio.get_running_loop().call_later(
                    ENDED_STATE_TTL_S, self._send, self._topics.state(name), b"", True
                )
        if self._lobby and self._listener is not None:
            watchers = self._listener.watchers()
            if watchers != self._watchers:  # before the rooms, so that the other nodes know the counts
                self._watchers = watchers
                self._publish_node()
            self._send(self._topics.lobby, self._encode(self._lobby.take(self._listener)))

    def _connected(self) -> None:
        """Publish what the broker does not know, and check for events that were missed."""
        self.introduce(self._bots)
        if self._listener is not None:
            for room in self._listener.open_rooms():
                if is_public(room):
                    self._states[room.setup.room] = room
            self._schedule_flush()
            self._listener.bus_reconnected()

    # -- receiving

    def _received(self, topic: str, payload: bytes, retained: bool) -> None:
        """Handle a message. It may come from outside: none may stop this node from receiving the next one."""
        if self._listener is None or not payload:
            return
        try:
            if len(payload) > MAX_RECEIVED_BYTES:
                raise ValueError(f"{len(payload)} bytes")
            self._read(self._listener, topic, payload, retained)
        except UNREADABLE as error:
            self.unreadable += 1
            log("bus_unreadable", logging.DEBUG, topic=topic, why=type(error).__name__)
        except Exception:
            self.unreadable += 1
            log("bug", logging.ERROR, trace=True, topic=topic)

    def _read(self, listener: BusListener, topic: str, payload: bytes, retained: bool) -> None:
        topics = self._topics
        if topic == topics.lobby:
            update: Any = self._codec.decode_server_message(payload)
            listener.lobby_announced(update.rooms, update.plies)
        elif topic == topics.tournaments:
            report = self._codec.decode_server_message(payload)
            if isinstance(report, TournamentUpdate):
                listener.tournament_announced(report)
        elif topic == topics.calls:
            self._call_received(listener, json.loads(payload))
        elif topic.startswith(topics.nodes) and topic != self._will.topic:
            self._node_changed(listener, topic, json.loads(payload), retained)

    def _call_received(self, listener: BusListener, call: dict[str, Any]) -> None:
        if call["node"] == self.node or self._is_near(call["node"]):
            return
        for room, seq in call.get("seqs", {}).items():
            listener.room_announced(room, int(seq))
        if "invite" in call:
            listener.invitation_announced(str(call["room"]), str(call["invite"]), str(call.get("origin", "")))

    def _node_changed(self, listener: BusListener, topic: str, node: dict[str, Any], retained: bool) -> None:
        bots = tuple(
            BotInfo(
                name=str(bot["name"]),
                plays=tuple(map(str, bot["plays"])),
                account=bool(bot.get("account")),
                house=bool(bot.get("house")),
                engine=str(bot.get("engine", "")),
                version=str(bot.get("version", "")),
            )
            for bot in node.get("bots", ())
        )
        watchers = {str(room): max(0, int(count)) for room, count in node.get("watchers", {}).items()}
        here = node["online"] is True
        if self._is_near(str(node["node"])):
            return
        listener.bots_announced(str(node["node"]), bots if here else ())
        listener.watchers_announced(str(node["node"]), watchers if here else {})
        if retained and node["online"] is not True:  # it died before this node started, and node ids are never reused
            self._send(topic, b"", True)


def is_public(room: Room) -> bool:
    """Return whether all of a room is public now."""
    return not room.setup.private and (not room.setup.delay or room.status == "ended")
