"""Plain HTTP on the port of the WebSocket: pages, health, metrics, and which requests may become a WebSocket."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus

from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.exceptions import NegotiationError
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from protocol.codec import CODECS
from server.domain import snapshots
from server.transport.services import Services
from server.transport.website import Page, Website, field

WEBSOCKET_PATH = "/ws"
MAX_WRITE_AGE_S = 5.0  # an older pending write means unhealthy; longer than SQLite waits for a locked file
SINGLE_HEADERS = ("Host", "Origin")  # must not be repeated: a proxy might use the other value
PLAIN = "text/plain; charset=utf-8"
PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"
FRONT_PAGE = """Parlour: a game server for board-game bots and people.

Games: {games}.
To play: parlour play GAME --url {scheme}://{host}/ws, or open this page in a browser.
To write a client: connect a WebSocket to /ws with the subprotocol {subprotocols}
and send hello.

/healthz: whether the server is healthy. /metrics: metrics for Prometheus.
"""


def text_page(status: HTTPStatus, text: str, content_type: str = PLAIN) -> Page:
    headers = Headers({"Content-Type": content_type})
    if status is HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = "GET, HEAD"
    return Page(status, text.encode(), headers)


class HttpHandler:
    """Answers plain HTTP requests, and decides which WebSocket handshakes to refuse."""

    def __init__(self, services: Services, website: Website | None = None) -> None:
        self.services, self.website = services, website
        self.settings = services.settings

    def respond(self, request: Request, path: str, is_address_full: Callable[[Headers], bool]) -> Response | None:
        """Return the response to a request, or None to open a WebSocket.

        `is_address_full` is called for a handshake that is not refused for another reason.
        """
        page = self._page(request, path, is_address_full)
        if page is None:
            return None
        status, body, headers = page
        headers["Connection"] = "close"
        if status is not HTTPStatus.NOT_MODIFIED:
            headers["Content-Length"] = str(len(body))
        return Response(status.value, status.phrase, headers, b"" if request.method == "HEAD" else body)

    def _page(self, request: Request, path: str, is_address_full: Callable[[Headers], bool]) -> Page | None:
        method, headers = request.method, request.headers
        if method not in ("GET", "HEAD"):
            return text_page(HTTPStatus.METHOD_NOT_ALLOWED, f"{method} is not allowed: use GET or HEAD\n")
        for name in SINGLE_HEADERS:
            if len(headers.get_all(name)) > 1:
                return text_page(HTTPStatus.BAD_REQUEST, f"several {name} headers: send only one {name} header\n")
        if path == WEBSOCKET_PATH:
            return self._handshake_refusal(headers, is_address_full)
        if path == "/healthz":
            return self._health()
        if path == "/metrics":
            text = self.services.metrics.text(self.services.gauges(), self.services.rooms())
            return text_page(HTTPStatus.OK, text, PROMETHEUS)
        return self._static_page(path, headers)

    def _static_page(self, path: str, headers: Headers) -> Page:
        """Return a page or a file for browsers; texts for other clients, which do not ask for HTML."""
        html = "text/html" in field(headers, "Accept")
        if path == "/" and not (self.website and html):
            return text_page(HTTPStatus.OK, self._front_page(headers))
        if self.website and (page := self.website.find(path, headers)):
            return page
        if self.website and html:
            return self.website.page(HTTPStatus.NOT_FOUND, path, headers)
        return text_page(HTTPStatus.NOT_FOUND, "page not found: try / for what is here\n")

    def _front_page(self, headers: Mapping[str, str]) -> str:
        return FRONT_PAGE.format(
            games=", ".join(game.title for game in snapshots.game_list()),
            subprotocols=" or ".join(CODECS),
            scheme="wss" if self.settings.tls_cert else "ws",
            host=headers.get("Host", "host:port"),
        )

    def _health(self) -> Page:
        services = self.services
        if services.status.draining:
            return text_page(HTTPStatus.SERVICE_UNAVAILABLE, "draining\n")
        if services.status.store_error:
            return text_page(HTTPStatus.SERVICE_UNAVAILABLE, f"the store fails: {services.status.store_error}\n")
        if services.write_age_s > MAX_WRITE_AGE_S:
            text = f"a write has been waiting for {services.write_age_s:.0f} s\n"
            return text_page(HTTPStatus.SERVICE_UNAVAILABLE, text)
        return text_page(HTTPStatus.OK, "ok\n")

    def _handshake_refusal(self, headers: Headers, is_address_full: Callable[[Headers], bool]) -> Page | None:
        services = self.services
        if services.status.draining:
            return text_page(HTTPStatus.SERVICE_UNAVAILABLE, "draining\n")
        if "Upgrade" not in headers:
            return text_page(
                HTTPStatus.UPGRADE_REQUIRED, f"{WEBSOCKET_PATH} is a WebSocket: connect with ws:// or wss://\n"
            )
        if not self._is_origin_allowed(headers):
            services.metrics.turned_away["origin"] += 1
            return text_page(HTTPStatus.FORBIDDEN, "web pages of this origin may not connect\n")
        if is_address_full(headers):
            services.metrics.turned_away["address"] += 1
            return text_page(HTTPStatus.TOO_MANY_REQUESTS, "too many connections from your address: close some first\n")
        return None

    def _is_origin_allowed(self, headers: Mapping[str, str]) -> bool:
        """Return whether a web page may connect. Requests without an Origin do not come from a browser."""
        origin = headers.get("Origin")
        allowed = [entry.strip() for entry in self.settings.origins.split(",") if entry.strip()]
        if origin is None or origin in allowed or "*" in allowed:
            return True
        return origin.partition("://")[2] == headers.get("Host", "")


def select_subprotocol(connection: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """Return the first known subprotocol of a handshake, or None if it offers none: then the first message decides.

    Raises NegotiationError, which is answered with status 400.
    """
    for name in offered:
        if name in CODECS:
            return name
    if offered:
        raise NegotiationError(f"unknown subprotocol: use {' or '.join(CODECS)}")
    return None
