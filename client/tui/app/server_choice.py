"""The choice of the server: the given one, the one on this machine, or a private one."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from client.local_server import PrivateFolder, PrivateServer
from client.presentation.launch_plan import LaunchPlan
from client.sdk.credentials import CredentialsFile, credentials_file_name, default_credentials_path
from client.sdk.errors import NoServer, SessionError
from client.sdk.session import Session
from client.sdk.url import DEFAULT_URL
from protocol.commands import Leave

OPEN_TIMEOUT_S = 6.0
LAST_COMMAND_TIMEOUT_S = 1.0
PROBE_TIMEOUT_S = 0.5
PRIVATE_BOTS = ("search@2", "search@5", "search@8", "search")  # the bots of a private server without a chosen opponent
UNNAMED = "somebody"  # stands for an unnamed guest in file names; a new word would lose the saved sessions


class ServerChoice:
    """Connects to a server and owns the session. Starts a private server if there is no other."""

    def __init__(self, plan: LaunchPlan) -> None:
        self.plan = plan
        self.is_private = False
        self._place = PrivateFolder()
        self._server: PrivateServer | None = None
        self._credentials: CredentialsFile | None = None
        self.session: Session | None = None
        self.last_command: Leave | None = None  # sent before the session closes

    @property
    def keeps_games(self) -> bool:
        """Whether unfinished games can be resumed later. A second private server in a temporary folder has no later."""
        return not self._place.is_temporary and not self.plan.is_guest_over_ssh

    async def connect(self) -> Session:
        """Return an open session. Raises SessionError if no server can be reached or started."""
        plan = self.plan
        if plan.url or (plan.token and not plan.private):  # a private server has no accounts
            return await self._open(plan.url or DEFAULT_URL)
        if not plan.private and await is_listening(DEFAULT_URL):
            try:
                return await self._open(DEFAULT_URL)
            except NoServer:  # another program uses the port
                await self._close_session()
        return await self._open(await self._start_private(), private=True)

    async def _start_private(self) -> str:
        if self.plan.persistent:
            await self._place.open_exclusive()
            self._place.mark_occupied()
        else:
            self._place.open()
        vs = "" if self.plan.request is None else self.plan.request.vs
        bots = self._place.with_recent_bots(*((vs,) if vs else PRIVATE_BOTS))
        self._server = PrivateServer(bots, self._place)
        self.is_private = True
        url = await self._server.start()
        if vs:
            self._place.remember_bots(bots)
        return url

    async def _open(self, url: str, private: bool = False) -> Session:
        plan = self.plan
        token = "" if private else plan.token
        self._credentials = CredentialsFile(
            self._private_path() if private else default_credentials_path(url, plan.name or UNNAMED)
        )
        self.session = Session(
            url,
            name=plan.name or ("you" if private else ""),
            token=token,
            resume="" if token else self._credentials.open(),  # with a token, leave the guest's file alone
            client="parlour tui",
            trust=plan.trust,
            voucher=plan.voucher,
            wait_for_server=False,
            room=plan.rooms[0] if plan.rooms else "",
        )
        await self.session.open(OPEN_TIMEOUT_S)
        self.save_session()
        return self.session

    def _private_path(self) -> Path:
        """Return the file of the player on the private server. Each name has its own, and so have its games."""
        name = self.plan.name
        return self._place.folder / (f"session-{credentials_file_name(name)}" if name else "session.json")

    def save_session(self) -> None:
        """Save the session, so that the next start can resume unfinished games."""
        if self._credentials is not None and self.session is not None:
            self._credentials.save(self.session.resume)

    async def _close_session(self) -> None:
        if self.session is not None:
            await self.session.close()
        if self._credentials is not None:
            self._credentials.close()
        self.session = self._credentials = None

    async def close(self) -> None:
        """Send the last command, close the session and stop a private server."""
        if self.session is not None and self.last_command is not None:
            with suppress(SessionError):  # the server notices the closed connection anyway
                await self.session.ask(self.last_command, within=LAST_COMMAND_TIMEOUT_S)
        await self._close_session()
        if self._server is not None:
            await self._server.stop()
        self._place.close()


async def is_listening(url: str) -> bool:
    """Return whether a program accepts connections at the host and port of an address."""
    parts = urlsplit(url)
    try:
        async with asyncio.timeout(PROBE_TIMEOUT_S):
            _, writer = await asyncio.open_connection(parts.hostname, parts.port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True
