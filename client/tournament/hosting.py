"""Where a tournament is played: on somebody's server, or on one of its own that keeps its games in the folder."""

from __future__ import annotations

import os
from pathlib import Path

from client.errors import NoServer
from client.privately import Place, PrivateServer

# The bots are our own, and their number is known: no limit is to slow them down.
SETTINGS = ("--rate", "1e9", "--burst", "1000000", "--rooms-per-player", "1000", "--connections-per-address", "10000")


class Hosting:
    def __init__(self, folder: Path) -> None:
        self._place = Place(folder)
        self._server = PrivateServer((), self._place, SETTINGS)

    async def start(self) -> str:
        """The server's address; NoServer."""
        try:
            await self._place.reopen()
        except OSError as error:
            raise NoServer(f"cannot keep games in {self._place.folder}: {error.strerror or os.strerror(0)}") from None
        return await self._server.start()

    async def stop(self) -> None:
        await self._server.stop()
        self._place.close()
