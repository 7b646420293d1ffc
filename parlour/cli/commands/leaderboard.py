"""The best players of a server, game by game; those whose rating is not certain yet (1620?) stand behind the others.

parlour leaderboard
parlour leaderboard conga
parlour leaderboard mancala --option rules=standard
parlour leaderboard conga --player alice      her ratings, the latest first
parlour leaderboard --json | jq .name

Every game with its own options has ratings of its own."""

from __future__ import annotations

import asyncio
import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from parlour.cli.args import add_options, options_of
from parlour.cli.args_server import PATIENCE, add_connection, visit
from parlour.cli.main import UserError
from parlour.cli.search_output import count

if TYPE_CHECKING:
    from protocol.types import Leader, Options, RatedGame

    Found = dict[str, Sequence[Leader | RatedGame]]


def arguments(parser: ArgumentParser) -> None:
    from engine.registry import GAMES

    parser.add_argument("game", metavar="GAME", nargs="?", help=f"one of {', '.join(GAMES)}; none: all of them")
    add_options(parser)
    parser.add_argument("--player", metavar="NAME", default="", help="this player's ratings over time")
    parser.add_argument("--limit", metavar="N", type=count, default=20, help="so many lines a game, at most 100 (20)")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    add_connection(parser)


def run(args: Namespace) -> int:
    from client.sdk.errors import SessionError
    from engine.registry import GAMES, create

    options = options_of(args)
    if options and args.game is None:
        raise UserError("--option needs a game to belong to")
    if args.limit > 100:
        raise UserError("--limit is at most 100")
    settled = {} if args.game is None else dict(create(args.game, options).spec.options)
    games = list(GAMES) if args.game is None else [args.game]
    try:
        found = asyncio.run(ask(args, games, settled))
    except SessionError as error:
        raise UserError(str(error)) from None
    for line in in_json(found) if args.json else in_words(found, " ".join(args.option)):
        print(line)
    return 0


async def ask(args: Namespace, games: Sequence[str], options: Options) -> Found:
    """For each game what the server says about it."""
    from protocol.commands import Leaderboard, Ratings

    found: Found = {}
    async with visit(args, "parlour leaderboard") as session:
        for game in games:
            common: dict[str, Any] = {"id": session.id(), "game": game, "options": options, "limit": args.limit}
            command = Ratings(player=args.player, **common) if args.player else Leaderboard(**common)
            ok = await session.ask(command, within=PATIENCE)
            found[game] = ok.leaders or ok.ratings or ()
    return found


def in_json(found: Found) -> Iterator[str]:
    from protocol.codec import to_builtins

    for game, lines in found.items():
        for line in lines:
            yield json.dumps({"game": game, **to_builtins(line)})


def in_words(found: Found, options: str) -> Iterator[str]:
    from client.presentation.texts import leader_line, rated_game_line
    from protocol.types import Leader

    if not any(found.values()):
        yield "no rated game has been played yet"
    for game, lines in found.items():
        if lines:
            yield f"{game} {options}".rstrip()
        for place, line in enumerate(lines, 1):
            yield "  " + (leader_line(place, line) if isinstance(line, Leader) else rated_game_line(line))
