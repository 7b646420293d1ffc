"""`parlour rooms` and `parlour watch` as text and as JSON, against a real server."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from client.presentation.plain_watch import follow
from engine.registry import create
from protocol.commands import Say
from tests.e2e.local_server import LINE, parlour_command, play, running_server, seat_two, session, until
from tests.waiting import TIMEOUT_S


async def test_rooms_are_listed(tmp_path: Path) -> None:
    async with (
        running_server(tmp_path) as server,
        session(server.url, "alice") as alice,
        session(server.url, "bob") as bob,
    ):
        code, out, err = await parlour_command("rooms", "--url", server.url)
        assert (code, out, err) == (0, "", "no open rooms; --status ended lists finished games\n")
        room = await seat_two(alice, bob, "cohcoh")
        _, out, _ = await parlour_command("rooms", "--url", server.url)
        assert out.split() == [room, "casual", "cohcoh", "alice", "-", "bob", "none", "running,", "0", "moves"]
        _, out, _ = await parlour_command("rooms", "--json", "--url", server.url)
        assert json.loads(out)["seats"][1]["name"] == "bob"
        _, out, err = await parlour_command("rooms", "--game", "conga", "--status", "running", "--url", server.url)
        assert (out, err) == ("", "no matching rooms\n")


async def followed(url: str, room: str, as_json: bool) -> list[str]:
    lines: list[str] = []
    async with session(url, "watcher") as watcher:
        await follow(watcher, room, "", as_json, lines.append, lines.append)
    return lines


async def test_game_is_followed_as_text(tmp_path: Path) -> None:
    async with (
        running_server(tmp_path) as server,
        session(server.url, "alice") as alice,
        session(server.url, "bob") as bob,
    ):
        room = await seat_two(alice, bob, "cohcoh")
        watching = asyncio.create_task(followed(server.url, room, False))
        await until("the watcher is connected", lambda: server.app.registry.rooms[room].watchers)
        await alice.ask(Say(id=alice.id(), room=room, text="hello"))
        await play((alice, bob), room, LINE)
        lines = await asyncio.wait_for(watching, TIMEOUT_S)
    assert lines[0] == "n-k-coh-coh: alice - bob, n 4, k 3, casual"
    assert lines[-1] == "bob wins: alice completed a line of 3"
    game = create("cohcoh")
    state = game.start()
    for move in LINE:
        state = game.play(state, game.parse(state, move))
    assert game.draw(state).text() in "\n".join(lines)
    assert any(line.startswith("5. white a3") for line in lines)


async def test_game_is_followed_as_json_and_printed_when_finished(tmp_path: Path) -> None:
    async with (
        running_server(tmp_path) as server,
        session(server.url, "alice") as alice,
        session(server.url, "bob") as bob,
    ):
        room = await seat_two(alice, bob, "cohcoh")
        watching = asyncio.create_task(followed(server.url, room, True))
        await until("the watcher is connected", lambda: server.app.registry.rooms[room].watchers)
        await play((alice, bob), room, LINE)
        events = [json.loads(line) for line in await asyncio.wait_for(watching, TIMEOUT_S)]
        assert events[0]["type"] == "snapshot"
        assert events[-1]["type"] == "ended"
        seqs = [event["seq"] for event in events]
        assert seqs == list(range(seqs[0], seqs[0] + len(seqs)))
        code, out, err = await parlour_command("watch", room, "--plain", "--url", server.url)
        assert (code, err) == (0, "")
        assert "1. white a1" in out
        assert out.endswith("bob wins: alice completed a line of 3\n")
        code, out, err = await parlour_command("watch", "nowhere", "--json", "--url", server.url)
        assert (code, out, err) == (2, "", "parlour: there is no room 'nowhere': check the name, or list the rooms\n")


async def test_newest_running_game_is_followed_without_a_room(tmp_path: Path) -> None:
    async with (
        running_server(tmp_path) as server,
        session(server.url, "alice") as alice,
        session(server.url, "bob") as bob,
    ):
        code, _, err = await parlour_command("watch", "--plain", "--url", server.url)
        assert (code, err.startswith("parlour: no game is running: start one, or name a room")) == (2, True)
        older = await seat_two(alice, bob, "conga")
        room = await seat_two(alice, bob, "cohcoh")
        watching = asyncio.create_task(parlour_command("watch", "--plain", "--url", server.url))
        await until("the watcher is connected", lambda: server.app.registry.rooms[room].watchers)
        assert not server.app.registry.rooms[older].watchers
        await play((alice, bob), room, LINE)
        code, out, _ = await asyncio.wait_for(watching, TIMEOUT_S)
    assert (code, out.splitlines()[-1]) == (0, "bob wins: alice completed a line of 3")
