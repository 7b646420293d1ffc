"""What the server answers to the SSH service."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from server.config import Settings
from server.ssh.permits import Permits
from server.storage.account_keys import AccountKey
from server.storage.factory import open_store
from server.vouchers import VOUCHER_KEY, Voucher, read_voucher


@pytest.fixture
async def permits(tmp_path: Path) -> AsyncIterator[Permits]:
    store = open_store(str(tmp_path / "parlour.db"))
    await store.open()
    assert await store.add_account("Ann", "p1", "token", 1)
    assert await store.add_account_key(AccountKey("Ann", "SHA256:a", "", 1))
    yield Permits(Settings(ssh_session_time=100.0), store)
    await store.close()


async def voucher_in(permits: Permits, answer: dict[str, str]) -> Voucher:
    key = await permits.store.key(VOUCHER_KEY)
    voucher = read_voucher(answer["voucher"], key, int(time.time() * 1000))
    assert voucher is not None
    return voucher


async def test_keys_of_accounts_are_known(permits: Permits) -> None:
    assert await permits.answer({"fingerprint": "SHA256:a"}) == {"account": "Ann"}
    assert await permits.answer({"fingerprint": "SHA256:b"}) == {"account": ""}


async def test_voucher_names_address_and_account(permits: Permits) -> None:
    answer = await permits.answer({"user": "whoever", "account": "Ann", "address": "2001:db8::7"})
    voucher = await voucher_in(permits, answer)
    assert (answer["name"], voucher.account, voucher.address) == ("", "Ann", "2001:db8::/64")
    answer = await permits.answer({"user": "bob", "account": "", "address": "192.0.2.7"})
    voucher = await voucher_in(permits, answer)
    assert (answer["name"], voucher.account, voucher.address) == ("bob", "", "192.0.2.7")
    assert voucher.expires < (time.time() + 200) * 1000


@pytest.mark.parametrize(
    ("user", "why"),
    [
        ("ANN", "the name ANN belongs to an account; connect with a key of it"),
        ("", "a name consists of visible characters"),
        ("a\x1b[31mb", "a name consists of visible characters"),
        ("a\nb", "a name consists of visible characters"),
        ("\u202ebob", "a name consists of visible characters"),
        ("st\u0430ff", "a word uses one alphabet"),
        ("x" * 33, "a name has at most 32 characters"),
    ],
)
async def test_hostile_names_get_a_sentence(user: str, why: str, permits: Permits) -> None:
    answer = await permits.answer({"user": user, "account": "", "address": "192.0.2.7"})
    assert answer["error"].startswith(why)
    assert answer["error"].isprintable()


async def test_guests_are_refused_if_the_server_takes_accounts_only(permits: Permits) -> None:
    strict = Permits(Settings(auth="tokens"), permits.store)
    answer = await strict.answer({"user": "bob", "account": "", "address": "192.0.2.7"})
    assert answer["error"].startswith("this server accepts accounts only, and knows none of your keys")
    assert "voucher" in await strict.answer({"user": "bob", "account": "Ann", "address": "192.0.2.7"})


async def test_revoked_account_gets_no_voucher(permits: Permits) -> None:
    await permits.store.revoke_account("Ann", 2)
    assert await permits.answer({"fingerprint": "SHA256:a"}) == {"account": ""}
    answer = await permits.answer({"user": "", "account": "Ann", "address": "192.0.2.7"})
    assert answer["error"].startswith("your account was revoked")
    assert "error" in await permits.answer({"what": "else"})
