"""News through an MQTT broker: for other nodes, and for anybody who may read there.

Nodes do not read events there, which would cost each of them as much as all of them do: they tell each other on the
topic `calls` which rooms have something new, many rooms in one message, and look into the store. So what the public may
not see need not be told either: nothing of private rooms, and nothing of delayed ones while they are played.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from protocol.codec import JSON, MSGPACK, Malformed, to_builtins
from protocol.events import AnyEvent, Created
from protocol.replies import LobbyUpdate
from protocol.types import BotInfo, Message
from server.cluster.bus import Ear
from server.cluster.mqtt.client import Link, Post
from server.cluster.mqtt.url import Topics, address
from server.config import Settings
from server.domain import snapshots
from server.domain.room import Room
from server.ids import new_player_id
from server.rooms.timers import now

CALL_TICK = 0.002  # seconds between news for nodes
TICK = 0.25  # seconds between states of a room, and between updates of the lobby
KEPT = 300.0  # seconds that the state of an ended room stays


class MqttBus:
    def __init__(self, settings: Settings) -> None:
        self.node = new_player_id()
        self._codec = JSON if settings.bus_format == "json" else MSGPACK
        self._topics = Topics(settings.bus_prefix)
        self._will = Post(self._topics.node(self.node), json.dumps({"node": self.node, "online": False}).encode(), True)
        self._address = address(settings)
        self._ear: Ear | None = None
        self._link: Link | None = None
        self._calls: dict[str, int] = {}  # rooms with something new, and their newest seq
        self._states: dict[str, Room] = {}  # to be told with the next tick
        self._shown: dict[str, Room] = {}
        self._plies: dict[str, int] = {}  # games that have gone on since they were shown
        self._bots: tuple[BotInfo, ...] = ()
        self._watchers: dict[str, int] = {}  # as the others know them
        self._ticking = self._calling = False

    @property
    def up(self) -> bool:
        return self._link is not None and self._link.up

    @property
    def lost(self) -> int:
        return 0 if self._link is None else self._link.lost

    def listen(self, ear: Ear) -> None:
        self._ear = ear

    async def open(self) -> None:
        """Does not wait for the broker: a node serves without one."""
        link = Link(
            self._address,
            f"parlour-{self.node}",
            self._will,
            self._topics.heard_by_nodes,
            self._received,
            self._connected,
        )
        self._link = link
        link.start()

    async def close(self) -> None:
        if self._link is not None:
            self._flush()
            self._link.send(self._will.topic, b"", True)  # a retained message ends with an empty one
            await self._link.close()

    # -- telling

    def _send(self, topic: str, payload: bytes, retain: bool = False) -> None:
        if self._link is not None:
            self._link.send(topic, payload, retain)

    def _encode(self, message: Message) -> bytes:
        return self._codec.encode(message)

    def publish(self, room: Room, events: Sequence[AnyEvent]) -> None:
        self._calls[room.setup.room] = room.seq
        if not self._calling:
            self._call_all()
        if not public(room):
            return
        topic = self._topics.events(room.setup.room)
        for event in events:
            if type(event) is not Created:  # that one stays in the log, see messages.py
                self._send(topic, self._encode(event))
        self._states[room.setup.room] = room
        self._soon()

    def show(self, room: Room) -> None:
        if not room.setup.private:
            self._shown[room.setup.room] = room
            self._plies.pop(room.setup.room, None)
            self._soon()

    def advance(self, plies: dict[str, int]) -> None:
        self._plies |= plies
        self._soon()

    def introduce(self, bots: tuple[BotInfo, ...]) -> None:
        self._bots = bots
        self._introduce_node()

    def _introduce_node(self) -> None:
        known = {
            "node": self.node,
            "online": True,
            "bots": [to_builtins(bot) for bot in self._bots],
            "watchers": self._watchers,
        }
        self._send(self._will.topic, json.dumps(known).encode(), True)

    def invite(self, room: Room, name: str) -> None:
        self._call(room=room.setup.room, invite=name)

    def _call_all(self) -> None:
        """The first news go at once; what comes right behind goes together."""
        self._calling = bool(self._calls)
        if self._calls:
            seqs, self._calls = self._calls, {}
            self._call(seqs=seqs)
            asyncio.get_running_loop().call_later(CALL_TICK, self._call_all)

    def _call(self, **what: Any) -> None:
        self._send(self._topics.calls, json.dumps({"node": self.node, **what}).encode())

    def _soon(self) -> None:
        if not self._ticking:
            self._ticking = True
            asyncio.get_running_loop().call_later(TICK, self._flush)

    def _flush(self) -> None:
        self._ticking = False
        states, self._states = self._states, {}
        shown, self._shown = self._shown, {}
        plies, self._plies = self._plies, {}
        at = now() if self._ear is None else self._ear.now()
        for name, room in states.items():
            self._send(self._topics.state(name), self._encode(snapshots.snapshot(room, None, at)), True)
            if room.status == "ended":
                asyncio.get_running_loop().call_later(KEPT, self._send, self._topics.state(name), b"", True)
        if (shown or plies) and self._ear is not None:
            watchers = self._ear.watchers()
            if watchers != self._watchers:  # before the others hear of the rooms
                self._watchers = watchers
                self._introduce_node()
            rooms = tuple(map(self._ear.info, shown.values()))
            self._send(self._topics.lobby, self._encode(LobbyUpdate(rooms=rooms, plies=plies)))

    def _connected(self) -> None:
        """Whatever the broker does not know, and whatever we have not heard."""
        self.introduce(self._bots)
        if self._ear is not None:
            for room in self._ear.open_rooms():
                if public(room):
                    self._states[room.setup.room] = room
            self._soon()
            self._ear.news_again()

    # -- hearing

    def _received(self, topic: str, payload: bytes, retained: bool) -> None:
        topics, ear = self._topics, self._ear
        if ear is None or not payload:
            return
        with suppress(Malformed, ValueError, TypeError, KeyError, AttributeError):  # anybody can write anything there
            if topic == topics.lobby:
                update: Any = self._codec.decode_server_message(payload)
                ear.heard_lobby(update.rooms, update.plies)
            elif topic == topics.calls:
                self._called(ear, json.loads(payload))
            elif topic.startswith(topics.nodes) and topic != self._will.topic:
                self._met(ear, topic, json.loads(payload), retained)

    def _called(self, ear: Ear, call: dict[str, Any]) -> None:
        if call["node"] == self.node:
            return
        for room, seq in call.get("seqs", {}).items():
            ear.heard(room, int(seq))
        if "invite" in call:
            ear.heard_invitation(str(call["room"]), str(call["invite"]))

    def _met(self, ear: Ear, topic: str, node: dict[str, Any], retained: bool) -> None:
        bots = tuple(
            BotInfo(
                name=str(bot["name"]),
                plays=tuple(map(str, bot["plays"])),
                account=bool(bot.get("account")),
                house=bool(bot.get("house")),
            )
            for bot in node.get("bots", ())
        )
        watchers = {str(room): max(0, int(count)) for room, count in node.get("watchers", {}).items()}
        here = node["online"] is True
        ear.heard_bots(str(node["node"]), bots if here else ())
        ear.heard_watchers(str(node["node"]), watchers if here else {})
        if retained and node["online"] is not True:  # it died before we came; names of nodes do not come twice
            self._send(topic, b"", True)


def public(room: Room) -> bool:
    """Whether everybody may see everything of a room."""
    return not room.setup.private and (not room.setup.delay or room.status == "ended")
