"""Free ports on the loopback interface, and waiting for a server to listen."""

from __future__ import annotations

import socket
import time
from random import SystemRandom

PORTS = range(10_000, 32_000)  # below the ephemeral ports of the system


def free_port() -> int:
    """Return a random free port. The system does not give it to other processes, even while its server restarts."""
    for port in SystemRandom().sample(PORTS, 100):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError(f"no free port between {PORTS.start} and {PORTS.stop}")


def wait_for(port: int, seconds: float = 30.0) -> None:
    """Wait until a server listens on a port. Raises OSError if it takes too long."""
    give_up = time.monotonic() + seconds
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port), 1):
                return
        except OSError:
            if time.monotonic() > give_up:
                raise
            time.sleep(0.02)
