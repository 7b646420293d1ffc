"""HTTP on the same port."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.conftest import Come, Start
from tests.e2e.pages import get
from tests.e2e.play import move, room_of

SAMPLE = re.compile(r'^[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [-+0-9.eEinf]+$')


async def test_the_front_page_says_what_this_is_and_how_to_connect(start: Start) -> None:
    server = await start()
    _, text = await get(server.url, "/")
    assert "Parlour" in text
    assert server.url in text


async def test_health(start: Start) -> None:
    server = await start()
    assert await get(server.url, "/healthz") == (200, "ok\n")


@pytest.mark.parametrize(("path", "code"), [("/nothing", 404), ("/ws", 426)])
async def test_other_pages_are_refused(start: Start, path: str, code: int) -> None:
    server = await start()
    assert (await get(server.url, path))[0] == code


async def test_metrics_count_what_happens(start: Start, come: Come) -> None:
    server = await start(sweep=1000.0)  # which writes now and then
    ann, ben = await come(server.url, "ann"), await come(server.url, "ben")
    room = await room_of(ann, ben)
    await move(ann, room, 0, "a1")
    await ann.refused("move", room=room, ply=1, move="a1")
    _, text = await get(server.url, "/metrics")
    samples = [line for line in text.splitlines() if not line.startswith("#")]
    assert all(SAMPLE.match(line) for line in samples), samples
    for line in (
        "parlour_connections 2",
        "parlour_moves_total 1",
        'parlour_rooms{game="cohcoh",status="running"} 1',
        'parlour_refusals_total{code="not_your_turn"} 1',
        "parlour_store_queue_length 0",
    ):
        assert line in samples
    names = {line.split("{")[0].split(" ")[0] for line in samples}
    assert {"parlour_append_seconds_count", "parlour_loop_lag_seconds", "parlour_send_queue_bytes"} <= names


async def test_metrics_count_every_event_that_is_written(start: Start, come: Come, tmp_path: Path) -> None:
    server = await start(sweep=1000.0)
    ann, ben = await come(server.url, "ann"), await come(server.url, "ben")
    room = await room_of(ann, ben)
    await move(ann, room, 0, "a1")
    await ann.ask("resign", room=room)
    await ann.ask("rematch", room=room)
    await ben.ask("rematch", room=room)
    await ann.find(type="rematched")
    _, text = await get(server.url, "/metrics")
    with closing(sqlite3.connect(tmp_path / "parlour.db")) as store:
        (written,) = store.execute("SELECT count(*) FROM events").fetchone()
    assert f"parlour_events_total {written}\n" in text
