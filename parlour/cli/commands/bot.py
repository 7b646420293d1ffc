"""Connect a bot to a server: a built-in bot, your own Python class, or any program.

parlour bot my_bot.py --ask conga                    print one move, without a server
parlour bot my_bot.py                                wait for invitations
parlour bot my_bot.py --seek conga --clock 5+3       look for opponents
parlour bot my_bot.py --seek conga --challenge search
parlour bot search@3 --games mancala                 a built-in bot
parlour bot --exec "./my_bot" --games conga,cohcoh   a program that reads JSON lines
parlour bot --exec "./engine" --protocol ugi --games conga      an engine that speaks UGI
parlour bot --exec "java MyHomework" --adapter maxconnect4 --workdir build
parlour bot --try "java MyHomework" --adapter maxconnect4 --workdir build   ten positions, no server
parlour bot --exec "./strange" --workdir strange --jail auto   a program that you do not trust
parlour bot my_bot.py --ladder --token TOKEN         play on the ladder of the server, day and night

Built-in bots: random; greedy, minimax:DEPTH and alphabeta:DEPTH, which play as in the courses;
search, the strongest, and its levels search@1 to search@10. --threads and --table apply to search.
A bot resumes its games after a lost connection and after a restart. docs/writing-a-bot.md has more.
"""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, Namespace, _ArgumentGroup
from pathlib import Path

from client.bots.builtin.levels import DEFAULT_TABLE_MB
from parlour.cli.args import add_bot_after, add_options
from parlour.cli.search_output import add_threads, count, megabytes, seconds


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "bot", nargs="?", metavar="NAME|FILE.py[:Class]", help="a built-in bot, or a file with your own"
    )
    parser.add_argument("--exec", metavar="CMD", help="a program that reads JSON lines and answers with moves")
    add_connection(parser.add_argument_group("connection"))
    add_games(parser.add_argument_group("games"))
    add_playing(parser.add_argument_group("playing"))
    add_programs(parser.add_argument_group("programs (with --exec)"))
    add_jail(parser.add_argument_group("jail (for a program, or a FILE.py, that you do not trust)"))
    add_once(parser.add_argument_group("without a server"))


def add_connection(connection: _ArgumentGroup) -> None:
    connection.add_argument("--url", default="", help="the server (default: PARLOUR_URL, or ws://127.0.0.1:8765/ws)")
    connection.add_argument(
        "--name", default="", help="the bot's name on the server (default: the name of its class, file or program)"
    )
    connection.add_argument("--token", default="", help="the token of the bot's account (default: PARLOUR_TOKEN)")
    connection.add_argument(
        "--state",
        metavar="FILE",
        type=Path,
        help="where to store the session, so that the bot can resume after a crash",
    )
    connection.add_argument(
        "--tls-trust", metavar="FILE", default="", help="a certificate (PEM) to trust in addition to the system's"
    )
    connection.add_argument("--no-state", action="store_true", help="do not store the session")
    connection.add_argument("--leave-with-stdin", action="store_true", help=SUPPRESS)  # exit when stdin closes
    connection.add_argument("--lazy", action="store_true", help=SUPPRESS)  # load the bot when its first game starts


def add_games(games: _ArgumentGroup) -> None:
    games.add_argument("--games", metavar="A,B", default="", help="play only these games")
    add_options(games)  # type: ignore[arg-type]  # a group takes arguments too
    games.add_argument("--concurrent", metavar="N", type=count, default=4, help="games at the same time (default: 4)")
    games.add_argument("--rated", action="store_const", dest="stakes", const="rated", help="play only rated games")
    games.add_argument("--casual", action="store_const", dest="stakes", const="casual", help="play only casual games")
    games.add_argument("--opponents", metavar="A,B", default="", help="play only against these")
    games.add_argument("--avoid", metavar="A,B", default="", help="never play against these")
    games.add_argument(
        "--seek", metavar="GAME", action="append", default=[], help="look for opponents in this game; may be repeated"
    )
    add_bot_after(games)  # type: ignore[arg-type]
    games.add_argument(
        "--challenge", metavar="NAME", default="", help="invite this player to a game of --seek (one, or --count)"
    )
    games.add_argument("--open", action="store_true", help="join rooms that wait for an opponent")
    games.add_argument(
        "--clock", help="for --seek: 5+3, 90s+1, 10/move, 10/move+60 or none (default: none; with --rated 5+3)"
    )
    text = "take part in the ladder of the server: it pairs this version of the bot"
    games.add_argument("--ladder", action="store_true", help=text)
    text = "the version that others see (default: the bot's own; with --ladder otherwise a hash of its files)"
    games.add_argument("--bot-version", metavar="TEXT", default="", help=text)
    games.add_argument("--count", metavar="N", type=count, help="exit after N games")


