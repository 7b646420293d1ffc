"""Fixtures: a SQLite and a PostgreSQL store."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from server.storage.factory import open_store
from server.storage.interface import Store


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return a value for --db: a new file, or an empty database."""
    if request.param == "sqlite":
        return str(tmp_path / "parlour.db")
    address: str = request.getfixturevalue("database")
    return address


@pytest.fixture
async def store(place: str) -> AsyncIterator[Store]:
    store = open_store(place)
    await store.open()
    yield store
    await store.close()
