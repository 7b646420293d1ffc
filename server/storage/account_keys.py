"""The public keys of accounts, for SSH. Both stores share this SQL.

A key belongs to one account. The keys of a revoked account are void: they may be given to another account.
"""

from __future__ import annotations

from typing import NamedTuple

from protocol.usernames import fold
from server.storage.tables import Tables

IS_ACTIVE = "EXISTS (SELECT 1 FROM accounts WHERE accounts.player = account_keys.player AND revoked_at IS NULL)"


class AccountKey(NamedTuple):
    """A public key of an active account. The fingerprint identifies it, as in the output of `ssh-keygen -l`."""

    account: str
    fingerprint: str
    comment: str
    added_at: int


class AccountKeys(Tables):
    """The part of a store that knows the public keys of accounts."""

    async def add_account_key(self, key: AccountKey) -> bool:
        """Give a key to an active account. Return False if there is no such account, or another one has the key."""
        mark = self.mark
        sql = f"""
            INSERT INTO account_keys (fingerprint, player, comment, added_at)
            SELECT {mark}1, player, {mark}2, {mark}3 FROM accounts WHERE folded = {mark}4 AND revoked_at IS NULL
            ON CONFLICT (fingerprint) DO UPDATE
            SET player = excluded.player, comment = excluded.comment, added_at = excluded.added_at
            WHERE account_keys.player = excluded.player OR NOT {IS_ACTIVE}
        """
        name = fold(key.account)
        await self._change_together([(sql, (key.fingerprint, key.comment, key.added_at, name))])
        return fold(await self.account_of_key(key.fingerprint)) == name

    async def account_of_key(self, fingerprint: str) -> str:
        """Return the name of the active account that has a key, or an empty text."""
        sql = f"""
            SELECT name FROM account_keys JOIN accounts ON accounts.player = account_keys.player
            WHERE fingerprint = {self.mark}1 AND revoked_at IS NULL
        """
        rows = await self._select(sql, fingerprint)
        return str(rows[0][0]) if rows else ""

    async def account_keys(self) -> list[AccountKey]:
        """Return the keys of all active accounts, the oldest first."""
        sql = """
            SELECT name, fingerprint, comment, added_at
            FROM account_keys JOIN accounts ON accounts.player = account_keys.player
            WHERE revoked_at IS NULL ORDER BY added_at, fingerprint
        """
        return [AccountKey(*row) for row in await self._select(sql)]

    async def remove_account_key(self, fingerprint: str) -> None:
        """Remove a key."""
        sql = f"DELETE FROM account_keys WHERE fingerprint = {self.mark}1"
        await self._change_together([(sql, (fingerprint,))])
