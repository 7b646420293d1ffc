"""Where a broker is, and what our topics are called."""

from __future__ import annotations

import ssl
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from server.cluster.bus import BusError
from server.config import Settings

PORTS = {"mqtt": 1883, "mqtts": 8883}


class Address(NamedTuple):
    host: str
    port: int
    user: str | None
    password: str | None
    tls: ssl.SSLContext | None


def address(settings: Settings) -> Address:
    """From --bus and its companions; BusError."""
    try:
        parts = urlsplit(settings.bus)
        port = parts.port
    except ValueError as error:
        raise BusError(f"--bus is no address: {error}") from None
    if parts.scheme not in PORTS or not parts.hostname:
        raise BusError("--bus is an address like mqtt://host:1883, or mqtts://host:8883 with TLS")
    user = settings.bus_user or unquote(parts.username or "") or None
    password = settings.bus_password or unquote(parts.password or "") or None
    return Address(parts.hostname, port or PORTS[parts.scheme], user, password, trust(settings, parts.scheme))


def trust(settings: Settings, scheme: str) -> ssl.SSLContext | None:
    if scheme == "mqtt" and not settings.bus_ca:
        return None
    try:
        return ssl.create_default_context(cafile=settings.bus_ca or None)
    except OSError as error:
        raise BusError(f"--bus-ca {settings.bus_ca} cannot be used: {error.strerror or error}") from None


class Topics:
    """Events and state of rooms, the lobby, the nodes; `calls` is what nodes tell each other."""

    def __init__(self, prefix: str) -> None:
        prefix = prefix.strip("/")
        if not prefix or "#" in prefix or "+" in prefix:
            raise BusError("--bus-prefix is the beginning of a topic, like parlour/v1, without + and #")
        self.rooms = f"{prefix}/rooms/"
        self.lobby = f"{prefix}/lobby"
        self.calls = f"{prefix}/calls"
        self.nodes = f"{prefix}/nodes/"

    def events(self, room: str) -> str:
        return f"{self.rooms}{room}/events"

    def state(self, room: str) -> str:
        return f"{self.rooms}{room}/state"

    def node(self, name: str) -> str:
        return self.nodes + name

    @property
    def heard_by_nodes(self) -> tuple[str, ...]:
        return self.lobby, self.calls, f"{self.nodes}+"
