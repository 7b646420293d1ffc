from __future__ import annotations

import asyncio
import logging
import sqlite3
from contextlib import closing

import pytest

from engine.registry import GAMES
from protocol.codec import MSGPACK, decode_event
from protocol.commands import Abort, Create, Join, Leave, List, Move, Resign, Say, Watch
from protocol.events import AnyEvent, Resumed, Said
from protocol.weights import LOADED_EVENTS_PER_MESSAGE
from server.domain.decision import Refusal
from server.domain.downtime import Downtime
from server.domain.room import BOTH_AWAY_TIMEOUT_MS, replay
from server.ids import month_of, new_room_id
from server.rooms import registry
from server.rooms.live_room import LiveRoom
from server.rooms.registry import MIN_WRITTEN_CREDIT_MS, OVERDUE_GRACE_SINGLE_NODE_MS, UNUSED_ROOM_MS
from server.rooms.status import NODE_TIMEOUT_MS
from server.storage.interface import Append, Session, StoreError, Unavailable, append_and_wait
from tests.server.conftest import Build
from tests.server.domain.helpers import ANN, BEN, EVE, NOW
from tests.server.fakes import Harness, RecordingClient
from tests.server.rooms.helpers import BLITZ, create, start_game
from tests.waiting import TIMEOUT_S, until


def forget(server: Harness, live: LiveRoom) -> str:
    """Drop a room from memory, as a restart does. Return its name."""
    for client in live.clients():
        live.detach(client)
    server.app.timers.cancel(live)
    del server.app.registry.rooms[live.room.id]
    return live.room.id


def damage(server: Harness, room: str) -> None:
    with closing(sqlite3.connect(server.store.path, isolation_level=None)) as connection:
        connection.execute("UPDATE events SET payload = x'c1' WHERE room = ? AND seq = 2", (room,))


async def write_elsewhere(server: Harness, live: LiveRoom) -> None:
    """Let another node write a chat line to a room."""
    payload = MSGPACK.encode(Said(**live.room.event_fields(server.clock()), name="ben", seat=1, text="hm"))
    await append_and_wait(server.store, Append(live.room.id, live.room.seq, (payload,)))


# -- load


async def lengthen(server: Harness, live: LiveRoom, lines: int) -> None:
    """Append chat lines to the log of a room, and drop it from memory."""
    fields = {"name": "ann", "seat": 0, "text": "hm"}
    first = live.room.seq
    said = [Said(room=live.room.id, seq=first + n, at=NOW, **fields) for n in range(1, lines + 1)]  # type: ignore[arg-type]
    payloads = tuple(MSGPACK.encode(event) for event in said)
    await append_and_wait(server.store, Append(live.room.id, first, payloads))
    forget(server, live)


