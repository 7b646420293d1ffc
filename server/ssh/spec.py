"""What processes of the SSH service tell each other: the server its service, and the service its sessions."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Self


class Spec:
    """Something that can be sent to a child process as one line of JSON."""

    def encode(self) -> bytes:
        """Return the spec as one line."""
        return json.dumps(asdict(self)).encode() + b"\n"  # type: ignore[call-overload]

    @classmethod
    def decode(cls, line: bytes) -> Self:
        """Return the spec of a line."""
        return cls(**json.loads(line))


@dataclass(frozen=True, slots=True)
class ServiceSpec(Spec):
    """What the SSH service needs to know of the server. `url`: for clients on this machine."""

    settings: dict[str, Any]
    url: str
    host_key: str
    descriptors: list[int]  # of the listening sockets
    folder: str  # where each session gets a folder of its own


@dataclass(frozen=True, slots=True)
class SessionSpec(Spec):
    """What the process of a session needs to know. `name` is empty for an account, which the voucher names."""

    command: str
    url: str
    name: str
    voucher: str
    trust: str
    service: int  # the id of the process that the session must not outlive
    terminal: bool
    memory_bytes: int
    cpu_time_s: int
