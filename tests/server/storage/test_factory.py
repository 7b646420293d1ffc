"""The store for an address, and failures as errors for the operator."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.storage.factory import open_store, wrap_store_errors
from server.storage.interface import StoreError, Unavailable
from server.storage.postgres.store import PostgresStore
from server.storage.sqlite.store import SqliteStore


def test_address_selects_the_store() -> None:
    assert isinstance(open_store("parlour.db"), SqliteStore)
    assert isinstance(open_store("postgresql://host/name"), PostgresStore)
    with pytest.raises(StoreError, match="give a file name or a postgresql:// address"):
        open_store("mysql://host/name")


async def test_unavailable_store_is_a_store_error(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "parlour.db"))
    await store.open()
    with pytest.raises(StoreError, match="disk full"):
        async with wrap_store_errors(store):
            raise Unavailable("disk full")
    with pytest.raises(ZeroDivisionError):  # the store is undamaged, so this is a bug
        async with wrap_store_errors(store):
            raise ZeroDivisionError
    await store.close()
