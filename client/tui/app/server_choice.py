"""Where we play: the server that was asked for, the one of this machine, or one of our own."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from urllib.parse import urlsplit

from client.local_server import PrivateFolder, PrivateServer
from client.presentation.launch_plan import LaunchPlan
from client.sdk.credentials import CredentialsFile, default_credentials_path
from client.sdk.errors import NoServer, SessionError
from client.sdk.session import Session
from client.sdk.url import DEFAULT_URL
from protocol.commands import Leave

PATIENCE = 6.0  # seconds for the first answer
PARTING = 1.0  # seconds for the last answer
GLANCE = 0.5  # seconds to see whether there is a server here
HOUSE = ("search@2", "search@5", "search@8", "search")  # who waits in a private server


class ServerChoice:
    def __init__(self, plan: LaunchPlan) -> None:
        self.plan = plan
        self.is_private = False
        self._place = PrivateFolder()
        self._server: PrivateServer | None = None
        self._state: CredentialsFile | None = None
        self.session: Session | None = None
        self.last_command: Leave | None = None  # the last that is to be said

    async def connect(self) -> Session:
        """A session that is open; SessionError."""
        plan = self.plan
        if plan.url or (plan.token and not plan.private):  # a server of our own knows no tokens
            return await self._open(plan.url or DEFAULT_URL)
        if not plan.private and await is_listening(DEFAULT_URL):
            try:
                return await self._open(DEFAULT_URL)
            except NoServer:  # something else has that port
                await self._forget()
        return await self._open(await self._own(), own=True)

    async def _own(self) -> str:
        if self.plan.persistent:
            await self._place.open_exclusive()
            self._place.mark_occupied()
        else:
            self._place.open()
        vs = "" if self.plan.request is None else self.plan.request.vs
        bots = self._place.with_recent_bots(*((vs,) if vs else HOUSE))
        self._server = PrivateServer(bots, self._place)
        self.is_private = True
        url = await self._server.start()
        if vs:
            self._place.remember_bots(bots)
        return url

    async def _open(self, url: str, own: bool = False) -> Session:
        plan = self.plan
        token = "" if own else plan.token
        self._state = CredentialsFile(
            self._place.folder / "session.json" if own else default_credentials_path(url, plan.name or "somebody")
        )
        self.session = Session(
            url,
            name=plan.name or ("you" if own else ""),
            token=token,
            resume="" if token else self._state.open(),  # a token needs no file, and leaves a guest's alone
            client="parlour tui",
            trust=plan.trust,
            wait_for_server=False,
        )
        await self.session.open(PATIENCE)
        self.save_session()
        return self.session

    def save_session(self) -> None:
        """So that the next start of the client finds back to unfinished games."""
        if self._state is not None and self.session is not None:
            self._state.save(self.session.resume)

    async def _forget(self) -> None:
        if self.session is not None:
            await self.session.close()
        if self._state is not None:
            self._state.close()
        self.session = self._state = None

    async def close(self) -> None:
        if self.session is not None and self.last_command is not None:
            with suppress(SessionError):  # then they find out by themselves
                await self.session.ask(self.last_command, within=PARTING)
        await self._forget()
        if self._server is not None:
            await self._server.stop()
        self._place.close()


async def is_listening(url: str) -> bool:
    parts = urlsplit(url)
    try:
        async with asyncio.timeout(GLANCE):
            _, writer = await asyncio.open_connection(parts.hostname, parts.port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True
