"""Retention: what is old is deleted, and games with a result, sessions in use and loaded rooms stay."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from protocol.commands import Abort, Resign, Say
from server.config import Settings
from server.metrics import Metrics
from server.storage import retention as module
from server.storage.interface import Append, Session, Store, append_and_wait
from server.storage.retention import DAY_MS, Retention
from tests.server.conftest import Build
from tests.server.domain.helpers import NOW
from tests.server.fakes import Harness, RecordingClient
from tests.server.rooms.helpers import start_game
from tests.server.storage.rows import row

OLD = NOW - 31 * DAY_MS


def retention(
    store: Store, loaded: Callable[[str], bool] = lambda room: False, connected: list[str] | None = None, **keep: float
) -> Retention:
    return Retention(
        store=store,
        settings=Settings(**keep),  # type: ignore[arg-type]
        metrics=Metrics(),
        now=lambda: NOW,
        is_loaded=loaded,
        connected=lambda: connected or [],
        pause_s=0.0,
    )


async def add_rooms(store: Store, count: int, name: str, **changes: object) -> None:
    for n in range(count):
        id = f"{name}{n:03}"
        await append_and_wait(store, Append(id, 0, (b"a", b"b"), row(id, "ended", **changes)))


async def test_only_old_rooms_without_a_result_are_deleted(server: Harness) -> None:
    store = server.store
    await add_rooms(store, 2 * module.ROOMS_PER_BATCH + 1, "old", changed_at=OLD)
    await add_rooms(store, 2, "young", changed_at=NOW - DAY_MS)
    await add_rooms(store, 2, "played", changed_at=OLD, result="1-0")
    await append_and_wait(store, Append("open", 0, (b"a",), row("open", "waiting", changed_at=OLD)))
    done = await retention(store).prune()
    assert done == {"rooms": 2 * module.ROOMS_PER_BATCH + 1}
    assert await store.events("old000") == []
    for room in ("young000", "played001"):
        assert await store.events(room) == [b"a", b"b"]
    assert await store.events("open") == [b"a"]
    assert (await store.sizes())[0]["rooms"] == 5


async def test_rooms_in_memory_stay(server: Harness) -> None:
    await add_rooms(server.store, 60, "old", changed_at=OLD)
    assert await retention(server.store, loaded=lambda room: room < "old055").prune() == {"rooms": 5}
    assert await retention(server.store, loaded=lambda room: True).prune() == {}
    assert await retention(server.store).prune() == {"rooms": 55}


async def test_zero_days_keep_everything(server: Harness) -> None:
    await add_rooms(server.store, 1, "old", changed_at=OLD)
    await server.store.save_session("old", Session("p1", "ann", ""), OLD)
    assert await retention(server.store, keep_aborted=0, keep_sessions=0, keep_chat=0).prune() == {}


async def test_sessions_in_use_are_renewed_and_others_expire(server: Harness) -> None:
    for player in ("p1", "p2"):
        await server.store.save_session(player, Session(player, player, ""), OLD)
    assert await retention(server.store, connected=["p1"]).prune() == {"sessions": 1}
    assert await server.store.load_session("p2") is None
    returning = await server.store.load_session("p1")
    assert returning is not None
    assert returning.saved_at == NOW


async def test_chat_of_old_games_is_emptied_and_their_moves_stay(server: Harness, build: Build) -> None:
    live, ann, ben = await start_game(server)
    await server.ask(ann, Say, room=live.room.id, text="my address is")
    await server.ask(ben, Resign, room=live.room.id)
    server.clock.advance(1000)  # ids of rooms sort by the second
    running, eve, _ = await start_game(server)
    await server.ask(eve, Say, room=running.room.id, text="still here")
    server.clock.advance(400 * DAY_MS)
    pruning = server.app.retention
    assert (await pruning.prune())["chat"] == 1
    assert (await pruning.prune())["chat"] == 0
    stored = b"".join(await server.store.events(live.room.id))
    assert b"address" not in stored
    assert b"still here" in b"".join(await server.store.events(running.room.id))
    fresh = await build()
    loaded = await fresh.app.registry.find(live.room.id, RecordingClient())
    assert (loaded.room.chat, loaded.room.seq, loaded.room.status) == ((), live.room.seq, "ended")


@pytest.mark.parametrize("gap_ms", [-1, 400 * DAY_MS])
async def test_nothing_is_deleted_for_a_day_after_the_clock_has_jumped(server: Harness, gap_ms: int) -> None:
    pruning = server.app.retention
    assert await pruning._clock_is_certain()
    server.clock.advance(gap_ms)
    assert not await pruning._clock_is_certain()
    server.clock.advance(DAY_MS // 2)
    assert not await pruning._clock_is_certain()
    server.clock.advance(DAY_MS // 2)
    assert await pruning._clock_is_certain()


async def test_players_can_abort_and_the_room_stays_until_it_is_old(server: Harness) -> None:
    live, ann, _ = await start_game(server)
    await server.ask(ann, Abort, room=live.room.id)
    server.clock.advance(29 * DAY_MS)
    assert await server.app.retention.prune() == {}
