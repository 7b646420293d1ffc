"""List the best players of a server. Established ratings come first, then provisional ones (1620?).

parlour leaderboard
parlour leaderboard conga
parlour leaderboard mancala --option rules=standard
parlour leaderboard conga --player alice      the rating history of a player, newest first
parlour leaderboard --json | jq .name

Each game with its options has separate ratings.
"""

from __future__ import annotations

import asyncio
import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from parlour.cli.args import add_options, options_of
from parlour.cli.args_server import SERVER_TIMEOUT_S, add_connection, open_session
from parlour.cli.search_output import count
from parlour.errors import UserError
from runtime.printable import print_line

if TYPE_CHECKING:
    from protocol.types import Leader, Options, RatedGame

    Results = dict[str, Sequence[Leader | RatedGame]]


def arguments(parser: ArgumentParser) -> None:
    from engine.registry import GAMES

    parser.add_argument(
        "game", metavar="GAME", nargs="?", help=f"one of {', '.join(GAMES.names())} (default: all of them)"
    )
    add_options(parser)
    parser.add_argument("--player", metavar="NAME", default="", help="show the rating history of this player")
    parser.add_argument(
        "--limit", metavar="N", type=count, default=20, help="at most N lines per game, up to 100 (default: 20)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object per line")
    add_connection(parser)


def run(args: Namespace) -> int:
    from client.sdk.errors import SessionError
    from engine.registry import GAMES, create

    options = options_of(args)
    if options and args.game is None:
        raise UserError("--option needs a game, for example: parlour leaderboard mancala --option rules=standard")
    if args.limit > 100:
        raise UserError("--limit can be at most 100")
    settled = {} if args.game is None else dict(create(args.game, options).spec.options)
    games = list(GAMES) if args.game is None else [args.game]
    try:
        results = asyncio.run(ask(args, games, settled))
    except SessionError as error:
        raise UserError(str(error)) from None
    for line in as_json(results) if args.json else as_text(results, " ".join(args.option)):
        print_line(line)
    return 0


async def ask(args: Namespace, games: Sequence[str], options: Options) -> Results:
    """Return the leaderboard or the rating history of each game. Raises SessionError."""
    from protocol.commands import Leaderboard, Ratings

    results: Results = {}
    async with open_session(args, "parlour leaderboard") as session:
        for game in games:
            common: dict[str, Any] = {"id": session.id(), "game": game, "options": options, "limit": args.limit}
            command = Ratings(player=args.player, **common) if args.player else Leaderboard(**common)
            ok = await session.ask(command, within=SERVER_TIMEOUT_S)
            results[game] = ok.leaders or ok.ratings or ()
    return results


def as_json(results: Results) -> Iterator[str]:
    from protocol.codec import to_builtins

    for game, lines in results.items():
        for line in lines:
            yield json.dumps({"game": game, **to_builtins(line)})


def as_text(results: Results, options: str) -> Iterator[str]:
    from client.presentation.texts import leader_line, rated_game_line
    from protocol.types import Leader

    if not any(results.values()):
        yield "no rated games yet"
    for game, lines in results.items():
        if lines:
            yield f"{game} {options}".rstrip()
        for place, line in enumerate(lines, 1):
            yield "  " + (leader_line(place, line) if isinstance(line, Leader) else rated_game_line(line))
