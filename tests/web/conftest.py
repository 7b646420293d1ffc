"""A server with pages, and a real Chromium. All tests of this folder share one event loop and one browser."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Page, async_playwright, expect

from bench.chromium import find_chromium
from client.presentation.website import ROUTES, website_files
from server.app import Running
from server.transport.website import Website
from tests.e2e.local_server import running_server
from tests.web.visitor import Visitor

TIMEOUT_MS = 30_000
expect.set_options(timeout=TIMEOUT_MS)
CHROMIUM = find_chromium()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests of this folder in one event loop, which the browser needs."""
    folder = Path(__file__).parent
    for item in items:
        if item.path.parent == folder:
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    if CHROMIUM is None:
        text = "Chromium is not installed: run scripts/web-tools"
        if os.environ.get("CI"):
            pytest.fail(text)
        pytest.skip(text)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="session")
async def server(tmp_path: Path) -> AsyncIterator[Running]:
    async with running_server(
        tmp_path, website=Website(website_files(), ROUTES), lobby_tick=0.05, sweep=0.05
    ) as server:
        yield server


class Windows:
    """Browser windows that tests use one after the other: a new one costs a second of CPU time."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self._free: list[Page] = []

    async def take(self) -> Page:
        if self._free:
            return self._free.pop()
        context = await self.browser.new_context()
        return await context.new_page()

    async def give_back(self, page: Page) -> None:
        """Forget the last test: its tabs and what its pages have stored."""
        for other in page.context.pages:
            if other is not page:
                await other.close()
        await page.evaluate("localStorage.clear(); sessionStorage.clear()")
        await page.context.clear_cookies()
        await page.goto("about:blank")
        self._free.append(page)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def windows(browser: Browser) -> Windows:
    return Windows(browser)


Visit = Callable[..., Awaitable[Visitor]]


@pytest_asyncio.fixture(loop_scope="session")
async def visit(windows: Windows, server: Running) -> AsyncIterator[Visit]:
    """Open a page of the server in a browser window without a history: its own one if it needs options.

    No script error and no CSP violation is allowed.
    """
    visitors: list[Visitor] = []
    async with AsyncExitStack() as stack:

        async def open_page(
            path: str = "/", width: int = 1280, height: int = 800, own: bool = False, **options: Any
        ) -> Visitor:
            page: Page
            if own or options:
                context: BrowserContext = await windows.browser.new_context(**options)
                stack.push_async_callback(context.close)
                page = await context.new_page()
            else:
                page = await windows.take()
                stack.push_async_callback(windows.give_back, page)
            page.context.set_default_timeout(TIMEOUT_MS)
            await page.set_viewport_size({"width": width, "height": height})
            visitor = Visitor(page, server.url.replace("ws://", "http://").removesuffix("/ws"))
            visitors.append(visitor)
            await visitor.open(path)
            return visitor

        yield open_page
        for visitor in visitors:
            visitor.close()
    assert [error for visitor in visitors for error in visitor.errors] == []
