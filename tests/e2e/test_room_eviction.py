"""Ended rooms are evicted from memory, even if the players stay connected."""

from __future__ import annotations

from server.rooms.membership import ENDED_ROOMS_KEPT
from tests.e2e.conftest import ConnectGuest, Start
from tests.e2e.play import room_of


async def test_ended_rooms_are_evicted(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start(rate=1e5, burst=10_000)
    ann, ben, eve = [await connect_guest(server.url, name) for name in ("ann", "ben", "eve")]
    room = await room_of(ann, ben)
    rooms = [room]
    for number in range(12):
        await eve.ask("watch", room=room)
        await (ann, ben)[number % 2].ask("resign", room=room)
        for guest in (ann, ben, eve):
            await guest.find(type="ended", room=room)
        await ann.ask("rematch", room=room)
        await ben.ask("rematch", room=room)
        room = (await ann.find(type="rematched"))["next"]
        rooms.append(room)
        for guest in (ann, ben):
            await guest.find(type="snapshot", room=room)
    known = server.app.registry.rooms
    assert rooms[-1] in known
    assert len(known) <= ENDED_ROOMS_KEPT + 2, "the last room, rooms kept for players, and the room of the watcher"
    late = await connect_guest(server.url, "late")
    await late.ask("watch", room=rooms[0])
    assert (await late.find(type="snapshot"))["next"] == rooms[1]
