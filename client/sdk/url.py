"""Where a server is: what people write, as a WebSocket URL."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from client.sdk.errors import NoServer

DEFAULT_URL = "ws://127.0.0.1:8765/ws"
SCHEMES = {"ws": "ws", "wss": "wss", "http": "ws", "https": "wss"}
HERE = ("localhost", "127.0.0.1", "::1")


def websocket_url(text: str) -> str:
    """`example.org:8765`, `http://…` and `ws://…` alike; NoServer if it is no address."""
    given = text.strip()
    try:
        parts = urlsplit(given if "://" in given else f"ws://{given}")
        usable = bool(parts.hostname) and parts.scheme in SCHEMES and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable or any(c.isspace() for c in given):
        raise NoServer(f"{text[:80]!r} is no address of a server: expected something like {DEFAULT_URL}")
    path = parts.path if parts.path not in ("", "/") else "/ws"
    return urlunsplit((SCHEMES[parts.scheme], parts.netloc, path, parts.query, ""))


def is_local(url: str) -> bool:
    """On this very machine, where no proxy is wanted."""
    return urlsplit(url).hostname in HERE
