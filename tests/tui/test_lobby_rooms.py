"""The rows of the lobby: sorted, filtered and updated."""

from __future__ import annotations

from client.tui.models.lobby_rooms import LobbyRooms
from protocol.replies import LobbyUpdate
from tests.tui.lobby_samples import lobby_update, room


def keys(rooms: LobbyRooms, filter_text: str = "") -> list[str]:
    return [row.key for section in rooms.sections(filter_text) for row in section.rows]


def test_rows_are_sorted_and_filtered() -> None:
    rooms = LobbyRooms()
    rooms.update(lobby_update())
    assert keys(rooms) == ["r2", "r1", "r5", "r3", "bot greedy", "bot search", "r4"]
    assert keys(rooms, "SEARCH coh live") == ["r3"]
    assert keys(rooms, "waiting conga") == ["r1", "r5"]
    assert rooms.live() == ["r3"]
    assert rooms.bots_for("cohcoh") == ["search"]


def test_updates_change_rooms_and_bots() -> None:
    rooms = LobbyRooms()
    rooms.update(lobby_update())
    rooms.update(LobbyUpdate(rooms=(room("r1", "conga", "alice", "bob", status="running"),), bots=()))
    assert rooms.live() == ["r3", "r1"]  # r3 has watchers
    assert keys(rooms, "bot") == []


def test_row_keeps_its_place_when_its_game_is_watched() -> None:
    rooms = LobbyRooms()
    games = [room(f"g{n}", "conga", "a", "b", status="running", created_at=n) for n in range(3)]
    rooms.update(LobbyUpdate(full=True, rooms=tuple(games)))
    before = keys(rooms)
    rooms.update(LobbyUpdate(rooms=(room("g0", "conga", "a", "b", status="running", created_at=0, watchers=5),)))
    assert keys(rooms) == before == ["g2", "g1", "g0"]


def test_closed_room_disappears() -> None:
    rooms = LobbyRooms()
    rooms.update(lobby_update())
    rooms.update(LobbyUpdate(rooms=(room("r2", "mancala", "", "bob", status="ended"),)))
    assert "r2" not in keys(rooms)
