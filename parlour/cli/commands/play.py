"""Play in the terminal.

If no server is running, the command starts a private one with a bot. It stops when you leave.

parlour play conga
parlour play mancala --vs search@8 --clock 5+3 --option pits=6
parlour play cohcoh --url parlour.example.org --name alice --vs anyone
parlour play conga --pair --rated --url …    find an opponent of your strength; a bot after 20 s
parlour play --room ROOM --url …             join a room that waits for a player
parlour play                                 open the lobby
parlour play conga --hotseat                 two people at this terminal
parlour play conga --hotseat --name alice --vs bob
parlour play --puzzles conga                 find the only good move
parlour play conga --plain                   line by line, for screen readers and pipes

Bots: search@1 (weakest) to search@10, search (the strongest), greedy, random.
"""

from __future__ import annotations

import asyncio
import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from parlour.cli.args import add_bot_after, add_options, options_of
from parlour.cli.args_server import add_connection, add_looks, identity, url_of
from parlour.errors import UserError
from runtime.printable import print_line

if TYPE_CHECKING:
    from client.presentation.launch_plan import GameRequest, LaunchPlan

DEFAULT_OPPONENT = "search@5"
ANY_OPPONENT = ("anyone", "anybody")  # the documented word, and its older alias
SEATS = {"first": 0, "0": 0, "second": 1, "1": 1}


def arguments(parser: ArgumentParser) -> None:
    from engine.registry import GAMES

    parser.add_argument(
        "game", metavar="GAME", nargs="?", help=f"one of {', '.join(GAMES.names())} (default: open the lobby)"
    )
    vs = f"a bot, a player, or 'anyone' (default: {DEFAULT_OPPONENT}, or another connected bot, or the first to join)"
    parser.add_argument("--vs", metavar="NAME", default="", help=vs)
    parser.add_argument("--clock", help="5+3, 90s+1, 10/move, 10/move+60 or none (default: none; with --rated 5+3)")
    add_options(parser)
    parser.add_argument("--seat", choices=tuple(SEATS), help="move first or second (default: random)")
    parser.add_argument(
        "--pair", action="store_true", help="play the next player who looks for the same game, near your rating"
    )
    add_bot_after(parser)
    parser.add_argument(
        "--hotseat", action="store_true", help="two people play at this terminal; --name and --vs name them"
    )
    parser.add_argument("--puzzles", metavar="GAME|FILE", help="solve puzzles of a game or a file, line by line")
    parser.add_argument("--rated", action="store_true", help="play for rating; both players need an account")
    parser.add_argument("--room", default="", help="join this room")
    parser.add_argument("--code", default="", help="the code of a private room")
    parser.add_argument("--plain", action="store_true", help="play line by line, without a full-screen display")
    add_connection(parser)
    add_looks(parser)


def run(args: Namespace) -> int:
    from client.tui.app.run import has_terminal, run_hotseat
    from client.tui.app.run import run as show
    from client.tui.render.appearance import Appearance

    if args.puzzles is not None:
        return ask_puzzles(args.puzzles)
    if args.hotseat:
        check_hotseat(args)
    plan = plan_of(args)
    if args.plain or not has_terminal():
        if plan.request is None:
            raise UserError(
                "the lobby needs a terminal; name a game, as in 'parlour play conga', or list rooms with "
                "'parlour rooms'"
            )
        return asyncio.run(play_in_lines(plan))
    if args.hotseat:
        show = run_hotseat
    problem = show(plan, Appearance.choose(args.theme, args.ascii, motion=not args.no_motion))
    if problem:
        raise UserError(problem)
    return 0


def plan_of(args: Namespace) -> LaunchPlan:
    """Return what the arguments ask for. Raises UserError or GameError."""
    from client.presentation.launch_plan import GameRequest, LaunchPlan

    request = None
    if args.game is not None:
        request = request_of(args)
    elif args.room:
        request = GameRequest("", seat=None if args.seat is None else SEATS[args.seat])
    if args.pair and (args.game is None or args.vs or args.seat or args.room):
        raise UserError("--pair needs a game, and cannot be used with --vs, --seat or --room")
    if args.code and not args.room:
        raise UserError("--code needs --room: it is the code of a private room")
    if args.bot_after is not None and not args.pair:
        raise UserError("--bot-after needs --pair")
    return LaunchPlan(
        mode="join" if args.room else "play" if request is not None else "lobby",
        url=url_of(args),
        private=args.private,
        request=request,
        rooms=(args.room,) if args.room else (),
        code=args.code,
        hotseat=args.hotseat,
        **identity(args),
    )


def request_of(args: Namespace) -> GameRequest:
    """Return the game that the arguments ask for. Raises UserError or GameError."""
    from client.presentation.launch_plan import BOT_AFTER_MS, GameRequest
    from client.sdk.time_control import default_clock, parse_time_control
    from engine.registry import create

    options = options_of(args)
    game = create(args.game, options)
    vs = "" if args.vs in ANY_OPPONENT or args.pair else args.vs or DEFAULT_OPPONENT
    return GameRequest(
        game.name,
        {name: value for name, value in game.spec.options.items() if name in options},
        parse_time_control(args.clock or default_clock(args.rated)),
        None if args.seat is None else SEATS[args.seat],
        args.vs if args.hotseat else vs,
        vs_is_default=not args.vs and not args.pair,
        rated=args.rated,
        pair=args.pair,
        bot_after=BOT_AFTER_MS if args.bot_after is None else args.bot_after,
    )


def ask_puzzles(name: str) -> int:
    """Ask the puzzles of a game or of a file, the easy ones first. Raises UserError."""
    from random import shuffle

    from engine.errors import GameError
    from engine.puzzles import parse_puzzles, shipped_puzzles
    from engine.registry import GAMES
    from parlour.cli.learn import solve_puzzles
    from parlour.input_file import read_text

    try:
        puzzles = shipped_puzzles(name) if name in GAMES else parse_puzzles(read_text(name))
    except GameError as error:
        raise UserError(f"{name}: {error}") from None
    shuffle(puzzles)
    solve_puzzles(sorted(puzzles, key=lambda puzzle: puzzle.level))
    return 0


def check_hotseat(args: Namespace) -> None:
    """Raise UserError if --hotseat is used with arguments for a server or for lines of text."""
    from client.tui.app.run import has_terminal

    if args.game is None:
        raise UserError("--hotseat needs a game, as in 'parlour play conga --hotseat'")
    for name in ("room", "pair", "rated", "url", "token", "plain"):
        if getattr(args, name):
            raise UserError(f"--hotseat cannot be used with --{name}: both players are at this terminal")
    if not has_terminal():
        raise UserError("--hotseat needs a terminal; 'parlour play conga' plays line by line against a bot")


async def play_in_lines(plan: LaunchPlan) -> int:
    """Play with one line of text per event and per move. Raises UserError."""
    from client.presentation.plain_play import InputEnded, play_plain, read_lines
    from client.sdk.errors import SessionError
    from client.tui.app.server_choice import ServerChoice

    inputs, server = read_lines(), ServerChoice(plan)
    try:
        session = await server.connect()
        private, kept = server.is_private, server.keeps_games
        await play_plain(session, plan, private, inputs, write, in_order=not is_typed(), keeps_games=kept)
    except (InputEnded, SessionError) as error:
        raise UserError(str(error)) from None
    finally:
        await server.close()
    return 0


def is_typed() -> bool:
    """Return whether a person types the input at a terminal."""
    return sys.stdin is not None and sys.stdin.isatty()


def write(line: str) -> None:
    print_line(line, flush=True)
