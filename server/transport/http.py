"""Plain HTTP on the same port: what this is, whether it is well, its numbers; and who may open a socket."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, NamedTuple

from protocol.codec import CODECS
from server.domain import snapshots

if TYPE_CHECKING:
    from server.server import House

LONG = 5.0  # seconds for the store to write something: longer than it waits for a file that is locked
PLAIN = "text/plain; charset=utf-8"
ABOUT = """Parlour: where board-game bots and people meet.

This is a game server. Games: {games}.
Connect a WebSocket to /ws with the subprotocol {subprotocols}
and say hello, or use the command: parlour play GAME --url {scheme}://{host}/ws

/healthz says whether the server is well, /metrics has its numbers for Prometheus.
"""


class Page(NamedTuple):
    status: HTTPStatus
    text: str
    kind: str = PLAIN


class Doorman:
    def __init__(self, house: House) -> None:
        self.house = house
        self.settings = house.settings

    def objection(self, method: str, twice: Sequence[str]) -> Page | None:
        """To how something is asked for, whatever it is. `twice`: headers that may come once."""
        if method not in ("GET", "HEAD"):
            return Page(HTTPStatus.METHOD_NOT_ALLOWED, "there is only something to get here\n")
        if twice:
            return Page(HTTPStatus.BAD_REQUEST, f"a request has one {twice[0]} header, and this one has several\n")
        return None

    def page(self, path: str, headers: Mapping[str, str]) -> Page | None:
        """The page at a path; None is where the socket is, and its visitor may try."""
        if path == "/ws":
            return self.socket(headers)
        if path == "/":
            return Page(HTTPStatus.OK, self.about(headers))
        if path == "/healthz":
            return self.health()
        if path == "/metrics":
            text = self.house.metrics.text(self.house.gauges(), self.house.rooms())
            return Page(HTTPStatus.OK, text, "text/plain; version=0.0.4; charset=utf-8")
        return Page(HTTPStatus.NOT_FOUND, "there is nothing here\n")

    def about(self, headers: Mapping[str, str]) -> str:
        return ABOUT.format(
            games=", ".join(game.title for game in snapshots.games()),
            subprotocols=" or ".join(CODECS),
            scheme="wss" if self.settings.tls_cert else "ws",
            host=headers.get("Host", "host:port"),
        )

    def health(self) -> Page:
        hall = self.house.hall
        if hall.draining:
            return Page(HTTPStatus.SERVICE_UNAVAILABLE, "draining\n")
        if hall.failing:
            return Page(HTTPStatus.SERVICE_UNAVAILABLE, f"the store fails: {hall.failing}\n")
        waiting = self.house.store.write_age_s
        if waiting > LONG:
            return Page(HTTPStatus.SERVICE_UNAVAILABLE, f"a write has been waiting for {waiting:.0f} s\n")
        return Page(HTTPStatus.OK, "ok\n")

    def socket(self, headers: Mapping[str, str]) -> Page | None:
        if self.house.hall.draining:
            return Page(HTTPStatus.SERVICE_UNAVAILABLE, "draining\n")
        if "Upgrade" not in headers:
            return Page(HTTPStatus.UPGRADE_REQUIRED, "this is the address of a WebSocket\n")
        if not self.welcome_origin(headers):
            self.house.metrics.turned_away["origin"] += 1
            return Page(HTTPStatus.FORBIDDEN, "pages of this origin may not connect\n")
        return None

    def welcome_origin(self, headers: Mapping[str, str]) -> bool:
        """Browsers say which page they show; programs say nothing, or might as well."""
        origin = headers.get("Origin")
        allowed = [entry.strip() for entry in self.settings.origins.split(",") if entry.strip()]
        if origin is None or origin in allowed or "*" in allowed:
            return True
        return origin.partition("://")[2] == headers.get("Host", "")

    def admit(self, address: str) -> Page | None:
        """A page for a visitor to the socket whose address has too many of them."""
        if not self.house.addresses.too_many(address):
            return None
        self.house.metrics.turned_away["address"] += 1
        return Page(HTTPStatus.TOO_MANY_REQUESTS, "too many connections from your address\n")
