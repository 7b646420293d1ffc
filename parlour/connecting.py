"""Arguments of the commands that connect a person to a server, and what they mean."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from client.address import DEFAULT_URL
from parlour.cli import UserError

if TYPE_CHECKING:
    from client.session import Session

PATIENCE = 4.0  # seconds to wait for a server's answer


def add_connection(parser: ArgumentParser) -> None:
    parser.add_argument("--url", default="", help=f"the server (PARLOUR_URL, or {DEFAULT_URL})")
    parser.add_argument("--name", default="", help="what you are called there")
    parser.add_argument("--token", default="", help="the token of your account (PARLOUR_TOKEN)")
    parser.add_argument("--tls-trust", metavar="FILE", default="", help="a certificate to trust beside the usual ones")


def add_looks(parser: ArgumentParser) -> None:
    from client.tui.looks import THEMES

    text = "classic, safe for every eye, or mono for no colours"
    parser.add_argument("--theme", choices=THEMES, default="", help=text)
    parser.add_argument("--ascii", action="store_true", help="no characters beyond ASCII")


def url_of(args: Namespace) -> str:
    """What was asked for; nothing if the usual place will do."""
    return str(args.url or os.environ.get("PARLOUR_URL", ""))


def identity(args: Namespace) -> dict[str, Any]:
    if args.tls_trust and not Path(args.tls_trust).is_file():
        raise UserError(f"there is no file {args.tls_trust}")
    token = args.token or os.environ.get("PARLOUR_TOKEN", "")
    return {"name": args.name, "token": token, "trust": args.tls_trust}


@asynccontextmanager
async def visit(args: Namespace, client: str) -> AsyncIterator[Session]:
    """A session for somebody who sits in front of it: where there is no server they are told at once. SessionError."""
    from client.session import Session

    session = Session(url_of(args) or DEFAULT_URL, client=client, waits=False, **identity(args))
    await session.open(PATIENCE)
    try:
        yield session
    finally:
        await session.close()
