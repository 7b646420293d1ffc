from __future__ import annotations

import asyncio
from typing import Any

import pytest

from protocol.codec import MSGPACK
from protocol.commands import Create, Resign, Watch
from protocol.events import Presence, Said
from protocol.replies import Invited
from protocol.types import BotInfo
from server.cluster.node import CLOCK_SYNC_INTERVAL_MS, MAX_HEARTBEAT_GAP_MS, PLAYERS_AT_ONCE, ROOM_CHECK_INTERVAL_MS
from server.domain import snapshots
from server.rooms.live_room import LiveRoom
from server.rooms.status import NODE_TIMEOUT_MS
from server.storage.interface import Append, LostPlayer, Unavailable, append_and_wait
from tests.server.conftest import Build
from tests.server.domain.helpers import ANN, BEN, EVE, play
from tests.server.domain.helpers import running as running_room
from tests.server.fakes import Harness
from tests.server.rooms.helpers import start_game
from tests.waiting import settle


@pytest.fixture
async def server(build: Build) -> Harness:
    """One of several nodes."""
    return await build(shared=True)


async def write_elsewhere(server: Harness, live: LiveRoom) -> None:
    payload = MSGPACK.encode(Said(**live.room.event_fields(server.clock()), name="ben", seat=1, text="hm"))
    await append_and_wait(server.store, Append(live.room.id, live.room.seq, (payload,)))


# -- what the bus announces


async def test_announced_event_is_read_and_sent(server: Harness) -> None:
    live, ann, _ = await start_game(server)
    await write_elsewhere(server, live)
    server.app.node.room_announced(live.room.id, live.room.seq + 1)
    await server.settle()
    assert ann.kinds() == ["Said"]


async def test_lobby_hears_of_rooms_at_other_nodes_only(server: Harness) -> None:
    live, _, _ = await start_game(server)
    eve = server.connect(EVE)
    server.app.feed.enter(eve)
    elsewhere = snapshots.room_info(play(running_room("cohcoh"), "a1"))
    here = snapshots.room_info(live.room)
    server.app.node.lobby_announced((elsewhere, here), {"r2": 7, live.room.id: 9})
    server.app.feed.flush()
    (update,) = eve.lobby
    assert ([info.room for info in update.rooms], update.plies) == (["r1"], {"r2": 7})


async def test_bots_of_another_node_are_listed(server: Harness) -> None:
    bot = BotInfo(name="robot", plays=("conga",))
    server.app.node.bots_announced("n2", (bot,))
    assert server.app.feed.bots() == (bot,)


async def test_watchers_at_another_node_change_the_line_of_a_room_here(server: Harness) -> None:
    live, _, _ = await start_game(server)
    eve = server.connect(EVE)
    server.app.feed.enter(eve)
    server.app.node.watchers_announced("n2", {live.room.id: 3, "elsewhere": 1})
    server.app.feed.flush()
    assert [(info.room, info.watchers) for info in eve.lobby[0].rooms] == [(live.room.id, 3)]


async def test_node_reports_its_own_rooms_and_watchers(server: Harness) -> None:
    live, _, _ = await start_game(server)
    await server.ask(server.connect(EVE), Watch, room=live.room.id)
    node = server.app.node
    assert node.watchers() == {live.room.id: 1}
    assert node.open_rooms() == [live.room]
    assert node.info(live.room).watchers == 1


async def test_invitation_of_a_player_here_is_delivered(server: Harness) -> None:
    live, _, _ = await start_game(server)
    waiting = (await server.ask(server.connect(BEN), Create, game="conga", invite="eve")).room
    eve = server.connect(EVE)
    server.app.node.invitation_announced(waiting, "Eve")
    server.app.node.invitation_announced(live.room.id, "eve")  # has started already
    server.app.node.invitation_announced(waiting, "not here")
    await server.settle()
    assert [invited.room.room for invited in eve.of(Invited)] == [waiting]


