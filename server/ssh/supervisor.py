"""The server's side of the SSH service: start it, answer its questions, restart it if it dies."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from socket import socket
from typing import Any

from runtime.backoff import Backoff
from runtime.child_process import CACHE_VARIABLE, environment
from runtime.paths import cache_folder
from runtime.supervisor import Supervisor
from runtime.tasks import BackgroundTasks
from server.config import BadSetting, Settings, ssh_address
from server.logs import log
from server.ssh.host_key import HostKey, host_key_path, open_host_key
from server.ssh.permits import Permits
from server.ssh.service import READY
from server.ssh.spec import ServiceSpec
from server.storage.interface import Store
from server.workers.sockets import bind_all, close_all

EXIT_GRACE_S = 4.0


@dataclass(frozen=True, slots=True)
class SshListener:
    """Where SSH clients connect. The server owns the sockets, so that clients can wait while the service restarts."""

    sockets: list[socket]
    host_key: HostKey
    certificate: str  # the file of the server's certificate, if it uses TLS

    @property
    def address(self) -> tuple[str, int]:
        """The host and the port."""
        host, port = self.sockets[0].getsockname()[:2]
        return str(host), int(port)


@contextmanager
def open_ssh_listener(settings: Settings) -> Iterator[SshListener]:
    """Listen for SSH clients, and read the host key. Raises BadSetting."""
    host, port = ssh_address(settings)
    key = open_host_key(host_key_path(settings))
    try:
        sockets = bind_all(replace(settings, host=host), port, None)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise BadSetting(f"cannot listen for SSH on {host}:{port}: {why}: choose another port with --ssh") from None
    try:
        yield SshListener(sockets, key, str(Path(settings.tls_cert).absolute()) if settings.tls_cert else "")
    finally:
        close_all(sockets)


@asynccontextmanager
async def ssh_service(ssh: SshListener, module: str, settings: Settings, url: str, store: Store) -> AsyncIterator[None]:
    """Run the SSH service until the block ends.

    `module`: the Python module of its process. `url`: for clients on this machine.
    """
    permits, tasks = Permits(settings, store), BackgroundTasks()
    with tempfile.TemporaryDirectory(prefix="parlour-ssh-", ignore_cleanup_errors=True) as folder:
        spec = ServiceSpec(
            settings=asdict(replace(settings, db="", bus="", bus_password="", tls_cert=ssh.certificate)),
            url=url,
            host_key=ssh.host_key.text,
            descriptors=[listener.fileno() for listener in ssh.sockets],
            folder=folder,
        )

        async def spawn() -> Process:
            process = await start(module, spec)
            tasks.start(answer_questions(process, permits, ssh))
            return process

        def exited(process: Process, delay: float) -> None:
            log("ssh_service_died", logging.ERROR, status=process.returncode, again_in=round(delay, 1))

        def failed(error: Exception, delay: float) -> None:
            log("ssh_service_failed", logging.ERROR, why=str(error), again_in=round(delay, 1))

        supervisor = Supervisor(
            spawn, Backoff(first_s=0.5, max_s=30.0), EXIT_GRACE_S, on_exit=exited, on_failure=failed
        )
        supervisor.start_soon()
        try:
            yield
        finally:
            await supervisor.stop()
            await tasks.cancel()


async def start(module: str, spec: ServiceSpec) -> Process:
    """Start the process of the service. Raises OSError."""
    try:
        cache = {CACHE_VARIABLE: str(cache_folder())}  # sessions have another home folder
    except RuntimeError:
        cache = {}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", module,
        env={**environment(), **cache},
        stdin=PIPE,
        stdout=PIPE,
        pass_fds=spec.descriptors,
        start_new_session=True,  # Ctrl-C reaches only the server, which then ends the service
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.write(spec.encode())
    return process


async def answer_questions(process: Process, permits: Permits, ssh: SshListener) -> None:
    """Answer the questions of the service until it ends."""
    assert process.stdin is not None
    assert process.stdout is not None
    while line := await process.stdout.readline():
        if line.strip() == READY.encode():
            host, port = ssh.address
            log("ssh_listening", host=host, port=port, host_key=ssh.host_key.fingerprint)
            continue
        question: dict[str, Any] = json.loads(line)
        answer = {"id": question.pop("id"), **await permits.answer(question)}
        with suppress(ConnectionError):
            process.stdin.write(json.dumps(answer).encode() + b"\n")
            await process.stdin.drain()
