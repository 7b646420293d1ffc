"""What the parent process tells a worker when it starts: one line of JSON on standard input."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from socket import socket

from server.app import Worker
from server.config import Settings
from server.rooms.timers import clock_with


def stopping_mark(folder: str) -> Path:
    """Return the file that the parent process creates before it stops all workers."""
    return Path(folder) / "stopping"


@dataclass(frozen=True, slots=True)
class WorkerSpec:
    """A worker, in a form that can be sent. `epoch_offset_ns` gives all workers the same clock."""

    settings: Settings
    index: int
    count: int
    node: str
    folder: str
    descriptors: list[int]
    alone: bool
    epoch_offset_ns: int

    def encode(self) -> bytes:
        """Return the spec as one line."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def read(cls, descriptor: int) -> WorkerSpec:
        """Read a spec from a pipe, which stays open. Raises EOFError if the parent process has died."""
        line = b""
        while not line.endswith(b"\n"):
            data = os.read(descriptor, 65536)
            if not data:
                raise EOFError
            line += data
        values = json.loads(line)
        return cls(**{**values, "settings": Settings(**values["settings"])})

    def worker(self) -> Worker:
        """Return the worker, with the sockets that were inherited."""
        return Worker(
            index=self.index,
            count=self.count,
            node=self.node,
            folder=self.folder,
            sockets=[socket(fileno=descriptor) for descriptor in self.descriptors],
            alone=self.alone,
            clock=clock_with(self.epoch_offset_ns),
        )
