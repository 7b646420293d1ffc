"""The files and pages for browsers: addresses, caching, compression, headers."""

from __future__ import annotations

import gzip
from http import HTTPStatus

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request

from server.transport.http import HttpHandler
from server.transport.website import Website
from tests.server.transport.stub_server import StubServices

SCRIPT = b"export const answer = 42;\n" * 40
FILES = {"index.html": b'<script src="/static/app.js"></script>', "app.js": SCRIPT, "pages/room.js": b"// short"}
HTML = {"Accept": "text/html,*/*;q=0.8"}


@pytest.fixture
def website() -> Website:
    return Website(FILES, ["/", "/room/ID"])


def respond(website: Website, path: str, method: str = "GET", **headers: str) -> tuple[int, Headers, bytes]:
    given = Headers({name.replace("_", "-"): value for name, value in headers.items()})
    response = HttpHandler(StubServices(), website).respond(Request(path, given, method=method), path)
    assert response is not None
    return response.status_code, response.headers, bytes(response.body)


def static(website: Website, name: str) -> str:
    return f"/static/{website.version}/{name}"


def test_front_page_is_html_for_browsers_and_text_for_others(website: Website) -> None:
    _, headers, body = respond(website, "/", **HTML)
    assert headers["Content-Type"].startswith("text/html")
    assert f'src="/static/{website.version}/app.js"'.encode() in body
    _, headers, body = respond(website, "/", Accept="*/*")
    assert headers["Content-Type"].startswith("text/plain")
    assert headers["Vary"] == "Accept"
    assert b"parlour play" in body


@pytest.mark.parametrize("path", ["/room/abc", "/room/a%20b"])
def test_routes_are_pages(website: Website, path: str) -> None:
    assert respond(website, path, **HTML)[0] == 200


@pytest.mark.parametrize("path", ["/room", "/room/", "/room/a/b", "/nothing", "/static/x/../app.js", "/index.html"])
def test_other_paths_are_not_found(website: Website, path: str) -> None:
    status, headers, _ = respond(website, path, **HTML)
    assert status == 404
    assert headers["Content-Type"].startswith("text/html")
    assert respond(website, path)[2] == b"page not found: see / for the lobby\n"


def test_pages_forbid_inline_scripts_and_foreign_content(website: Website) -> None:
    policy = respond(website, "/", **HTML)[1]["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "connect-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


def test_only_embedded_pages_may_be_framed() -> None:
    website = Website(FILES, ["/embed/ID"])
    assert "frame-ancestors *" in respond(website, "/embed/x", **HTML)[1]["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in respond(website, "/embed/x/y", **HTML)[1]["Content-Security-Policy"]


def test_files_of_this_version_are_cached_for_good_and_others_are_checked(website: Website) -> None:
    assert "immutable" in respond(website, static(website, "app.js"))[1]["Cache-Control"]
    assert respond(website, "/static/000000000000/app.js")[1]["Cache-Control"] == "no-cache"
    assert respond(website, "/", **HTML)[1]["Cache-Control"] == "no-cache"


def test_version_changes_with_any_file(website: Website) -> None:
    assert Website({**FILES, "pages/room.js": b"// other"}, ["/"]).version != website.version


def test_files_are_compressed_only_if_the_client_accepts_it(website: Website) -> None:
    path = static(website, "app.js")
    _, headers, body = respond(website, path, Accept_Encoding="br, gzip")
    assert headers["Content-Encoding"] == "gzip"
    assert headers["Content-Length"] == str(len(body))
    assert gzip.decompress(body) == SCRIPT
    for accepted in ("", "identity", "gzip;q=0", "br"):
        _, headers, body = respond(website, path, Accept_Encoding=accepted)
        assert "Content-Encoding" not in headers
        assert body == SCRIPT


def test_known_file_is_not_sent_again(website: Website) -> None:
    path = static(website, "app.js")
    tag = respond(website, path)[1]["ETag"]
    status, headers, body = respond(website, path, If_None_Match=f'"x", W/{tag}')
    assert (status, body) == (HTTPStatus.NOT_MODIFIED, b"")
    assert headers["ETag"] == tag
    assert respond(website, path, If_None_Match=tag, Accept_Encoding="gzip")[0] == 200  # another encoding, another tag


def test_head_has_the_headers_of_get_without_the_body(website: Website) -> None:
    path = static(website, "app.js")
    _, wanted, _ = respond(website, path)
    status, headers, body = respond(website, path, "HEAD")
    assert (status, body) == (200, b"")
    assert dict(headers) == dict(wanted)


def test_repeated_headers_are_not_an_error(website: Website) -> None:
    request = Headers(
        [("Accept", "text/html"), ("Accept", "*/*"), ("Accept-Encoding", "x"), ("Accept-Encoding", "gzip")]
    )
    response = HttpHandler(StubServices(), website).respond(Request("/", request), "/")
    assert response is not None
    assert response.status_code == 200
