"""A server of one's own that keeps its games in a folder, and is there as long as somebody needs it."""

from __future__ import annotations

from pathlib import Path

from client.local_server import Place, PrivateServer


class Hosting:
    """`folder`: none is the usual one, with the games of `parlour play`. `settings`: more flags of `parlour serve`."""

    def __init__(self, folder: Path | None = None, settings: tuple[str, ...] = ()) -> None:
        self._place = Place(folder)
        self._server = PrivateServer((), self._place, settings)

    async def start(self) -> str:
        """The server's address; NoServer."""
        await self._place.reopen()
        return await self._server.start()

    async def stop(self) -> None:
        await self._server.stop()
        self._place.close()
