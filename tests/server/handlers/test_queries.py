from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from engine.record import parse, to_json, write
from protocol.commands import Boards, Export, History, Leaderboard, List, Lobby, Move, Ratings, Resign, Watch
from protocol.replies import LobbyUpdate, Ok
from protocol.types import BotInfo, Player, RoomInfo
from protocol.weights import WEIGHTS
from server.domain import snapshots
from server.handlers import queries
from server.handlers.queries import MAX_NAME_SEARCHED
from server.rooms.registry import UNUSED_ROOM_MS
from server.storage.interface import Append, Unavailable, append_and_wait
from tests.server.domain.helpers import ANN, BEN, EVE, NOW
from tests.server.fakes import Harness
from tests.server.rooms.helpers import create, start_game


async def play_and_resign(server: Harness, **terms: Any) -> str:
    """Let ann resign one move and one second after the last game. Return the room."""
    live, ann, _ = await start_game(server, **terms)
    await server.ask(ann, Move, room=live.room.id, ply=0, move="a1")
    server.clock.advance(1000)
    await server.ask(ann, Resign, room=live.room.id)
    return live.room.id


async def rooms(server: Harness, kind: Any = List, **fields: Any) -> list[str]:
    return [info.room for info in (await server.ask(server.connect(EVE), kind, **fields)).rooms]


# -- open rooms


async def test_list_has_public_open_rooms_newest_first(server: Harness) -> None:
    ann = server.connect(ANN)
    names: list[str] = []
    for game in ("cohcoh", "cohcoh", "cohcoh", "cohcoh", "conga"):
        names.insert(0, (await create(server, ann, game=game)).room.id)
        server.clock.advance(10)  # all within one second
    await create(server, ann, private=True)
    ended = await play_and_resign(server)
    assert await rooms(server) == names
    assert await rooms(server, game="conga") == names[:1]
    assert await rooms(server, status="waiting") == names
    assert await rooms(server, status="running") == []
    assert await rooms(server, status="ended") == [ended]


@pytest.mark.parametrize("kind", [List, Lobby])
async def test_one_address_does_not_fill_the_list(server: Harness, monkeypatch: pytest.MonkeyPatch, kind: Any) -> None:
    monkeypatch.setattr(queries, "MAX_ROOMS_LISTED", 6)
    ben, eve = server.connect(BEN), server.connect(EVE)
    ben.address, eve.address = "192.0.2.2", "192.0.2.3"
    honest = [(await create(server, client)).room.id for client in (ben, eve, eve)]
    for number in range(10):
        server.clock.advance(1000)
        await create(server, server.connect(Player(id=f"p{number}", name=f"guest{number}")))
    await create(server, server.connect(ANN), private=True)
    await server.ask(eve, kind, **({"on": True} if kind is Lobby else {}))
    listed = eve.of(LobbyUpdate)[-1].rooms if kind is Lobby else eve.of(Ok)[-1].rooms
    assert len(listed) == 6
    assert {info.room for info in listed} >= set(honest)
    assert [info.created_at for info in listed] == sorted((info.created_at for info in listed), reverse=True)
    assert not any(info.private for info in listed)


async def test_one_address_does_not_fill_the_list_with_evicted_rooms(
    server: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "MAX_ROOMS_LISTED", 4)
    ben, eve = server.connect(BEN), server.connect(EVE)
    ben.address = "192.0.2.2"
    honest = (await create(server, ben)).room.id
    for _ in range(8):
        server.clock.advance(1000)
        live = await create(server, eve)
        live.detach(eve)
    server.clock.advance(UNUSED_ROOM_MS)
    server.app.registry.evict_unused()
    assert list(server.app.registry.rooms) == [honest, live.room.id]
    assert honest in await rooms(server)
    other = server.connect(ANN)
    other.address = "192.0.2.3"
    newest = [(await create(server, other)).room.id for _ in range(4)]
    listed = await rooms(server)
    assert len(listed) == 4
    assert len(set(listed) & {honest, *newest}) == 3