async def test_long_log_is_loaded_in_small_steps_at_the_pace_of_the_client(server: Harness) -> None:
    live, _, _ = await start_game(server)
    await lengthen(server, live, 1000)
    eve = server.connect(EVE)
    server.store.reads = 0
    found = await server.app.registry.find(live.room.id, eve)
    length = len(found.log)
    assert found.room.seq == length > 1000
    assert found.log == await server.store.events(live.room.id)
    steps = (
        -(-length // registry.EVENTS_READ_AT_ONCE) * registry.EVENTS_READ_AT_ONCE // registry.EVENTS_REPLAYED_AT_ONCE
    )
    assert steps - 5 <= len(eve.paced) <= steps
    assert max(eve.paced) * LOADED_EVENTS_PER_MESSAGE <= registry.EVENTS_REPLAYED_AT_ONCE < 50
    assert sum(eve.paced) * LOADED_EVENTS_PER_MESSAGE == length - registry.EVENTS_REPLAYED_AT_ONCE


async def test_one_client_pays_for_a_load_that_several_of_one_address_wait_for(server: Harness) -> None:
    live, _, _ = await start_game(server)
    await lengthen(server, live, 100)
    eve, other = server.connect(EVE), server.connect(EVE)
    find = server.app.registry.find
    first, second = await asyncio.gather(find(live.room.id, eve), find(live.room.id, other))
    assert first is second
    assert (eve.charged, other.charged) == (len(first.log) // LOADED_EVENTS_PER_MESSAGE, 0.0)


async def test_clients_of_many_addresses_load_a_room_once(server: Harness) -> None:
    live, _, _ = await start_game(server)
    await lengthen(server, live, 1000)
    clients = [server.connect(EVE) for _ in range(10)]
    for number, client in enumerate(clients):
        client.address = f"192.0.2.{number}"
    server.store.reads = 0
    found = await asyncio.gather(*[server.app.registry.find(live.room.id, client) for client in clients])
    assert all(room is found[0] for room in found)
    length = len(found[0].log)
    assert server.store.reads == length // registry.EVENTS_READ_AT_ONCE + 2  # to see that it is still there, too
    assert [client.charged for client in clients] == [length // LOADED_EVENTS_PER_MESSAGE] * 10


async def test_client_pays_while_a_long_log_is_loaded(server: Harness) -> None:
    live, _, _ = await start_game(server)
    await lengthen(server, live, 1000)
    eve, charged = server.connect(EVE), []

    def pace(weight: float) -> float:
        charged.append(eve.charged)
        return 0.0

    eve.pace = pace  # type: ignore[method-assign]
    found = await server.app.registry.find(live.room.id, eve)
    assert charged[0] == registry.EVENTS_READ_AT_ONCE // LOADED_EVENTS_PER_MESSAGE
    assert charged[-1] == eve.charged == len(found.log) // LOADED_EVENTS_PER_MESSAGE


async def test_other_clients_and_moves_do_not_wait_for_a_slow_load(server: Harness) -> None:
    live, ann, _ = await start_game(server)
    await lengthen(server, live, 1000)
    eve = server.connect(EVE)
    eve.address, eve.delay = "192.0.2.9", 3600.0
    slow = asyncio.ensure_future(server.app.registry.find(live.room.id, eve))
    await until("the load waits for its pace", lambda: eve.paced != [])
    found = await asyncio.wait_for(server.app.registry.find(live.room.id, ann), TIMEOUT_S)
    assert await slow is found
    assert (await server.ask(ann, Move, room=live.room.id, ply=0, move="a1")).seq == found.room.seq
    assert server.room(live.room.id) is found


async def test_room_that_is_deleted_while_it_is_loaded_is_not_there(server: Harness) -> None:
    live, _, _ = await start_game(server)
    await lengthen(server, live, 1000)
    eve = server.connect(EVE)

    def delete(weight: float) -> float:
        with closing(sqlite3.connect(server.store.path, isolation_level=None)) as connection:
            connection.execute("DELETE FROM events WHERE room = ?", (live.room.id,))
        return 0.0

    eve.pace = delete  # type: ignore[method-assign]
    with pytest.raises(Refusal, match="no room"):
        await server.app.registry.find(live.room.id, eve)
    assert server.app.registry.damaged == set()


async def test_two_requests_at_once_load_a_room_once(server: Harness) -> None:
    live, _, _ = await start_game(server)
    name, seq = forget(server, live), live.room.seq
    server.store.reads = 0
    first, second = await asyncio.gather(server.app.registry.room(name), server.app.registry.room(name))
    assert first is second is server.room(name)
    assert server.store.reads == 1
    assert first.room.seq == seq
    assert first.log == live.log


async def test_cancelled_request_does_not_cancel_the_load_for_another(server: Harness) -> None:
    live, _, _ = await start_game(server)
    name = forget(server, live)
    impatient = asyncio.ensure_future(server.app.registry.room(name))
    patient = asyncio.ensure_future(server.app.registry.room(name))
    await asyncio.sleep(0)
    impatient.cancel()
    assert await patient is server.room(name)


async def test_failed_load_can_be_tried_again(server: Harness) -> None:
    live, _, _ = await start_game(server)
    name = forget(server, live)
    server.store.read_error = Unavailable("no connection")
    with pytest.raises(Unavailable):
        await server.app.registry.room(name)
    server.store.read_error = None
    assert await server.app.registry.room(name) is not None


async def test_find_refuses_an_unknown_room(server: Harness) -> None:
    assert await server.app.registry.room("nowhere") is None
    with pytest.raises(Refusal, match="there is no room 'nowhere'") as refused:
        await server.app.registry.find("nowhere", RecordingClient())
    assert refused.value.code == "no_room"


async def test_find_says_if_the_games_of_the_month_are_in_an_archive(server: Harness) -> None:
    name = new_room_id(NOW)
    month = month_of(name)
    with pytest.raises(Refusal, match="there is no room"):
        await server.app.registry.find(name, RecordingClient())
    await server.store.set_archive((month, "archive.db", 1, 9, NOW))
    with pytest.raises(Refusal, match=f"room {name} is not here: the games of {month} are in an archive") as refused:
        await server.app.registry.find(name, RecordingClient())
    assert refused.value.code == "no_room"
    with pytest.raises(Refusal, match="there is no room 'nowhere'"):
        await server.app.registry.find("nowhere", RecordingClient())


async def test_other_clients_proceed_while_a_long_log_is_replayed(
    server: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    live, ann, _ = await start_game(server)
    for number in range(20):
        await server.ask(ann, Say, room=live.room.id, text=f"line {number}")
    monkeypatch.setattr(registry, "EVENTS_REPLAYED_AT_ONCE", 2)
    turn, decoded_in = 0, []

    def decode(payload: bytes) -> AnyEvent:
        decoded_in.append(turn)
        return decode_event(payload)

    monkeypatch.setattr(registry, "decode_event", decode)
    known, loading = live.room, asyncio.ensure_future(server.app.registry.room(forget(server, live)))
    while not loading.done():
        turn += 1
        await asyncio.sleep(0)
    assert server.room(known.id).room == known
    assert len(set(decoded_in)) == (len(decoded_in) + 1) // 2


async def test_loaded_room_gets_a_timer(server: Harness) -> None:
    live, _, _ = await start_game(server, clock=BLITZ)
    name = forget(server, live)
    loaded = await server.app.registry.find(name, RecordingClient())
    assert loaded.timer is not None
    assert loaded.timer_at == live.room.deadline


async def test_room_in_memory_is_compared_with_a_shared_store(build: Build) -> None:
    server = await build(shared=True)
    live, ann, _ = await start_game(server)
    await write_elsewhere(server, live)
    ann.messages.clear()
    assert await server.app.registry.room(live.room.id) is live
    assert ann.kinds() == ["Said"]


async def test_room_that_is_being_read_is_returned_with_what_it_lacked(build: Build) -> None:
    server = await build(shared=True)
    live, *_ = await start_game(server)
    await write_elsewhere(server, live)
    known = live.room.seq
    server.app.registry.announced(live.room.id, known + 1)
    assert live.busy
    assert await server.app.registry.room(live.room.id) is live
    assert live.room.seq == known + 1


async def test_sweep_does_not_wait_for_a_busy_room(build: Build) -> None:
    """The heartbeat is part of a sweep: a write that hangs must not make the node seem dead."""
    server = await build(shared=True)
    live, _, _ = await start_game(server, clock=BLITZ)
    assert live.deadline is not None
    server.clock.at = live.deadline + 10_000
    live.busy = True
    await server.app.registry.sweep()
    assert not live.queue


async def test_room_in_memory_is_not_read_again_from_a_store_of_one_node(server: Harness) -> None:
    live, _, _ = await start_game(server)
    server.store.reads = 0
    assert await server.app.registry.room(live.room.id) is live
    assert server.store.reads == 0


# -- resume after a restart


async def restart(server: Harness, build: Build, down_ms: int) -> Harness:
    """Stop a server now, and start another on its database after a while."""
    await server.store.mark_alive(server.app.node_id, server.clock())
    return await restart_without_heartbeat(server, build, down_ms)


async def restart_without_heartbeat(server: Harness, build: Build, down_ms: int) -> Harness:
    await server.store.close()
    server.clock.advance(down_ms)
    fresh = await build()
    await fresh.app.registry.start(fresh.app.node_id)
    await fresh.settle()
    return fresh


async def test_restart_credits_the_downtime_to_running_clocks(server: Harness, build: Build) -> None:
    live, ann, _ = await start_game(server, clock=BLITZ)
    await server.ask(ann, Move, room=live.room.id, ply=0, move="a1")
    due = live.room.deadline
    assert due is not None
    fresh = await restart(server, build, 45_000)
    restarted_at = fresh.clock()
    assert fresh.app.registry.rooms == {}, "it is loaded when it is needed"
    fresh.clock.advance(7_000)
    resumed = (await fresh.app.registry.find(live.room.id, RecordingClient())).room
    assert resumed.seq == live.room.seq + 1
    assert resumed.deadline == due + 45_000, "the clock runs again from the restart on, not from the load on"
    assert resumed.away == (restarted_at, restarted_at)
    assert not fresh.app.status.resuming


async def test_room_is_resumed_once_in_the_store(server: Harness, build: Build) -> None:
    live, _, _ = await start_game(server, clock=BLITZ)
    fresh = await restart(server, build, 45_000)
    loaded = await fresh.app.registry.find(live.room.id, RecordingClient())
    assert await fresh.store.events(live.room.id) == loaded.log
    assert isinstance(decode_event(loaded.log[-1]), Resumed)
    forget(fresh, loaded)
    again = await fresh.app.registry.find(live.room.id, RecordingClient())
    assert again.log == loaded.log
    assert again.room == loaded.room


async def test_unused_room_is_credited_for_each_of_several_restarts(server: Harness, build: Build) -> None:
    live, _, _ = await start_game(server, clock=BLITZ)
    due = live.room.deadline
    assert due is not None
    first = await restart(server, build, 45_000)
    first.clock.advance(2_000)  # a server runs, and so does the clock
    second = await restart(first, build, 10_000)
    loaded = await second.app.registry.find(live.room.id, RecordingClient())
    assert loaded.room.seq == live.room.seq + 2
    assert loaded.room.deadline == due + 55_000


async def test_start_that_is_interrupted_does_not_credit_the_downtime_twice(server: Harness, build: Build) -> None:
    live, _, _ = await start_game(server, clock=BLITZ)
    due, down_since = live.room.deadline, server.clock()
    assert due is not None
    await server.store.mark_alive(server.app.node_id, down_since)
    server.clock.advance(45_000)
    await server.store.add_downtime(Downtime(down_since, server.clock()), 0, due + 45_000)  # and then it dies
    fresh = await restart_without_heartbeat(server, build, 1_000)
    assert (await fresh.app.registry.find(live.room.id, RecordingClient())).room.deadline == due + 46_000


async def test_failed_resume_is_tried_again_with_the_next_load(server: Harness, build: Build) -> None:
    live, _, _ = await start_game(server, clock=BLITZ)
    due = live.room.deadline
    assert due is not None
    fresh = await restart(server, build, 45_000)
    fresh.store.write_error = Unavailable("the disk is full")
    with pytest.raises(Unavailable):
        await fresh.app.registry.room(live.room.id)
    assert fresh.app.registry.rooms == {}
    fresh.store.write_error = None
    assert (await fresh.app.registry.find(live.room.id, RecordingClient())).room.deadline == due + 45_000


async def test_room_that_another_node_resumes_first_is_read_again(server: Harness, build: Build) -> None:
    live, _, _ = await start_game(server, clock=BLITZ)
    fresh = await restart(server, build, 45_000)
    fresh.store.conflicts = 1
    loaded = await fresh.app.registry.find(live.room.id, RecordingClient())
    assert loaded.log == await fresh.store.events(live.room.id)
    assert loaded.room.seq == live.room.seq + 1


async def test_overdue_game_that_no_player_returns_to_is_loaded_by_its_deadline(server: Harness, build: Build) -> None:
    live, _, _ = await start_game(server, clock=BLITZ)
    due = live.room.deadline
    assert due is not None
    fresh = await restart(server, build, 45_000)
    await fresh.app.registry.sweep()
    assert fresh.app.registry.rooms == {}
    fresh.clock.at = due + 45_000 + OVERDUE_GRACE_SINGLE_NODE_MS
    await fresh.app.registry.sweep()
    fresh.app.processor.check_deadline(fresh.room(live.room.id))
    await fresh.settle()
    end = replay(map(decode_event, await fresh.store.events(live.room.id))).ended
    assert end is not None
    assert end.reason == "time"


async def test_game_that_began_long_after_the_last_heartbeat_is_loaded_in_time(server: Harness, build: Build) -> None:
    ann, ben = server.connect(ANN), server.connect(BEN)
    await server.store.mark_alive(server.app.node_id, server.clock())
    live = await create(server, ann, clock=BLITZ)
    server.clock.advance(25_000)  # no game runs, so there is no heartbeat
    await server.ask(ben, Join, room=live.room.id)
    due = live.room.deadline
    assert due is not None
    fresh = await restart_without_heartbeat(server, build, 500)
    fresh.clock.at = due + 500 + OVERDUE_GRACE_SINGLE_NODE_MS
    await fresh.app.registry.sweep()
    assert fresh.room(live.room.id).room.deadline == due + 500


async def test_sweep_loads_all_overdue_games(server: Harness, build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "DUE_ROOMS_AT_ONCE", 2)
    names = {(await start_game(server, clock=BLITZ))[0].room.id for _ in range(5)}
    fresh = await restart(server, build, 45_000)
    fresh.clock.advance(BOTH_AWAY_TIMEOUT_MS + OVERDUE_GRACE_SINGLE_NODE_MS)
    await fresh.app.registry.sweep()
    for name in names:
        assert Resumed in map(type, map(decode_event, await fresh.store.events(name)))


async def test_game_without_clocks_ends_if_no_player_returns(server: Harness, build: Build) -> None:
    live, _, _ = await start_game(server)
    assert live.room.deadline is None
    fresh = await restart(server, build, 45_000)
    fresh.clock.advance(BOTH_AWAY_TIMEOUT_MS + OVERDUE_GRACE_SINGLE_NODE_MS)
    await fresh.app.registry.sweep()
    fresh.app.processor.check_deadline(fresh.room(live.room.id))
    await fresh.settle()
    end = replay(map(decode_event, await fresh.store.events(live.room.id))).ended
    assert end is not None
    assert end.reason == "abandoned"


async def test_node_that_seemed_dead_resumes_its_rooms(build: Build) -> None:
    server = await build(shared=True)
    live, ann, _ = await start_game(server, clock=BLITZ)
    due, down_since = live.room.deadline, server.clock()
    assert due is not None
    server.clock.advance(45_000)
    await server.store.add_downtime(Downtime(down_since, server.clock()), NODE_TIMEOUT_MS, due)  # by another node
    await server.app.registry.sweep()
    await server.settle()
    assert live.room.deadline == due + 45_000
    assert "Resumed" in ann.kinds()


DAY_MS = 86_400_000


@pytest.mark.parametrize("change_ms", [-3650 * DAY_MS, -DAY_MS, -1, 45_000, 2 * DAY_MS, 3650 * DAY_MS])
async def test_changed_clock_costs_no_game_and_no_session(server: Harness, build: Build, change_ms: int) -> None:
    """The wall clock is set back or forward between two starts, and corrected before the third."""
    await server.store.save_session("secret", Session("p9", "eve", ""), server.clock())
    live, ann, _ = await start_game(server, clock=BLITZ)
    await server.ask(ann, Move, room=live.room.id, ply=0, move="a1")
    due, began = live.room.deadline, server.clock()
    assert due is not None
    waiting = (await create(server, server.connect(EVE))).room.id
    for change in (change_ms, 1000 - change_ms):
        server = await restart(server, build, change)
        await server.app.retention.prune()
        now = server.clock()
        resumed = (await server.app.registry.find(live.room.id, RecordingClient())).room
        assert resumed.status == "running"
        assert resumed.deadline == now + due - began
        assert server.room(waiting).room.deadline == now + live.room.setup.expiry
        await server.app.registry.sweep()
        await server.settle()
        assert server.room(live.room.id).room.status == "running"
        returning = await server.store.load_session("secret")
        assert returning is not None
        assert now - DAY_MS <= returning.saved_at <= now
        assert await server.store.last_alive() == now


async def test_old_sessions_expire_although_the_clock_was_changed(server: Harness, build: Build) -> None:
    await server.store.save_session("old", Session("p9", "eve", ""), server.clock() - 29 * DAY_MS)
    fresh = await restart(server, build, -3650 * DAY_MS)
    await fresh.app.retention.prune()
    assert await fresh.store.load_session("old") is not None
    again = await restart(fresh, build, DAY_MS)
    again.clock.advance(DAY_MS)
    await again.app.retention.prune()
    assert await again.store.load_session("old") is None


async def test_restart_leaves_ended_games_in_the_store(server: Harness, build: Build) -> None:
    live, ann, _ = await start_game(server)
    await server.ask(ann, Resign, room=live.room.id)
    fresh = await restart(server, build, 1000)
    assert fresh.app.registry.rooms == {}


async def test_damaged_log_does_not_stop_other_rooms(server: Harness, build: Build) -> None:
    broken, _, _ = await start_game(server)
    healthy, _, _ = await start_game(server)
    damage(server, broken.room.id)
    fresh = await restart(server, build, 1000)
    assert await fresh.app.registry.room(broken.room.id) is None
    assert await fresh.app.registry.room(healthy.room.id) is not None
    assert fresh.app.registry.damaged == {broken.room.id}
    assert await fresh.app.registry.rooms_of(ANN.id) == [healthy.room.id]
    assert [info.room for info in (await fresh.ask(fresh.connect(EVE), List)).rooms] == [healthy.room.id]


async def test_room_of_a_missing_game_is_one_event_and_stays_as_it_is(
    server: Harness, build: Build, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    live, _, _ = await start_game(server)
    healthy = await create(server, server.connect(EVE), game="conga")
    before = await server.store.events(live.room.id)
    fresh = await restart(server, build, 1000)
    missing = {name: game for name, game in GAMES._loaded.items() if name != live.room.setup.game}
    monkeypatch.setattr(GAMES, "_loaded", missing)
    monkeypatch.setattr(GAMES, "_waiting", {})
    for _ in range(2):
        assert await fresh.app.registry.room(live.room.id) is None
    assert await fresh.app.registry.room(healthy.room.id) is not None
    [record] = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert record.getMessage() == "game_missing"
    assert not record.exc_info
    assert (fields := vars(record)["fields"])["room"] == live.room.id
    assert fields["why"].startswith(f"there is no game {live.room.setup.game!r}")
    assert await fresh.store.events(live.room.id) == before


async def test_server_does_not_start_on_a_damaged_database(
    server: Harness, build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = await create(server, server.connect(EVE))
    healthy = await create(server, server.connect(ANN))
    damage(server, broken.room.id)
    events = await server.store.events(healthy.room.id)
    await server.store.close()

    async def find_damage(table: str = "") -> str:
        return "restore a backup"

    fresh = await build()
    monkeypatch.setattr(fresh.store, "find_damage", find_damage)
    with pytest.raises(StoreError, match="restore a backup"):
        await fresh.app.registry.start(fresh.app.node_id)
    assert await fresh.store.events(healthy.room.id) == events  # nothing was written


@pytest.mark.parametrize(("silent_ms", "resumed"), [(NODE_TIMEOUT_MS, False), (NODE_TIMEOUT_MS + 1, True)])
async def test_node_resumes_games_only_if_no_other_node_is_at_work(
    server: Harness, build: Build, silent_ms: int, resumed: bool
) -> None:
    live, _, _ = await start_game(server)
    await server.store.mark_alive("another node", server.clock())
    await server.store.close()
    server.clock.advance(silent_ms)
    fresh = await build(shared=True)
    await fresh.app.registry.start(fresh.app.node_id)
    await fresh.settle()
    loaded = await fresh.app.registry.find(live.room.id, RecordingClient())
    assert (loaded.room.seq > live.room.seq) is resumed
    assert await fresh.store.last_alive() == server.clock()


# -- evict


async def test_ended_room_is_evicted_when_its_last_client_has_left(server: Harness) -> None:
    live, ann, ben = await start_game(server, clock=BLITZ)
    await server.ask(ann, Resign, room=live.room.id)
    await server.ask(ann, Leave, room=live.room.id)
    assert live.room.id in server.app.registry.rooms
    live.busy = True
    live.detach(ben)
    server.app.registry.evict_ended(live)
    assert live.room.id in server.app.registry.rooms
    live.busy = False
    server.app.registry.evict_ended(live)
    assert live.room.id not in server.app.registry.rooms
    assert live.timer is None


async def test_running_game_stays_in_memory_without_clients(server: Harness) -> None:
    live, ann, ben = await start_game(server)
    for client in (ann, ben):
        live.detach(client)
    server.app.registry.evict_ended(live)
    assert live.room.id in server.app.registry.rooms


async def test_room_that_no_client_used_for_a_while_is_evicted(server: Harness) -> None:
    used, _, _ = await start_game(server)
    unused, _, _ = await start_game(server)
    for client in unused.clients():
        unused.detach(client)
    server.clock.advance(UNUSED_ROOM_MS)
    server.app.registry.evict_unused()
    assert len(server.app.registry.rooms) == 2
    server.clock.advance(1)
    server.app.registry.evict_unused()
    assert list(server.app.registry.rooms) == [used.room.id]


async def test_sweep_evicts_rooms_whose_players_vanished(server: Harness) -> None:
    """Otherwise they stay in memory until the server restarts, or for as long as a room may wait."""
    for client in [*(await start_game(server))[1:], *(await start_game(server, clock=BLITZ))[1:]]:
        for live in list(client.rooms.values()):
            live.detach(client)
    waiting = await create(server, ann := server.connect(ANN))
    waiting.detach(ann)
    server.clock.advance(UNUSED_ROOM_MS + 1)
    await server.app.registry.sweep()
    assert [live.room.setup.clock for live in server.app.registry.rooms.values()] == [BLITZ]
    server.clock.advance(waiting.room.setup.expiry + OVERDUE_GRACE_SINGLE_NODE_MS)
    await server.app.registry.sweep()  # loads it, and so sets its timer
    expired = server.room(waiting.room.id)
    assert expired.timer is not None
    assert expired.origin == ann.address


async def test_evicted_room_still_counts_for_its_arbiter(server: Harness) -> None:
    registry, eve = server.app.registry, server.connect(EVE)
    room = (await server.ask(eve, Create, game="cohcoh", players=("ann", "ben"))).room
    server.room(room).detach(eve)
    server.clock.advance(UNUSED_ROOM_MS + 1)
    registry.evict_unused()
    assert (list(registry.rooms), registry.count_arbitrated(EVE.id)) == ([], 1)
    await server.ask(eve, Abort, room=room)
    assert registry.count_arbitrated(EVE.id) == 0


async def test_damaged_room_disconnects_its_clients(server: Harness) -> None:
    live, ann, _ = await start_game(server)
    eve = server.connect(EVE)
    await server.ask(eve, Watch, room=live.room.id)
    server.app.registry.log_damaged(live)
    assert ann.closed == eve.closed == (1011, "the log of a room is damaged")
    assert (live.empty, ann.rooms, server.app.registry.rooms) == (True, {}, {})
    assert server.app.registry.damaged == {live.room.id}


# -- new rooms


async def test_new_room_is_announced_and_counted(server: Harness) -> None:
    ann = server.connect(ANN)
    live = await create(server, ann)
    assert server.bus.announced == [(live.room.id, 2)]
    assert server.bus.shown == [live.room.id]
    assert server.app.metrics.events == 2
    assert live.stored_deadline == live.room.deadline


# -- several nodes


async def test_announced_event_is_read_if_a_client_is_in_the_room(server: Harness) -> None:
    live, ann, _ = await start_game(server)
    await write_elsewhere(server, live)
    ann.messages.clear()
    server.app.registry.announced(live.room.id, live.room.seq)  # nothing new
    await server.settle()
    assert ann.messages == []
    server.app.registry.announced(live.room.id, live.room.seq + 1)
    await server.settle()
    assert ann.kinds() == ["Said"]


async def test_announced_event_is_ignored_without_clients(server: Harness) -> None:
    live, ann, ben = await start_game(server)
    await write_elsewhere(server, live)
    for client in (ann, ben):
        live.detach(client)
    server.app.registry.announced(live.room.id, live.room.seq + 1)
    server.app.registry.announced("unknown", 5)
    assert not live.busy


async def test_attended_rooms_are_those_with_clients(server: Harness) -> None:
    attended, _, _ = await start_game(server)
    other, ann, ben = await start_game(server)
    for client in (ann, ben):
        other.detach(client)
    registry = server.app.registry
    assert registry.attended() == [attended.room]
    assert [registry.is_attended(name) for name in (attended.room.id, other.room.id, "unknown")] == [True, False, False]


@pytest.mark.parametrize("shared", [False, True])
async def test_room_without_clients_may_be_out_of_date_on_one_of_several_nodes(build: Build, shared: bool) -> None:
    server = await build(shared=shared)
    live, ann, ben = await start_game(server)
    assert server.app.registry.is_current(live)
    for client in (ann, ben):
        live.detach(client)
    assert server.app.registry.is_current(live) is not shared


# -- periodic work


async def test_sweep_postpones_a_deadline_that_the_index_has_too_early(server: Harness) -> None:
    live, ann, _ = await start_game(server, clock=BLITZ)
    early = live.room.deadline
    assert early is not None
    server.clock.advance(30_000)
    await server.ask(ann, Move, room=live.room.id, ply=0, move="a1")
    later = live.room.deadline
    assert later is not None
    assert later > early == live.stored_deadline
    server.clock.at = early + OVERDUE_GRACE_SINGLE_NODE_MS
    await server.app.registry.sweep()
    assert live.stored_deadline == later
    assert await server.store.due(early) == []
    assert await server.store.due(later) == [(live.room.id, later)]


async def test_sweep_loads_overdue_rooms(server: Harness) -> None:
    live, _, _ = await start_game(server, clock=BLITZ)
    name, due = forget(server, live), live.room.deadline
    assert due is not None
    server.clock.at = due + OVERDUE_GRACE_SINGLE_NODE_MS - 1
    await server.app.registry.sweep()
    assert server.app.registry.rooms == {}
    server.clock.advance(1)
    await server.app.registry.sweep()
    assert server.room(name).timer is not None


async def test_sweep_checks_lagging_watchers(server: Harness) -> None:
    live, _, _ = await start_game(server)
    eve = server.connect(EVE)
    await server.ask(eve, Watch, room=live.room.id)
    live.lagging[eve] = server.clock()
    eve.messages.clear()
    await server.app.registry.sweep()
    assert eve.kinds() == ["Snapshot"]


async def test_outage_of_the_store_is_credited_to_running_turns(server: Harness) -> None:
    live, _, _ = await start_game(server, clock=BLITZ)
    due = live.deadline
    assert due is not None
    server.app.status.store_failed(Unavailable("the disk is full"))
    server.clock.advance(7000)
    server.app.status.store_works()
    assert live.deadline == due + 7000


async def test_log_of_another_room_is_damaged_and_replaces_none(server: Harness) -> None:
    healthy, _, _ = await start_game(server)
    with closing(sqlite3.connect(server.store.path, isolation_level=None)) as connection:
        connection.execute(
            "INSERT INTO events (room, seq, payload) SELECT 'other', seq, payload FROM events WHERE room = ?",
            (healthy.room.id,),
        )
    assert await server.app.registry.room("other") is None
    assert server.app.registry.damaged == {"other"}
    assert server.app.registry.rooms[healthy.room.id] is healthy


@pytest.mark.parametrize("outage_ms", [MIN_WRITTEN_CREDIT_MS, MIN_WRITTEN_CREDIT_MS - 1])
async def test_credit_of_a_turn_that_runs_on_survives_a_restart(server: Harness, outage_ms: int) -> None:
    live, ann, _ = await start_game(server, clock=BLITZ)
    due = live.room.deadline
    assert due is not None
    server.app.status.store_failed(Unavailable("no connection"))
    server.clock.advance(outage_ms)
    await server.app.registry.sweep()
    assert ann.of(Resumed) == [], "the store cannot write it yet"
    server.app.status.store_works()
    for _ in range(2):
        await server.app.registry.sweep()
        await server.settle()
    written = outage_ms >= MIN_WRITTEN_CREDIT_MS
    assert [(event.credit, event.outage) for event in ann.of(Resumed)] == [(outage_ms, True)] * written
    assert live.deadline == due + outage_ms
    loaded = await server.app.registry.room(forget(server, live))
    assert loaded is not None
    assert loaded.deadline == due + outage_ms * written


async def test_node_without_the_mover_writes_no_credit(build: Build) -> None:
    server = await build(shared=True)
    live, ann, ben = await start_game(server, clock=BLITZ)
    live.detach(ann)
    live.uncharged_ms = 5000
    await server.app.registry.sweep()
    await server.settle()
    assert ben.of(Resumed) == []
