"""A token identifies the player, whatever session the client has stored."""

from __future__ import annotations

import pytest

from bench.cluster.ports import free_port
from client.presentation.launch_plan import LaunchPlan
from client.sdk.errors import NoServer, Refused
from client.tui.app import server_choice
from client.tui.app.server_choice import ServerChoice
from tests.e2e.accounts import account
from tests.e2e.conftest import ConnectGuest, Start
from tests.e2e.faults import FaultProxy
from tests.e2e.guest import Guest
from tests.e2e.local_server import session, until


async def connect_as(url: str, token: str = "", name: str = "") -> str:
    """Connect the client once, and return the name that the server gave it."""
    choice = ServerChoice(LaunchPlan(url=url, token=token, name=name))
    try:
        welcome = (await choice.connect()).welcome
        assert welcome is not None
        return welcome.you.name
    finally:
        await choice.close()


async def test_client_plays_as_the_owner_of_its_token(start: Start) -> None:
    server = await start()
    alice, beth = [await account(server, name) for name in ("alice", "beth")]
    guest = await connect_as(server.url)
    assert guest.startswith("guest-")
    assert await connect_as(server.url, alice) == "alice"
    assert await connect_as(server.url, beth) == "beth"
    assert await connect_as(server.url, alice, name="carl") == "alice"
    with pytest.raises(Refused, match="unknown or revoked token"):
        await connect_as(server.url, "nonsense")
    assert await connect_as(server.url) == guest  # the stored session of the guest is not overwritten
    assert (await connect_as(server.url, name="carl")) == "carl"


async def private_player(name: str) -> tuple[str, str]:
    """Connect to the private server once, and return the name and the id of the player."""
    choice = ServerChoice(LaunchPlan(private=True, name=name))
    try:
        welcome = (await choice.connect()).welcome
        assert welcome is not None
        return welcome.you.name, welcome.you.id
    finally:
        await choice.close()


async def test_each_name_has_its_own_session(start: Start) -> None:
    server = await start()
    assert [await connect_as(server.url, name=name) for name in ("ann", "ben", "ann")] == ["ann", "ben", "ann"]
    first, unnamed = await private_player("ann"), await private_player("")
    assert (first[0], unnamed[0]) == ("ann", "you")
    assert await private_player("ann") == first


async def test_token_takes_precedence_over_a_session(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    alice = await connect_guest(server.url, token=await account(server, "alice"))
    token, sam = await account(server, "beth"), await connect_guest(server.url, "sam")
    for session_of_another in (alice.session, sam.session, "an-expired-session"):
        beth = await connect_guest(server.url, token=token, resume=session_of_another)
        assert (beth.you["name"], beth.you["account"]) == ("beth", True)
        assert beth.session not in (alice.session, sam.session)
    late = await Guest.open(server.url)
    assert (await late.refused("hello", token="nonsense", resume=alice.session))["code"] == "bad_token"
    await late.close()


async def test_token_is_sent_again_after_a_cut(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    token, sam = await account(server, "alice"), await connect_guest(server.url, "sam")
    async with FaultProxy(server.url).open() as proxy, session(proxy.url, token=token, resume=sam.session) as alice:
        welcome = alice.welcome
        proxy.cut()
        await until("alice is connected again", lambda: alice.welcome is not welcome)
        assert welcome is not None
        assert alice.welcome is not None
        assert alice.welcome.you == welcome.you
        assert (welcome.you.name, welcome.you.account) == ("alice", True)
        assert alice.welcome.session == welcome.session  # a new session would remain in the database


async def test_no_private_server_is_started_with_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_choice, "DEFAULT_URL", f"ws://127.0.0.1:{free_port()}/ws")
    with pytest.raises(NoServer, match="start a server there with 'parlour serve'"):
        await connect_as("", "some token")
