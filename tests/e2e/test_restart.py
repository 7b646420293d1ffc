"""Games survive kill -9 at any moment, a graceful restart, and a lost connection."""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from engine.registry import create
from server.app import Running
from server.rooms.live_room import LiveRoom
from server.rooms.timers import RoomTimers, now
from server.storage.sqlite.store import SqliteStore
from tests.e2e.conftest import ConnectGuest, Process, Spawn, Start
from tests.e2e.guest import Guest, Message
from tests.e2e.local_server import until
from tests.e2e.play import move, play, room_of
from tests.waiting import TIMEOUT_S

FISCHER = {"kind": "fischer", "base": 60_000}


async def test_player_resumes_after_a_lost_connection(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    room = await room_of(ann, ben)
    await move(ann, room, 0, "a1")
    ben.socket.transport.abort()
    assert not (await ann.find(type="presence"))["online"]
    back = await connect_guest(server.url, resume=ben.session)
    assert back.you == ben.you
    snapshot = await back.find(type="snapshot", room=room)
    assert (snapshot["your_seat"], snapshot["your_move"], snapshot["ply"]) == (1, True, 1)
    assert (await ann.find(type="presence"))["online"]
    await move(back, room, 1, "b1")
    assert (await ann.find(type="moved", ply=2))["side"] == 1


def absent(server: Running, guest: Guest) -> bool:
    return not server.app.presence.is_here(guest.you["name"])


def incomplete(live: LiveRoom) -> bool:
    """Return whether a player is away, or a seat is empty."""
    return live.room.away != (None, None) or None in live.room.seats


async def test_player_who_disconnects_while_joining_is_not_online(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann = await connect_guest(server.url, "ann")
    for number in range(8):
        room = (await ann.ask("create", game="cohcoh"))["room"]
        hasty = await connect_guest(server.url, f"hasty{number}")
        await hasty.send("join", room=room)
        hasty.socket.transport.abort()
        live = server.app.registry.rooms[room]
        await until("the connection is closed", partial(absent, server, hasty))
        await ann.ask("say", room=room, text="hello?")
        await until("the player is away or has no seat", partial(incomplete, live))
        assert [len(clients) for clients in live.players] in ([0, 1], [1, 0])


async def test_session_cannot_be_guessed_from_the_player_id(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann = await connect_guest(server.url, "ann")
    thief = await Guest.open(server.url)
    for guess in (ann.you["id"], "nonsense", ann.session[:-1]):
        assert (await thief.refused("hello", resume=guess))["code"] == "bad_session"
    await thief.close()


async def test_claim_against_an_absent_player_names_the_remaining_time(
    start: Start, connect_guest: ConnectGuest
) -> None:
    server = await start()
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    room = await room_of(ann, ben)
    assert (await ann.refused("claim", room=room))["code"] == "too_early"
    ben.socket.transport.abort()
    await ann.find(type="presence")
    error = await ann.refused("claim", room=room)
    assert 0 < error["retry_after"] <= 60


async def test_graceful_restart_keeps_games_sessions_and_watchers(spawn: Spawn, connect_guest: ConnectGuest) -> None:
    first = await spawn()
    ann, ben, eve = [await connect_guest(first.url, name) for name in ("ann", "ben", "eve")]
    room = await room_of(ann, ben, clock=FISCHER)
    await play(ann, ben, room, "a1", "b1")
    await eve.ask("watch", room=room)
    seen = (await eve.find(type="snapshot"))["seq"]
    assert await first.terminate() == 0
    for guest in (ann, ben, eve):
        assert (await guest.find(type="closing"))["retry_after"] > 0
        assert await guest.closed() == 1012
    second = await spawn()
    eve = await connect_guest(second.url, resume=eve.session)
    await eve.ask("watch", room=room, after=seen)
    assert (await eve.find(type="resumed"))["seq"] == seen + 1
    ann, ben = [await connect_guest(second.url, resume=guest.session) for guest in (ann, ben)]
    await move(ann, room, 2, "c1")
    assert (await ben.find(type="moved", ply=3))["move"] == "c1"
    assert (await eve.find(type="moved"))["ply"] == 3


async def test_clocks_are_credited_with_the_downtime(spawn: Spawn, start: Start, connect_guest: ConnectGuest) -> None:
    first = await spawn("--sweep", "0.05")
    ann, ben = await connect_guest(first.url, "ann"), await connect_guest(first.url, "ben")
    room = await room_of(ann, ben, clock={"kind": "move", "per_move": 60_000})
    await move(ann, room, 0, "a1")
    await first.kill()
    second = await start(clock=lambda: now() + 3_600_000)  # an hour later: without the credit the flag would fall
    ben = await connect_guest(second.url, resume=ben.session)
    snapshot = await ben.find(type="snapshot", room=room)
    assert snapshot["status"] == "running"
    await move(ben, room, 1, "b1")
    assert (await ben.ask("list"))["rooms"][0]["ply"] == 2


def all_bytes(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir())


async def test_code_of_a_private_room_is_valid_after_a_restart_and_never_in_the_file(
    spawn: Spawn, connect_guest: ConnectGuest, tmp_path: Path
) -> None:
    first = await spawn()
    ann = await connect_guest(first.url, "ann")
    created = await ann.ask("create", game="cohcoh", private=True)
    assert (await ann.find(type="snapshot"))["code"] == created["code"] != ""
    await first.kill()
    assert created["code"].encode() not in all_bytes(tmp_path)
    second = await spawn()
    ann = await connect_guest(second.url, resume=ann.session)
    assert "code" not in await ann.find(type="snapshot", room=created["room"])
    ben = await connect_guest(second.url, "ben")
    assert (await ben.refused("join", room=created["room"], code="wrong"))["code"] == "bad_code"
    await ben.ask("join", room=created["room"], code=created["code"])
    await ann.find(type="started")


@pytest.mark.parametrize("days", [-4000, -1, 1, 4000])
async def test_changed_system_clock_costs_no_game_and_no_session(
    spawn: Spawn, start: Start, connect_guest: ConnectGuest, days: int
) -> None:
    first = await spawn("--sweep", "0.05")
    ann, ben = await connect_guest(first.url, "ann"), await connect_guest(first.url, "ben")
    room = await room_of(ann, ben, clock={"kind": "move", "per_move": 600_000})
    await move(ann, room, 0, "a1")
    await first.kill()
    second = await start(clock=lambda: now() + days * 86_400_000)
    ann, ben = [await connect_guest(second.url, resume=guest.session) for guest in (ann, ben)]
    snapshot = await ben.find(type="snapshot", room=room)
    assert snapshot["status"] == "running"
    assert snapshot["elapsed"] < 600_000
    await move(ben, room, 1, "b1")
    assert (await ann.find(type="moved", ply=2))["took"] < 600_000


async def test_no_room_expires_while_other_rooms_are_loading(
    spawn: Spawn, start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await spawn("--sweep", "0.05")
    ann, ben = await connect_guest(first.url, "ann"), await connect_guest(first.url, "ben")
    await room_of(ann, ben)  # heartbeats are written while a game is running
    rooms = sorted([(await ann.ask("create", game="conga"))["room"] for _ in range(2)])
    await first.kill()
    done, fired, events = asyncio.Event(), RoomTimers._fired, SqliteStore.events

    def fire(timers: RoomTimers, live: LiveRoom) -> None:
        fired(timers, live)
        done.set()

    async def slow_events(store: SqliteStore, room: str, after: int = 0, limit: int | None = None) -> list[bytes]:
        if room == rooms[-1]:
            await done.wait()
        return await events(store, room, after, limit)

    monkeypatch.setattr(RoomTimers, "_fired", fire)
    monkeypatch.setattr(SqliteStore, "events", slow_events)
    second = await start(clock=lambda: now() + 30 * 86_400_000)
    ann = await connect_guest(second.url, resume=ann.session)
    for room in rooms:
        assert (await ann.find(type="snapshot", room=room))["status"] == "waiting"
        assert second.app.registry.rooms[room].timer is not None


class RandomGame:
    """Two guests who play random moves as fast as they can and keep the acknowledged ones."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.room = ""
        self.sessions: list[str] = []
        self.acknowledged: list[str] = []
        self.sent: list[str] = []

    async def open(self, url: str, codec: str) -> None:
        guests = [await Guest.open(url, codec) for _ in range(2)]
        for number, guest in enumerate(guests):
            await guest.hello(f"c{number}")
        self.sessions = [guest.session for guest in guests]
        self.room = await room_of(guests[0], guests[1], "cohcoh", options={"n": 12, "k": 12}, clock=FISCHER)
        self.guests = guests

    async def play_until_it_breaks(self) -> None:
        game = create("cohcoh", {"n": 12, "k": 12})
        state = game.start()
        with suppress(ConnectionClosed, ConnectionError, OSError, TimeoutError):
            while legal := game.legal(state):
                text, ply = self.rng.choice(legal), len(self.sent)
                self.sent.append(text)
                answer = await self.guests[ply % 2].ask("move", room=self.room, ply=ply, move=text)
                assert answer["seq"] in (ply + 5, ply + 6)  # the last move also ends the game
                self.acknowledged.append(text)
                state = game.play(state, game.parse(state, text))

    async def resume(self, url: str) -> Message:
        for guest in self.guests:
            guest.socket.transport.abort()
        guest = await Guest.open(url)
        await guest.hello(resume=self.sessions[0])
        snapshot = await guest.find(type="snapshot", room=self.room)
        await guest.close()
        return snapshot


async def kill_and_compare(db: Path, games: int, moves: int, seed: int) -> None:
    """Kill the server after a number of moves, restart it, and check that no acknowledged move is lost."""
    first = await Process.start(db, "--rate", "100000", "--burst", "100000")
    playing = [RandomGame(seed + n) for n in range(games)]
    for number, game in enumerate(playing):
        await game.open(first.url, ("json", "msgpack")[number % 2])
    tasks = [asyncio.create_task(game.play_until_it_breaks()) for game in playing]
    async with asyncio.timeout(TIMEOUT_S):
        while sum(len(game.acknowledged) for game in playing) < moves:  # noqa: ASYNC110 -- several tasks count
            await asyncio.sleep(0.001)
    await first.kill()
    await asyncio.wait_for(asyncio.gather(*tasks), TIMEOUT_S)
    second = await Process.start(db)
    try:
        for game in playing:
            snapshot = await game.resume(second.url)
            stored = [played["move"] for played in snapshot["moves"]]
            assert stored[: len(game.acknowledged)] == game.acknowledged
            assert stored == game.sent[: len(stored)]
            assert snapshot["status"] in ("running", "ended")
    finally:
        await second.kill()


async def test_acknowledged_moves_survive_kill_9(tmp_path: Path) -> None:
    for n in range(2):
        await kill_and_compare(tmp_path / f"{n}.db", 4, random.Random(n).randrange(20, 400), n)


@pytest.mark.long
async def test_acknowledged_moves_survive_many_kills(tmp_path: Path) -> None:
    rng = random.Random()
    for n in range(40):
        await kill_and_compare(tmp_path / f"{n}.db", 10, rng.randrange(1, 1000), n)


async def test_sigterm_with_many_connections_exits_soon(spawn: Spawn) -> None:
    server = await spawn()
    guests = [await Guest.open(server.url) for _ in range(50)]
    for guest in guests[:40]:
        await guest.hello()
    guests[0].socket.transport.pause_reading()  # a client that does not read must not delay the exit
    assert await server.terminate() == 0
    codes = [await guest.closed() for guest in guests[1:]]
    assert set(codes) == {1012}
    guests[0].socket.transport.abort()
