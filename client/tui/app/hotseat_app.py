"""The application of `parlour play --hotseat`: two people at one terminal, each with a session on a private server."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from client.local_server import PrivateServer
from client.presentation.launch_plan import GameRequest, LaunchPlan
from client.sdk.credentials import CredentialsFile, credentials_file_name
from client.sdk.errors import SessionError
from client.sdk.room_view import RoomView
from client.sdk.session import Session
from client.sdk.sides import side_names
from client.tui.app.app import ParlourApp
from client.tui.app.server_choice import OPEN_TIMEOUT_S, ServerChoice
from client.tui.screens.hotseat import HotseatScreen
from engine.registry import GAMES
from protocol.commands import Command, Create, Join
from protocol.replies import Ok


class HotseatServer(ServerChoice):
    """A private server without bots, and the sessions of both players."""

    partner: Session | None = None
    _partner_credentials: CredentialsFile | None = None

    async def connect(self) -> Session:
        """Return the session of the first player. Raises SessionError if the server does not start."""
        self._place.open()
        self._server = PrivateServer((), self._place)
        self.is_private = True
        url = await self._server.start()
        names = player_names(self.plan)
        self._credentials, self.session = await self._open_player(url, 0, names)
        self._partner_credentials, self.partner = await self._open_player(url, 1, names)
        return self.session

    async def _open_player(self, url: str, number: int, names: tuple[str, str]) -> tuple[CredentialsFile, Session]:
        """Open a session. Resume the last one of these two players at this game."""
        request = self.plan.request
        assert request is not None
        pair = credentials_file_name("-".join((request.game, *names)))
        credentials = CredentialsFile(self._place.folder / f"hotseat-{number}-{pair}")
        session = Session(
            url, name=names[number], resume=credentials.open(), client="parlour tui", wait_for_server=False
        )
        await session.open(OPEN_TIMEOUT_S)
        credentials.save(session.resume)
        return credentials, session

    async def close(self) -> None:
        """Close both sessions and stop the server."""
        if self.partner is not None:
            await self.partner.close()
        if self._partner_credentials is not None:
            self._partner_credentials.close()
        await super().close()


class HotseatApp(ParlourApp):
    """The client of two people. A room looks as the player to move sees it, and as a watcher sees it at its end."""

    server: HotseatServer | None

    def choose_server(self) -> HotseatServer:
        return HotseatServer(self.plan)

    @property
    def partner(self) -> Session:
        assert self.server is not None
        assert self.server.partner is not None
        return self.server.partner

    def _prepare(self) -> None:
        self.run_worker(self._drain_partner())
        super()._prepare()

    async def _drain_partner(self) -> None:
        """Read the events of the second session. The first one has got them, too."""
        with suppress(SessionError):
            async for _ in self.partner:
                pass

    def table(self, room: str) -> RoomView | None:
        view = super().table(room)
        if view is not None:
            view.seat = view.turn if view.status == "running" else None
        return view

    def is_bot(self, name: str) -> bool:
        return False

    # -- commands

    def send(
        self,
        command: Command,
        then: Callable[[Ok], None] | None = None,
        failed: Callable[[str], None] | None = None,
    ) -> None:
        """Send a command of the player to move."""
        table = self.table(getattr(command, "room", ""))
        if table is not None and table.status == "running":
            self.send_as(table.turn, command, then, failed)
        else:
            super().send(command, then, failed)

    def send_as(
        self,
        seat: int,
        command: Command,
        then: Callable[[Ok], None] | None = None,
        failed: Callable[[str], None] | None = None,
    ) -> None:
        """Send a command of the player in a seat."""
        table = self.table(getattr(command, "room", ""))
        if self.session is not None and table is not None:
            session = self.session if table.setup.your_seat == seat else self.partner
            self.run_worker(self._send(session, command, then, failed), exit_on_error=True)

    def start_game(self, request: GameRequest) -> None:
        self.run_worker(self._start_game(request))

    async def _start_game(self, request: GameRequest) -> None:
        session, seat = self.session, request.seat or 0
        assert session is not None
        try:
            made = await session.ask(
                Create(
                    id=session.id(),
                    game=request.game,
                    options=request.options,
                    clock=request.clock,
                    seat=seat,
                    private=True,
                )
            )
            await self.partner.ask(Join(id=self.partner.id(), room=made.room, code=made.code))
        except SessionError as error:
            self.exit(str(error), return_code=2)
            return
        if isinstance(self.screen, HotseatScreen):
            self.screen.change_room(made.room)
        else:
            self.open_table(made.room)

    def open_table(self, room: str, pairing: GameRequest | None = None) -> None:
        self.push_screen(HotseatScreen(room))

    def next_game(self, room: str) -> None:
        """Start another game. Players with names of their own change sides."""
        table, request = self.table(room), self.plan.request
        assert request is not None
        seat = request.seat or 0 if table is None else table.setup.your_seat or 0
        named = self.plan.name or request.vs
        self.start_game(replace(request, seat=1 - seat if named else seat))


def player_names(plan: LaunchPlan) -> tuple[str, str]:
    """Return the names of both players. A player without a name has the name of the side."""
    request = plan.request
    assert request is not None
    sides, seat = side_names(GAMES[request.game]), request.seat or 0
    return plan.name or sides[seat], request.vs or sides[1 - seat]
