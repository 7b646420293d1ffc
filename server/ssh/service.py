"""The SSH service: it accepts SSH clients, and gives each session a process that runs the terminal client.

It runs in a process of its own, without access to the store, and asks the server who a client is. There is no shell,
no forwarding of any kind, no file transfer and no password.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import os
import re
import shutil
import signal
import sys
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from itertools import count
from pathlib import Path
from socket import socket
from typing import Any

import asyncssh

from runtime.event_loop import run_loop
from runtime.printable import print_lines
from runtime.signals import calls_on_exit_signal
from runtime.tasks import BackgroundTasks
from server.config import Settings
from server.logs import configure_logging, log
from server.ssh.child import SESSION_FOLDER_PREFIX, Child, Outlet, Size, session_folder
from server.ssh.limits import Full, Places
from server.ssh.public_keys import fingerprint_of
from server.ssh.spec import ServiceSpec, SessionSpec

READY = "ready"
MAX_COMMAND_CHARS = 1000
MAX_USER_CHARS = 200
MAX_KEYS = 20  # of a client that logs in; the server looks up each
MAX_CHANNELS = 10  # of a connection, as in OpenSSH
MAX_ENVIRONMENT_BYTES = 1 << 16  # that a client sends for all channels of a connection
MAX_UNSENT_BYTES = 1 << 24  # to a client that does not read
WATCH_INTERVAL_S = 1.0
FULL_LOG_INTERVAL_S = 60.0
ANSWER_TIMEOUT_S = 10.0
KEEPALIVE_S = 15.0  # a client that answers none of three in a row is gone
WINDOW_BYTES = 1 << 16
STOP_TIMEOUT_S = 2.0
DEFAULT_SIZE = 80, 24
DEFAULT_TERMINAL = "xterm"
FAILED = 1  # exit status
NICENESS = 5  # of the service and its sessions: the server comes first
# Switches off what a full-screen program has switched on: mouse, paste and focus reports, key protocol, second screen.
RESET_TERMINAL = (
    b"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[<u\x1b[?1049l\x1b[?25h\x1b[0m\r\n"
)
ENVIRONMENT = {  # what a client may set, and to what
    "LANG": re.compile(r"[A-Za-z0-9_.@-]{1,40}"),
    "COLORTERM": re.compile(r"[a-z0-9]{1,20}"),
}
TERMINAL = re.compile(r"[A-Za-z0-9._+-]{1,40}")
SIGNALS = {"INT": signal.SIGINT, "TERM": signal.SIGTERM, "HUP": signal.SIGHUP}
RESTARTING = "the server is restarting; connect again in a moment"


class Server:
    """Asks the server, over standard output, and reads its answers from standard input."""

    def __init__(self) -> None:
        self._ids = count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, str]]] = {}

    async def ask(self, **question: str) -> dict[str, str]:
        """Return the answer to a question, or an error if the server does not answer."""
        id = next(self._ids)
        self._waiting[id] = answer = asyncio.get_running_loop().create_future()
        print_lines(json.dumps({"id": id, **question}), flush=True)
        try:
            async with asyncio.timeout(ANSWER_TIMEOUT_S):
                reply: dict[str, str] = await answer
                return reply
        except TimeoutError:
            return {"error": "the server is busy; connect again later"}
        finally:
            del self._waiting[id]

    async def read_answers(self, stdin: asyncio.StreamReader) -> None:
        """Read answers until the server closes the pipe or dies."""
        while line := await stdin.readline():
            answer = json.loads(line)
            waiting = self._waiting.get(answer.pop("id"))
            if waiting is not None and not waiting.done():
                waiting.set_result(answer)


class Service:
    """What all SSH connections share."""

    def __init__(self, spec: ServiceSpec, settings: Settings, module: str, server: Server) -> None:
        self.spec, self.settings, self.module, self.server = spec, settings, module, server
        self.connections = Places.for_connections(settings)
        self.places = Places.for_sessions(settings)
        self.sessions: set[Session] = set()
        self.tasks = BackgroundTasks()
        self._full_logged_at = -math.inf

    def log_full(self, address: str) -> None:
        """Log that a connection was dropped, unless another one was a short time ago."""
        now = asyncio.get_running_loop().time()
        if now - self._full_logged_at >= FULL_LOG_INTERVAL_S:
            self._full_logged_at = now
            log("ssh_full", logging.WARNING, address=address)

    async def listen(self) -> list[asyncssh.SSHAcceptor]:
        """Accept SSH clients on the sockets of the spec."""
        return [
            await asyncssh.listen(
                sock=inherited_socket(descriptor),
                server_factory=lambda: Connection(self),
                server_host_keys=[asyncssh.import_private_key(self.spec.host_key)],
                server_version="Parlour",
                config=[],
                backlog=self.settings.backlog,
                encoding=None,
                line_editor=False,
                login_timeout=self.settings.ssh_login_timeout,
                keepalive_interval=KEEPALIVE_S,
                password_auth=False,
                gss_host=None,
                compression_algs=None,
                agent_forwarding=False,
                x11_forwarding=False,
                allow_scp=False,
                window=WINDOW_BYTES,
            )
            for descriptor in self.spec.descriptors
        ]

    async def stop(self) -> None:
        """End all sessions with a sentence, and wait until the clients have it.

        It is sent before the processes end, which takes long on a busy machine.
        """
        for session in list(self.sessions):
            session.end(RESTARTING)
            session.close(FAILED)
            self.tasks.start(session.wait_closed())
        if tasks := list(self.tasks):
            await asyncio.wait(tasks, timeout=STOP_TIMEOUT_S)
        for session in self.sessions:
            session.end()
        await self.tasks.cancel()


def inherited_socket(descriptor: int) -> socket:
    """Return a socket of the server that no other process inherits."""
    os.set_inheritable(descriptor, False)
    return socket(fileno=descriptor)


class Connection(asyncssh.SSHServer):
    """One SSH connection: it proves which account a client has, and opens sessions."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._release = ExitStack()
        self._offered: dict[asyncio.Task[Any] | None, str] = {}  # the account of the key that a request is about
        self._keys = 0  # how many the client has offered
        self._channels: set[Session] = set()
        self._ssh: asyncssh.SSHServerConnection | None = None
        self.account = ""
        self.address = ""

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        """Take a place for the connection, or abort it."""
        peer = conn.get_extra_info("peername")  # None if the client has gone already
        self._ssh, self.address = conn, str(peer[0]) if peer else "?"
        try:
            self._release.enter_context(self._service.connections.taken(self.address))
        except Full:
            self._service.log_full(self.address)
            conn.abort()
            return
        watching = asyncio.create_task(self._watch(conn))
        self._release.callback(watching.cancel)

    def connection_lost(self, exc: Exception | None) -> None:
        """Release the place."""
        self._release.close()

    async def _watch(self, conn: asyncssh.SSHServerConnection) -> None:
        """End the connection when it has had no session for a while, or when it makes the service use much memory."""
        now = asyncio.get_running_loop().time
        used_at = now()
        while True:
            await asyncio.sleep(WATCH_INTERVAL_S)
            if any(session.is_running for session in self._channels):
                used_at = now()
            if now() - used_at > self._service.settings.ssh_login_timeout:
                why = "no session"
            elif sum(session.environment_bytes for session in self._channels) > MAX_ENVIRONMENT_BYTES:
                why = "environment"
            elif unsent_bytes(conn) > MAX_UNSENT_BYTES:
                why = "unread output"
            else:
                continue
            log("ssh_connection_ended", address=self.address, why=why)
            conn.abort()
            return

    @property
    def user(self) -> str:
        """The user name that the client gave."""
        return "" if self._ssh is None else str(self._ssh.get_extra_info("username"))[:MAX_USER_CHARS]

    # -- who it is

    def public_key_auth_supported(self) -> bool:
        return True

    async def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        """Accept the keys of accounts; the library then asks for a signature. A client without one is a guest."""
        self._keys += 1
        if self._keys > MAX_KEYS:
            return False
        answer = await self._service.server.ask(fingerprint=fingerprint_of(key.public_data))
        account = answer.get("account", "")
        self._offered[asyncio.current_task()] = account
        return bool(account)

    def kbdint_auth_supported(self) -> bool:
        return True

    def get_kbdint_challenge(self, username: str, lang: str, submethods: str) -> tuple[str, str, str, list[Any]]:
        """Ask a guest nothing."""
        return "", "", "", []

    def validate_kbdint_response(self, username: str, responses: object) -> bool:
        return True

    def auth_completed(self) -> None:
        """Note the account, if this request has just proved one. Each request has a task of its own."""
        self.account = self._offered.get(asyncio.current_task(), "")
        self._offered.clear()

    # -- what it may do

    def session_requested(self) -> Session | bool:
        """Return a session, or False if the connection has too many."""
        if len(self._channels) >= MAX_CHANNELS:
            return False
        session = Session(self._service, self)
        self._channels.add(session)
        return session

    def session_closed(self, session: Session) -> None:
        """Forget a session when its channel has closed."""
        self._channels.discard(session)


