"""Names: how they are assigned, kept and freed."""

from __future__ import annotations

import asyncio

import pytest

from server.storage.interface import Session
from tests.e2e.accounts import account
from tests.e2e.conftest import ConnectGuest, Start
from tests.e2e.guest import Guest
from tests.e2e.local_server import until

MIXED = "St\u0430ff"  # one letter is Cyrillic


async def test_account_name_is_taken_in_every_spelling(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    await account(server, "josé")
    guest = await Guest.open(server.url)
    for name in ("JOSÉ", "Jose\u0301", "\uff4aos\u00e9"):
        assert (await guest.refused("hello", name=name))["code"] == "name_taken"
    for name in ("\u3164", "jo\u2800", "ann" + "\u0301" * 9):
        assert (await guest.refused("hello", name=name))["code"] == "bad_name"
    await guest.close()


async def test_name_that_mixes_alphabets_is_refused(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    await account(server, "Staff")
    guest = await Guest.open(server.url)
    error = await guest.refused("hello", name=MIXED)
    assert (error["code"], error["text"]) == (
        "bad_name",
        "a word uses one alphabet, but this name mixes Latin and Cyrillic letters: choose another",
    )
    await guest.hello("東京Tower")
    await guest.close()


async def test_existing_mixed_name_is_kept(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    await server.app.store.save_session("secret", Session("p-old", MIXED, ""), server.app.now())
    assert (await connect_guest(server.url, resume="secret")).you["name"] == MIXED
    owner = await connect_guest(server.url, token=await account(server, f"{MIXED} too"))
    assert owner.you["name"] == f"{MIXED} too"
    room = (await owner.ask("create", game="cohcoh", invite=MIXED))["room"]
    await (await connect_guest(server.url, resume="secret")).ask("join", room=room)


async def test_guests_who_connect_together_get_different_names(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    guests = await asyncio.gather(*(connect_guest(server.url, "sam") for _ in range(12)))
    assert len({guest.you["name"] for guest in guests}) == 12


async def test_resumed_guest_gets_another_name_if_the_old_one_is_taken(
    start: Start, connect_guest: ConnectGuest
) -> None:
    server = await start()
    ann = await connect_guest(server.url, "ann")
    await ann.close()
    await until("ann is gone", lambda: not server.app.presence.is_here("ann"))
    other = await connect_guest(server.url, "ann")
    assert other.you["name"] == "ann"
    again = await connect_guest(server.url, resume=ann.session)
    assert (again.you["name"], again.you["id"]) == ("ann~2", ann.you["id"])


async def test_guest_who_resumes_at_once_keeps_the_name(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann = await connect_guest(server.url, "ann")
    ann.socket.transport.abort()
    again = await connect_guest(server.url, resume=ann.session)
    assert again.you["name"] == "ann"
    await until("the first connection is gone", lambda: len(server.app.server.connections) == 1)
    assert (await connect_guest(server.url, "ann")).you["name"] == "ann~2"


async def test_guest_loses_a_name_that_becomes_an_account(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    zoe = await connect_guest(server.url, "Zoe")
    await account(server, "zoe")
    assert await zoe.closed() == 1008
    assert "belongs to an account" in (zoe.socket.close_reason or "")
    assert (await connect_guest(server.url, resume=zoe.session)).you["name"] == "Zoe~2"


async def test_invited_name_opens_a_private_room_only_while_it_waits(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
    room = (await ann.ask("create", game="cohcoh", private=True, invite="ben"))["room"]
    await ben.ask("watch", room=room)
    await ben.ask("join", room=room)
    await ben.close()
    await until("ben is gone", lambda: not server.app.presence.is_here("ben"))
    impostor = await connect_guest(server.url, "ben")
    assert (await impostor.refused("watch", room=room))["code"] == "bad_code"
    assert (await connect_guest(server.url, resume=ben.session)).you["id"] == ben.you["id"]


async def test_out_of_range_time_is_malformed(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann = await connect_guest(server.url, "ann")
    for before in (2**63, 2**64 - 1, -1):
        assert (await ann.refused("history", before=before))["code"] == "malformed"
        assert (await ann.refused("ratings", player="ann", game="conga", before=before))["code"] == "malformed"
    assert (await ann.ask("history", before=2**53)).get("rooms", []) == []


async def test_hundredth_guest_of_a_name_needs_few_attempts(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = await start(connections_per_address=200)
    guests = [await connect_guest(server.url, "sam") for _ in range(99)]
    assert guests[1].you["name"] == "sam~2"
    store, asked = server.app.store, []
    claim = store.claim_name

    async def counted(node: str, player: str, name: str) -> bool:
        asked.append(name)
        return await claim(node, player, name)

    monkeypatch.setattr(store, "claim_name", counted)
    last = await connect_guest(server.url, "sam")
    assert last.you["name"].startswith("sam~")
    assert len(asked) < 20
    assert len({guest.you["name"] for guest in (*guests, last)}) == 100
