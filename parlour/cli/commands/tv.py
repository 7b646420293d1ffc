"""Watch live games side by side. New games appear by themselves.

parlour tv                         four boards; nine in a terminal of 120 x 40 or more
parlour tv --game conga            only one game
parlour tv --url parlour.example.org

An ended game shows its result for five seconds; then the next live game takes its place.
parlour watch ROOM ROOM … shows the games that you name in the same way.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from parlour.cli.args_server import add_connection, add_looks, identity, url_of
from parlour.errors import UserError


def arguments(parser: ArgumentParser) -> None:
    from engine.registry import GAMES

    parser.add_argument("--game", default="", help=f"show only this game: {', '.join(GAMES.names())}")
    add_connection(parser)
    add_looks(parser)


def run(args: Namespace) -> int:
    from client.presentation.launch_plan import LaunchPlan
    from client.sdk.url import DEFAULT_URL
    from client.tui.app.run import has_terminal
    from client.tui.app.run import run as show
    from client.tui.render.appearance import Appearance
    from engine.registry import create

    if args.game:
        create(args.game)  # raises GameError if there is no such game
    if not has_terminal():
        raise UserError("parlour tv needs a terminal; 'parlour rooms --status running' lists the live games")
    plan = LaunchPlan(
        mode="tv",
        url=url_of(args) or ("" if args.private else DEFAULT_URL),
        private=args.private,
        persistent=args.private,
        game=args.game,
        **identity(args),
    )
    problem = show(plan, Appearance.choose(args.theme, args.ascii, motion=not args.no_motion))
    if problem:
        raise UserError(problem)
    return 0
