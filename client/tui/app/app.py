"""The application: one session, and a stack of screens that receive all its events.

Modules that the first screen does not need are imported later, so that it appears at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from textual.binding import Binding
from textual.css.query import NoMatches

from client.presentation.launch_plan import GameRequest, LaunchPlan
from client.presentation.texts import invited_text, lost_text, replay_text, resume_text
from client.sdk.errors import SessionError
from client.sdk.events import Connected, Disconnected, SessionEvent
from client.tui.app.command_palette import ScreenActions
from client.tui.app.themed_app import QUIT_KEYS, ThemedApp
from client.tui.render.appearance import Appearance
from client.tui.screens.base import BaseScreen, StartScreen
from protocol.commands import Command, Join, Leave, Lobby, Watch
from protocol.replies import Invited, LobbyUpdate, Ok, Snapshot
from protocol.types import BotInfo

if TYPE_CHECKING:
    from client.sdk.room_view import RoomView
    from client.sdk.session import Session
    from client.tui.app.server_choice import ServerChoice

SLOW_REPLY_S = 0.3  # show the delay if the server takes longer to answer
MAX_MOTION_LAG_S = 0.15  # over a slower link, moves are not animated
LOBBY = ""  # stands for the lobby in a set of rooms; no room has an empty name


class ParlourApp(ThemedApp):
    """The terminal client. Running it returns an error message, or an empty value.

    It implements `client.tui.models.client.Client`, which documents the public methods.
    """

    TITLE = "Parlour"
    COMMANDS = {ScreenActions}
    BINDINGS = [Binding(",".join(QUIT_KEYS), "quit", show=False, priority=True)]

    def __init__(self, plan: LaunchPlan, appearance: Appearance) -> None:
        super().__init__(appearance)
        self.plan = plan
        self.server: ServerChoice | None = None
        self.session: Session | None = None
        self.bots: tuple[BotInfo, ...] | None = None
        self.connection = ""
        self.invitation = ""
        self._missing: set[str] = set()  # unfinished games whose snapshots have not arrived yet; LOBBY likewise

    def on_mount(self) -> None:
        self.apply_appearance()
        self.push_screen(StartScreen())
        self.call_after_refresh(self._start_session)

    def _start_session(self) -> None:
        self.run_worker(self._run_session())

    async def close(self) -> None:
        """Close the session and stop a private server. Shielded, so that a second Ctrl-C leaves no server behind."""
        if self.server is not None:
            await asyncio.shield(self.server.close())

    def farewell(self) -> str:
        """Return how to resume the unfinished games or replay the last one, for the shell; empty if none was played."""
        if self.session is None or not (self.keeps_games or self.plan.voucher):
            return ""
        tables = [table for table in self.session.rooms.values() if table.setup.your_seat is not None]
        if self.keeps_games and any(table.status == "running" for table in tables):
            return resume_text(self.plan.resume_command(self.bots_only), self.bots_only)
        played = [table.room for table in tables if table.status == "ended" and table.ply > 0]
        if not played:
            return ""
        if self.plan.voucher:
            return f"Replay your game: ssh -t HOST watch {played[-1]}"
        return replay_text(*(self.plan.record_command(name, played[-1], self.bots_only) for name in ("show", "review")))

    async def action_quit(self) -> None:
        self.exit()

    def action_command_palette(self) -> None:
        """Open the palette on a screen that has actions. A dialog has none."""
        if isinstance(self.screen, BaseScreen) and self.screen.actions():
            super().action_command_palette()

    # -- the session

    def choose_server(self) -> ServerChoice:
        """Return the server of the launch plan."""
        from client.tui.app.server_choice import ServerChoice

        return ServerChoice(self.plan)

    async def _run_session(self) -> None:
        self._notify(f"Connecting to {self.plan.url}…" if self.plan.url else "Starting…")
        self.server = self.choose_server()
        try:
            self.session = await self.server.connect()
        except SessionError as error:
            self.exit(str(error), return_code=2)
            return
        self._prepare()
        try:
            async for event in self.session:
                self._handle(event)
        except SessionError as error:
            self._set_connection(f"Disconnected: {error}")

    def _prepare(self) -> None:
        """Request what is needed before the planned mode can start."""
        session, plan = self.session, self.plan
        assert session is not None
        assert session.welcome is not None
        if plan.mode in ("play", "lobby"):
            self._missing = set(session.welcome.rooms)
        if plan.mode == "play":
            self.send(Lobby(id=self.next_id(), on=True))  # lists the bots
            self._missing.add(LOBBY)
        if not self._missing:
            self._start_mode()

    def _start_mode(self) -> None:
        plan = self.plan
        match plan.mode:
            case "play" if plan.request is not None:
                self.start_game(plan.request if self.bots_only else plan.request.with_available_bot(self.bots or ()))
            case "join":
                self.join(plan.rooms[0], plan.code, None if plan.request is None else plan.request.seat)
            case "watch":
                self.watch_rooms(plan.rooms, plan.code)
            case "tv":
                self.watch_live(plan.game)
            case _:
                from client.tui.screens.lobby import LobbyScreen

                self.push_screen(LobbyScreen())

    def _handle(self, event: SessionEvent) -> None:
        match event:
            case Disconnected():
                self._set_connection(lost_text(event, "" if self.session is None else self.session.url))
            case Connected():
                if self.server is not None:
                    self.server.save_session()
                self._set_connection("")
            case LobbyUpdate(bots=bots) if bots is not None:
                self.bots = bots
                self._arrived(LOBBY)
            case Snapshot(room=room):
                self._arrived(room)
            case Invited():
                self.invitation = invited_text(event)
                self._notify(self.invitation)
        self._each(lambda screen: screen.receive(event))

    def _arrived(self, room: str) -> None:
        if room in self._missing:
            self._missing.discard(room)
            if not self._missing:
                self._offer_unfinished()

    def _offer_unfinished(self) -> None:
        """Offer to resume the unfinished games, if there are any. Otherwise start the planned mode."""
        unfinished = [] if self.session is None else self.session.rooms.unfinished()
        if not unfinished:
            self._start_mode()
            return
        from client.tui.dialogs.unfinished import ask_to_resume

        resigning = self.plan.resigns_unfinished(self.bots_only)

        async def start_new() -> None:
            if resigning and self.session is not None:
                await self.session.abandon(unfinished)
            self._start_mode()

        def answered(number: int | None) -> None:
            if number is None:
                self._start_mode()
            elif number < len(unfinished):
                self.open_table(unfinished[number].room)
            else:
                self.run_worker(start_new())

        ask_to_resume(self, unfinished, resigning, answered)

    def _screens(self) -> list[BaseScreen]:
        return [screen for screen in self.screen_stack if isinstance(screen, BaseScreen) and screen.ready]

    def _each(self, act: Callable[[BaseScreen], None]) -> None:
        for screen in self._screens():
            with suppress(NoMatches):  # the screen is being removed
                act(screen)

    def _set_connection(self, text: str) -> None:
        self.connection = text
        self._each(lambda screen: screen.connection_changed())

    def _notify(self, text: str) -> None:
        for screen in self._screens()[-1:]:
            with suppress(NoMatches):
                screen.show_notice(text)

    # -- the Client protocol

    def next_id(self) -> int:
        return 0 if self.session is None else self.session.id()

    def table(self, room: str) -> RoomView | None:
        return None if self.session is None else self.session.rooms.get(room)

    @property
    def player(self) -> str:
        return "" if self.session is None or self.session.welcome is None else self.session.welcome.you.name

    @property
    def place(self) -> str:
        if self.session is None:
            return ""
        return "private server" if self.bots_only else urlsplit(self.session.url).hostname or ""

    @property
    def bots_only(self) -> bool:
        return self.server is not None and self.server.is_private

    @property
    def keeps_games(self) -> bool:
        return self.server is None or self.server.keeps_games

    @property
    def animates(self) -> bool:
        lag = 0.0 if self.session is None else self.session.lag
        return self.appearance.animates and lag <= MAX_MOTION_LAG_S

    def is_bot(self, name: str) -> bool:
        return self.bots_only or any(bot.name == name for bot in self.bots or ())

    def lag(self) -> str:
        seconds = 0.0 if self.session is None or self.connection else self.session.lag
        return f"slow connection: {seconds:.1f} s" if seconds > SLOW_REPLY_S else ""

    def send(
        self,
        command: Command,
        then: Callable[[Ok], None] | None = None,
        failed: Callable[[str], None] | None = None,
    ) -> None:
        if self.session is not None:
            self.run_worker(self._send(self.session, command, then, failed), exit_on_error=True)

    async def _send(
        self,
        session: Session,
        command: Command,
        then: Callable[[Ok], None] | None,
        failed: Callable[[str], None] | None,
    ) -> None:
        try:
            ok = await session.ask(command)
        except SessionError as error:
            if failed is not None:
                failed(str(error))
                return
            self._notify(str(error))
            if isinstance(self.screen, StartScreen):
                self.exit(str(error), return_code=2)
            return
        if then is not None:
            then(ok)

    def follow(self, room: str, refused: Callable[[str, str], None] | None = None) -> None:
        if self.table(room) is None:
            failed = None if refused is None else lambda reason: refused(room, reason)
            self.send(Watch(id=self.next_id(), room=room), failed=failed)

    def unfollow(self, room: str) -> None:
        table = self.table(room)
        if self._is_shown(room) or (table is not None and table.seat is not None):
            return
        self.send(Leave(id=self.next_id(), room=room), lambda ok: self._forget(room), lambda reason: self._forget(room))

    def _is_shown(self, room: str, *, besides: BaseScreen | None = None) -> bool:
        screens = (screen for screen in self.screen_stack if isinstance(screen, BaseScreen))
        return any(screen.shows(room) for screen in screens if screen is not besides)

    def _forget(self, room: str) -> None:
        """Drop the view of a room that was left: it is not updated any more."""
        if self.session is not None and not self._is_shown(room):
            self.session.rooms.pop(room, None)

    def start_game(self, request: GameRequest) -> None:
        pairing = request if request.pair else None
        self.send(request.command(self.next_id(), self.bots_only), lambda ok: self.open_table(ok.room, pairing))

    def join(self, room: str, code: str = "", seat: int | None = None) -> None:
        if self.session is not None and self.session.welcome is not None and room in self.session.welcome.rooms:
            self.open_table(room)  # we still have a seat there
        else:
            self.send(Join(id=self.next_id(), room=room, code=code, seat=seat), lambda ok: self.open_table(room))

    def open_table(self, room: str, pairing: GameRequest | None = None) -> None:
        from client.tui.screens.table import TableScreen

        self.push_screen(TableScreen(room, pairing))

    def watch_rooms(self, rooms: tuple[str, ...], code: str = "") -> None:
        if len(rooms) == 1:
            self.send(Watch(id=self.next_id(), room=rooms[0], code=code), lambda ok: self.open_table(rooms[0]))
        else:
            from client.tui.screens.tv import TvScreen

            self.push_screen(TvScreen(rooms))

    def watch_live(self, game: str = "") -> None:
        from client.tui.screens.tv import TvScreen

        self.push_screen(TvScreen(game=game))

    def leave_table(self, room: str) -> None:
        table = self.table(room)
        screen = self.screen if isinstance(self.screen, BaseScreen) else None
        shown = self._is_shown(room, besides=screen)
        done = table is not None and (table.seat is None or table.status == "waiting") and not shown
        self.leave_screen(Leave(id=self.next_id(), room=room) if done else None)

    def _screen_below(self) -> BaseScreen | None:
        """Return the screen to which leaving this one returns; None if leaving ends the program."""
        below = self.screen_stack[-2] if len(self.screen_stack) > 1 else None
        return below if isinstance(below, BaseScreen) and not isinstance(below, StartScreen) else None

    @property
    def is_first_screen(self) -> bool:
        return self._screen_below() is None

    def leave_screen(self, last_command: Leave | None = None) -> None:
        below = self._screen_below()
        if below is None:
            if self.server is not None:
                self.server.last_command = last_command  # an exiting application does not wait for workers
            self.exit()
        else:
            if last_command is not None:
                room = last_command.room
                self.send(last_command, lambda ok: self._forget(room))
            self.pop_screen()
            below.repaint()

    def cycle_theme(self) -> None:
        self.appearance = self.appearance.next_theme()
        self.apply_appearance()
        self._each(lambda screen: screen.repaint())
        self._notify(f"Theme: {self.appearance.theme}")
