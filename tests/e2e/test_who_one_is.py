"""A token says who somebody is, whatever was remembered of others who played here."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.cluster.ports import free_port
from client.presentation.launch_plan import LaunchPlan
from client.sdk.errors import NoServer, Refused
from client.tui.app import server_choice as hosts
from client.tui.app.server_choice import ServerChoice
from tests.e2e.accounts import account
from tests.e2e.conftest import Come, Start
from tests.e2e.faults import FaultProxy
from tests.e2e.guest import Guest
from tests.e2e.parlours import session, until


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


async def who(url: str, token: str = "", name: str = "") -> str:
    """As whom the client comes, which then leaves."""
    host = ServerChoice(LaunchPlan(url=url, token=token, name=name))
    try:
        welcome = (await host.connect()).welcome
        assert welcome is not None
        return welcome.you.name
    finally:
        await host.close()


async def test_the_client_is_whose_token_it_is_given(start: Start) -> None:
    server = await start()
    alice, beth = [await account(server, name) for name in ("alice", "beth")]
    guest = await who(server.url)
    assert guest.startswith("guest-")
    assert await who(server.url, alice) == "alice"
    assert await who(server.url, beth) == "beth"
    assert await who(server.url, alice, name="carl") == "alice"
    with pytest.raises(Refused, match="unknown or revoked token"):
        await who(server.url, "nonsense")
    assert await who(server.url) == guest  # whose way back nobody has overwritten
    assert (await who(server.url, name="carl")) == "carl"


async def test_a_token_beats_a_session_in_one_hello(start: Start, come: Come) -> None:
    server = await start()
    alice = await come(server.url, token=await account(server, "alice"))
    token, sam = await account(server, "beth"), await come(server.url, "sam")
    for session_of_another in (alice.session, sam.session, "of another time"):
        beth = await come(server.url, token=token, resume=session_of_another)
        assert (beth.you["name"], beth.you["account"]) == ("beth", True)
        assert beth.session not in (alice.session, sam.session)
    late = await Guest.open(server.url)
    assert (await late.refused("hello", token="nonsense", resume=alice.session))["code"] == "bad_token"
    await late.close()


async def test_after_a_cut_the_token_says_it_again(start: Start, come: Come) -> None:
    server = await start()
    token, sam = await account(server, "alice"), await come(server.url, "sam")
    async with FaultProxy(server.url).open() as proxy, session(proxy.url, token=token, resume=sam.session) as alice:
        welcome = alice.welcome
        proxy.cut()
        await until("alice is back", lambda: alice.welcome is not welcome)
        assert welcome is not None
        assert alice.welcome is not None
        assert alice.welcome.you == welcome.you
        assert (welcome.you.name, welcome.you.account) == ("alice", True)
        assert alice.welcome.session == welcome.session  # each new one would stay in the database


async def test_with_a_token_no_private_server_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosts, "DEFAULT_URL", f"ws://127.0.0.1:{free_port()}/ws")
    with pytest.raises(NoServer, match="is parlour serve running there"):
        await who("", "some token")
