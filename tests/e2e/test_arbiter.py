"""An arbiter brings two others together over real sockets."""

from __future__ import annotations

from tests.e2e.conftest import Come, Start


async def test_two_are_invited_by_name_and_the_arbiter_watches(start: Start, come: Come) -> None:
    house = await start()
    eve, ann = await come(house.url, "eve"), await come(house.url, "ann")
    made = await eve.ask("create", game="conga", players=["ann", "ben"])
    assert (await eve.find(type="snapshot", room=made["room"]))["arbiter"] == "eve"
    invited = await ann.find(type="invited")
    assert (invited["by"], invited["room"]["players"]) == ("eve", ["ann", "ben"])
    ben = await come(house.url, "ben")
    assert (await ben.find(type="invited"))["room"]["room"] == made["room"]
    for guest in (ben, ann):
        await guest.ask("join", room=made["room"])
    await eve.find(type="started", room=made["room"])
    await ann.ask("move", room=made["room"], ply=0, move="a4b4")
    await eve.find(type="moved", move="a4b4")
    await eve.ask("abort", room=made["room"])
    assert (await ben.find(type="ended"))["reason"] == "aborted"


async def test_rooms_for_others_have_their_limits(start: Start, come: Come) -> None:
    house = await start(rooms_per_player=2)
    eve = await come(house.url, "eve")
    for players in (["ann", "Ann"], ["eve", "ann"], ["", "ann"], ["x" * 99, "ann"]):
        assert (await eve.refused("create", game="conga", players=players))["code"] in ("bad_request", "bad_name")
    assert (await eve.refused("create", game="conga", players=["a", "b"], invite="c"))["code"] == "bad_request"
    rooms = [(await eve.ask("create", game="conga", players=["ann", "ben"]))["room"] for _ in range(2)]
    assert (await eve.refused("create", game="conga", players=["ann", "ben"]))["code"] == "too_many_rooms"
    await eve.ask("abort", room=rooms[0])
    await eve.ask("create", game="conga", players=["ann", "ben"])
