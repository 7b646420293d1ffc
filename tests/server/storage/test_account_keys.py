"""Public keys of accounts, in both stores."""

from __future__ import annotations

from server.storage.account_keys import AccountKey
from server.storage.interface import Store

KEY = AccountKey("Ann", "SHA256:a", "ann@home", 7)


async def test_key_logs_in_as_its_account_until_it_is_removed(store: Store) -> None:
    assert await store.add_account("Ann", "p1", "token", 5)
    assert await store.add_account_key(KEY)
    assert await store.account_of_key("SHA256:a") == "Ann"
    assert await store.account_of_key("SHA256:b") == ""
    assert await store.account_keys() == [KEY]
    await store.remove_account_key("SHA256:a")
    assert await store.account_of_key("SHA256:a") == ""
    assert await store.account_keys() == []


async def test_key_belongs_to_one_active_account(store: Store) -> None:
    assert not await store.add_account_key(KEY), "there is no such account"
    for name, player in (("Ann", "p1"), ("Ben", "p2")):
        assert await store.add_account(name, player, player, 5)
    assert await store.add_account_key(KEY)
    assert not await store.add_account_key(KEY._replace(account="Ben"))
    assert await store.add_account_key(KEY._replace(account="ANN", comment="new")), "it may be added again"
    assert [key.comment for key in await store.account_keys()] == ["new"]
    await store.revoke_account("ann", 8)
    assert await store.account_of_key("SHA256:a") == ""
    assert await store.add_account("Ann", "p3", "another", 9)
    assert await store.account_of_key("SHA256:a") == "", "a new account of the same name does not inherit keys"
    assert await store.add_account_key(KEY._replace(account="Ben"))
    assert await store.account_of_key("SHA256:a") == "Ben"
