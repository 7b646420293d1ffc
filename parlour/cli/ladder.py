"""`parlour ladder run` and `parlour ladder standings`."""

from __future__ import annotations

import json
import math
import os
from argparse import Namespace

from client.ladder.anchors import measured_anchors
from client.ladder.ratings import table
from client.ladder.report import result_line, standings_json, standings_lines
from client.ladder.runner import RunSettings
from client.ladder.setup import Ladder, read_ladder
from client.ladder.state import MAX_ANCHOR_ELO, LadderGame, LadderResult, LadderSettings, LadderState
from client.presentation.texts import counted
from client.sdk.errors import SessionError
from client.sdk.time_control import parse_time_control
from client.sdk.url import DEFAULT_URL
from client.tournament.model.errors import TournamentError
from client.tournament.model.plan_defaults import DEFAULT_OPENING_PLIES
from client.tournament.play.setup import ServerAccess
from engine.registry import create
from parlour.cli.args import options_of
from parlour.errors import UserError
from protocol.usernames import fold, is_readable
from runtime.event_loop import run_loop
from runtime.printable import print_line

DEFAULT_CLOCK = "60s+1"
FIXED = ("game", "option", "clock", "openings", "seed", "anchor", "no_anchors", "name")  # arguments of a new ladder
MAX_NAME_CHARS = 60


def run(args: Namespace) -> int:
    """Run a ladder. Return 0 if it was stopped and all its games are counted, 130 if games were left running."""
    how = RunSettings(
        at_once=args.at_once,
        reserved=args.reserve_for_people,
        guests=args.guests,
        rated=not args.casual,
        wait_s=args.wait,
        new_versions=args.new_versions,
        games=args.games,
    )
    url = args.url or os.environ.get("PARLOUR_URL", "") or DEFAULT_URL
    server = ServerAccess(url, args.token or os.environ.get("PARLOUR_TOKEN", ""), args.tls_trust)
    ladder = Ladder(say, tell_result, reported=not args.no_page)
    try:
        complete = run_loop(ladder.run(args.file, settings_of(args), how, server))
    except SessionError as error:
        raise UserError(f"{error}; finished games are kept, continue with: parlour ladder run {args.file}") from None
    except TournamentError as error:
        raise UserError(str(error)) from None
    print_line()
    print_standings(*read_ladder(args.file))
    return 0 if complete else 130


def settings_of(args: Namespace) -> LadderSettings | None:
    """Return the settings of a new ladder, or None to continue one. Raises UserError if the ladder has begun."""
    given = [name for name in FIXED if getattr(args, name) or (name == "openings" and args.openings is not None)]
    if args.file.exists() and args.file.stat().st_size:
        if given:
            flag = given[0].replace("_", "-")
            raise UserError(
                f"{args.file} has a ladder, whose settings are fixed: leave out --{flag}, or name a new file"
            )
        return None
    if not args.game:
        raise UserError(f"there is no ladder in {args.file}: name its game with --game to begin one")
    options = dict(create(args.game, options_of(args)).spec.options)
    clock = args.clock or DEFAULT_CLOCK
    if parse_time_control(clock).kind == "none":
        raise UserError("a ladder needs a clock, or a bot that hangs would never lose: try 60s+1")
    return LadderSettings(
        name=checked_name(args.name or args.file.stem),
        game=args.game,
        options=options,
        clock=clock,
        opening_plies=DEFAULT_OPENING_PLIES if args.openings is None else args.openings,
        seed=args.seed or 1,
        anchors=anchors_of(args, options),
    )


def checked_name(name: str) -> str:
    if len(name) > MAX_NAME_CHARS or not is_readable(name):
        raise UserError(f"--name: a ladder's name has 1 to {MAX_NAME_CHARS} printable characters, not {name[:80]!r}")
    return name


def anchors_of(args: Namespace, options: dict[str, int | str]) -> dict[str, float]:
    """Return the fixed ratings by folded name. Raises UserError if one is not NAME=ELO."""
    anchors = {} if args.no_anchors else {fold(name): elo for name, elo in measured_anchors(args.game, options).items()}
    for text in args.anchor:
        name, _, elo = text.rpartition("=")
        try:
            rating = float(elo)
        except ValueError:
            rating = math.nan
        if not name.strip() or not abs(rating) <= MAX_ANCHOR_ELO:
            raise UserError(f"--anchor needs NAME=ELO, for example greedy=1200, not {text[:60]!r}")
        anchors[fold(name.strip())] = rating
    return anchors


def say(text: str) -> None:
    print_line(text, flush=True)


def tell_result(game: LadderGame, result: LadderResult | None) -> None:
    if result is not None:
        say(result_line(game, result))


def standings(args: Namespace) -> int:
    """Print the table of a ladder, also while it runs."""
    try:
        settings, state = read_ladder(args.file, args.max_mb << 20)
    except TournamentError as error:
        raise UserError(str(error)) from None
    rows = table(settings, state)
    if args.json:
        print_line(
            json.dumps(
                {"name": settings.name, "game": settings.game, "games": state.done, "table": standings_json(rows)},
                ensure_ascii=False,
            )
        )
    else:
        print_standings(settings, state)
    return 0


def print_standings(settings: LadderSettings, state: LadderState) -> None:
    print_line(f"{settings.name}: {settings.game}, {counted(state.done, 'game')}")
    for line in standings_lines(table(settings, state)):
        print_line(line)
