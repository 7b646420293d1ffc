"""Whole games over real sockets, in both encodings."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from engine.record import parse, verify
from engine.registry import GAMES, create
from tests.e2e.conftest import ConnectGuest, Start
from tests.e2e.guest import Guest
from tests.e2e.play import move, play, room_of


@pytest.mark.parametrize("codecs", [("json", "msgpack"), ("msgpack", "json")], ids="-".join)
async def test_game_is_played_with_both_encodings(
    start: Start, connect_guest: ConnectGuest, codecs: tuple[str, str]
) -> None:
    server = await start(watch_tick=0.0)
    ann = await connect_guest(server.url, "ann", codecs[0])
    ben = await connect_guest(server.url, "ben", codecs[1])
    room = await room_of(ann, ben, options={"n": 2, "k": 2})
    eve = await connect_guest(server.url, "eve", codecs[0])
    await eve.ask("watch", room=room)
    await play(ann, ben, room, "a1", "a2", "b1")
    for guest in (ann, ben, eve):
        ended = await guest.find(type="ended")
        assert (ended["result"], ended["reason"], ended["winner"]) == ("0-1", "line", 1)
    record = parse((await eve.ask("export", room=room))["text"])
    verify(record)
    assert record.seats == ("ann", "ben")
    (listed,) = (await eve.ask("history", player="ANN"))["rooms"]
    assert (listed["room"], listed["result"], listed["ply"]) == (room, "0-1", 3)
    exported = await eve.ask("export", room=room, format="json")
    assert '"move": "b1"' in exported["text"]


@pytest.mark.parametrize("game", GAMES)
async def test_every_game_can_be_played(start: Start, connect_guest: ConnectGuest, game: str) -> None:
    server = await start()
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben", "json")
    room = await room_of(ann, ben, game, clock={"kind": "bank", "per_move": 5000, "bank": 60000})
    rules = create(game)
    moved = await move(ann, room, 0, rules.legal(rules.start())[0], note="book")
    assert moved["note"] == "book"
    assert await ben.find(type="moved", ply=1) == moved
    assert moved["left"] == [60000, 60000]


async def test_welcome_lists_games_and_limits(start: Start) -> None:
    server = await start()
    guest = await Guest.open(server.url, "json")
    welcome = await guest.hello("ann")
    assert [game["name"] for game in welcome["games"]] == list(GAMES)
    assert welcome["limits"]["message_bytes"] == 16384
    assert welcome["you"]["name"] == "ann"
    await guest.close()


async def test_only_one_of_many_gets_a_seat(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann = await connect_guest(server.url, "ann")
    rivals = [await connect_guest(server.url, f"rival{n}", ("json", "msgpack")[n % 2]) for n in range(8)]
    for _ in range(5):
        room = (await ann.ask("create", game="conga", seat=1))["room"]
        ids = await asyncio.gather(*(rival.send("join", room=room) for rival in rivals))
        answers = await asyncio.gather(*(rival.answer(id) for rival, id in zip(rivals, ids, strict=True)))
        assert sorted(answer.get("code", "ok") for answer in answers) == ["ok"] + ["seat_taken"] * 7


async def test_repeated_move_is_stale_and_gets_a_snapshot(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    room = await room_of(ann, ben)
    first = await ann.send("move", room=room, ply=0, move="a1")
    second = await ann.send("move", room=room, ply=0, move="a1")
    assert (await ann.answer(first))["type"] == "ok"
    error = await ann.answer(second)
    assert (error["code"], error["snapshot"]["ply"], error["snapshot"]["your_move"]) == ("stale", 1, False)
    stale = await ben.refused("move", room=room, ply=0, move="b1")
    assert (stale["code"], stale["snapshot"]["your_move"]) == ("stale", True)
    await move(ben, room, 1, "b1")


async def test_invalid_commands_have_codes_and_change_nothing(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann, ben, eve = [await connect_guest(server.url, name) for name in ("ann", "ben", "eve")]
    room = await room_of(ann, ben, "conga")
    moves: list[tuple[Guest, dict[str, Any], str]] = [
        (ann, {"ply": 0, "move": "hello"}, "invalid_notation"),
        (ann, {"ply": 0, "move": "d1c1"}, "illegal_move"),
        (ben, {"ply": 0, "move": "d1c1"}, "not_your_turn"),
        (eve, {"ply": 0, "move": "a4b4"}, "not_seated"),
        (ann, {"ply": 0, "move": "a4b4", "note": "x" * 501}, "too_long"),
    ]
    for guest, fields, code in moves:
        assert (await guest.refused("move", room=room, **fields))["code"] == code
    commands: list[tuple[str, dict[str, Any], str]] = [
        ("resign", {"room": "nowhere"}, "no_room"),
        ("watch", {"room": "x" * 200}, "no_room"),
        ("resign", {"room": room}, "not_seated"),
        ("say", {"room": room, "text": "hi"}, "not_seated"),
        ("create", {"game": "chess"}, "unknown_game"),
        ("create", {"game": "cohcoh", "options": {"n": 3, "k": 4}}, "bad_options"),
        ("create", {"game": "conga", "clock": {"kind": "fischer"}}, "bad_clock"),
        ("export", {"room": room}, "too_early"),
        ("hello", {"name": "again"}, "already_welcome"),
    ]
    for type, terms, code in commands:
        assert (await eve.refused(type, **terms))["code"] == code, type
    assert (await move(ann, room, 0, "a4b4"))["seq"] == 5


async def test_draw_takeback_chat_and_rematch(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start(watch_tick=0.0)
    ann, ben, eve = [await connect_guest(server.url, name) for name in ("ann", "ben", "eve")]
    room = await room_of(ann, ben, "conga")
    await eve.ask("watch", room=room)
    await play(ann, ben, room, "a4b4", "d1c1")
    await ann.ask("takeback", room=room)
    assert (await ben.find(type="takeback_offered"))["ply"] == 0
    await ben.ask("takeback", room=room)
    assert (await ann.find(type="taken_back"))["ply"] == 0
    await ann.ask("offer_draw", room=room)
    await ben.ask("answer_draw", room=room, accept=False)
    assert (await ann.find(type="declined"))["offer"] == "draw"
    await eve.ask("say", room=room, text="well played")
    said = await ann.find(type="said")
    assert (said["name"], said.get("seat")) == ("eve", None)
    await ben.ask("offer_draw", room=room)
    await ann.ask("answer_draw", room=room, accept=True)
    assert (await eve.find(type="ended"))["reason"] == "agreed"
    await ann.ask("rematch", room=room)
    await ben.ask("rematch", room=room)
    new = (await ann.find(type="rematched"))["next"]
    snapshot = await ben.find(type="snapshot", room=new)
    assert (snapshot["your_seat"], snapshot["your_move"], snapshot["status"]) == (0, True, "running")
    await move(ben, new, 0, "a4b4")
    assert (await ann.find(type="moved", room=new))["side"] == 0


async def test_pair_seats_players_with_equal_terms(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    guests = [await connect_guest(server.url, f"g{n}") for n in range(6)]
    terms: dict[str, Any] = {"game": "mancala", "options": {"pits": 4}, "clock": {"kind": "move", "per_move": 9000}}
    answers = await asyncio.gather(*(guest.ask("pair", **terms) for guest in guests))
    rooms = [answer["room"] for answer in answers]
    assert len(set(rooms)) == 3
    other = await connect_guest(server.url, "other")
    assert (await other.ask("pair", game="mancala"))["room"] not in rooms
    for guest in guests:
        snapshot = await guest.find(type="snapshot")
        if snapshot["status"] == "waiting":
            await guest.find(type="started")


async def test_lists_and_lobby_show_changes(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start(lobby_tick=0.01)
    ann, ben, eve = [await connect_guest(server.url, name) for name in ("ann", "ben", "eve")]
    await eve.ask("lobby", on=True)
    assert (await eve.find(type="lobby"))["full"]
    room = (await ann.ask("create", game="conga"))["room"]
    private = await ann.ask("create", game="conga", private=True)
    (listed,) = (await eve.find(type="lobby"))["rooms"]
    assert (listed["room"], listed["status"]) == (room, "waiting")
    assert [info["room"] for info in (await ben.ask("list", game="conga"))["rooms"]] == [room]
    assert (await ben.ask("list", status="running"))["rooms"] == []
    assert (await ben.refused("watch", room=private["room"]))["code"] == "bad_code"
    await ben.ask("watch", room=private["room"], code=private["code"])
    await ben.ask("join", room=room)
    while listed["status"] != "running":
        (listed,) = (await eve.find(type="lobby"))["rooms"]
    await ann.ask("resign", room=room)
    while listed["status"] != "ended":
        (listed,) = (await eve.find(type="lobby"))["rooms"]
    assert listed["reason"] == "resigned"


async def test_invited_player_is_notified_now_or_at_hello(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "Ben")
    room = (await ann.ask("create", game="conga", private=True, invite="ben"))["room"]
    assert (await ben.find(type="invited"))["by"] == "ann"
    eve = await connect_guest(server.url, "eve")
    assert (await eve.refused("join", room=room))["code"] == "not_invited"
    late = (await ann.ask("create", game="conga", invite="late"))["room"]
    guest = await connect_guest(server.url, "late")
    assert (await guest.find(type="invited"))["room"]["room"] == late
    await ben.ask("join", room=room)
    for name in ("ann", "ANN"):
        assert (await ann.refused("create", game="conga", invite=name))["code"] == "bad_request"


async def test_flag_falls_without_a_command(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    room = await room_of(ann, ben, clock={"kind": "move", "per_move": 100})
    ended = await ben.find(type="ended", room=room)
    assert (ended["reason"], ended["winner"]) == ("time", 1)


async def test_waiting_room_expires(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start(expiry=0.2)
    ann = await connect_guest(server.url, "ann")
    room = (await ann.ask("create", game="conga"))["room"]
    assert (await ann.find(type="ended", room=room))["reason"] == "aborted"


async def test_creator_who_leaves_a_waiting_room_ends_it(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann, eve = await connect_guest(server.url, "ann"), await connect_guest(server.url, "eve")
    room = (await ann.ask("create", game="conga"))["room"]
    await eve.ask("watch", room=room)
    await ann.ask("leave", room=room)
    assert (await eve.find(type="ended"))["reason"] == "aborted"
    await eve.ask("leave", room=room)
    assert (await ann.refused("resign", room=room))["code"] == "not_seated"
