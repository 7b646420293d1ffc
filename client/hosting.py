"""A server of one's own that keeps its games in a folder, and is there as long as somebody needs it."""

from __future__ import annotations

import os
from pathlib import Path

from client.errors import NoServer
from client.privately import Place, PrivateServer


class Hosting:
    """`folder`: none is the usual one, with the games of `parlour play`. `settings`: more flags of `parlour serve`."""

    def __init__(self, folder: Path | None = None, settings: tuple[str, ...] = ()) -> None:
        self._place = Place(folder)
        self._server = PrivateServer((), self._place, settings)

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
