"""Server addresses: turn what a user writes into a WebSocket URL."""

from __future__ import annotations

from urllib.parse import quote, urlsplit, urlunsplit

from client.sdk.errors import NoServer

DEFAULT_URL = "ws://127.0.0.1:8765/ws"
SCHEMES = {"ws": "ws", "wss": "wss", "http": "ws", "https": "wss"}
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")


def websocket_url(text: str) -> str:
    """Return the WebSocket URL of `example.org:8765`, `http://…` or `ws://…`. Raises NoServer if it is not valid."""
    given = text.strip()
    try:
        parts = urlsplit(given if "://" in given else f"ws://{given}")
        valid = bool(parts.hostname) and parts.scheme in SCHEMES and (parts.port is None or parts.port > 0)
    except ValueError:
        valid = False
    if not valid or any(c.isspace() for c in given):
        raise NoServer(f"{text[:80]!r} is not a server address: try something like {DEFAULT_URL}")
    path = parts.path if parts.path not in ("", "/") else "/ws"
    return urlunsplit((SCHEMES[parts.scheme], parts.netloc, path, parts.query, ""))


def room_url(url: str, room: str) -> str:
    """Return a WebSocket URL that names a room: a balancer can then choose the node of its players."""
    if not room:
        return url
    parts = urlsplit(url)
    return urlunsplit(parts._replace(query="&".join(filter(None, (parts.query, f"room={quote(room, safe='')}")))))


def page_url(url: str, *path: str) -> str:
    """Return the address of a page for browsers on the server with this WebSocket URL. The path is quoted."""
    parts = urlsplit(url)
    scheme = "https" if parts.scheme == "wss" else "http"
    pages = "/".join([parts.path.removesuffix("/ws").rstrip("/"), *(quote(part, safe="") for part in path)])
    return urlunsplit((scheme, parts.netloc, pages, "", ""))


def is_local(url: str) -> bool:
    """Return whether the server runs on this machine. No proxy is used then."""
    return urlsplit(url).hostname in LOCAL_HOSTS
