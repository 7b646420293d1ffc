"""A real headless browser, driven over the DevTools protocol."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from tests.waiting import TIMEOUT_S

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome") or ""


class Tab:
    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self._ids, self._session = socket, count(1), ""
        self.errors: list[str] = []

    async def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        id = next(self._ids)
        session = {"sessionId": self._session} if self._session else {}
        await self._socket.send(json.dumps({"id": id, "method": method, "params": parameters, **session}))
        async with asyncio.timeout(TIMEOUT_S):
            while True:
                answer = json.loads(await self._socket.recv())
                if answer.get("id") == id:
                    assert "error" not in answer, answer
                    result: dict[str, Any] = answer["result"]
                    return result
                if answer.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded"):
                    self.errors.append(json.dumps(answer["params"]))

    async def open(self, url: str) -> None:
        made = await self.ask("Target.createTarget", url="about:blank")
        self._session = (await self.ask("Target.attachToTarget", targetId=made["targetId"], flatten=True))["sessionId"]
        for domain in ("Runtime", "Log", "Page"):
            await self.ask(f"{domain}.enable")
        await self.ask("Page.navigate", url=url)
        loaded = "new Promise((go) => document.readyState === 'complete' ? go() : addEventListener('load', go))"
        await self.evaluate(loaded)

    async def evaluate(self, script: str) -> Any:
        answer = await self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")


@asynccontextmanager
async def browser(folder: Path) -> AsyncIterator[Tab]:
    process = await asyncio.create_subprocess_exec(
        PROGRAM, "--headless", "--no-sandbox", f"--user-data-dir={folder}", "--remote-debugging-port=0",
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stderr is not None
        match = None
        while match is None:
            line = await asyncio.wait_for(process.stderr.readline(), TIMEOUT_S)
            assert line, "the browser has exited"
            match = re.search(rb"DevTools listening on (ws://\S+)", line)
        async with connect(match[1].decode(), max_size=None, proxy=None) as socket:
            yield Tab(socket)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()
