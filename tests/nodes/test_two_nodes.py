"""Players and watchers of a room on different nodes: everything works as on one node."""

from __future__ import annotations

import asyncio

import pytest

from bench.cluster.postgres import Postgres
from server.lobby import progress
from server.rooms.timers import now
from tests.client.bots.test_reviewer import reviewing
from tests.e2e.conftest import ConnectGuest
from tests.e2e.guest import Guest, Refused
from tests.e2e.pages import get
from tests.e2e.play import move, play, room_of
from tests.e2e.test_progress import wait_for_ply
from tests.e2e.test_watcher_counts import wait_for_count
from tests.nodes.conftest import Start
from tests.waiting import TIMEOUT_S, until

FISCHER = {"kind": "fischer", "base": 60_000, "increment": 1000}


async def test_game_is_played_across_two_nodes(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(), await start()
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben", "json")
    eve, fay = await connect_guest(left.url, "eve"), await connect_guest(right.url, "fay")
    room = await room_of(ann, ben, "cohcoh", options={"n": 5, "k": 4}, clock=FISCHER)
    for watcher in (eve, fay):
        await watcher.ask("watch", room=room)
    await play(ann, ben, room, "a1", "b1", "c1", "e1")
    await ann.ask("say", room=room, text="well played")
    assert (await ben.find(type="said"))["text"] == "well played"
    await ben.ask("offer_draw", room=room)
    assert (await ann.find(type="draw_offered"))["seat"] == 1
    await ann.ask("answer_draw", room=room, accept=True)
    for guest in (ann, ben, eve, fay):
        assert (await guest.find(type="ended"))["reason"] == "agreed"
    assert [message["ply"] for message in (*eve.seen, *fay.seen) if message["type"] == "moved"] == [1, 2, 3, 4] * 2
    clocks = [message["left"] for message in eve.seen if message["type"] == "moved"]
    assert clocks == [message["left"] for message in fay.seen if message["type"] == "moved"]


async def test_tournament_is_watched_at_another_node(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(), await start()
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben", "json")
    await ben.ask("watch_tournament", name="cup")
    report = {"title": "Autumn cup", "game": "conga", "format": "match", "players": 2}
    await ann.ask("report_tournament", name="cup", report=report)
    update = await ben.find(type="tournament_update")
    assert (update["by"], update["report"]["title"]) == ("ann", "Autumn cup")
    with pytest.raises(Refused, match="ann reports"):
        await ben.ask("report_tournament", name="cup", report=report)


async def test_rematch_takes_both_players_along(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(), await start()
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben)
    await ann.ask("resign", room=room)
    await ben.find(type="ended")
    await ann.ask("rematch", room=room)
    await ben.find(type="rematch_offered")
    await ben.ask("rematch", room=room)
    new = (await ann.find(type="rematched"))["next"]
    for guest, seat in ((ann, 1), (ben, 0)):
        snapshot = await guest.find(type="snapshot", room=new)
        assert snapshot["your_seat"] == seat
        if snapshot["status"] == "waiting":  # for the other node to bring its player
            await guest.find(type="started", room=new)
        await guest.ask("watch", room=new)
        now = await guest.find(type="snapshot", room=new)
        assert all(other.get("online", True) for other in now["seats"])
    await move(ben, new, 0, "a1")
    assert (await ann.find(type="moved", room=new))["ply"] == 1


async def test_rematch_offer_in_an_older_room_reaches_the_other_node(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(), await start()
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    rooms = [await room_of(ann, ben) for _ in range(2)]
    for room in rooms:
        await ann.ask("resign", room=room)
        await ben.find(type="ended", room=room)
    first = rooms[0]
    await until("the room is evicted", lambda: first not in right.app.registry.rooms)
    await ann.ask("rematch", room=first)
    seen = await ben.find(type="snapshot", room=first)
    if seen["offers"].get("rematch") is None:
        await ben.find(type="rematch_offered", room=first)
    await ben.ask("rematch", room=first)
    for guest in (ann, ben):
        new = (await guest.find(type="rematched", room=first))["next"]
        await guest.find(type="snapshot", room=new)


async def test_player_who_offered_a_rematch_joins_it_after_another_game(
    start: Start, connect_guest: ConnectGuest
) -> None:
    left, right = await start(), await start()
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    first = await room_of(ann, ben)
    await ann.ask("resign", room=first)
    await ann.ask("rematch", room=first)
    await ben.find(type="rematch_offered", room=first)
    second = await room_of(ann, ben)
    await ann.ask("resign", room=second)
    await ben.find(type="ended", room=second)
    await until("the room is evicted", lambda: first not in left.app.registry.rooms)
    await ben.ask("rematch", room=first)
    new = (await ben.find(type="rematched", room=first))["next"]
    for guest in (ann, ben):
        if (await guest.find(type="snapshot", room=new))["status"] == "waiting":
            await guest.find(type="started", room=new)


async def test_quick_pairing_finds_players_on_another_node(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(db_pool=2), await start(db_pool=2)  # the minimum
    guests = [await connect_guest((left, right)[n % 2].url, f"g{n}") for n in range(8)]
    ids = [await guest.send("pair", game="conga") for guest in guests]
    answers = [await guest.answer(id) for guest, id in zip(guests, ids, strict=True)]
    rooms = [answer["room"] for answer in answers]
    assert len(set(rooms)) == 4
    for guest in guests:
        snapshot = await guest.find(type="snapshot")
        if snapshot["status"] != "running":
            await guest.find(type="started")


async def test_lobby_shows_rooms_and_bots_of_all_nodes(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(lobby_tick=0.0), await start(lobby_tick=0.0)
    ann, eve = await connect_guest(left.url, "ann"), await connect_guest(right.url, "eve")
    await eve.ask("lobby", on=True)
    assert (await eve.find(type="lobby", full=True))["rooms"] == []
    bot = await connect_guest(left.url, "robo", plays=["conga"], engine="robo", version="2")
    await eve.find(type="lobby", bots=[{"name": "robo", "plays": ["conga"], "engine": "robo", "version": "2"}])
    room = (await ann.ask("create", game="conga"))["room"]
    seen = await eve.find(type="lobby", bots=None)
    assert [(info["room"], info["status"]) for info in seen["rooms"]] == [(room, "waiting")]
    await bot.close()
    await eve.find(type="lobby", bots=[])
    assert [info["room"] for info in (await eve.ask("list"))["rooms"]] == [room]


async def test_invitations_reach_players_on_any_node(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(), await start()
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = (await ann.ask("create", game="conga", invite="Ben", private=True))["room"]
    invited = await ben.find(type="invited")
    assert (invited["by"], invited["room"]["room"]) == ("ann", room)
    await ben.ask("join", room=room)
    await ann.find(type="started")
    private = await ann.ask("create", game="conga", invite="Cy", private=True)
    public = await ann.ask("create", game="conga", invite="Cy")
    cy = await connect_guest(right.url, "cy")  # connects later, to a node that has not loaded the rooms
    assert (await cy.find(type="invited"))["room"]["room"] == public["room"]
    assert (await cy.refused("join", room=private["room"]))["code"] == "bad_code"  # only the name is known
    await cy.ask("join", room=private["room"], code=private["code"])
    await ann.find(type="started", room=private["room"])


async def test_guest_names_are_unique_among_all_nodes(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(), await start()
    ann, other = await connect_guest(left.url, "Ann"), await connect_guest(right.url, "ann")
    assert (ann.you["name"], other.you["name"]) == ("Ann", "ann~2")
    at_once = await asyncio.gather(*(connect_guest(node.url, "ben") for node in (left, right, left, right)))
    assert sorted(guest.you["name"] for guest in at_once) == ["ben", "ben~2", "ben~3", "ben~4"]
    back = await connect_guest(right.url, resume=ann.session)  # the same player may be connected to two nodes
    assert back.you == ann.you
    for guest in (ann, back):
        guest.socket.transport.abort()
    async with asyncio.timeout(TIMEOUT_S):
        while (again := await connect_guest(right.url, "ann")).you["name"] != "ann":
            await again.close()


async def test_name_is_free_after_its_guest_left_during_a_database_outage(
    start: Start, connect_guest: ConnectGuest, postgres: Postgres
) -> None:
    left, right = await start(), await start()
    ann = await connect_guest(left.url, "ann")
    await asyncio.to_thread(postgres.stop)
    try:
        ann.socket.transport.abort()
        await until("ann has gone", lambda: not left.app.presence.is_here("ann"))
    finally:
        await asyncio.to_thread(postgres.start)
    name = ""
    async with asyncio.timeout(TIMEOUT_S):
        while name != "ann":
            guest = await Guest.open(right.url)
            answer = await guest.answer(await guest.send("hello", name="ann"))
            name = answer["you"]["name"] if answer["type"] == "welcome" else ""
            await guest.close()


async def test_player_who_reconnects_to_another_node_is_online(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(), await start()
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(left.url, "ben")
    room = await room_of(ann, ben)
    await move(ann, room, 0, "a1")
    back = await connect_guest(right.url, resume=ben.session)  # while the old connection is still open
    snapshot = await back.find(type="snapshot", room=room)
    assert (snapshot["your_seat"], snapshot["ply"]) == (1, 1)
    ben.socket.transport.abort()
    assert not (await ann.find(type="presence"))["online"]
    assert (await ann.find(type="presence"))["online"]
    await move(back, room, 1, "b1")
    await ann.find(type="moved", ply=2)


async def test_two_nodes_deciding_together_agree_on_one_order(start: Start, connect_guest: ConnectGuest) -> None:
    """Both players chat at the same time, many times: all clients see the same order."""
    no_limits = {"rate": 1e6, "burst": 100_000, "chat_burst": 1000}
    left, right = await start(**no_limits), await start(**no_limits)
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben)
    for n in range(40):
        ids = [await guest.send("say", room=room, text=str(n)) for guest in (ann, ben)]
        for guest, id in zip((ann, ben), ids, strict=True):
            assert (await guest.answer(id))["type"] == "ok"
    seen = []
    for guest in (ann, ben):
        said: list[tuple[int, str, str]] = []
        while len(said) < 80:
            message = await guest.find(type="said")
            said.append((message["seq"], message["name"], message["text"]))
        assert said == sorted(said)
        seen.append(said)
    assert seen[0] == seen[1]


async def test_timestamps_use_the_clock_of_the_store(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(clock=lambda: now() + 7_200_000), await start()
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(right.url, "ben")
    room = await room_of(ann, ben, clock=FISCHER)
    for ply, (guest, text) in enumerate([(ann, "a1"), (ben, "b1"), (ann, "c1"), (ben, "d1")]):
        moved = await move(guest, room, ply, text)
        await (ben if guest is ann else ann).find(type="moved", ply=ply + 1)
        assert abs(moved["at"] - now()) < 5000
        assert min(moved["left"]) > 55_000
    skews = [
        line.split()[1]
        for node in (left, right)
        for line in (await get(node.url, "/metrics"))[1].splitlines()
        if line.startswith("parlour_clock_skew_seconds ")
    ]
    assert 7199 < float(skews[0]) < 7201
    assert abs(float(skews[1])) < 1


async def test_watchers_of_all_nodes_are_counted(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(lobby_tick=0.0), await start(lobby_tick=0.0)
    ann, ben, cy = [await connect_guest(left.url, name) for name in ("ann", "ben", "cy")]
    dan, eve = [await connect_guest(right.url, name) for name in ("dan", "eve")]
    room = await room_of(ann, ben)
    await eve.ask("lobby", on=True)
    await cy.ask("watch", room=room)
    await wait_for_count(eve, room, 1)
    await dan.ask("watch", room=room)
    await wait_for_count(eve, room, 2)
    assert (await eve.ask("list"))["rooms"][0]["watchers"] == 2
    await until(
        "both watchers are counted",
        lambda: left.app.watcher_counts.info(left.app.registry.rooms[room].room).watchers == 2,
    )
    cy.socket.transport.abort()
    await wait_for_count(eve, room, 1)
    await dan.ask("leave", room=room)
    await wait_for_count(eve, room, 0)


async def test_lobby_of_every_node_shows_the_ply_of_games(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "REPORT_INTERVAL_S", 0.0)
    left, right = await start(lobby_tick=0.0), await start(lobby_tick=0.0)
    ann, ben, eve = (
        await connect_guest(left.url, "ann"),
        await connect_guest(left.url, "ben"),
        await connect_guest(right.url, "eve"),
    )
    await eve.ask("lobby", on=True)
    room = await room_of(ann, ben)
    await play(ann, ben, room, "a1", "b1")
    await wait_for_ply(eve, room, 2)
    fay = await connect_guest(right.url, "fay")
    await fay.ask("lobby", on=True)
    assert [info["ply"] for info in (await fay.find(type="lobby", full=True))["rooms"]] == [2]


async def test_review_is_made_at_another_node(start: Start, connect_guest: ConnectGuest) -> None:
    left, right = await start(), await start()
    ann, ben = await connect_guest(left.url, "ann"), await connect_guest(left.url, "ben", "json")
    fay = await connect_guest(right.url, "fay")
    room = await room_of(ann, ben, options={"n": 5, "k": 4})
    await play(ann, ben, room, "a1", "b1", "c1", "e1")
    await ben.ask("resign", room=room)
    await fay.ask("watch", room=room)
    assert (await ann.refused("review", room=room))["code"] == "no_reviewer"
    async with reviewing(right):
        while not await left.app.reviews.has_reviewer():  # noqa: ASYNC110  # until the store knows of it
            await asyncio.sleep(0.01)
        await ann.ask("review", room=room)
        for guest in (ann, fay):
            await guest.find(type="review_update", state="running")
            assert len((await guest.find(type="review_update", state="done"))["moves"]) == 4
