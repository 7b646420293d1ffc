"""The SQL of retention, on both stores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from protocol.codec import MSGPACK, decode_event
from protocol.events import Said
from server.config import Settings
from server.metrics import Metrics
from server.storage.interface import Append, Session, Store, append_and_wait
from server.storage.retention import DAY_MS, ROOMS_PER_BATCH, Retention
from server.storage.sqlite.store import SqliteStore
from tests.server.domain.helpers import NOW
from tests.server.storage.rows import row

OLD = NOW - 400 * DAY_MS


def said(room: str, seq: int, text: str) -> bytes:
    return MSGPACK.encode(Said(room=room, seq=seq, at=OLD, name="ann", text=text, seat=0))


async def add_room(store: Store, room: str, status: str = "ended", **changes: object) -> None:
    payloads = (said(room, 1, f"hello from {room}"), b"\x81\xa4type\xa5moved")
    changes = {"changed_at": OLD, "result": "1-0", **changes}
    await append_and_wait(store, Append(room, 0, payloads, row(room, status, **changes)))


def retention(store: Store) -> Retention:
    return Retention(
        store=store,
        settings=Settings(),
        metrics=Metrics(),
        now=lambda: NOW,
        is_loaded=lambda room: False,
        connected=lambda: ["p1"],
        pause_s=0.0,
    )


async def chat_in(store: Store, room: str) -> str:
    event = decode_event((await store.events(room))[0])
    assert isinstance(event, Said)
    return event.text


async def test_rooms_without_a_result_are_counted_and_deleted(store: Store) -> None:
    count = ROOMS_PER_BATCH + 1
    for n in range(count):
        await add_room(store, f"old{n}", result="*")
    await add_room(store, "young", result="*", changed_at=NOW)
    await add_room(store, "open", "running", result="*")
    await add_room(store, "won")
    assert await store.count_prunable(NOW - DAY_MS, 0) == (count, 0)
    assert (await retention(store).prune())["rooms"] == count
    assert await store.events("old0") == []
    for room in ("young", "open", "won"):
        assert len(await store.events(room)) == 2


async def test_sessions_are_renewed_or_deleted(store: Store) -> None:
    for player in ("p1", "p2"):
        await store.save_session(player, Session(player, player, ""), OLD)
    assert await store.count_prunable(0, NOW - DAY_MS) == (0, 2)
    assert await retention(store).prune() == {"sessions": 1}
    assert await store.load_session("p1") is not None
    assert await store.load_session("p2") is None


async def test_chat_is_emptied_in_the_order_in_which_games_ended(store: Store) -> None:
    """An open room, a private room and the order of the ids hold nothing back."""
    await add_room(store, "a-open", "running")
    await add_room(store, "b-young", changed_at=NOW)
    for n in range(ROOMS_PER_BATCH + 1):
        await add_room(store, f"c{n:03}", changed_at=OLD + n % 3, private=n % 2 == 0)
    assert await retention(store).prune() == {"chat": ROOMS_PER_BATCH + 1}
    assert await retention(store).prune() == {}
    assert [await chat_in(store, room) for room in ("c000", "c050")] == ["", ""]
    assert await chat_in(store, "a-open") == "hello from a-open"
    assert await chat_in(store, "b-young") == "hello from b-young"


async def test_room_that_ends_later_is_emptied_when_it_is_old(store: Store) -> None:
    await add_room(store, "a", "running")
    await add_room(store, "b")
    assert await retention(store).prune() == {"chat": 1}
    await append_and_wait(store, Append("a", 2, (b"x",), row("a", "ended", result="1-0", changed_at=OLD + 5)))
    assert await retention(store).prune() == {"chat": 1}
    assert await chat_in(store, "a") == ""


async def test_ended_rooms_are_read_from_an_index_without_sorting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SqliteStore(str(tmp_path / "parlour.db"))
    await store.open()
    asked: list[tuple[Any, ...]] = []

    async def explain(sql: str, *values: Any) -> list[Any]:
        asked.extend(await store._read(f"EXPLAIN QUERY PLAN {sql}", *values))
        return []

    monkeypatch.setattr(store, "_select", explain)
    await store.ended_rooms((1, "r"), 9, 50)
    await store.close()
    assert ["rooms_by_end" in line[3] for line in asked] == [True]
