"""Plain HTTP requests to a server, by the URL of its WebSocket."""

from __future__ import annotations

import asyncio
from urllib.error import HTTPError
from urllib.request import urlopen

from tests.waiting import TIMEOUT_S


async def get(url: str, path: str) -> tuple[int, str]:
    """Return status and body of a page."""
    page = url.replace("ws://", "http://").removesuffix("/ws") + path

    def read() -> tuple[int, str]:
        try:
            with urlopen(page, timeout=TIMEOUT_S) as response:
                return response.status, str(response.read(), "utf-8")
        except HTTPError as error:
            with error:
                return error.code, str(error.read(), "utf-8")

    return await asyncio.get_running_loop().run_in_executor(None, read)
