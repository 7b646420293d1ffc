"""Quick pairing: nearest rating, growing gap, no rematches, disconnects, and house bots."""

from __future__ import annotations

import asyncio
from pathlib import Path

from server.app import Running
from server.domain.ratings import RatingRow
from server.rooms.timers import now
from server.storage.interface import Append, append_and_wait
from tests.e2e.accounts import account, members
from tests.e2e.clock import Clock
from tests.e2e.conftest import ConnectGuest, Spawn, Start
from tests.e2e.guest import Guest
from tests.e2e.play import room_of
from tests.e2e.test_accounts import account as parlour_account
from tests.waiting import TIMEOUT_S

TERMS = {"game": "cohcoh", "clock": {"kind": "fischer", "base": 60_000}}


async def rate(server: Running, **ratings: int) -> None:
    """Store ratings of accounts at cohcoh."""
    rows = tuple(
        RatingRow("cohcoh", f"p-{name}", 40, float(value), 60.0, 0.06, now(), "r") for name, value in ratings.items()
    )
    await append_and_wait(server.app.store, Append("given", 0, (b"",), ratings=rows))


async def rated_members(server: Running, connect_guest: ConnectGuest, **ratings: int) -> list[Guest]:
    await rate(server, **ratings)
    return await members(server, connect_guest, *ratings)


async def seek(guest: Guest, **more: object) -> str:
    """Ask for an opponent, find none, and return the room in which the guest waits."""
    room: str = (await guest.ask("pair", **TERMS, **more))["room"]
    assert (await guest.find(type="snapshot", room=room))["status"] == "waiting"
    return room


async def waiting_rooms(server: Running) -> int:
    return len(await server.app.store.rooms("", "waiting", 10))


async def until_no_room_waits(server: Running) -> None:
    async with asyncio.timeout(TIMEOUT_S):
        while await waiting_rooms(server):  # noqa: ASYNC110  # the change is in the store
            await asyncio.sleep(0.005)


async def check_redirect(newer: Guest, room: str, older: Guest, host: str) -> None:
    """Check that the guest of one room was sent to the room of the other, and that they play."""
    assert (await newer.find(type="rematched", room=room))["next"] == host
    assert (await newer.find(type="ended", room=room))["result"] == "*"
    snapshot = await newer.find(type="snapshot", room=host)
    assert snapshot["status"] == "running"
    await older.find(type="started", room=host)
    first, second = (older, newer) if snapshot["your_seat"] == 1 else (newer, older)
    await first.ask("move", room=host, ply=0, move="a1")
    await second.find(type="moved", room=host)


