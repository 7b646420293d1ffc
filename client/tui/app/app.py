"""The client as a whole: one session, and a stack of screens that hear of everything.

What the first picture does not need is imported behind it, in `_live`, so that something is seen at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.css.query import NoMatches

from client.presentation.launch_plan import Plan, Wish
from client.presentation.texts import lost_text, printable
from client.sdk.errors import SessionError
from client.sdk.events import Connected, Disconnected, SessionEvent
from client.tui.app.themed_app import LEAVING, Dressed
from client.tui.render.appearance import Looks
from client.tui.screens.base import Foyer, ParlourScreen
from protocol.commands import Command, Join, Leave, Lobby, Watch
from protocol.replies import LobbyUpdate, Ok, Snapshot
from protocol.types import BotInfo

if TYPE_CHECKING:
    from client.sdk.room_view import RoomView
    from client.sdk.session import Session
    from client.tui.app.server_choice import Host

SLOW = 0.3  # seconds for an answer that are worth telling
LOBBY = ""  # no room is called that


class Parlour(Dressed):
    """Returns a sentence if something went wrong."""

    TITLE = "Parlour"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS = [Binding(",".join(LEAVING), "quit", show=False, priority=True)]

    def __init__(self, plan: Plan, looks: Looks) -> None:
        super().__init__(looks)
        self.plan = plan
        self.host: Host | None = None
        self.session: Session | None = None
        self.bots: tuple[BotInfo, ...] | None = None  # until the lobby has told
        self.connection = ""  # what is wrong with it, if anything
        self._unknown: set[str] = set()  # rooms that were left, and the lobby: what is to come before we begin

    def on_mount(self) -> None:
        self.dress()
        self.push_screen(Foyer())
        self.call_after_refresh(self._come_alive)

    def _come_alive(self) -> None:
        self.run_worker(self._live())

    async def close(self) -> None:
        """Everything that was started for this client ends. Shielded: a second Ctrl-C must not leave a server."""
        if self.host is not None:
            await asyncio.shield(self.host.close())

    async def action_quit(self) -> None:
        self.exit()

    # -- the session

    async def _live(self) -> None:
        from client.tui.app.server_choice import Host

        self._tell(f"connecting to {self.plan.url}…" if self.plan.url else "starting…")
        self.host = Host(self.plan)
        try:
            self.session = await self.host.connect()
        except SessionError as error:
            self.exit(str(error), return_code=2)
            return
        self._begin()
        try:
            async for happening in self.session:
                self._hear(happening)
        except SessionError as error:
            self._trouble(f"the connection has ended: {error}")

    def _begin(self) -> None:
        session, plan = self.session, self.plan
        assert session is not None
        assert session.welcome is not None
        if plan.errand in ("play", "lobby"):
            self._unknown = set(session.welcome.rooms)
        if plan.errand == "play":
            self.order(Lobby(id=self.next_id(), on=True))  # tells who is a bot
            self._unknown.add(LOBBY)
        if not self._unknown:
            self._errand()

    def _errand(self) -> None:
        plan = self.plan
        match plan.errand:
            case "play" if plan.wish is not None:
                self.make(plan.wish if self.plays_alone else plan.wish.among(self.bots or ()))
            case "join":
                self.join(plan.rooms[0], plan.code, None if plan.wish is None else plan.wish.seat)
            case "watch":
                self.watch_rooms(plan.rooms, plan.code)
            case _:
                from client.tui.screens.lobby import LobbyScreen

                self.push_screen(LobbyScreen())

    def _hear(self, happening: SessionEvent) -> None:
        match happening:
            case Disconnected():
                self._trouble(lost_text(happening, "" if self.session is None else self.session.url))
            case Connected():
                if self.host is not None:
                    self.host.keep_secret()
                self._trouble("")
            case LobbyUpdate(bots=bots) if bots is not None:
                self.bots = bots
                self._known(LOBBY)
            case Snapshot(room=room):
                self._known(room)
        self._each(lambda screen: screen.hear(happening))

    def _known(self, what: str) -> None:
        if what in self._unknown:
            self._unknown.discard(what)
            if not self._unknown:
                self._offer()

    def _screens(self) -> list[ParlourScreen]:
        return [screen for screen in self.screen_stack if isinstance(screen, ParlourScreen) and screen.ready]

    def _each(self, act: Callable[[ParlourScreen], None]) -> None:
        for screen in self._screens():
            with suppress(NoMatches):  # it is being taken down
                act(screen)

    def _trouble(self, text: str) -> None:
        self.connection = text
        self._each(lambda screen: screen.trouble())

    def _offer(self) -> None:
        """All games that were left are known: go on with one of them?"""
        left = [] if self.session is None else self.session.rooms.unfinished()
        if not left:
            self._errand()
            return
        from client.tui.dialogs.unfinished import offer

        offer(self, left, self._errand)

    # -- for the screens

    def next_id(self) -> int:
        return 0 if self.session is None else self.session.id()

    def table(self, room: str) -> RoomView | None:
        return None if self.session is None else self.session.rooms.get(room)

    @property
    def plays_alone(self) -> bool:
        """In a server of our own, where all others are bots."""
        return self.host is not None and self.host.is_private

    def is_bot(self, name: str) -> bool:
        return self.plays_alone or any(bot.name == name for bot in self.bots or ())

    @cached_property
    def newcomer(self) -> bool:
        """Whether somebody has to be told how to move."""
        from client.presentation.first_game import first_game

        return first_game()

    def lag(self) -> str:
        seconds = 0.0 if self.session is None or self.connection else self.session.lag
        return f"slow connection: {seconds:.1f} s" if seconds > SLOW else ""

    def order(self, command: Command, then: Callable[[Ok], None] | None = None) -> None:
        """Ask the server; what it says to that is told on the screen."""
        if self.session is not None:
            self.run_worker(self._order(self.session, command, then), exit_on_error=True)

    async def _order(self, session: Session, command: Command, then: Callable[[Ok], None] | None) -> None:
        try:
            ok = await session.ask(command)
        except SessionError as error:
            self._tell(str(error))
            if isinstance(self.screen, Foyer):
                self.exit(str(error), return_code=2)
            return
        if then is not None:
            then(ok)

    def _tell(self, text: str) -> None:
        for screen in self._screens()[-1:]:
            with suppress(NoMatches):
                screen.notice(printable(text))

    def make(self, wish: Wish) -> None:
        sought = wish if wish.pair else None
        self.order(wish.command(self.next_id(), self.plays_alone), lambda ok: self.open_table(ok.room, sought))

    def join(self, room: str, code: str = "", seat: int | None = None) -> None:
        if self.session is not None and self.session.welcome is not None and room in self.session.welcome.rooms:
            self.open_table(room)  # we have never quite left it
        else:
            self.order(Join(id=self.next_id(), room=room, code=code, seat=seat), lambda ok: self.open_table(room))

    def open_table(self, room: str, sought: Wish | None = None) -> None:
        from client.tui.screens.table import TableScreen

        self.push_screen(TableScreen(room, sought))

    def watch_rooms(self, rooms: tuple[str, ...], code: str = "") -> None:
        """One room as a table, several as a wall."""
        if len(rooms) == 1:
            self.order(Watch(id=self.next_id(), room=rooms[0], code=code), lambda ok: self.open_table(rooms[0]))
        else:
            from client.tui.screens.wall import WallScreen

            self.push_screen(WallScreen(rooms))

    def leave_table(self, room: str) -> None:
        """Back to where we came from; out, if that is the street."""
        table = self.table(room)
        still_shown = any(screen.shows(room) for screen in self._screens())
        done = table is not None and (table.seat is None or table.status == "waiting") and not still_shown
        self.leave_screen(Leave(id=self.next_id(), room=room) if done else None)

    def leave_screen(self, farewell: Leave | None = None) -> None:
        below = self.screen_stack[-2] if len(self.screen_stack) > 1 else None
        if below is None or isinstance(below, Foyer) or not isinstance(below, ParlourScreen):
            if self.host is not None:
                self.host.farewell = farewell  # who exits waits for no worker
            self.exit()
        else:
            if farewell is not None:
                self.order(farewell)
            self.pop_screen()
            below.repaint()

    def other_theme(self) -> None:
        self.looks = self.looks.next_theme()
        self.dress()
        self._each(lambda screen: screen.repaint())
        self._tell(f"colours: {self.looks.theme}")
