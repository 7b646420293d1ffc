"""Arguments of the commands that connect to a server, and the session they ask for."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from client.sdk.url import DEFAULT_URL
from parlour.errors import UserError

if TYPE_CHECKING:
    from client.sdk.session import Session

SERVER_TIMEOUT_S = 4.0  # to connect, and for a reply


def add_connection(parser: ArgumentParser) -> None:
    parser.add_argument("--url", default="", help=f"the server (default: PARLOUR_URL, or {DEFAULT_URL})")
    parser.add_argument("--name", default="", help="your name on the server (default: a guest name)")
    parser.add_argument("--token", default="", help="the token of your account (default: PARLOUR_TOKEN)")
    parser.add_argument(
        "--tls-trust", metavar="FILE", default="", help="a certificate (PEM) to trust in addition to the system's"
    )
    parser.add_argument("--private", action="store_true", help="use the private server that 'parlour play' starts")


def add_looks(parser: ArgumentParser) -> None:
    from client.tui.render.appearance import OLDER_NAMES, THEMES

    text = "dark, light, safe (for colour-blind people), or mono (no colours)"
    choices = (*THEMES, *OLDER_NAMES)
    parser.add_argument("--theme", choices=choices, metavar="|".join(THEMES), default="", help=text)
    parser.add_argument("--ascii", action="store_true", help="use only ASCII characters")
    parser.add_argument("--no-motion", action="store_true", help="do not animate moves (or set PARLOUR_NO_MOTION=1)")


def url_of(args: Namespace) -> str:
    """Return the URL from --url or PARLOUR_URL, or an empty string for the default or the private server."""
    if args.private and args.url:
        raise UserError("--private and --url exclude each other; use one of them")
    return "" if args.private else str(args.url or os.environ.get("PARLOUR_URL", ""))


def identity(args: Namespace) -> dict[str, Any]:
    """Return the name, the token and the trusted certificate as keyword arguments. Raises UserError.

    A command that runs for an SSH client also has a voucher, from parlour/cli/ssh_session.py.
    """
    if args.tls_trust and not Path(args.tls_trust).is_file():
        raise UserError(f"--tls-trust: there is no file {args.tls_trust}: check the name")
    if args.private and args.token:
        raise UserError("--private and --token exclude each other: the private server has no accounts")
    token = "" if args.private else args.token or os.environ.get("PARLOUR_TOKEN", "")
    return {"name": args.name, "token": token, "trust": args.tls_trust, "voucher": getattr(args, "voucher", "")}


@asynccontextmanager
async def open_session(args: Namespace, client: str) -> AsyncIterator[Session]:
    """Open a session for one command. Raises SessionError at once if there is no server."""
    from client.local_server import BackgroundServer
    from client.sdk.session import Session

    url = url_of(args) or DEFAULT_URL
    async with AsyncExitStack() as stack:
        if args.private:
            hosting = BackgroundServer()
            stack.push_async_callback(hosting.stop)
            url = await hosting.start()
        session = Session(url, client=client, wait_for_server=False, **identity(args))
        stack.push_async_callback(session.close)
        await session.open(SERVER_TIMEOUT_S)
        yield session
