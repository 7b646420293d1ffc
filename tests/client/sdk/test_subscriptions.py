from __future__ import annotations

from client.sdk.room_cache import RoomCache
from client.sdk.subscriptions import Subscriptions
from protocol.commands import Command, Leave, List, Lobby, Watch
from tests.client.sdk.room_log import busy_log


def rooms_at(event: int, seat: int | None) -> RoomCache:
    rooms = RoomCache()
    rooms.apply_snapshot(busy_log(1).snapshot(event, seat), 0.0)
    return rooms


def lobby_after(*commands: Command) -> bool:
    subscriptions = Subscriptions()
    for command in commands:
        subscriptions.record(command)
    return subscriptions.lobby


def test_lobby_is_on_until_it_is_switched_off() -> None:
    on, off = Lobby(id=1, on=True), Lobby(id=2, on=False)
    assert not lobby_after(List(id=1))
    assert lobby_after(on, List(id=1))
    assert not lobby_after(on, off)


def test_watched_room_is_requested_with_its_code_until_it_is_left() -> None:
    subscriptions = Subscriptions()
    subscriptions.record(Watch(id=1, room="w", code="key"))
    assert subscriptions.code("w") == "key"
    assert subscriptions.code("other") == ""
    assert list(subscriptions.missed(RoomCache(), ())) == [("w", 0)]
    subscriptions.record(Leave(id=2, room="w"))
    assert list(subscriptions.missed(RoomCache(), ())) == []


def test_seated_room_is_requested_from_its_last_seq() -> None:
    rooms = rooms_at(5, seat=0)
    assert list(Subscriptions().missed(rooms, ())) == [("r", rooms["r"].seq)]
    assert list(Subscriptions().missed(rooms, ("r",))) == [], "the server sends it by itself"
    rooms.missing["r"] = 3
    assert list(Subscriptions().missed(rooms, ())) == [("r", 3)]


def test_unwatched_and_ended_rooms_are_not_requested() -> None:
    assert list(Subscriptions().missed(rooms_at(5, seat=None), ())) == []
    ended, subscriptions = rooms_at(-1, seat=0), Subscriptions()
    subscriptions.record(Watch(id=1, room="r"))
    assert list(subscriptions.missed(ended, ())) == []
