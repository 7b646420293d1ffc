"""Ports on the loopback, and waiting until somebody listens there."""

from __future__ import annotations

import socket
import time
from random import SystemRandom

PORTS = range(10_000, 32_000)  # below those that the system gives to whoever asks for any


def free_port() -> int:
    """One that nobody else gets by chance, also while whoever has it is away for a moment."""
    for port in SystemRandom().sample(PORTS, 100):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError(f"there is no free port between {PORTS.start} and {PORTS.stop}")


def wait_for(port: int, seconds: float = 30.0) -> None:
    give_up = time.monotonic() + seconds
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port), 1):
                return
        except OSError:
            if time.monotonic() > give_up:
                raise
            time.sleep(0.02)