async def test_entry_of_a_room_is_built_once_for_each_state(server: Harness) -> None:
    live, ann, _ = await start_game(server)
    info = live.info
    assert live.info is info
    await server.ask(ann, Move, room=live.room.id, ply=0, move="a1")
    assert (live.info.ply, info.ply) == (1, 0)


async def test_clients_share_a_list_until_it_changes(server: Harness) -> None:
    live = await create(server, server.connect(ANN))
    assert await rooms(server) == [live.room.id]
    reads = server.store.reads
    assert await rooms(server) == [live.room.id]
    assert server.store.reads == reads
    other = await create(server, server.connect(BEN))
    assert set(await rooms(server)) == {live.room.id, other.room.id}
    reads = server.store.reads
    server.clock.advance(queries.LIST_LIFETIME_MS)
    await rooms(server)
    assert server.store.reads == reads + 1


async def test_other_clients_proceed_while_a_list_is_built(server: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "ROOMS_LISTED_AT_ONCE", 2)
    ann = server.connect(ANN)
    for _ in range(10):
        await create(server, ann)
    handler: Any = server.app.dispatcher._handlers[List].__self__  # type: ignore[attr-defined]
    updated: list[str] = []
    newest = handler._newest

    def update(room: Any) -> RoomInfo:
        found: RoomInfo = newest(room)
        updated.append(found.room)
        return found

    monkeypatch.setattr(handler, "_newest", update)
    listing = asyncio.ensure_future(rooms(server))
    seen = set()
    while not listing.done():
        seen.add(len(updated))
        await asyncio.sleep(0)
    assert seen >= {0, 2, 4, 6, 8, 10}
    assert await listing == updated


