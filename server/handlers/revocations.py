"""Revocations: disconnect clients whose account was revoked or got another token, and guests with its name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from protocol.types import Player
from protocol.usernames import fold
from server.storage.interface import Store

REPEAT_S = 60.0  # how long a change is applied again: a hello may have read the account before it, and still be running
POLICY_VIOLATION = 1008  # close code


class Closable(Protocol):
    """What revocations need of a connection."""

    player: Player | None
    account_change: int

    def cut(self, code: int, reason: str) -> None:
        """Close the connection."""


class Revocations:
    """Reads the changes of accounts from the store, each for about REPEAT_S and then never again."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._applied = self._recent = self._newest = 0  # numbers of changes; those up to `_applied` are not read
        self._marked_at = 0.0  # when `_recent` was the newest

    async def start(self) -> None:
        """Skip the changes before the first client connects. Raises Unavailable."""
        self._applied = self._recent = self._newest = await self._store.last_account_change()

    async def apply(self, clients: Iterable[Closable], now: float) -> None:
        """Disconnect the clients that recent changes concern. `now`: seconds of a steady clock. Raises Unavailable."""
        if now - self._marked_at >= REPEAT_S:
            self._applied, self._recent, self._marked_at = self._recent, self._newest, now
        changes = await self._store.account_changes(self._applied)
        if not changes:
            return
        self._newest = changes[-1].number
        accounts = [change.account for change in changes]
        revoked = {account.player for account in accounts if account.revoked_at is not None}
        renewed = {change.account.player: change.number for change in changes}
        owned = {fold(account.name) for account in accounts if account.revoked_at is None}
        for client in list(clients):
            player = client.player
            if player is None:
                continue
            if player.account and player.id in revoked:
                client.cut(POLICY_VIOLATION, "your account has been revoked")
            elif player.account and client.account_change < renewed.get(player.id, 0):
                client.cut(POLICY_VIOLATION, "the token of your account was replaced; connect with the new one")
            elif not player.account and fold(player.name) in owned:
                client.cut(POLICY_VIOLATION, "your name belongs to an account now; reconnect with another name")
