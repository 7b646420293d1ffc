"""Rooms that an arbiter creates for two players."""

from __future__ import annotations

from tests.e2e.accounts import members
from tests.e2e.conftest import ConnectGuest, Start
from tests.e2e.play import RATED_CLOCK


async def test_arbiter_invites_two_players_watches_and_aborts(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    eve, ann = await connect_guest(server.url, "eve"), await connect_guest(server.url, "ann")
    created = await eve.ask("create", game="conga", players=["ann", "ben"])
    assert (await eve.find(type="snapshot", room=created["room"]))["arbiter"] == "eve"
    invited = await ann.find(type="invited")
    assert (invited["by"], invited["room"]["players"]) == ("eve", ["ann", "ben"])
    ben = await connect_guest(server.url, "ben")
    assert (await ben.find(type="invited"))["room"]["room"] == created["room"]
    for guest in (ben, ann):
        await guest.ask("join", room=created["room"])
    await eve.find(type="started", room=created["room"])
    await ann.ask("move", room=created["room"], ply=0, move="a4b4")
    await eve.find(type="moved", move="a4b4")
    await eve.ask("abort", room=created["room"])
    assert (await ben.find(type="ended"))["reason"] == "aborted"


async def test_arbiter_has_the_limits_of_a_player(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start(rooms_per_player=2)
    eve = await connect_guest(server.url, "eve")
    for players in (["ann", "Ann"], ["eve", "ann"], ["", "ann"], ["x" * 99, "ann"]):
        assert (await eve.refused("create", game="conga", players=players))["code"] in ("bad_request", "bad_name")
    assert (await eve.refused("create", game="conga", players=["a", "b"], invite="c"))["code"] == "bad_request"
    rooms = [(await eve.ask("create", game="conga", players=["ann", "ben"]))["room"] for _ in range(2)]
    assert (await eve.refused("create", game="conga", players=["ann", "ben"]))["code"] == "too_many_rooms"
    await eve.ask("abort", room=rooms[0])
    await eve.ask("create", game="conga", players=["ann", "ben"])


async def test_only_a_named_arbiter_rates_games_from_an_opening(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start(arbiters="eve")
    eve, tom = await members(server, connect_guest, "eve", "tom")
    opening = {"start": "w............... b"}
    terms = {"game": "cohcoh", "options": opening, "clock": RATED_CLOCK, "rated": True}
    assert (await eve.ask("create", players=["ann", "ben"], **terms))["room"]
    assert (await tom.refused("create", players=["ann", "ben"], **terms))["code"] == "bad_options"
    assert (await eve.refused("create", **terms))["code"] == "bad_options"  # a player of the game is no arbiter
