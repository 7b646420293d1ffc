"""Plain HTTP on the port of the WebSocket: pages, health, metrics, and which requests may become a WebSocket."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Mapping, Sequence
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
METRICS_PATH = "/metrics"
SINGLE_HEADERS = ("Host", "Origin")  # must not be repeated: a proxy might use the other value
PLAIN = "text/plain; charset=utf-8"
PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"
FRONT_PAGE = """Parlour: a game server for board-game bots and people.

Games: {games}.
To play: parlour play GAME --url {scheme}://{host}/ws, or open this page in a browser.
To write a client: connect a WebSocket to /ws with the subprotocol {subprotocols}
and send hello.

/livez: whether the server runs. /readyz: whether to send it new clients.
/metrics: metrics for Prometheus.
"""


def text_page(status: HTTPStatus, text: str, content_type: str = PLAIN) -> Page:
    headers = Headers({"Content-Type": content_type, "Vary": "Accept"})
    if status is HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = "GET, HEAD"
    return Page(status, text.encode(), headers)


class HttpHandler:
    """Answers plain HTTP requests, and decides which WebSocket handshakes to refuse."""

    def __init__(self, services: Services, website: Website | None = None) -> None:
        self.services, self.website = services, website
        self.settings = services.settings
        self._origins = listed(self.settings.origins)
        self._names = own_names() | {
            name.lower() for name in listed(f"{self.settings.host},{self.settings.public_host}")
        }

    def respond(self, request: Request, path: str, address_full: bool = False) -> Response | None:
        """Return the response to a request, or None to open a WebSocket.

        `address_full`: the client's IP address has too many connections, or connects too often.
        """
        page = self._page(request, path, address_full)
        if page is None:
            return None
        status, body, headers = page
        headers["Connection"] = "close"
        if status is not HTTPStatus.NOT_MODIFIED:
            headers["Content-Length"] = str(len(body))
        return Response(status.value, status.phrase, headers, b"" if request.method == "HEAD" else body)

    def _page(self, request: Request, path: str, address_full: bool) -> Page | None:
        if address_full:
            self.services.metrics.turned_away["address"] += 1
            return text_page(
                HTTPStatus.TOO_MANY_REQUESTS, "too many connections from your address: close some, or wait a moment\n"
            )
        method, headers = request.method, request.headers
        if method not in ("GET", "HEAD"):
            return text_page(HTTPStatus.METHOD_NOT_ALLOWED, f"{method} is not allowed: use GET or HEAD\n")
        for name in SINGLE_HEADERS:
            if len(headers.get_all(name)) > 1:
                return text_page(HTTPStatus.BAD_REQUEST, f"several {name} headers: send only one {name} header\n")
        if path == WEBSOCKET_PATH:
            return self._handshake_refusal(headers)
        if path == "/livez":
            return text_page(HTTPStatus.OK, "ok\n")
        if path in ("/healthz", "/readyz"):
            return self._health()
        if path == METRICS_PATH:
            return text_page(HTTPStatus.OK, self.services.metrics_text(), PROMETHEUS)
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
        return text_page(HTTPStatus.NOT_FOUND, "page not found: see / for the lobby\n")

    def _front_page(self, headers: Mapping[str, str]) -> str:
        return FRONT_PAGE.format(
            games=", ".join(game.title for game in snapshots.game_list()),
            subprotocols=" or ".join(CODECS),
            scheme="wss" if self.settings.tls_cert else "ws",
            host=headers.get("Host", "host:port"),
        )

    def _health(self) -> Page:
        """Return whether a load balancer should send new clients here. Connected clients stay either way."""
        services = self.services
        if services.status.draining:
            return text_page(HTTPStatus.SERVICE_UNAVAILABLE, "draining\n")
        if services.status.store_error:
            return text_page(HTTPStatus.SERVICE_UNAVAILABLE, f"the store fails: {services.status.store_error}\n")
        return text_page(HTTPStatus.OK, "ok\n")

    def _handshake_refusal(self, headers: Headers) -> Page | None:
        services = self.services
        if services.status.draining:
            return text_page(HTTPStatus.SERVICE_UNAVAILABLE, "draining\n")
        if "Upgrade" not in headers:
            return text_page(
                HTTPStatus.UPGRADE_REQUIRED, f"{WEBSOCKET_PATH} is a WebSocket: connect with ws:// or wss://\n"
            )
        problem = self._origin_problem(headers)
        if problem:
            services.metrics.turned_away["origin"] += 1
            return text_page(HTTPStatus.FORBIDDEN, problem)
        return None

    def _origin_problem(self, headers: Mapping[str, str]) -> str:
        """Return why a web page may not connect, or an empty text if it may.

        Requests without an Origin do not come from a browser. A page of this server has the Host as its origin. With
        DNS rebinding, a page of another site has it too: once the page is loaded, its name is made to lead to this
        server. So the Host must be a name of this server, unless the page came over TLS: this server has no
        certificate for foreign names.
        """
        origin, host = headers.get("Origin"), headers.get("Host", "")
        if origin is None or origin in self._origins or "*" in self._origins:
            return ""
        scheme, _, origin_host = origin.partition("://")
        if origin_host != host:
            return "web pages of this origin may not connect: the operator can allow it with --origins\n"
        if scheme == "https" or self._is_own_name(host):
            return ""
        return "this server does not know that name: use its IP address, or start it with --public-host NAME\n"

    def _is_own_name(self, host: str) -> bool:
        """Return whether a Host header has an address, or a name that can lead only to this server."""
        name = (host.rpartition("]")[0].removeprefix("[") or host.partition(":")[0]).lower().removesuffix(".")
        if name in self._names or name.endswith(".localhost"):
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


def listed(text: str) -> list[str]:
    """Return the entries of a setting that are separated by commas."""
    return [entry.strip() for entry in text.split(",") if entry.strip()]


def own_names() -> set[str]:
    """Return the names of this machine, also in the form of multicast DNS."""
    name = socket.gethostname().lower()
    short = name.partition(".")[0]
    return {"localhost", name, short, f"{short}.local"}


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
