"""The way to the store that is asked for, and what its failures are to whoever cannot do without it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from server.storage.interface import OnCommit, Store, StoreError, Unavailable


def open_store(where: str, on_commit: OnCommit = lambda seconds, jobs: None, pool: int = 5) -> Store:
    """The store for what `--db` says."""
    scheme, address, _ = where.partition("://")
    if not address:
        from server.storage.sqlite.store import SqliteStore

        return SqliteStore(where, on_commit)
    if scheme not in ("postgresql", "postgres"):
        raise StoreError(f"--db takes the name of a file or a postgresql:// address, and {scheme}:// is neither")
    try:
        from server.storage.postgres.store import PostgresStore
    except ImportError:
        raise StoreError("PostgreSQL needs a package more: pip install 'parlour[postgres]'") from None
    return PostgresStore(where, on_commit, pool)


@asynccontextmanager
async def wrap_store_errors(store: Store, table: str = "") -> AsyncIterator[None]:
    """A block that is nothing without its store, or one table: whatever goes wrong because of that is a StoreError."""
    try:
        yield
    except StoreError:
        raise
    except Exception as error:
        damage = await store.find_damage(table)  # which may show as anything
        if damage or isinstance(error, Unavailable):
            raise StoreError(damage or str(error)) from None
        raise
