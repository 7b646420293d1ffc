"""The rules of the games: one page for each."""

from __future__ import annotations

from functools import partial

from textual import events
from textual.app import ComposeResult

from client.presentation.rules.chapter import terminal_chapter
from client.tui.render.bars import Keys, Status
from client.tui.screens.base import Action, BaseScreen
from client.tui.widgets.bars import Bar, Footer, Header, Tabs
from client.tui.widgets.rules_page import RulesPage
from engine.registry import GAMES

KEYS = (
    Keys("←→", "other games"),
    Keys("↑↓", "scroll"),
    Keys("pgup pgdn", "by pages"),
    Keys("p", "colours"),
    Keys("esc", "back"),
)


class RulesScreen(BaseScreen):
    """Shows the rules of a game. The arrows at the left and right switch to the other games."""

    def __init__(self, game: str = "", options: str = "") -> None:
        """Show a game; the first one if the client does not know it. `options`: those of the user's game."""
        super().__init__()
        self._names = tuple(GAMES)
        self._titles = tuple(GAMES[name].title for name in self._names)
        self._at = self._names.index(game) if game in self._names else 0
        self._notice = f"Your game: {options}." if options else ""

    @property
    def game(self) -> str:
        return self._names[self._at]

    def compose_content(self) -> ComposeResult:
        appearance = self.client.appearance
        yield Header(appearance)
        yield Tabs(appearance, self._titles, self._at)
        yield RulesPage(appearance, terminal_chapter(self.game))
        yield Footer(appearance, KEYS)

    def set_up(self) -> None:
        self.watch(self.page, "scroll_y", self._update_footer, init=False)
        self.watch(self.page, "virtual_size", self._update_footer, init=False)
        self._update_header()
        self._update_footer()

    @property
    def page(self) -> RulesPage:
        return self.query_one(RulesPage)

    def _update_header(self) -> None:
        self.query_one(Header).show(["Rules", self._titles[self._at]], f"{self._at + 1} of {len(self._names)}")

    def _update_footer(self) -> None:
        status = Status(self.client.connection or self._notice, tail="more below" if self.page.has_more else "")
        self.query_one(Footer).show(status)

    def show_notice(self, text: str) -> None:
        self._notice = text
        self._update_footer()

    def connection_changed(self) -> None:
        self._update_footer()

    def repaint(self) -> None:
        for bar in self.query(Bar):
            bar.appearance = self.client.appearance
            bar.refresh()
        self.page.appearance = self.client.appearance
        self.page.repaint()

    def _turn_to(self, number: int) -> None:
        """Show the game of a number. The first game follows the last one."""
        self._at = number % len(self._names)
        self._notice = ""
        self.query_one(Tabs).show(self._at)
        self.page.show(terminal_chapter(self.game))
        self._update_header()

    def actions(self) -> list[Action]:
        games = [Action(f"Rules of {title}", "", partial(self._turn_to, n)) for n, title in enumerate(self._titles)]
        colours = Action("Change the colours", "p", self.client.cycle_theme)
        return [*games, colours, Action("Back", "esc", self.client.leave_screen)]

    def on_tabs_chosen(self, event: Tabs.Chosen) -> None:
        self._turn_to(event.number)

    def on_key(self, event: events.Key) -> None:
        page = self.page
        match event.key:
            case "left":
                self._turn_to(self._at - 1)
            case "right":
                self._turn_to(self._at + 1)
            case "up":
                page.scroll_up(animate=False)
            case "down":
                page.scroll_down(animate=False)
            case "pageup":
                page.scroll_page_up(animate=False)
            case "pagedown" | "space":
                page.scroll_page_down(animate=False)
            case "home":
                page.scroll_home(animate=False)
            case "end":
                page.scroll_end(animate=False)
            case "p":
                self.client.cycle_theme()
            case "escape" | "q" | "f1":
                self.client.leave_screen()
            case _:
                return
        event.stop()
        event.prevent_default()
