"""Two buses as one: a fast one between the workers of this machine, and one that other nodes and subscribers reach."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from protocol.events import AnyEvent
from protocol.replies import TournamentUpdate
from protocol.types import BotInfo, ReviewState
from server.cluster.bus import Bus, BusListener, Payloads, WorkerBus
from server.domain.room import Room


class BusPair:
    """Sends everything on both buses. On the far bus, every worker counts as a node."""

    has_listeners = True
    sends_events = False  # other nodes do not send the first events of a room

    def __init__(self, near: WorkerBus, far: Bus) -> None:
        self._near, self._far = near, far
        self.share = near.share

    @property
    def up(self) -> bool:
        return self._near.up and self._far.up

    @property
    def responsive(self) -> bool:
        return self._near.responsive and self._far.responsive

    def reaches(self, node: str) -> bool:
        return self._near.reaches(node) or self._far.reaches(node)

    @property
    def overloaded(self) -> bool:
        return self._near.overloaded or self._far.overloaded

    @property
    def unsent_bytes(self) -> int:
        return self._near.unsent_bytes + self._far.unsent_bytes

    @property
    def coalesced(self) -> int:
        return self._near.coalesced + self._far.coalesced

    @property
    def lost(self) -> int:
        return self._near.lost + self._far.lost

    @property
    def unreadable(self) -> int:
        return self._near.unreadable + self._far.unreadable

    async def open(self) -> None:
        await self._near.open()
        await self._far.open()

    async def close(self) -> None:
        await asyncio.gather(self._near.close(), self._far.close())

    def listen(self, listener: BusListener) -> None:
        self._near.listen(listener)
        self._far.listen(listener)

    def publish(self, room: Room, events: Sequence[AnyEvent], payloads: Payloads, deadline: int | None) -> None:
        self._near.publish(room, events, payloads, deadline)
        self._far.publish(room, events, payloads, deadline)

    def follow(self, room: str, seq: int) -> None:
        self._near.follow(room, seq)
        self._far.follow(room, seq)

    def unfollow(self, room: str) -> None:
        self._near.unfollow(room)
        self._far.unfollow(room)

    def withdraw_rematch(self, room: str) -> None:
        self._near.withdraw_rematch(room)
        self._far.withdraw_rematch(room)

    async def metrics_samples(self) -> list[Any]:
        return await self._near.metrics_samples()

    def show(self, room: Room) -> None:
        self._near.show(room)
        self._far.show(room)

    def advance(self, plies: dict[str, int]) -> None:
        self._near.advance(plies)
        self._far.advance(plies)

    def introduce(self, bots: tuple[BotInfo, ...]) -> None:
        self._near.introduce(bots)
        self._far.introduce(bots)

    def invite(self, room: Room, name: str, origin: str = "") -> None:
        self._near.invite(room, name, origin)
        self._far.invite(room, name, origin)

    def report(self, update: TournamentUpdate) -> None:
        self._near.report(update)
        self._far.report(update)

    def announce_review(self, room: str, state: ReviewState, done: int = 0, total: int = 0) -> None:
        self._near.announce_review(room, state, done, total)
        self._far.announce_review(room, state, done, total)
