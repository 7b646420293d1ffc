"""Open the store that `--db` names, and turn its failures into errors for the operator."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from server.storage.interface import BUSY_TIMEOUT_S, OnCommit, Store, StoreError, Unavailable
from server.storage.tables import WrongType


def open_store(
    where: str,
    on_commit: OnCommit = lambda seconds, jobs: None,
    pool: int = 5,
    busy_s: float = BUSY_TIMEOUT_S,
    *,
    writer: str = "",
    worker: bool = False,
) -> Store:
    """Return an unopened store for the value of `--db`: a file name or a postgresql:// address.

    `busy_s`: how long to wait while another process has the file locked. `writer`: the unix socket of the process that
    writes a file for several workers; `worker` connects to it, and the parent process starts it. Raises StoreError if
    the address or the installation does not support it.
    """
    scheme, address, _ = where.partition("://")
    if not address and worker:
        from server.storage.sqlite.worker_store import WorkerStore

        return WorkerStore(where, writer, on_commit, busy_s)
    if not address:
        from server.storage.sqlite.store import SqliteStore

        return SqliteStore(where, on_commit, busy_s, writer)
    if scheme not in ("postgresql", "postgres"):
        raise StoreError(f"--db does not support {scheme}:// addresses: give a file name or a postgresql:// address")
    try:
        from server.storage.postgres.store import PostgresStore
    except ImportError:
        raise StoreError(
            "PostgreSQL support is not installed: run pip install -e '.[postgres]' in the folder of Parlour"
        ) from None
    return PostgresStore(where, on_commit, pool)


async def refuse_unfinished_copy(store: Store) -> None:
    """Raise StoreError if the database holds only a part of what it is copied from."""
    if source := await store.unfinished_copy():
        how = "run 'parlour db copy' again to finish it, or use another database"
        raise StoreError(f"the database is an unfinished copy of {source}: {how}")


@asynccontextmanager
async def wrap_store_errors(store: Store, table: str = "") -> AsyncIterator[None]:
    """Raise StoreError for any failure in the block that comes from the store or from a damaged database.

    `table`: check only this table for damage.
    """
    try:
        yield
    except StoreError:
        raise
    except WrongType as error:
        raise StoreError(str(error)) from None
    except Exception as error:
        damage = await store.find_damage(table)  # damage can surface as any exception
        if damage or isinstance(error, Unavailable):
            raise StoreError(damage or str(error)) from None
        raise
