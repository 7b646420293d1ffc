"""Arguments of the commands that connect a person to a server, and what they mean."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from client.sdk.url import DEFAULT_URL
from parlour.cli.main import UserError

if TYPE_CHECKING:
    from client.sdk.session import Session

PATIENCE = 4.0  # seconds to wait for a server's answer


def add_connection(parser: ArgumentParser) -> None:
    parser.add_argument("--url", default="", help=f"the server (PARLOUR_URL, or {DEFAULT_URL})")
    parser.add_argument("--name", default="", help="what you are called there")
    parser.add_argument("--token", default="", help="the token of your account (PARLOUR_TOKEN)")
    parser.add_argument("--tls-trust", metavar="FILE", default="", help="a certificate to trust beside the usual ones")
    parser.add_argument("--private", action="store_true", help="your own server, as parlour play starts one")


def add_looks(parser: ArgumentParser) -> None:
    from client.tui.render.appearance import THEMES

    text = "classic, safe for every eye, or mono for no colours"
    parser.add_argument("--theme", choices=THEMES, default="", help=text)
    parser.add_argument("--ascii", action="store_true", help="no characters beyond ASCII")


def url_of(args: Namespace) -> str:
    """What was asked for; nothing if the usual place will do, or a private one is wanted."""
    if args.private and args.url:
        raise UserError("--private and a server's address do not go together")
    return "" if args.private else str(args.url or os.environ.get("PARLOUR_URL", ""))


def identity(args: Namespace) -> dict[str, Any]:
    if args.tls_trust and not Path(args.tls_trust).is_file():
        raise UserError(f"there is no file {args.tls_trust}")
    if args.private and args.token:
        raise UserError("--private and --token do not go together: a server of your own knows no tokens")
    token = "" if args.private else args.token or os.environ.get("PARLOUR_TOKEN", "")
    return {"name": args.name, "token": token, "trust": args.tls_trust}


@asynccontextmanager
async def visit(args: Namespace, client: str) -> AsyncIterator[Session]:
    """A session for somebody who sits in front of it: where there is no server they are told at once. SessionError."""
    from client.hosting import Hosting
    from client.sdk.session import Session

    url = url_of(args) or DEFAULT_URL
    async with AsyncExitStack() as stack:
        if args.private:
            hosting = Hosting()
            stack.push_async_callback(hosting.stop)
            url = await hosting.start()
        session = Session(url, client=client, wait_for_server=False, **identity(args))
        stack.push_async_callback(session.close)
        await session.open(PATIENCE)
        yield session
