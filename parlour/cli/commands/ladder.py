"""Run a ladder: rate the bots of a server that opted in, day and night.

parlour bot my_bot.py --ladder --token TOKEN        a bot that takes part
parlour ladder run conga.jsonl --game conga         begin a ladder; Ctrl-C ends it
parlour ladder run conga.jsonl                      continue it, also after a crash
parlour ladder standings conga.jsonl                show the table, also while it runs
parlour tournament watch conga                      watch it live, as on the page of the server

The ladder is a client of the server, its arbiter. It pairs the bots that opted in: those with few
games first, near ratings, each opening from both seats. Every version of a bot is rated by itself.
House bots such as search@3 are anchors: their ratings are fixed. All games are in the file, which
only grows. docs/ladder.md is a step-by-step guide.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path

from parlour.cli.args import add_options
from parlour.cli.search_output import count, seconds

RUN_EXAMPLES = """\
parlour ladder run conga.jsonl --game conga --token TOKEN --url parlour.example.org
parlour ladder run conga.jsonl --at-once 8 --reserve-for-people 1
parlour ladder run night.jsonl --game mancala --clock 10s+0.1 --anchor greedy=1200 --games 500

Ctrl-C waits for the running games; twice leaves them, and the next run counts them."""


def arguments(parser: ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    text = "pair bots until Ctrl-C; with --game, begin a ladder"
    run_parser = actions.add_parser(
        "run", help=text, description=f"{text[0].upper()}{text[1:]}.\n\n{RUN_EXAMPLES}",
        formatter_class=RawDescriptionHelpFormatter,
    )  # fmt: skip
    run_parser.add_argument("file", metavar="FILE", type=Path, help="the journal of the ladder")
    add_fixed(run_parser)
    add_run(run_parser)
    table = actions.add_parser("standings", help="show the table", description="Show the table, also while it runs.")
    table.add_argument("file", metavar="FILE", type=Path, help="the journal of the ladder")
    table.add_argument("--json", action="store_true", help="print JSON")
    text = "read a larger journal, if you trust it (default: 256)"
    table.add_argument("--max-mb", metavar="N", type=count, default=256, help=text)


def add_fixed(parser: ArgumentParser) -> None:
    fixed = parser.add_argument_group("a new ladder (fixed from then on)")
    fixed.add_argument("--game", default="", help="the game")
    add_options(fixed)  # type: ignore[arg-type]  # a group takes arguments too
    fixed.add_argument("--name", default="", help="the name on the server's page (default: that of the file)")
    fixed.add_argument("--clock", default="", help="the clock of every game (default: 60s+1)")
    text = "random moves before the bots begin; each opening is played from both seats (default: 4)"
    fixed.add_argument("--openings", metavar="PLIES", type=number, help=text)
    fixed.add_argument("--seed", type=count, help="another choice of openings")
    text = "fix the rating of a bot; may be repeated"
    fixed.add_argument("--anchor", metavar="NAME=ELO", action="append", default=[], help=text)
    fixed.add_argument("--no-anchors", action="store_true", help="do not fix the ratings of random and search@1 to 9")


def add_run(parser: ArgumentParser) -> None:
    how = parser.add_argument_group("this run")
    how.add_argument("--at-once", metavar="N", type=count, default=4, help="games at the same time (default: 4)")
    text = "places of every bot that stay free for other games (default: 0)"
    how.add_argument("--reserve-for-people", metavar="N", type=number, default=0, help=text)
    how.add_argument("--guests", action="store_true", help="also pair bots without an account")
    how.add_argument("--casual", action="store_true", help="do not rate the games on the server as well")
    text = "how long a bot may take to join a game (default: 30)"
    how.add_argument("--wait", metavar="S", type=seconds, default=30.0, help=text)
    text = "new versions of a bot within a day; more have to wait (default: 20)"
    how.add_argument("--new-versions", metavar="N", type=count, default=20, help=text)
    how.add_argument("--games", metavar="N", type=count, help="stop after N games")
    where = parser.add_argument_group("server")
    where.add_argument("--url", default="", help="the server (default: PARLOUR_URL, or ws://127.0.0.1:8765/ws)")
    where.add_argument("--token", default="", help="the token of the arbiter's account (default: PARLOUR_TOKEN)")
    where.add_argument("--tls-trust", metavar="FILE", default="", help="an additional certificate to trust")
    where.add_argument("--no-page", action="store_true", help="do not show the ladder on the server's page")


def number(text: str) -> int:
    return 0 if text == "0" else count(text)


def run(args: Namespace) -> int:
    from parlour.cli import ladder

    return ladder.run(args) if args.action == "run" else ladder.standings(args)