def add_playing(playing: _ArgumentGroup) -> None:
    playing.add_argument("--seconds", metavar="S", type=seconds, help="think S seconds per move, if the clock allows")
    playing.add_argument(
        "--level", metavar="1..10", type=count, default=10, help="the strength of search (default: 10)"
    )
    add_threads(playing)
    playing.add_argument(
        "--table",
        type=megabytes,
        default=DEFAULT_TABLE_MB,
        metavar="MB",
        help=f"megabytes for the table of search (default: {DEFAULT_TABLE_MB})",
    )
    playing.add_argument("--seed", type=int, help="make random choices repeatable")
    playing.add_argument(
        "--pace", choices=("bot", "human"), default="bot", help="human: move no faster than a person (default: bot)"
    )
    playing.add_argument("--greet", metavar="TEXT", default="", help="say this in the chat when a game starts")
    playing.add_argument("--cpu-clock", action="store_true", help="report CPU time in the notes of moves")
    playing.add_argument(
        "--deadline",
        metavar="S",
        type=seconds,
        default=60.0,
        help="the longest time for a move, whatever the clock says (default: 60)",
    )


def add_programs(programs: _ArgumentGroup) -> None:
    text = "for a homework program: mancala, maxconnect4, nkcohcoh, conga, or a recipe, FILE.toml"
    programs.add_argument("--adapter", help=text)
    text = "what the program speaks: JSON lines, or ugi, the Universal Game Interface (default: lines)"
    programs.add_argument("--protocol", choices=("lines", "ugi"), default="lines", help=text)
    programs.add_argument(
        "--workdir", metavar="DIR", type=Path, help="the program's folder; with --adapter it is copied for each run"
    )
    text = "with --adapter: a move that is unmistakable from the board counts, although the output has mistakes"
    programs.add_argument("--lenient", action="store_true", help=text)
    programs.add_argument(
        "--depth", metavar="N", type=count, default=4, help="the value of {depth} in CMD (default: 4)"
    )
    programs.add_argument(
        "--startup",
        metavar="S",
        type=seconds,
        default=10.0,
        help="seconds that the program may take to start (default: 10)",
    )
    programs.add_argument("--ready", action="store_true", help="wait until the program prints a line 'ready'")
    programs.add_argument("--events", action="store_true", help="tell the program when games start and end")
    programs.add_argument(
        "--memory", metavar="MB", type=count_or_zero, default=2048, help="memory limit; 0 for none (default: 2048)"
    )
    programs.add_argument(
        "--cpu",
        metavar="S",
        type=count_or_zero,
        default=0,
        help="limit of CPU time for the whole run; 0 for none (default: 0)",
    )
    programs.add_argument(
        "--retries",
        metavar="N",
        type=count_or_zero,
        default=0,
        help="failures allowed per game; after each one the program is restarted (default: 0)",
    )
    programs.add_argument("--forensics", metavar="DIR", type=Path, help="the folder for crash reports")


def add_jail(jail: _ArgumentGroup) -> None:
    text = "run it in a jail: bwrap (bubblewrap), docker, auto (what works here) or none (default: none)"
    jail.add_argument("--jail", choices=("auto", "bwrap", "docker", "none"), default="none", help=text)
    jail.add_argument("--jail-image", metavar="IMAGE", default="", help="the image for docker or podman")
    text = "a file or folder that the program may read; may be repeated"
    jail.add_argument("--jail-allow", metavar="PATH", type=Path, action="append", default=[], help=text)
    jail.add_argument("--jail-cores", metavar="LIST", default="", help="the CPUs that it may use, for example 0,2-3")
    text = "processes and threads in the jail; 0 for no limit (default: 64)"
    jail.add_argument("--processes", metavar="N", type=count_or_zero, default=64, help=text)
    text = "files that it may write in the jail; 0 for no limit (default: 256)"
    jail.add_argument("--disk", metavar="MB", type=count_or_zero, default=256, help=text)


def add_once(once: _ArgumentGroup) -> None:
    once.add_argument("--ask", metavar="GAME", help="print one move and exit")
    once.add_argument(
        "--try", metavar="CMD", dest="tried", help="like --exec: ask it in ten positions, report, and exit"
    )
    once.add_argument("--position", metavar="TEXT", help="for --ask: this position instead of the start")
    once.add_argument("--moves", metavar="TEXT", default="", help="for --ask: the moves so far, separated by spaces")


def count_or_zero(text: str) -> int:
    return 0 if text == "0" else count(text)


def run(args: Namespace) -> int:
    from parlour.cli.bot_setup import run_bot

    return run_bot(args)