async def test_invitation_from_another_node_says_where_the_room_comes_from(server: Harness) -> None:
    server.connect(EVE)
    here = (await server.ask(server.connect(BEN), Create, game="conga", invite="eve")).room
    loaded = server.app.registry.rooms[(await server.ask(server.connect(ANN), Create, game="conga", invite="eve")).room]
    loaded.origin = ""
    for room in (here, loaded.room.id):
        server.app.node.invitation_announced(room, "eve", "elsewhere")
    await server.settle()
    assert (server.app.registry.rooms[here].origin, loaded.origin) == ("192.0.2.1", "elsewhere")


async def test_invitation_to_an_ended_room_is_a_rematch(server: Harness) -> None:
    live, ann, ben = await start_game(server)
    await server.ask(ann, Resign, room=live.room.id)
    live.detach(ben)
    ben.messages.clear()
    server.app.node.invitation_announced(live.room.id, "ben")
    await server.settle()
    assert ben.kinds() == ["Snapshot"]


# -- sweep


async def sweep(server: Harness) -> None:
    await server.app.node.sweep()
    await server.settle()


async def test_lost_announcement_is_found_in_the_store(server: Harness) -> None:
    live, ann, _ = await start_game(server)
    await sweep(server)
    await write_elsewhere(server, live)
    server.clock.advance(ROOM_CHECK_INTERVAL_MS - 1)
    await sweep(server)
    assert ann.messages == []
    server.clock.advance(1)
    await sweep(server)
    assert ann.kinds() == ["Said"]


async def test_rooms_are_checked_as_soon_as_the_store_works_again(server: Harness) -> None:
    live, ann, _ = await start_game(server)
    await sweep(server)
    server.app.status.store_failed(Unavailable("no connection"))
    await write_elsewhere(server, live)
    await sweep(server)
    assert ann.kinds() == ["Said"]


@pytest.mark.parametrize(("reached", "on_bus", "checked"), [(True, True, 0), (False, True, 1), (True, False, 1)])
async def test_rooms_are_checked_in_every_sweep_while_a_living_node_is_not_on_the_bus(
    server: Harness, monkeypatch: pytest.MonkeyPatch, reached: bool, on_bus: bool, checked: int
) -> None:
    """Either the bus says it, or the node itself."""
    monkeypatch.setattr(server.bus, "reaches", lambda node: reached)
    live, ann, _ = await start_game(server)
    await server.store.mark_alive("other", server.clock(), on_bus)
    await sweep(server)
    await write_elsewhere(server, live)
    server.clock.advance(NODE_TIMEOUT_MS)
    await sweep(server)
    assert ann.kinds() == ["Said"] * checked


async def test_rooms_are_checked_in_every_sweep_while_the_bus_is_silent(server: Harness) -> None:
    live, ann, _ = await start_game(server)
    await sweep(server)
    await write_elsewhere(server, live)
    server.bus.responsive = False
    await sweep(server)
    assert ann.kinds() == ["Said"]


async def test_node_tells_the_others_at_once_that_the_bus_is_silent(server: Harness) -> None:
    live, ann, _ = await start_game(server)
    await sweep(server)
    assert await server.store.living_nodes(server.clock()) == {server.app.node_id: True}
    await write_elsewhere(server, live)
    server.bus.responsive = False
    server.app.node.bus_silent()
    await server.settle()
    assert await server.store.living_nodes(server.clock()) == {server.app.node_id: False}
    assert ann.kinds() == ["Said"]
    server.bus.responsive = True
    await sweep(server)
    assert await server.store.living_nodes(server.clock()) == {server.app.node_id: True}


async def test_node_that_cannot_tell_the_others_tries_again(server: Harness) -> None:
    await sweep(server)
    server.bus.responsive = False
    server.store.write_error = Unavailable("no connection")
    server.app.node.bus_silent()
    await server.settle()
    assert await server.store.living_nodes(server.clock()) == {server.app.node_id: True}
    server.store.write_error = None
    await sweep(server)
    assert await server.store.living_nodes(server.clock()) == {server.app.node_id: False}


async def test_rooms_are_checked_when_the_bus_is_back(server: Harness) -> None:
    live, ann, _ = await start_game(server)
    await sweep(server)
    await write_elsewhere(server, live)
    server.app.node.bus_reconnected()
    await server.settle()
    assert ann.kinds() == ["Said"]


