"""Plain HTTP on the same port: what this is, whether it is well, its numbers; and who may open a socket."""

from __future__ import annotations

from http import HTTPStatus

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from protocol.wire import CODECS
from server.connection import Connection
from server.house import House

ABOUT = """Parlour: where board-game bots and people meet.

This is a game server. Games: {games}.
Connect a WebSocket to /ws with the subprotocol {subprotocols}
and say hello, or use the command: parlour play GAME --url {scheme}://{host}/ws

/healthz says whether the server is well, /metrics has its numbers for Prometheus.
"""


class Doorman:
    def __init__(self, house: House) -> None:
        self.house = house
        self.settings = house.settings

    def request(self, connection: Connection, request: Request) -> Response | None:
        """A page, a refusal, or None: then the socket opens."""
        path = request.path.partition("?")[0]
        if path == "/ws":
            return self.socket(connection, request)
        if path == "/":
            return page(HTTPStatus.OK, self.about(request))
        if path == "/healthz":
            return self.health()
        if path == "/metrics":
            text = self.house.metrics.text(self.house.gauges(), self.house.rooms())
            return page(HTTPStatus.OK, text, "text/plain; version=0.0.4; charset=utf-8")
        return page(HTTPStatus.NOT_FOUND, "there is nothing here\n")

    def about(self, request: Request) -> str:
        from server import view

        return ABOUT.format(
            games=", ".join(game.title for game in view.games()),
            subprotocols=" or ".join(CODECS),
            scheme="wss" if self.settings.tls_cert else "ws",
            host=request.headers.get("Host", "host:port"),
        )

    def health(self) -> Response:
        hall = self.house.hall
        if hall.draining:
            return page(HTTPStatus.SERVICE_UNAVAILABLE, "draining\n")
        if hall.failing:
            return page(HTTPStatus.SERVICE_UNAVAILABLE, f"the store fails: {hall.failing}\n")
        return page(HTTPStatus.OK, "ok\n")

    def socket(self, connection: Connection, request: Request) -> Response | None:
        if self.house.hall.draining:
            return page(HTTPStatus.SERVICE_UNAVAILABLE, "draining\n")
        if "Upgrade" not in request.headers:
            return page(HTTPStatus.UPGRADE_REQUIRED, "this is the address of a WebSocket\n")
        if not self.welcome_origin(request):
            self.house.metrics.turned_away["origin"] += 1
            return page(HTTPStatus.FORBIDDEN, "pages of this origin may not connect\n")
        address = self.address(connection, request)
        if not self.house.addresses.admit(address):
            self.house.metrics.turned_away["address"] += 1
            return page(HTTPStatus.TOO_MANY_REQUESTS, "too many connections from your address\n")
        connection.address = address
        return None

    def welcome_origin(self, request: Request) -> bool:
        """Browsers say which page they show; programs say nothing, or might as well."""
        origin = request.headers.get("Origin")
        allowed = [entry.strip() for entry in self.settings.origins.split(",") if entry.strip()]
        if origin is None or origin in allowed or "*" in allowed:
            return True
        return origin.partition("://")[2] == request.headers.get("Host", "")

    def address(self, connection: Connection, request: Request) -> str:
        if self.settings.forwarded:
            forwarded = request.headers.get_all("X-Forwarded-For")
            if forwarded:
                return forwarded[-1].rpartition(",")[2].strip()
        peer = connection.remote_address
        return str(peer[0]) if peer else "?"


def page(status: HTTPStatus, text: str, kind: str = "text/plain; charset=utf-8") -> Response:
    body = text.encode()
    headers = Headers({"Content-Type": kind, "Content-Length": str(len(body)), "Connection": "close"})
    return Response(status.value, status.phrase, headers, body)
