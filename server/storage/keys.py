"""Keys that all nodes of a store share, and that only a client of the store can read. Both stores share this SQL."""

from __future__ import annotations

from abc import ABC, abstractmethod
from secrets import token_bytes
from typing import Any

KEY_BYTES = 32


class Keys(ABC):
    """The part of a store that has keys. `mark` is the store's placeholder: `?` or `$`."""

    mark: str

    @abstractmethod
    async def _select(self, sql: str, *values: Any) -> list[Any]: ...

    @abstractmethod
    async def _change(self, sql: str, *values: Any) -> int: ...

    async def key(self, name: str) -> bytes:
        """Return the key of this name. The first node that asks creates it."""
        select = f"SELECT value FROM keys WHERE name = {self.mark}1"
        if not (rows := await self._select(select, name)):
            insert = f"INSERT INTO keys (name, value) VALUES ({self.mark}1, {self.mark}2) ON CONFLICT (name) DO NOTHING"
            await self._change(insert, name, token_bytes(KEY_BYTES))
            rows = await self._select(select, name)
        return bytes(rows[0][0])
