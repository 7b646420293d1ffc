"""The pages for browsers: static files, kept in memory with their compressed form and their headers."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from http import HTTPStatus
from typing import NamedTuple

from websockets.datastructures import Headers

STATIC = "/static/"  # the files under this path are cached for good: the version is part of their address
SHELL = "index.html"  # the page of every route
MIN_GZIP_BYTES = 500
CONTENT_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
}
# No inline scripts or styles, nothing from other origins, and a socket to this server only.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors {}"
)
EMBED = "/embed/"  # the only pages that other sites may show in a frame


class Page(NamedTuple):
    """An HTTP response: status, body and headers."""

    status: HTTPStatus
    body: bytes
    headers: Headers


class File(NamedTuple):
    """A file and its compressed form, which is empty if compression does not help."""

    body: bytes
    zipped: bytes
    content_type: str
    tag: str


class Website:
    """Static files by URL path, and the routes of the pages.

    `files` maps relative paths to contents; `index.html` is the page of every route. A segment of a route in capitals
    stands for any text: `/room/ID`.
    """

    def __init__(self, files: Mapping[str, bytes], routes: Iterable[str]) -> None:
        digest = sha256()
        for name in sorted(files):
            digest.update(f"{name}\0{len(files[name])}\0".encode() + files[name])
        self.version = digest.hexdigest()[:12]
        shell = files[SHELL].replace(b'"/static/', f'"{STATIC}{self.version}/'.encode())
        self._files = {name: make_file(name, body) for name, body in files.items() if name != SHELL}
        self._shell = make_file(SHELL, shell)
        self._routes = re.compile("|".join(map(route_pattern, routes)))

    def is_page(self, path: str) -> bool:
        """Return whether a path is the address of a page."""
        return self._routes.fullmatch(path) is not None

    def find(self, path: str, request: Headers) -> Page | None:
        """Return the response for a path, or None if there is nothing. `request`: the headers of the request."""
        if path.startswith(STATIC):
            version, _, name = path.removeprefix(STATIC).partition("/")
            file = self._files.get(name)
            # A browser may have the page of another version, for example of a node that is updated later.
            cached = "public, max-age=31536000, immutable" if version == self.version else "no-cache"
            return None if file is None else answer(file, HTTPStatus.OK, request, cached)
        return self.page(HTTPStatus.OK, path, request) if self.is_page(path) else None

    def page(self, status: HTTPStatus, path: str, request: Headers) -> Page:
        """Return the page of every route. The script on it reads the path."""
        page = answer(self._shell, status, request, "no-cache")
        embedded = path.startswith(EMBED) and self.is_page(path)
        page.headers["Content-Security-Policy"] = POLICY.format("*" if embedded else "'none'")
        page.headers["Referrer-Policy"] = "same-origin"
        return page


def route_pattern(route: str) -> str:
    return "/".join("[^/]+" if segment.isupper() else re.escape(segment) for segment in route.split("/"))


def make_file(name: str, body: bytes) -> File:
    zipped = gzip.compress(body, 9, mtime=0) if len(body) >= MIN_GZIP_BYTES else b""
    tag = sha256(body).hexdigest()[:16]
    return File(body, zipped if len(zipped) < len(body) else b"", CONTENT_TYPES[name.rpartition(".")[2]], tag)


def answer(file: File, status: HTTPStatus, request: Headers, cached: str) -> Page:
    """Return the response for a file: compressed if the client accepts it, or 304 if the client has it."""
    zipped = bool(file.zipped) and accepts_gzip(field(request, "Accept-Encoding"))
    body, tag = (file.zipped, f'"{file.tag}-gz"') if zipped else (file.body, f'"{file.tag}"')
    headers = Headers(
        {"Cache-Control": cached, "ETag": tag, "Vary": "Accept, Accept-Encoding", "X-Content-Type-Options": "nosniff"}
    )
    if status is HTTPStatus.OK and is_known(tag, field(request, "If-None-Match")):
        return Page(HTTPStatus.NOT_MODIFIED, b"", headers)
    headers["Content-Type"] = file.content_type
    if zipped:
        headers["Content-Encoding"] = "gzip"
    return Page(status, body, headers)


def field(headers: Headers, name: str) -> str:
    """Return the value of a header that may be repeated or absent."""
    return ", ".join(headers.get_all(name))


def is_known(tag: str, condition: str) -> bool:
    """Return whether a tag is among those of an If-None-Match header."""
    tags = [entry.strip().removeprefix("W/") for entry in condition.split(",")]
    return tag in tags or "*" in tags


def accepts_gzip(accepted: str) -> bool:
    """Return whether an Accept-Encoding header allows gzip."""
    for entry in accepted.split(","):
        coding, _, weight = entry.partition(";")
        if coding.strip().lower() in ("gzip", "*"):
            return re.fullmatch(r"\s*q=0(\.0*)?\s*", weight) is None
    return False