async def test_heartbeat_ends_an_outage_and_reports_the_players_here(
    server: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.connect(ANN)
    reports: list[Any] = []

    async def mark_present(node: str, people: list[tuple[str, str]]) -> None:
        reports.append(people)

    monkeypatch.setattr(server.store, "mark_present", mark_present)
    await sweep(server)
    await sweep(server)
    assert reports == [[(ANN.id, "ann")]]
    server.store.write_error = Unavailable("no connection")
    server.app.status.store_failed(server.store.write_error)
    with pytest.raises(Unavailable):
        await server.app.node.sweep()
    server.store.write_error = None
    await sweep(server)
    assert len(reports) == 2  # the store may have removed this node as dead
    assert server.app.status.store_error == ""
    assert await server.store.last_alive() == server.clock()


async def test_recovered_node_does_not_trust_the_indexed_deadlines(server: Harness) -> None:
    live, _, _ = await start_game(server)
    live.stored_deadline = 5
    await sweep(server)
    assert live.stored_deadline is None


async def test_players_of_a_dead_node_are_offline(server: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    live, ann, ben = await start_game(server)
    live.detach(ben)
    calls: list[int] = []

    async def lost_players(before: int) -> list[LostPlayer]:
        calls.append(before)
        return [LostPlayer(BEN.id, 0)]

    monkeypatch.setattr(server.store, "lost_players", lost_players)
    for gap in (0, MAX_HEARTBEAT_GAP_MS + 1, MAX_HEARTBEAT_GAP_MS, NODE_TIMEOUT_MS - MAX_HEARTBEAT_GAP_MS - 1):
        server.clock.advance(gap)
        await sweep(server)
        assert calls == []  # other nodes may have had no working store either
    server.clock.advance(1)
    await sweep(server)
    assert calls == [server.clock() - NODE_TIMEOUT_MS]
    assert [(event.seat, event.online) for event in ann.of(Presence)] == [(1, False)]


async def test_age_of_a_heartbeat_shows_a_store_that_hangs(server: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    node, thaw = server.app.node, asyncio.Event()

    async def mark_alive(name: str, now: int, on_bus: bool) -> bool:
        await thaw.wait()
        return True

    monkeypatch.setattr(server.store, "mark_alive", mark_alive)
    assert node.heartbeat_age_s == 0
    sweeping = asyncio.create_task(node.sweep())
    await settle()
    server.clock.advance(1500)
    assert node.heartbeat_age_s == 1.5
    thaw.set()
    await sweeping
    assert node.heartbeat_age_s == 0


async def test_sweep_does_not_wait_until_all_players_of_a_dead_node_are_marked(
    server: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    marked: list[str] = []
    last = asyncio.Event()

    async def lost_players(before: int) -> list[LostPlayer]:
        return [] if marked else [LostPlayer(f"p{number}", 0) for number in range(3 * PLAYERS_AT_ONCE)]

    async def mark_offline(lost: LostPlayer) -> None:
        marked.append(lost.player)
        await last.wait()

    monkeypatch.setattr(server.store, "lost_players", lost_players)
    monkeypatch.setattr(server.app.membership, "mark_offline", mark_offline)
    for _ in range(3):
        await server.app.node.sweep()
        server.clock.advance(MAX_HEARTBEAT_GAP_MS)
    await server.app.node.sweep()
    await settle()
    assert len(marked) == PLAYERS_AT_ONCE
    last.set()
    await server.settle()
    assert len(marked) == 3 * PLAYERS_AT_ONCE


async def test_clock_is_synchronised_now_and_then(server: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    async def time() -> int:
        calls.append(server.clock())
        return server.clock() + 250

    monkeypatch.setattr(server.store, "time", time)
    await server.app.node.start()
    first = len(calls)
    assert first
    assert server.app.now() == server.clock() + 250
    await sweep(server)
    assert len(calls) == first
    server.clock.advance(CLOCK_SYNC_INTERVAL_MS)
    await sweep(server)
    assert len(calls) > first
