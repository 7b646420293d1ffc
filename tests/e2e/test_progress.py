"""Ply counts of running games in the lobby."""

from __future__ import annotations

import pytest

from server.lobby import progress
from tests.e2e.conftest import ConnectGuest, Start
from tests.e2e.guest import Guest
from tests.e2e.play import play, room_of

MOVES = ("a1", "b1", "c1")


async def wait_for_ply(lobby: Guest, room: str, ply: int) -> None:
    """Wait until the lobby reports a ply of a room."""
    while (await lobby.find(type="lobby")).get("plies", {}).get(room) != ply:
        pass


async def test_lobby_reports_plies_of_public_games(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "REPORT_INTERVAL_S", 0.0)
    server = await start(lobby_tick=0.0)
    ann, ben, eve = [await connect_guest(server.url, name) for name in ("ann", "ben", "eve")]
    await eve.ask("lobby", on=True)
    hidden, room = await room_of(ann, ben, private=True), await room_of(ann, ben)
    for name in (hidden, room):
        await play(ann, ben, name, *MOVES)
    await wait_for_ply(eve, room, len(MOVES))
    assert not any(hidden in message.get("plies", {}) for message in eve.seen)
    await ann.ask("takeback", room=room)
    await ben.ask("takeback", room=room)
    await wait_for_ply(eve, room, len(MOVES) - 1)


async def test_lobby_reports_plies_at_intervals(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "REPORT_INTERVAL_S", 3600.0)
    server = await start(lobby_tick=0.0, sweep=3600.0)
    report = server.app.progress.report
    ann, ben, eve = [await connect_guest(server.url, name) for name in ("ann", "ben", "eve")]
    first, second = await room_of(ann, ben), await room_of(ann, ben)
    await play(ann, ben, first, *MOVES)
    report()  # no client watches the lobby
    await eve.ask("lobby", on=True)
    shown = {info["room"]: info.get("ply", 0) for info in (await eve.find(type="lobby", full=True))["rooms"]}
    assert shown == {first: len(MOVES), second: 0}
    report()
    assert (await eve.find(type="lobby"))["plies"] == {first: len(MOVES)}
    await play(ann, ben, second, *MOVES)
    report()  # too early
    await ann.ask("resign", room=second)
    update = await eve.find(type="lobby")
    assert ([info["ply"] for info in update["rooms"]], "plies" in update) == ([len(MOVES)], False)


async def test_reports_of_other_nodes_are_ignored_for_rooms_loaded_here(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "REPORT_INTERVAL_S", 3600.0)
    server = await start(lobby_tick=0.0)
    ann, ben, eve = [await connect_guest(server.url, name) for name in ("ann", "ben", "eve")]
    room = await room_of(ann, ben)
    await eve.ask("lobby", on=True)
    await eve.find(type="lobby", full=True)
    server.app.node.lobby_announced((), {room: 7, "elsewhere": 4})
    assert (await eve.find(type="lobby"))["plies"] == {"elsewhere": 4}
