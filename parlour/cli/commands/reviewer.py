"""Review the finished games that players of a server ask for, one at a time.

parlour reviewer --url parlour.example.org --token TOKEN
parlour reviewer --nodes 1000000 --seconds 120 --token TOKEN

'parlour serve' starts a reviewer by itself: the house bot 'reviewer'. This command runs another
one, for example on a machine with more cores. The server accepts reviews only from the accounts
that 'parlour serve --reviewers' names. Ctrl-C ends it; another reviewer then gets the game.
"""

from __future__ import annotations

import os
from argparse import SUPPRESS, ArgumentParser, Namespace
from contextlib import suppress

from parlour.cli.args_server import add_connection, identity, url_of
from parlour.cli.search_output import count, seconds
from parlour.errors import UserError

DEFAULT_NODES, DEFAULT_SECONDS = 300_000, 60.0
TABLE_MB = 64
NICENESS = 10  # players and bots come first


def arguments(parser: ArgumentParser) -> None:
    add_connection(parser)
    text = f"search N positions per move (default: {DEFAULT_NODES:,})"
    parser.add_argument("--nodes", type=count, default=DEFAULT_NODES, metavar="N", help=text)
    text = f"for a whole game (default: {DEFAULT_SECONDS:g})"
    parser.add_argument("--seconds", type=seconds, default=DEFAULT_SECONDS, metavar="S", help=text)
    text = f"size of the search's table (default: {TABLE_MB})"
    parser.add_argument("--table", type=count, default=TABLE_MB, metavar="MB", help=text)
    parser.add_argument("--plain", action="store_true", help="do not compile the search")
    parser.add_argument("--leave-with-stdin", action="store_true", help=SUPPRESS)  # exit when stdin closes


def run(args: Namespace) -> int:
    from client.sdk.errors import SessionError
    from runtime.event_loop import run_loop

    if args.private:
        raise UserError("the private server of 'parlour play' has a reviewer: leave out --private")
    if hasattr(os, "nice"):
        with suppress(OSError):
            os.nice(NICENESS)
    try:
        run_loop(work(args))
    except SessionError as error:
        raise UserError(str(error)) from None
    return 0


async def work(args: Namespace) -> None:
    """Review games until a signal arrives, or standard input ends. Raises SessionError."""
    from client.bots.main import run_until_signal
    from client.bots.reviewer import Reviewer
    from client.sdk.session import Session
    from client.sdk.url import DEFAULT_URL
    from engine.review import Budget
    from runtime.printable import print_line

    session = Session(url_of(args) or DEFAULT_URL, client="parlour reviewer", bot=True, **identity(args))

    def notify(text: str) -> None:
        with suppress(OSError):
            print_line(text, flush=True)

    budget = Budget(args.nodes, args.seconds)
    reviewer = Reviewer(session, budget, args.table, False if args.plain else None, notify)
    await run_until_signal(reviewer.run(), args.leave_with_stdin)