def unsent_bytes(conn: asyncssh.SSHServerConnection) -> int:
    """Return the number of bytes that wait to be sent. The library has no limit for them, and no public way to ask."""
    transport = conn._transport
    return 0 if transport is None else transport.get_write_buffer_size()


class Session(asyncssh.SSHServerSession[bytes]):
    """One command of an SSH client, or the lobby: a process, and what limits it."""

    def __init__(self, service: Service, connection: Connection) -> None:
        self._service, self._connection = service, connection
        self._channel: asyncssh.SSHServerChannel[bytes] | None = None
        self._command = ""
        self._terminal = ""  # its type; empty without a terminal
        self._size: Size = DEFAULT_SIZE
        self._child: Child | None = None
        self._early_input: list[bytes] = []  # what arrives before the process has started
        self._input_ended = False
        self._ended, self._closed = asyncio.Event(), asyncio.Event()
        self._farewell = ""
        self._active_at = 0.0

    @property
    def is_running(self) -> bool:
        """Whether the command has begun, and has not ended."""
        return self in self._service.sessions

    @property
    def environment_bytes(self) -> int:
        """The length of all variables that the client has sent."""
        if self._channel is None:
            return 0
        return sum(len(name) + len(value) for name, value in self._channel.get_environment_bytes().items())

    # -- requests of the client

    def connection_made(self, chan: asyncssh.SSHServerChannel[bytes]) -> None:
        self._channel = chan

    def pty_requested(
        self, term_type: str, term_size: tuple[int, int, int, int], term_modes: Mapping[int, int]
    ) -> bool:
        self._terminal = term_type if TERMINAL.fullmatch(term_type) else DEFAULT_TERMINAL
        if term_size[0] and term_size[1]:
            self._size = term_size[:2]
        return True

    def shell_requested(self) -> bool:
        """Accept: instead of a shell, the lobby opens."""
        return True

    def exec_requested(self, command: str) -> bool:
        """Accept: the process of the session judges the command."""
        self._command = command
        return True

    def terminal_size_changed(self, width: int, height: int, pixwidth: int, pixheight: int) -> None:
        if width and height:
            self._size = width, height
            if self._child is not None:
                self._child.resize(self._size)

    def signal_received(self, signal: str) -> None:
        if self._child is not None and signal in SIGNALS:
            self._child.send_signal(SIGNALS[signal])

    def data_received(self, data: bytes, datatype: int | None) -> None:
        self._active_at = asyncio.get_running_loop().time()
        if self._child is not None:
            self._child.write(data)
        else:
            self._early_input.append(data)
            if sum(map(len, self._early_input)) >= WINDOW_BYTES:
                self._pause_input()

    def eof_received(self) -> bool:
        """End the input of the process. The channel stays open for its output."""
        self._input_ended = True
        if self._child is not None:
            self._child.end_input()
        return True

    def pause_writing(self) -> None:
        if self._child is not None:
            self._child.pause_output()

    def resume_writing(self) -> None:
        if self._child is not None:
            self._child.resume_output()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the process: nothing reads its output."""
        self._channel = None
        self._closed.set()
        self._connection.session_closed(self)
        self.end()

    def session_started(self) -> None:
        self._service.sessions.add(self)
        self._service.tasks.start(self._run())

    # -- running

    def end(self, farewell: str = "") -> None:
        """End the session at once. `farewell`: a last line for the client."""
        self._farewell = self._farewell or farewell
        self._ended.set()
        if self._child is not None:
            self._child.kill()

    async def wait_closed(self) -> None:
        """Wait until the client has closed its end of the channel: it has read all output."""
        await self._closed.wait()

    async def _run(self) -> None:
        """Run the command, and tell the client its exit status."""
        began = asyncio.get_running_loop().time()
        status = FAILED
        try:
            with self._service.places.taken(self._connection.address):
                status = await self._run_child()
        except Full as full:
            self._farewell = str(full)
        except OSError as error:
            log("ssh_session_failed", logging.ERROR, why=str(error))
            self._farewell = "the server cannot start a session at the moment; try again later"
        finally:
            self._service.sessions.discard(self)
            if self._child is not None:
                seconds = round(asyncio.get_running_loop().time() - began, 1)
                log("ssh_session_ended", status=status, seconds=seconds, why=self._farewell)
            self.close(status)

    async def _run_child(self) -> int:
        """Return the exit status of the process of this session. Raises OSError if it cannot be started."""
        settings, connection = self._service.settings, self._connection
        if len(self._command) > MAX_COMMAND_CHARS:
            self._farewell = f"a command has at most {MAX_COMMAND_CHARS} characters"
            return FAILED
        permit = await self._service.server.ask(
            user=connection.user, account=connection.account, address=connection.address
        )
        if "error" in permit:
            self._farewell = permit["error"]
            return FAILED
        log("ssh_session", address=connection.address, account=connection.account, user=connection.user)
        with session_folder(self._service.spec.folder) as folder:
            spec = SessionSpec(
                command=self._command,
                url=self._service.spec.url,
                name=permit["name"],
                voucher=permit["voucher"],
                trust=settings.tls_cert,
                service=os.getpid(),
                terminal=bool(self._terminal),
                memory_bytes=settings.ssh_memory << 20,
                cpu_time_s=settings.ssh_cpu_time,
            )
            outlet = Outlet(self._write, self._write_error, self._pause_input, self._resume_input)
            child = await Child.start(self._service.module, spec, self._size, self._environment(), folder, outlet)
            self._child = child
            child.resize(self._size)  # it may have changed meanwhile
            for data in self._early_input:
                child.write(data)
            self._early_input.clear()
            self._resume_input()
            if self._input_ended:
                child.end_input()
            if self._ended.is_set():
                child.kill()
            watching = asyncio.create_task(self._end_in_time())
            try:
                status = await child.wait()
            finally:
                watching.cancel()
                child.kill()
        return self._judge(status)

    def _judge(self, status: int) -> int:
        """Return the exit status for the client of a process that ended with this one."""
        if self._ended.is_set():
            return FAILED
        if status == -signal.SIGXCPU:
            self._ended.set()
            limit = self._service.settings.ssh_cpu_time
            self._farewell = f"this session has used its {limit} seconds of CPU time; connect again for a new one"
        elif status < 0:
            self._ended.set()
            self._farewell = "the session was ended; connect again for a new one"
        return status if status >= 0 else FAILED

    async def _end_in_time(self) -> None:
        """End the session when it has been idle, or has lasted, for too long."""
        settings, now = self._service.settings, asyncio.get_running_loop().time
        last = now() + settings.ssh_session_time
        self._active_at = now()
        while True:
            idle = self._active_at + settings.ssh_idle_timeout
            wait_s = min(idle, last) - now()
            if wait_s > 0:
                await asyncio.sleep(wait_s)
                continue
            why = "has reached its time limit" if last <= idle else "was idle for too long"
            self.end(f"this session {why}; connect again for a new one")
            return

    def _environment(self) -> dict[str, str]:
        """Return what the client may tell the process of its terminal."""
        given = {} if self._channel is None else self._channel.get_environment()
        checked = {
            name: given[name] for name, form in ENVIRONMENT.items() if name in given and form.fullmatch(given[name])
        }
        cache = {name: os.environ[name] for name in ("PARLOUR_CACHE_DIR",) if name in os.environ}
        return {"TERM": self._terminal or "dumb", **checked, **cache}

    # -- output

    def _write(self, data: bytes) -> None:
        if not self._terminal:
            self._active_at = asyncio.get_running_loop().time()
        if self._channel is not None:
            self._channel.write(data)

    def _write_error(self, data: bytes) -> None:
        if self._channel is not None:
            self._channel.write_stderr(data)

    def _pause_input(self) -> None:
        if self._channel is not None:
            self._channel.pause_reading()

    def _resume_input(self) -> None:
        if self._channel is not None:
            self._channel.resume_reading()

    def close(self, status: int) -> None:
        """Write the last line, and close the channel. Further output of the process is dropped."""
        channel, self._channel = self._channel, None
        if channel is None:
            return
        with suppress(OSError):
            if self._terminal and self._child is not None and self._ended.is_set():
                channel.write(RESET_TERMINAL)
            if self._farewell:
                line = f"parlour: {self._farewell}".encode()
                if self._terminal:
                    channel.write(line + b"\r\n")
                else:
                    channel.write_stderr(line + b"\n")
            channel.exit(status)


def main(module: str) -> int:
    """Run the service until its input ends. `module`: the Python module that runs a session. Return the exit code."""
    spec = ServiceSpec.decode(sys.stdin.buffer.readline())
    settings = Settings(**spec.settings)
    configure_logging(settings.log_level, settings.log, ssh=True)
    os.nice(NICENESS)
    logging.getLogger("asyncssh").setLevel(logging.WARNING)
    parent, folder = os.getppid(), Path(spec.folder)
    for leftover in folder.glob(f"{SESSION_FOLDER_PREFIX}*"):  # of a service that was killed
        shutil.rmtree(leftover, ignore_errors=True)
    run_loop(serve(spec, settings, module))
    if os.getppid() != parent:  # the server was killed, and cannot delete the folder
        with suppress(OSError):
            folder.rmdir()
    return 0


async def serve(spec: ServiceSpec, settings: Settings, module: str) -> None:
    """Serve until a signal, or until the server closes the pipe or dies."""
    loop = asyncio.get_running_loop()
    stdin = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stdin), sys.stdin)
    server = Server()
    service = Service(spec, settings, module, server)
    reading = asyncio.create_task(server.read_answers(stdin))
    with calls_on_exit_signal(lambda number: reading.cancel()):
        acceptors = await service.listen()
        print_lines(READY, flush=True)
        with suppress(asyncio.CancelledError):
            await reading
        for acceptor in acceptors:
            acceptor.close()
        await service.stop()
