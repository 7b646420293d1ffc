"""The application of `parlour watch --demo`: two bots play on a private server, and the user watches."""

from __future__ import annotations

import asyncio
from asyncio.subprocess import Process
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from client.local_server import PrivateFolder, PrivateServer
from client.presentation.launch_plan import NO_CLOCK, GameRequest, LaunchPlan
from client.sdk.events import SessionEvent
from client.sdk.session import Session
from client.tui.app.app import ParlourApp
from client.tui.app.server_choice import OPEN_TIMEOUT_S, ServerChoice
from client.tui.render.appearance import Appearance
from client.tui.screens.demo import DemoScreen
from protocol.commands import Create, Lobby
from protocol.replies import LobbyUpdate, Ok
from protocol.types import Options, TimeControl
from runtime import child_process
from runtime.backoff import Backoff
from runtime.supervisor import Supervisor

BOT_EXIT_GRACE_S = 2.0
ARBITER = "demo"


@dataclass(frozen=True, slots=True)
class DemoBot:
    """A bot of a demo: its name on the server, and the arguments of `parlour bot`."""

    name: str
    args: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Demo:
    """A match of two bots."""

    game: str
    bots: tuple[DemoBot, DemoBot]
    options: Options = field(default_factory=dict)
    clock: TimeControl = NO_CLOCK


class DemoServer(ServerChoice):
    """A server in a temporary folder, and the processes of both bots."""

    def __init__(self, demo: Demo) -> None:
        super().__init__(LaunchPlan(private=True))
        self._bots = demo.bots
        self._temporary = TemporaryDirectory(prefix="parlour-demo-")
        self._supervisors: list[Supervisor[Process]] = []

    async def connect(self) -> Session:
        """Return the session of the arbiter. Raises SessionError if the server does not start."""
        self._place = PrivateFolder(Path(self._temporary.name))
        self._place.open()
        self._server = PrivateServer((), self._place)
        self.is_private = True
        url = await self._server.start()
        self._supervisors = [self._supervisor(bot, url) for bot in self._bots]
        for supervisor in self._supervisors:
            supervisor.start_soon()
        self.session = Session(url, name=ARBITER, client="parlour tui", wait_for_server=False)
        await self.session.open(OPEN_TIMEOUT_S)
        return self.session

    @staticmethod
    def _supervisor(bot: DemoBot, url: str) -> Supervisor[Process]:
        """Return a supervisor that starts a bot, and starts it again if it dies."""

        async def spawn() -> Process:
            own = ("--name", bot.name, "--url", url, "--leave-with-stdin", "--no-state", "--concurrent", "1")
            return await child_process.start("parlour", "bot", *bot.args, *own)

        return Supervisor(spawn, Backoff(first_s=0.5, max_s=10.0), BOT_EXIT_GRACE_S)

    async def close(self) -> None:
        """Stop the bots and the server, and delete their folder."""
        await asyncio.gather(*(bot.stop() for bot in self._supervisors), return_exceptions=True)
        await super().close()
        self._temporary.cleanup()


class DemoApp(ParlourApp):
    """Starts a game as soon as both bots are connected."""

    def __init__(self, demo: Demo, appearance: Appearance) -> None:
        super().__init__(LaunchPlan(private=True), appearance)
        self.demo = demo
        self._waiting = True  # for the bots
        self._games = 0

    def choose_server(self) -> DemoServer:
        return DemoServer(self.demo)

    def _prepare(self) -> None:
        first, second = self.demo.bots
        self._notify(f"Starting {first.name} and {second.name}…")
        self.send(Lobby(id=self.next_id(), on=True))

    def _handle(self, event: SessionEvent) -> None:
        super()._handle(event)
        if isinstance(event, LobbyUpdate) and self._waiting:
            present = {bot.name for bot in self.bots or ()}
            if all(bot.name in present for bot in self.demo.bots):
                self._waiting = False
                self.next_game()

    def next_game(self) -> None:
        """Start a game. The bots change sides after each one."""
        demo = self.demo
        first, second = demo.bots if self._games % 2 == 0 else demo.bots[::-1]
        self._games += 1
        command = Create(
            id=self.next_id(),
            game=demo.game,
            options=demo.options,
            clock=demo.clock,
            players=(first.name, second.name),
        )
        self.send(command, self._show)

    def _show(self, ok: Ok) -> None:
        if isinstance(self.screen, DemoScreen):
            self.screen.change_room(ok.room)
        else:
            self.open_table(ok.room)

    def open_table(self, room: str, pairing: GameRequest | None = None) -> None:
        self.push_screen(DemoScreen(room))
