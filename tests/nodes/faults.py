"""Faults of the parts of a cluster: processes that are stopped, and links that pass nothing on."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bench.cluster.link import Link
from bench.cluster.postgres import Postgres


def descendants(pid: int) -> list[int]:
    """Return a process and its child processes."""
    found = [pid]
    for parent in found:
        for task in Path(f"/proc/{parent}/task").glob("*/children"):
            with suppress(OSError):
                found += map(int, task.read_text().split())
    return found


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """Stop a process and its child processes, as a frozen machine does, and let them go on afterwards."""
    pids = descendants(pid)
    for each in pids:
        os.kill(each, signal.SIGSTOP)
    try:
        yield
    finally:
        for each in reversed(pids):
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGCONT)


async def link_to_postgres(postgres: Postgres, host: str = "127.0.0.1") -> Link:
    socket = str(postgres.folder / ".s.PGSQL.5432")
    return await Link(lambda: asyncio.open_unix_connection(socket)).start(host)
