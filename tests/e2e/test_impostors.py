"""A guest who takes the name of another guest gets neither a seat nor a private room."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import ConnectGuest, Start
from tests.e2e.guest import Guest
from tests.e2e.local_server import until


async def impostor(server_url: str, connect_guest: ConnectGuest, victim: Guest) -> Guest:
    """Return a new guest with the name of one who has disconnected."""
    await victim.close()
    while (other := await connect_guest(server_url, victim.you["name"])).you["name"] != victim.you["name"]:
        await other.close()
    return other


@pytest.mark.parametrize("terms", [{"invite": "ben"}, {"players": ["ben", "cy"]}])
async def test_invitation_does_not_pass_to_the_next_guest_of_that_name(
    start: Start, connect_guest: ConnectGuest, terms: dict[str, object]
) -> None:
    server = await start()
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    room = (await ann.ask("create", game="conga", private=True, **terms))["room"]
    await ben.find(type="invited")
    other = await impostor(server.url, connect_guest, ben)
    assert (await other.refused("join", room=room))["code"] == "not_invited"
    assert (await other.refused("watch", room=room))["code"] == "bad_code"
    await other.close()
    back = await connect_guest(server.url, resume=ben.session)
    await back.ask("join", room=room)
    assert (await back.find(type="snapshot", room=room))["your_seat"] is not None
    assert all(message["type"] != "invited" for message in other.seen)


async def test_seat_does_not_pass_to_the_next_guest_of_that_name(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    arbiter = await connect_guest(server.url, "arbiter")
    room = (await arbiter.ask("create", game="conga", players=["ann", "ben"]))["room"]
    ann = await connect_guest(server.url, "ann")  # was not connected: the first guest of that name takes the seat
    await ann.ask("join", room=room)
    other = await impostor(server.url, connect_guest, ann)
    live = server.app.registry.rooms[room]
    await until("ann is away", lambda: live.room.away[0] is not None)
    assert (await other.refused("join", room=room))["code"] == "seat_taken"
    back = await connect_guest(server.url, resume=ann.session)
    assert (await back.find(type="snapshot", room=room))["your_seat"] == 0
