"""Revocations: which clients are disconnected, and which changes are read."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from protocol.types import Player
from server.handlers.revocations import REPEAT_S, Revocations
from server.storage.interface import AccountChange, Store
from tests.server.conftest import Build

NOW = 1_000
ANN = Player(id="p-ann", name="ann", account=True)


@dataclass
class FakeClient:
    player: Player | None
    account_change: int = 0
    closed: str = ""

    def cut(self, code: int, reason: str) -> None:
        assert code == 1008
        self.closed = reason


@pytest.fixture
async def store(build: Build) -> Store:
    return (await build()).store


async def closed(revocations: Revocations, player: Player | None, now: float = 0.0, change: int = 1) -> str:
    client = FakeClient(player, change)
    await revocations.apply([client], now)
    return client.closed


async def test_revoked_account_and_guest_with_its_new_name_are_disconnected(store: Store) -> None:
    await store.add_account("ann", "p-ann", "token", NOW)
    revocations = Revocations(store)
    await revocations.start()
    guest = Player(id="p-guest", name="Ben")
    assert await closed(revocations, ANN) == await closed(revocations, guest) == ""
    await store.revoke_account("ann", NOW)
    await store.add_account("ben", "p-ben", "token of ben", NOW)
    assert await closed(revocations, ANN) == "your account has been revoked"
    assert await closed(revocations, guest) == "your name belongs to an account now; reconnect with another name"
    assert await closed(revocations, Player(id="p-ben", name="ben", account=True), change=3) == ""
    assert await closed(revocations, None) == ""


async def test_client_with_an_older_token_is_disconnected_and_one_with_the_new_one_is_not(store: Store) -> None:
    await store.add_account("ann", "p-ann", "token", NOW)
    await store.add_account("ben", "p-ben", "token of ben", NOW)
    revocations = Revocations(store)
    await revocations.start()
    before = await store.account_of_token("token")
    assert await store.rotate_account("ann", "new token")
    after = await store.account_of_token("new token")
    assert before is not None
    assert after is not None
    text = "the token of your account was replaced; connect with the new one"
    assert await closed(revocations, ANN, change=before.change) == text
    assert await closed(revocations, ANN, change=after.change) == ""
    assert await closed(revocations, Player(id="p-ben", name="ben", account=True), change=2) == ""


async def test_change_is_applied_to_a_hello_that_was_under_way(store: Store) -> None:
    await store.add_account("ann", "p-ann", "token", NOW)
    revocations = Revocations(store)
    await revocations.apply([], REPEAT_S)
    await store.revoke_account("ann", NOW)
    await revocations.apply([], 2 * REPEAT_S - 1)
    assert await closed(revocations, ANN, 2 * REPEAT_S) == "your account has been revoked"


async def test_only_recent_changes_are_read(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        await store.add_account(f"old{number}", f"p{number}", f"token{number}", NOW)
    revocations, read = Revocations(store), list[int]()
    await revocations.start()
    account_changes = store.account_changes

    async def count(after: int) -> list[AccountChange]:
        changes = await account_changes(after)
        read.append(len(changes))
        return changes

    monkeypatch.setattr(store, "account_changes", count)
    await revocations.apply([], REPEAT_S)
    await store.add_account("new", "p-new", "token of new", NOW)
    for now in (REPEAT_S + 1, 2 * REPEAT_S, 3 * REPEAT_S, 3 * REPEAT_S + 1):
        await revocations.apply([], now)
    assert read == [0, 1, 1, 0, 0]
