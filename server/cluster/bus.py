"""Tells other nodes, and whoever listens, what happened. It carries news, never the truth: that is in the store.

A message may be lost, come twice or be made up. So a node that hears of a room looks into the store, and from time to
time it looks without having heard anything (server/cluster/node.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from protocol.events import AnyEvent
from protocol.types import BotInfo, RoomInfo
from server.config import Settings
from server.domain.room import Room


class Ear(Protocol):
    """What a node does about news. It hears its own as well."""

    def now(self) -> int: ...

    def heard(self, room: str, seq: int) -> None:
        """A room's newest event has this seq, they say."""

    def heard_lobby(self, rooms: tuple[RoomInfo, ...], plies: dict[str, int]) -> None:
        """Public rooms that changed, and how far games are that went on."""

    def heard_bots(self, node: str, bots: tuple[BotInfo, ...]) -> None:
        """The bots that are connected to another node; none any more if it is gone."""

    def heard_watchers(self, node: str, counts: dict[str, int]) -> None:
        """How many watch public rooms at another node."""

    def heard_invitation(self, room: str, name: str) -> None:
        """A room waits for somebody of this name."""

    def news_again(self) -> None:
        """The bus was away, and is back: there may have been news."""

    def watchers(self) -> dict[str, int]:
        """How many watch public rooms at this node."""

    def info(self, room: Room) -> RoomInfo:
        """A room as lists show it."""

    def open_rooms(self) -> list[Room]:
        """The rooms of which this node would have told meanwhile."""


class Bus(Protocol):
    @property
    def up(self) -> bool:
        """Whether news come and go at the moment."""

    @property
    def lost(self) -> int:
        """How many messages could not be sent."""

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    def listen(self, ear: Ear) -> None: ...

    def publish(self, room: Room, events: Sequence[AnyEvent]) -> None:
        """Events that are durable, and the room after them."""

    def show(self, room: Room) -> None:
        """A room looks different in lists from now on."""

    def advance(self, plies: dict[str, int]) -> None:
        """Public games went on, as far as this."""

    def introduce(self, bots: tuple[BotInfo, ...]) -> None:
        """All bots that are connected to this node."""

    def invite(self, room: Room, name: str) -> None: ...


class LocalBus:
    """Within one process: whoever listens hears of events; the lobby and the bots are known here anyway."""

    up = True
    lost = 0

    def __init__(self) -> None:
        self._ears: list[Ear] = []

    async def open(self) -> None:
        pass

    async def close(self) -> None:
        self._ears.clear()

    def listen(self, ear: Ear) -> None:
        self._ears.append(ear)

    def publish(self, room: Room, events: Sequence[AnyEvent]) -> None:
        if len(self._ears) > 1:
            for ear in self._ears:
                ear.heard(room.setup.room, room.seq)

    def show(self, room: Room) -> None:
        pass

    def advance(self, plies: dict[str, int]) -> None:
        pass

    def introduce(self, bots: tuple[BotInfo, ...]) -> None:
        pass

    def invite(self, room: Room, name: str) -> None:
        pass


class BusError(Exception):
    """The bus cannot be used; the text is one sentence for whoever started the server."""


def open_bus(settings: Settings) -> Bus:
    """The bus for what `--bus` says."""
    if not settings.bus:
        return LocalBus()
    try:
        from server.cluster.mqtt.bus import MqttBus
    except ImportError:
        raise BusError("MQTT needs a package more: pip install 'parlour[mqtt]'") from None
    return MqttBus(settings)
