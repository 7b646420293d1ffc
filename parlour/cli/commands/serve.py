"""Run a server.

parlour serve                                   on ws://127.0.0.1:8765/ws, with house bots
parlour serve --host 0.0.0.0 --port 9000        for other machines too
parlour serve --house none --db games.db        no house bots, another database file
parlour serve --workers auto                    a process for each core but one
parlour serve --ssh 2222                        also the terminal client, over SSH
PARLOUR_PORT=9000 parlour serve --log json      logs for programs

On a terminal the server prints its address and what to try next. On a pipe it prints one line as
soon as it listens: "parlour: listening on ws://…". Ctrl-C or SIGTERM stops it. Running games
continue after the next start.

Every flag is also an environment variable: --watch-tick is PARLOUR_WATCH_TICK. A flag overrides
its variable.
"""

from __future__ import annotations

import errno
import os
import socket
import sys
from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING

from parlour.errors import UserError
from server.cluster.bus import BusError
from server.config import BadSetting, Settings, read_settings
from server.storage.interface import Store, StoreError

if TYPE_CHECKING:
    from server.app import Companion
    from server.ssh.supervisor import SshListener

WORKER_MODULE = "parlour.cli.worker"
SSH_MODULE = "parlour.cli.ssh_service"


def arguments(parser: ArgumentParser) -> None:
    for entry in fields(Settings):
        flag = f"--{entry.name.replace('_', '-')}"
        default = "no" if entry.default is False else entry.default
        shown = f" (default: {default})" if default != "" else ""
        help = entry.metadata["help"] + shown
        if isinstance(entry.default, bool):
            parser.add_argument(flag, nargs="?", const="yes", default=SUPPRESS, metavar="yes|no", help=help)
        else:
            choices = entry.metadata["choices"]
            kind = "TEXT" if isinstance(entry.default, str) else "N"
            metavar = "|".join(choices) or ("SECONDS" if help.startswith("seconds") else kind)
            parser.add_argument(flag, default=SUPPRESS, metavar=metavar, help=help)


def run(args: Namespace) -> int:
    from client.bots.loader import LoadError
    from client.presentation.website import ROUTES, website_files
    from parlour.cli.greeting import greeting
    from parlour.cli.house_bots import house_bots, house_names
    from server.app import main
    from server.logs import is_terminal
    from server.transport.website import Website
    from server.workers import parent

    try:
        settings = read_settings(vars(args), os.environ)
        names = house_names(settings.house)
        greet = is_terminal(sys.stdout) and settings.log != "json"
        companion: Companion = partial(house_bots, names, settings)
        with ExitStack() as stack:
            ssh = listen_for_ssh(settings, stack) if settings.ssh else None
            if ssh is not None:
                companion = both(companion, partial(serve_ssh, ssh, settings))
            text = (lambda url: greeting(url, settings, names, ssh)) if greet else None
            if settings.worker_count > 1:
                parent.main(settings, WORKER_MODULE, companion, text)
            else:
                main(settings, companion, text, Website(website_files(), ROUTES))
    except (BadSetting, BusError, StoreError, LoadError, parent.WorkerFailed) as error:
        raise UserError(str(error)) from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise UserError(
                f"port {settings.port} of {settings.host} is in use, perhaps by another server: "
                "stop that one, or choose another port with --port"
            ) from None
        raise UserError(f"cannot listen on {settings.host}:{settings.port}: {listen_problem(error)}") from None
    return 0


def listen_for_ssh(settings: Settings, stack: ExitStack) -> SshListener:
    """Listen for SSH clients until the stack closes. Raises BadSetting."""
    try:
        from server.ssh.supervisor import open_ssh_listener
    except ImportError:
        how = "run pip install -e '.[ssh]' in the folder of Parlour"
        raise BadSetting(f"SSH support is not installed: {how}, or start the server without --ssh") from None
    return stack.enter_context(open_ssh_listener(settings))


def serve_ssh(ssh: SshListener, settings: Settings, url: str, store: Store) -> AbstractAsyncContextManager[None]:
    from parlour.cli.house_bots import local_url
    from server.ssh.supervisor import ssh_service

    return ssh_service(ssh, SSH_MODULE, settings, local_url(url), store)


def both(first: Companion, second: Companion) -> Companion:
    """Return a companion that runs two others."""

    @asynccontextmanager
    async def run_both(url: str, store: Store) -> AsyncIterator[None]:
        async with first(url, store), second(url, store):
            yield

    return run_both


def listen_problem(error: OSError) -> str:
    """Return why the server cannot listen, and what to do."""
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        return "this machine has no such address: use --host 127.0.0.1, or 0.0.0.0 for all interfaces"
    if error.errno == errno.EACCES:
        return "only root may use this port: choose one above 1023 with --port"
    return f"{os.strerror(error.errno).lower() if error.errno else error}: change --host or --port"
