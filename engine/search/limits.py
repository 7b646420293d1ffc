"""Limits and reports of a search, and the clock that checks the limits."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from engine.game import Move

SLICE_S = 0.002  # time between two checks of the limits
HEARTBEAT_S = 5.0  # time between two progress reports while solving


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop a search: at the first limit reached. Without limits, search until the value is proved."""

    seconds: float | None = None
    nodes: int | None = None
    depth: int | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a search. `value` is for the side to move, in points of the game (1, 0, -1 if it has none)."""

    move: Move | None
    value: float
    proved: bool
    line: tuple[Move, ...]
    depth: int
    nodes: int
    seconds: float
    low: float | None = None  # while solving: proved bounds of the value
    high: float | None = None


Progress = Callable[[Report], None]


class Stopped(Exception):
    """A limit has been reached, or the search was cancelled."""


def ignore(anything: object) -> None:
    """Do nothing. The default for callbacks."""


class Clock:
    """Checks the limits of one search."""

    def __init__(self, limits: Limits, cancel: threading.Event | None = None) -> None:
        self._start = time.perf_counter()
        self._limits, self._cancel = limits, cancel
        self._next_heartbeat = HEARTBEAT_S
        self.on_heartbeat: Callable[[int], None] = ignore  # called with the number of nodes so far

    def spent(self) -> float:
        return time.perf_counter() - self._start

    def left(self) -> float:
        return math.inf if self._limits.seconds is None else self._limits.seconds - self.spent()

    def budget(self, wanted: int, nodes: int) -> int:
        """Return how many nodes may be visited before the next check."""
        return wanted if self._limits.nodes is None else max(1, min(wanted, self._limits.nodes - nodes))

    def check(self, nodes: int) -> None:
        """Raise Stopped if a limit has been reached or the search was cancelled."""
        if self._limits.nodes is not None and nodes >= self._limits.nodes:
            raise Stopped
        if self.left() <= SLICE_S or (self._cancel is not None and self._cancel.is_set()):
            raise Stopped
        if self.spent() >= self._next_heartbeat:
            self._next_heartbeat = self.spent() + HEARTBEAT_S
            self.on_heartbeat(nodes)
