"""HAProxy with the shipped configuration, and the addresses of the nodes of a test."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bench.cluster.ports import free_port, wait_for

SHIPPED = Path(__file__).parents[2] / "deploy" / "haproxy.cfg"
SERVER = re.compile(r"(?m)^ *server node.*\n")


@asynccontextmanager
async def balancer(addresses: list[str], folder: Path) -> AsyncIterator[str]:
    """Run HAProxy in front of nodes, and yield its URL. Skips the test if it is not installed."""
    haproxy = shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin:/usr/local/sbin")
    if haproxy is None:
        pytest.skip("HAProxy is not installed")
    port = free_port()
    config = SERVER.sub("", SHIPPED.read_text("utf-8").replace("bind :8765", f"bind 127.0.0.1:{port}"))
    config += "".join(f"    server node{number} {address}\n" for number, address in enumerate(addresses, 1))
    file = folder / "haproxy.cfg"
    file.write_text(config)
    process = await asyncio.create_subprocess_exec(haproxy, "-db", "-f", file)
    try:
        await asyncio.to_thread(wait_for, port)
        yield f"ws://127.0.0.1:{port}/ws"
    finally:
        process.terminate()
        await process.wait()