async def test_changes_while_the_list_for_the_lobby_is_built_come_after_it(
    server: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, sent = asyncio.Event(), asyncio.Event()
    stored = server.store.rooms

    async def read_slowly(game: str, status: str, limit: int) -> list[bytes]:
        rows = await stored(game, status, limit)
        read.set()
        await sent.wait()
        return rows

    monkeypatch.setattr(server.store, "rooms", read_slowly)
    eve = server.connect(EVE)
    entering = asyncio.ensure_future(server.ask(eve, Lobby, on=True))
    await read.wait()
    live = await create(server, server.connect(ANN))
    server.app.feed.flush()
    assert eve.messages == []
    sent.set()
    await entering
    assert eve.kinds() == ["Ok", "LobbyUpdate", "LobbyUpdate"]
    assert [(update.full, [info.room for info in update.rooms]) for update in eve.lobby] == [
        (True, []), (False, [live.room.id]),
    ]  # fmt: skip


async def test_list_that_cannot_be_read_holds_no_changes_back(server: Harness) -> None:
    eve = server.connect(EVE)
    server.store.read_error = Unavailable("no connection")
    assert (await server.ask(eve, Lobby, on=True)).code == "unavailable"
    server.store.read_error = None
    live = await create(server, server.connect(ANN))
    server.app.feed.flush()
    assert [info.room for update in eve.lobby for info in update.rooms] == [live.room.id]


async def test_list_of_an_unknown_game_is_empty_and_not_kept(server: Harness) -> None:
    reads = server.store.reads
    assert await rooms(server, game="chess" * 100) == []
    assert (server.store.reads, server.app.dispatcher._handlers[List].__self__._lists) == (reads, {})  # type: ignore[attr-defined]


async def test_list_that_could_not_be_read_is_read_again(server: Harness) -> None:
    live = await create(server, server.connect(ANN))
    server.store.read_error = Unavailable("no disk")
    assert (await server.ask(server.connect(EVE), List)).code == "unavailable"
    server.store.read_error = None
    assert await rooms(server) == [live.room.id]


async def test_shared_out_list_keeps_to_game_and_status(server: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "MAX_ROOMS_LISTED", 2)
    live, ann, _ = await start_game(server)
    for _ in range(3):
        await create(server, ann, game="conga")
    assert await rooms(server, status="running") == [live.room.id]
    assert len(await rooms(server, game="conga", status="waiting")) == 2
    assert live.room.id not in await rooms(server, status="waiting")


async def test_list_shows_the_ply_and_watchers_that_only_memory_knows(server: Harness) -> None:
    live, ann, _ = await start_game(server)
    await server.ask(ann, Move, room=live.room.id, ply=0, move="a1")
    eve = server.connect(EVE)
    await server.ask(eve, Watch, room=live.room.id)
    (info,) = (await server.ask(eve, List)).rooms
    assert (info.ply, info.watchers) == (1, 1)


async def test_list_shows_what_other_nodes_report_of_rooms_in_the_index(server: Harness) -> None:
    live, ann, ben = await start_game(server)
    for client in (ann, ben):
        live.detach(client)
    del server.app.registry.rooms[live.room.id]
    server.app.progress.receive({live.room.id: 7})
    server.app.watcher_counts.report("n2", {live.room.id: 3})
    (info,) = (await server.ask(server.connect(EVE), List)).rooms
    assert (info.ply, info.watchers) == (7, 3)


async def test_damaged_rooms_are_not_listed(server: Harness) -> None:
    live, _, _ = await start_game(server)
    server.app.registry.damaged.add(live.room.id)
    assert await rooms(server) == []


async def test_lobby_starts_with_all_rooms_and_bots_and_then_sends_changes(server: Harness) -> None:
    live, ann, _ = await start_game(server)
    bot = BotInfo(name="robot", plays=("conga",))
    server.app.feed.add_bot(server.connect(BEN), bot)
    eve = server.connect(EVE)
    await server.ask(eve, Lobby, on=True)
    assert eve.kinds() == ["Ok", "LobbyUpdate"]
    (update,) = eve.lobby
    assert (update.full, [info.room for info in update.rooms], update.bots) == (True, [live.room.id], (bot,))
    await server.ask(ann, Resign, room=live.room.id)
    server.app.feed.flush()
    assert [info.status for info in eve.of(LobbyUpdate)[1].rooms] == ["ended"]
    await server.ask(eve, Lobby, on=False)
    assert not server.app.feed.watched


# -- finished games


async def test_history_has_pages_with_the_latest_games_first(server: Harness) -> None:
    played = [await play_and_resign(server) for _ in range(5)][::-1]
    eve = server.connect(EVE)
    pages = []
    before = None
    for _ in range(3):
        reply = await server.ask(eve, History, limit=2, before=before)
        pages.append([info.room for info in reply.rooms])
        before = reply.before
    assert pages == [played[:2], played[2:4], played[4:]]
    assert before is None


async def test_history_can_be_narrowed_to_a_game_and_a_player(server: Harness) -> None:
    name = await play_and_resign(server)
    for fields, found in (
        ({"game": "cohcoh"}, [name]), ({"game": "conga"}, []), ({"player": "ANN"}, [name]), ({"player": "eve"}, [])
    ):  # fmt: skip
        assert await rooms(server, History, **fields) == found


# -- ratings


async def rated_game(server: Harness) -> None:
    for name in ("ann", "ben"):
        await server.store.add_account(name, f"p-{name}", f"token-{name}", NOW)
    await play_and_resign(server, rated=True)


async def test_leaderboard_has_the_winner_first(server: Harness) -> None:
    await rated_game(server)
    await rated_game(server)
    eve = server.connect(EVE)
    leaders = (await server.ask(eve, Leaderboard, game="cohcoh")).leaders
    assert [(leader.name, leader.games, leader.provisional) for leader in leaders] == [
        ("ben", 2, True),
        ("ann", 2, True),
    ]
    assert len((await server.ask(eve, Leaderboard, game="cohcoh", limit=1)).leaders) == 1
    assert (await server.ask(eve, Leaderboard, game="cohcoh", options={"n": 5})).leaders == ()
    assert (await server.ask(eve, Leaderboard, game="chess")).code == "unknown_game"


async def test_ratings_of_a_player_have_pages(server: Harness) -> None:
    for _ in range(3):
        await rated_game(server)
    eve = server.connect(EVE)
    first = await server.ask(eve, Ratings, player="Ann", game="cohcoh", limit=2)
    assert ([game.games for game in first.ratings], first.before) == ([3, 2], 2)
    second = await server.ask(eve, Ratings, player="Ann", game="cohcoh", limit=2, before=first.before)
    assert ([game.games for game in second.ratings], second.before) == ([1], None)


async def test_guest_has_no_ratings(server: Harness) -> None:
    error = await server.ask(server.connect(EVE), Ratings, player="ann", game="conga")
    assert error.code == "bad_request"
    assert error.text == "there is no account named 'ann': check the name (guests have no ratings)"


# -- records


@pytest.mark.parametrize("format", ["text", "json"])
async def test_finished_game_is_exported(server: Harness, format: str) -> None:
    name = await play_and_resign(server)
    text = (await server.ask(server.connect(EVE), Export, room=name, format=format)).text
    if format == "json":
        assert json.loads(text)["result"] == "0-1"
    else:
        assert parse(text).result == "0-1"


async def test_exported_room_does_not_stay_in_memory(server: Harness) -> None:
    name = await play_and_resign(server)
    for client in server.room(name).clients():
        server.app.membership.leave(server.room(name), client)
    await server.ask(server.connect(EVE), Export, room=name)
    assert server.app.registry.rooms == {}


async def test_running_game_is_not_exported(server: Harness) -> None:
    live, ann, _ = await start_game(server)
    assert (await server.ask(ann, Export, room=live.room.id)).code == "too_early"
    assert (await server.ask(ann, Export, room="nowhere")).code == "no_room"


async def test_private_game_is_exported_for_its_players_only(server: Harness) -> None:
    name = await play_and_resign(server, private=True)
    assert (await server.ask(server.connect(EVE), Export, room=name)).code == "bad_code"
    assert (await server.ask(server.connect(BEN), Export, room=name)).text


async def test_damaged_line_of_the_index_is_skipped(server: Harness) -> None:
    live, _, _ = await start_game(server)
    row = next(append.row for append in server.store.appended if append.row is not None)
    append = Append("broken", 0, (live.log[0],), row._replace(room="broken", info=b"\xc1"))
    await append_and_wait(server.store, append)
    assert await rooms(server) == [live.room.id]


async def test_text_that_is_too_long_for_a_name_finds_nothing(server: Harness) -> None:
    await play_and_resign(server)
    long = "ann" + " " * MAX_NAME_SEARCHED
    assert await rooms(server, History, player=long) == []
    refused = await server.ask(server.connect(EVE), Ratings, player=long, game="conga")
    assert refused.code == "bad_request"


async def test_boards_are_charged_by_their_cells(server: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    """A board of 144 cells takes as long to draw as nine of 16 cells."""
    monkeypatch.setattr(queries, "CELLS_PER_MESSAGE", 16)
    for n in (4, 12):
        live, ann, ben = await start_game(server, options={"n": n, "k": n})
        for ply, move in enumerate(("a1", "b1", "c1")):
            await server.ask((ann, ben)[ply % 2], Move, room=live.room.id, ply=ply, move=move)
        ann.charged = 0.0
        assert len((await server.ask(ann, Boards, room=live.room.id)).boards) == 4
        assert ann.charged == WEIGHTS[Boards] - 1 + 4 * n * n // 16


@pytest.mark.parametrize("format", ["text", "json"])
async def test_long_record_is_exported_in_steps(server: Harness, monkeypatch: pytest.MonkeyPatch, format: str) -> None:
    monkeypatch.setattr(queries, "EXPORTED_PLIES_PER_MESSAGE", 2)
    live, ann, ben = await start_game(server)
    for ply, move in enumerate(("a1", "b2", "c3", "a2", "c1", "b3")):
        await server.ask((ann, ben)[ply % 2], Move, room=live.room.id, ply=ply, move=move)
    await server.ask(ann, Resign, room=live.room.id)
    eve = server.connect(EVE)
    text = (await server.ask(eve, Export, room=live.room.id, format=format)).text
    record = snapshots.record(live.room)
    assert text == (write(record) if format == "text" else json.dumps(to_json(record), ensure_ascii=False))
    assert eve.paced[0] == WEIGHTS[Export]
    assert len(eve.paced) >= 3
    assert set(eve.paced[1:]) == {1}
