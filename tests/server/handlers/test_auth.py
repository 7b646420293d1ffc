from __future__ import annotations

import pytest

from protocol.commands import Hello
from server.config import Settings
from server.domain.decision import Refusal
from server.handlers.auth import Identity, identify
from server.storage.interface import PlayerRooms
from server.vouchers import Voucher
from tests.server.domain.helpers import NOW
from tests.server.fakes import Harness

TOKEN = "a-token"
NODE = "n1"


async def hello(server: Harness, auth: str = "guests", **fields: str) -> Identity:
    return await identify(server.store, Settings(auth=auth), Hello(id=1, **fields), NODE)  # type: ignore[arg-type]


async def refusal(server: Harness, auth: str = "guests", **fields: str) -> Refusal:
    with pytest.raises(Refusal) as refused:
        await hello(server, auth, **fields)
    return refused.value


async def add_account(server: Harness, name: str = "Ann") -> None:
    assert await server.store.add_account(name, "p-account", TOKEN, NOW)


async def save(server: Harness, identity: Identity) -> str:
    """Save the session of a player, as `hello` does. Return the secret."""
    assert await server.store.save_session(identity.secret, identity.session, NOW, identity.account_change)
    return identity.secret


# -- vouchers


async def vouched(server: Harness, account: str, change: int, **fields: str) -> Identity:
    hello = Hello(id=1, **fields)  # type: ignore[arg-type]
    return await identify(server.store, Settings(), hello, NODE, Voucher("192.0.2.7", account, change, 0))


async def test_voucher_identifies_its_account(server: Harness) -> None:
    await add_account(server)
    identity = await vouched(server, "Ann", 1)
    assert (identity.player.id, identity.player.account, identity.account_change) == ("p-account", True, 1)
    again = await vouched(server, "Ann", 1, resume=await save(server, identity))
    assert again.player == identity.player
    assert not (await vouched(server, "", 0, name="guest")).player.account


async def test_voucher_of_a_changed_account_is_refused(server: Harness) -> None:
    await add_account(server)
    await server.store.rotate_account("Ann", "another")
    for account in ("Ann", "Ben"):
        with pytest.raises(Refusal, match="your account was changed since you connected"):
            await vouched(server, account, 1)


# -- guests


async def test_guest_gets_the_name_and_a_new_player(server: Harness) -> None:
    first, second = await hello(server, name=" ann "), await hello(server, name="ben")
    assert (first.player.name, first.player.account) == ("ann", False)
    assert first.player.id != second.player.id
    assert first.secret != second.secret


async def test_guest_without_a_name_gets_one(server: Harness) -> None:
    assert (await hello(server)).player.name.startswith("guest-")


async def test_name_in_use_gets_a_number(server: Harness) -> None:
    names = [(await hello(server, name=name)).player.name for name in ("ann", "ANN", "ann")]
    assert names == ["ann", "ANN~2", "ann~3"]


async def test_name_of_an_account_is_not_for_guests(server: Harness) -> None:
    await add_account(server)
    refused = await refusal(server, name="ann")
    assert (refused.code, str(refused)) == (
        "name_taken",
        "the name ann belongs to an account; choose another, or use its token",
    )


async def test_server_for_accounts_refuses_guests(server: Harness) -> None:
    assert (await refusal(server, auth="tokens", name="ann")).code == "guests_refused"


# -- accounts


@pytest.mark.parametrize("auth", ["guests", "tokens"])
async def test_token_identifies_an_account(server: Harness, auth: str) -> None:
    await add_account(server)
    identity = await hello(server, auth, token=TOKEN, name="ignored")
    assert (identity.player.id, identity.player.name, identity.player.account) == ("p-account", "Ann", True)


async def test_unknown_or_revoked_token_is_refused(server: Harness) -> None:
    await add_account(server)
    assert (await refusal(server, token="wrong")).code == "bad_token"
    await server.store.revoke_account("ann", NOW)
    refused = await refusal(server, token=TOKEN)
    assert refused.code == "bad_token"
    assert "unknown or revoked token: check it, or ask the operator" in str(refused)


async def test_token_wins_over_a_session(server: Harness) -> None:
    await add_account(server)
    secret = await save(server, await hello(server, name="guest"))
    assert (await hello(server, token=TOKEN, resume=secret)).player.id == "p-account"


# -- sessions


async def test_session_of_a_guest_restores_the_player(server: Harness) -> None:
    before = await hello(server, name="ann")
    after = await hello(server, resume=await save(server, before))
    assert after == before._replace(rooms=PlayerRooms([], []), saved_at=NOW)


async def test_session_gets_another_name_if_its_name_was_taken_meanwhile(server: Harness) -> None:
    before = await hello(server, name="ann")
    secret = await save(server, before)
    await server.store.mark_absent(NODE, before.player.id, "ann")
    await hello(server, name="ann")
    after = await hello(server, resume=secret)
    assert (after.player.id, after.player.name) == (before.player.id, "ann~2")


async def test_unknown_session_is_refused(server: Harness) -> None:
    assert (await refusal(server, resume="wrong")).code == "bad_session"


async def test_session_of_a_revoked_account_is_refused(server: Harness) -> None:
    await add_account(server)
    secret = await save(server, await hello(server, token=TOKEN))
    assert (await hello(server, resume=secret)).player.account
    await server.store.revoke_account("ann", NOW)
    assert (await refusal(server, resume=secret)).code == "bad_session"
    await server.store.add_account("ann", "p-new-owner", "another-token", NOW)
    assert (await refusal(server, resume=secret)).code == "bad_session"


async def test_server_for_accounts_refuses_sessions_of_guests(server: Harness) -> None:
    secret = await save(server, await hello(server, name="ann"))
    assert (await refusal(server, auth="tokens", resume=secret)).code == "guests_refused"
