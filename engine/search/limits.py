"""When to stop a search, what is reported of it, and the clock that watches over both."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from engine.game import Move

SLICE = 0.002  # seconds between two looks at the clock
BEAT = 5.0  # seconds between two signs of life


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop: whichever comes first. Without any, think until the value is proved."""

    seconds: float | None = None
    nodes: int | None = None
    depth: int | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What was found. `value` is for the side to move, in the game's own points (1, 0, -1 where it has none)."""

    move: Move | None
    value: float
    proved: bool
    line: tuple[Move, ...]
    depth: int
    nodes: int
    seconds: float
    low: float | None = None  # while solving: the value is proved to lie between
    high: float | None = None


Progress = Callable[[Report], None]


class Stopped(Exception):
    """The limits have been reached."""


def quiet(anything: object) -> None:
    """Tell nobody."""


class Clock:
    """Limits being watched."""

    def __init__(self, limits: Limits, cancel: threading.Event | None = None) -> None:
        self._start = time.perf_counter()
        self._limits, self._cancel = limits, cancel
        self._next_beat = BEAT
        self.beat: Callable[[int], None] = quiet  # called with the nodes so far

    def spent(self) -> float:
        return time.perf_counter() - self._start

    def left(self) -> float:
        return math.inf if self._limits.seconds is None else self._limits.seconds - self.spent()

    def budget(self, wanted: int, nodes: int) -> int:
        """How many nodes may be visited before the next look."""
        return wanted if self._limits.nodes is None else max(1, min(wanted, self._limits.nodes - nodes))

    def check(self, nodes: int) -> None:
        """Look at the limits: Stopped if one has been reached."""
        if self._limits.nodes is not None and nodes >= self._limits.nodes:
            raise Stopped
        if self.left() <= SLICE or (self._cancel is not None and self._cancel.is_set()):
            raise Stopped
        if self.spent() >= self._next_beat:
            self._next_beat = self.spent() + BEAT
            self.beat(nodes)
