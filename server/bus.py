"""Tells other halls what happened. It carries events, never the truth: whoever misses one reads it from the store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

Heard = Callable[[str, int], None]  # the room, and the seq of its newest event


class Bus(Protocol):
    async def open(self) -> None: ...

    async def close(self) -> None: ...

    def listen(self, heard: Heard) -> None: ...

    def publish(self, sender: Heard, room: str, seq: int, payloads: tuple[bytes, ...]) -> None:
        """Events that are durable, in the bytes that everyone gets; `sender` does not hear its own."""


class LocalBus:
    """Within one process."""

    def __init__(self) -> None:
        self._listeners: list[Heard] = []

    async def open(self) -> None:
        pass

    async def close(self) -> None:
        self._listeners.clear()

    def listen(self, heard: Heard) -> None:
        self._listeners.append(heard)

    def publish(self, sender: Heard, room: str, seq: int, payloads: tuple[bytes, ...]) -> None:
        for heard in self._listeners:
            if heard != sender:
                heard(room, seq)
