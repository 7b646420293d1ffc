"""Where a tournament is played: on somebody's server, or on one of its own that keeps its games in the folder.

The own server comes back at the same address whenever it dies, and finds its games where they were.
"""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from client.backoff import Backoff
from client.errors import NoServer
from client.privately import Place, PrivateServer

LASTING = 30.0  # seconds after which a server that dies was healthy
# The bots are our own, and their number is known: no limit is to slow them down.
SETTINGS = ("--rate", "1e9", "--burst", "1000000", "--rooms-per-player", "1000", "--connections-per-address", "10000")


class Hosting:
    def __init__(self, folder: Path) -> None:
        self._place = Place(folder)
        self._server = PrivateServer((), self._place, SETTINGS)
        self._keeper: asyncio.Task[None] | None = None

    async def start(self) -> str:
        """The server's address; NoServer."""
        try:
            await self._place.reopen()
        except OSError as error:
            raise NoServer(f"cannot keep games in {self._place.folder}: {error.strerror or os.strerror(0)}") from None
        url = await self._server.start()
        self._keeper = asyncio.create_task(self._keep(urlsplit(url).port or 0))
        return url

    async def _keep(self, port: int) -> None:
        backoff = Backoff(first=0.1, most=10.0)
        while True:
            began = time.monotonic()
            await self._server.ended()
            if time.monotonic() - began > LASTING:
                backoff.reset()
            await asyncio.sleep(backoff.next())
            with suppress(NoServer):  # once more, later
                await self._server.start(port)

    async def stop(self) -> None:
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
        await self._server.stop()
        self._place.close()
