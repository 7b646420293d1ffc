"""The address of an MQTT broker, and the names of the topics."""

from __future__ import annotations

import ssl
from typing import NamedTuple
from urllib.parse import unquote, urlsplit
from zlib import crc32

from server.cluster.bus import BusError
from server.config import Settings

PORTS = {"mqtt": 1883, "mqtts": 8883}
BUCKETS = 256  # topics by a hash of the room


class BrokerAddress(NamedTuple):
    """Where the broker is, and how to log in."""

    host: str
    port: int
    user: str | None
    password: str | None
    tls: ssl.SSLContext | None


def broker_address(settings: Settings) -> BrokerAddress:
    """Return the address that `--bus` and the related settings give. Raises BusError."""
    try:
        parts = urlsplit(settings.bus)
        port = parts.port
    except ValueError as error:
        raise BusError(f"--bus is not a valid address: {error}") from None
    if parts.scheme not in PORTS or not parts.hostname:
        raise BusError("--bus must be an address like mqtt://host:1883, or mqtts://host:8883 for TLS")
    user = settings.bus_user or unquote(parts.username or "") or None
    password = settings.bus_password or unquote(parts.password or "") or None
    return BrokerAddress(
        parts.hostname, port or PORTS[parts.scheme], user, password, tls_context(settings, parts.scheme)
    )


def tls_context(settings: Settings, scheme: str) -> ssl.SSLContext | None:
    """Return how to verify the broker, or None for a connection without TLS. Raises BusError."""
    if scheme == "mqtt" and not settings.bus_ca:
        return None
    try:
        return ssl.create_default_context(cafile=settings.bus_ca or None)
    except OSError as error:
        raise BusError(
            f"--bus-ca {settings.bus_ca} cannot be used ({error.strerror or error}): give a file of certificates (PEM)"
        ) from None


class Topics:
    """The names of all topics. Raises BusError if the prefix cannot begin a topic.

    Outside subscribers read `rooms`, `lobby`, `tournaments` and `nodes`. Only nodes read and write `peers`: a topic for
    all nodes, an inbox for each node, and topics by a hash of a room, for the nodes that have such a room loaded.
    Nodes of earlier versions write to `calls`.
    """

    def __init__(self, prefix: str) -> None:
        prefix = prefix.strip("/")
        if not prefix or "#" in prefix or "+" in prefix:
            raise BusError("--bus-prefix must be the beginning of a topic, such as parlour/v1, without + and #")
        self.rooms = f"{prefix}/rooms/"
        self.lobby = f"{prefix}/lobby"
        self.tournaments = f"{prefix}/tournaments"
        self.calls = f"{prefix}/calls"
        self.nodes = f"{prefix}/nodes/"
        self.peers = f"{prefix}/peers"
        self.states = self.state("+")

    def events(self, room: str) -> str:
        return f"{self.rooms}{room}/events"

    def state(self, room: str) -> str:
        return f"{self.rooms}{room}/state"

    def node(self, name: str) -> str:
        return self.nodes + name

    def inbox(self, node: str) -> str:
        return f"{self.peers}/to/{node}"

    def bucket(self, room: str) -> str:
        """Return the topic where a node asks which others have a room loaded."""
        return f"{self.peers}/rooms/{crc32(room.encode()) % BUCKETS}"

    def room_of(self, state: str) -> str:
        """Return the room of a state topic."""
        return state.removeprefix(self.rooms).removesuffix("/state")

    def for_node(self, node: str) -> tuple[str, ...]:
        """Return the topics that a node always subscribes to."""
        return self.peers, self.inbox(node), self.calls, f"{self.nodes}+"
