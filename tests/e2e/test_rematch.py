"""Rematches: both players are notified, and the game starts once both are online."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import ConnectGuest, Start
from tests.e2e.guest import Refused
from tests.e2e.local_server import until
from tests.e2e.play import room_of


async def test_both_players_are_notified_of_a_rematch_of_an_older_game(
    start: Start, connect_guest: ConnectGuest
) -> None:
    server = await start()
    ann, ben = [await connect_guest(server.url, name) for name in ("ann", "ben")]
    first = await room_of(ann, ben)
    second = await room_of(ann, ben)
    for room in (first, second):
        await ann.ask("resign", room=room)
        await ben.find(type="ended", room=room)
    await ann.ask("rematch", room=first)
    await ben.find(type="rematch_offered", room=first)
    await ben.ask("rematch", room=first)
    for guest in (ann, ben):
        new = (await guest.find(type="rematched", room=first))["next"]
        assert (await guest.find(type="snapshot", room=new))["status"] == "running"


async def test_offers_in_many_rooms_keep_only_the_last_room_loaded(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann, ben = [await connect_guest(server.url, name) for name in ("ann", "ben")]
    rooms = [await room_of(ann, ben) for _ in range(4)]
    for room in rooms:
        await ann.ask("resign", room=room)
    for room in rooms:
        await ann.ask("rematch", room=room)
        await ben.find(type="rematch_offered", room=room)
    assert list(server.app.registry.rooms) == rooms[-1:]


async def test_refused_rematch_command_keeps_the_other_room_open(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann, ben, cid = [await connect_guest(server.url, name) for name in ("ann", "ben", "cid")]
    rooms = [await room_of(other, ben) for other in (ann, cid)]
    for room in rooms:
        await ben.ask("resign", room=room)
    with pytest.raises(Refused, match="has not offered a rematch"):
        await ann.ask("rematch", room=rooms[0], accept=False)
    await cid.ask("say", room=rooms[1], text="well played")
    assert (await ben.find(type="said"))["text"] == "well played"


async def test_rematch_waits_for_a_player_who_disconnected_after_the_offer(
    start: Start, connect_guest: ConnectGuest
) -> None:
    server = await start()
    ann, ben = [await connect_guest(server.url, name) for name in ("ann", "ben")]
    room = await room_of(ann, ben, clock={"kind": "fischer", "base": 60_000})
    await ann.ask("resign", room=room)
    await ann.ask("rematch", room=room)
    await ben.find(type="rematch_offered")
    await ann.close()
    (live,) = server.app.registry.rooms.values()
    await until("ann is disconnected", lambda: not live.players[0])
    await ben.ask("rematch", room=room)
    new = (await ben.find(type="rematched"))["next"]
    assert (await ben.find(type="snapshot", room=new))["status"] == "waiting"
    ann = await connect_guest(server.url, resume=ann.session)
    assert (await ann.find(type="snapshot", room=new))["your_seat"] == 1
    await ben.find(type="started", room=new)
