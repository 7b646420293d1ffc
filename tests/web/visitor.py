"""A person with a browser: opens pages, starts games, plays moves."""

from __future__ import annotations

from playwright.async_api import ConsoleMessage, Error, Locator, Page, expect


class Visitor:
    """One browser window. `errors` collects script errors and violations of the Content-Security-Policy."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.address = page, address
        self.errors: list[str] = []
        page.on("pageerror", self._error)
        page.on("console", self._console)

    def close(self) -> None:
        """Stop listening: another visitor may use the window."""
        self.page.remove_listener("pageerror", self._error)
        self.page.remove_listener("console", self._console)

    def _error(self, error: Error) -> None:
        self.errors.append(str(error))

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and "WebSocket connection" not in message.text:
            self.errors.append(message.text)

    async def open(self, path: str) -> None:
        await self.page.goto(self.address + path)

    def find(self, selector: str) -> Locator:
        return self.page.locator(selector)

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def cell(self, name: str) -> Locator:
        return self.page.locator(f'parlour-board [data-cell="{name}"]')

    @property
    def room(self) -> str:
        """The room of the current address."""
        return self.page.url.rpartition("/")[2].partition("#")[0]

    async def new_game(
        self, game: str, opponent: str = "wait", name: str = "", side: str = "0", options: dict[str, str] | None = None
    ) -> str:
        """Create a room with the dialog of the lobby, and return its id."""
        await self.button("Play a game").click()
        await self.page.select_option("select[name=game]", game)
        await self.page.select_option("select[name=opponent]", opponent)
        await self.page.select_option("select[name=side]", side)
        for field, value in (options or {}).items():
            await self.page.fill(f"dialog [name={field}]", value)
        if name:
            await self.page.fill("dialog [name=name]", name)
        await self.page.locator("dialog button.main").click()
        await self.page.wait_for_url("**/room/*")
        return self.room

    async def expect_moves(self, count: int) -> None:
        await expect(self.find(".moves button")).to_have_count(count)

    async def expect_text(self, selector: str, text: str) -> None:
        await expect(self.find(selector)).to_contain_text(text)

    async def my_turn(self) -> bool:
        """Wait until it is this player's turn. Return False if the game ends instead."""
        await self.page.wait_for_selector("parlour-board[live] .cell.legal, .result:not([hidden])", state="attached")
        return await self.find(".result:not([hidden])").count() == 0

    async def play_first_choice(self) -> None:
        """Click the first cell that can be chosen until a move is played."""
        moves = self.find(".moves button")
        count = await moves.count()
        while True:
            name = await self.find("parlour-board .cell.legal").first.get_attribute("data-cell")
            await self.cell(name or "").click()
            if not await self.find("parlour-board .cell.picked").count():
                break
        await expect(moves).not_to_have_count(count)