async def test_seeker_gets_the_nearest_rating(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    low, mid, high, seeker = await rated_members(server, connect_guest, low=300, mid=1500, high=2700, seeker=1560)
    rooms = [await seek(guest, rated=True) for guest in (low, mid, high)]
    found = await seeker.ask("pair", **TERMS, rated=True)
    assert found["room"] == rooms[1]
    snapshot = await seeker.find(type="snapshot")
    assert (snapshot["status"], snapshot["your_seat"]) == ("running", found["seat"])
    assert {seat["rating"] for seat in snapshot["seats"]} == {1500, 1560}
    await mid.find(type="started", room=rooms[1])


async def test_waiting_seekers_are_paired_when_the_gap_has_grown(start: Start, connect_guest: ConnectGuest) -> None:
    clock = Clock()
    server = await start(clock=clock)
    old, young = await rated_members(server, connect_guest, old=1000, young=3100)
    host = await seek(old)
    room = await seek(young)
    clock.pass_by(10)
    assert await waiting_rooms(server) == 2
    clock.pass_by(10)
    await check_redirect(young, room, old, host)
    assert await waiting_rooms(server) == 0


async def test_no_rematch_while_another_opponent_waits(start: Start, connect_guest: ConnectGuest) -> None:
    clock = Clock()
    server = await start(clock=clock)
    ann, ben, cy = await rated_members(server, connect_guest, ann=1500, ben=1500, cy=3100)
    game = await room_of(ann, ben)
    await ann.ask("resign", room=game)
    room = await seek(ann)
    await seek(cy)
    await seek(ben)
    clock.pass_by(20)
    snapshot = await cy.find(type="snapshot", room=room)
    assert {seat["name"] for seat in snapshot["seats"]} == {"ann", "cy"}
    assert await waiting_rooms(server) == 1


async def test_rematch_if_there_is_no_other_opponent(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    for _ in range(3):
        room = await seek(ann)
        assert (await ben.ask("pair", **TERMS))["room"] == room
        await ann.find(type="started", room=room)
        await ben.ask("resign", room=room)


async def test_disconnect_ends_the_wait(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    room = await seek(ann)
    ann.socket.transport.abort()
    await until_no_room_waits(server)
    assert await seek(ben) != room
    back = await connect_guest(server.url, resume=ann.session)
    await back.ask("watch", room=room)
    assert (await back.find(type="snapshot", room=room))["reason"] == "aborted"


async def test_disconnect_during_pairing_leaves_no_waiting_room(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    for number in range(10):
        guest = await connect_guest(server.url, f"g{number}")
        await guest.send("pair", **TERMS)
        guest.socket.transport.abort()
    ann = await connect_guest(server.url, "ann")
    await until_no_room_waits(server)
    await seek(ann)
    assert await waiting_rooms(server) == 1


async def test_restart_ends_the_wait(spawn: Spawn, connect_guest: ConnectGuest) -> None:
    first = await spawn()
    await seek(await connect_guest(first.url, "ann"))
    await first.kill()
    second = await spawn()
    ben = await connect_guest(second.url, "ben")
    room = await seek(ben)
    assert [info["room"] for info in (await ben.ask("list"))["rooms"]] == [room]


async def bot(server: Running, connect_guest: ConnectGuest, name: str, plays: tuple[str, ...] = ("cohcoh",)) -> Guest:
    return await connect_guest(server.url, token=await account(server, name), plays=plays)


async def test_house_bot_is_invited_after_the_requested_time(start: Start, connect_guest: ConnectGuest) -> None:
    clock = Clock()
    server = await start(clock=clock, house="greedy, search")
    greedy = await bot(server, connect_guest, "greedy")
    stranger = await bot(server, connect_guest, "stranger")
    other = await bot(server, connect_guest, "search", ("conga",))
    ann, eve = await connect_guest(server.url, "ann"), await connect_guest(server.url, "eve")
    await seek(eve, options={"n": 5})
    room = await seek(ann, bot_after=30_000)
    clock.pass_by(29)
    await ann.ask("list")
    clock.pass_by(2)
    invited = await greedy.find(type="invited")
    assert (invited["by"], invited["room"]["room"]) == ("ann", room)
    await greedy.ask("join", room=room)
    await ann.find(type="started", room=room)
    for guest in (stranger, other):
        await guest.ask("list")
        assert "invited" not in [message["type"] for message in guest.seen]


async def test_house_bots_are_invited_by_rating_until_one_joins(start: Start, connect_guest: ConnectGuest) -> None:
    clock = Clock()
    server = await start(clock=clock, house="weak,strong,equal")
    await rate(server, weak=900, strong=2100, equal=1480, ann=1500)
    bots = {name: await bot(server, connect_guest, name) for name in ("weak", "strong", "equal")}
    (ann,) = await members(server, connect_guest, "ann")
    room = await seek(ann, bot_after=0, rated=True)
    for name in ("equal", "weak", "strong", "equal"):
        assert (await bots[name].find(type="invited"))["room"]["room"] == room
        clock.pass_by(2.5)
    await bots["weak"].ask("join", room=room)
    await ann.find(type="started", room=room)


async def test_house_bot_plays_a_rated_game(spawn: Spawn, connect_guest: ConnectGuest, tmp_path: Path) -> None:
    server = await spawn(PARLOUR_HOUSE="random")
    _, token, _ = await parlour_account(tmp_path / "parlour.db", "add", "ann")
    ann = await connect_guest(server.url, token=token)
    room = (await ann.ask("pair", **TERMS, rated=True, bot_after=0))["room"]
    await ann.find(type="started", room=room)
    await ann.ask("resign", room=room)
    assert (await ann.find(type="ended", room=room))["ratings"]
