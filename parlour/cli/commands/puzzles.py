"""Make puzzles: positions in which exactly one move keeps the proved value.

parlour puzzles conga --count 20
parlour puzzles mancala --option pits=4 --out mine.jsonl
parlour puzzles conga --from game.txt 1rca5jyrpnv    from recorded games or rooms of a server
parlour puzzles --check mine.jsonl                   prove every puzzle of a file again

Without --from, the search plays against itself. 'parlour play --puzzles conga' plays the puzzles
that come with Parlour. In Conga, the move of a puzzle alone wins within the given number of plies.
"""

from __future__ import annotations

import random
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from client.bots.builtin.levels import LEVELS
from client.presentation.texts import counted
from engine.errors import GameError
from engine.game import Game, State
from engine.puzzles import Puzzle, candidates, follow_ups, is_proved, make_puzzle, parse_puzzles, write_puzzles
from engine.puzzles.self_play import self_play
from engine.record import parse, replay
from engine.registry import GAMES, create
from engine.review import Evaluator
from parlour.cli.args import add_options, options_of
from parlour.cli.args_server import add_connection
from parlour.cli.progress import ProgressLine
from parlour.cli.records import FILE_OR_ROOM, add_database, read_source
from parlour.cli.search_output import count, seconds, tell
from parlour.errors import UserError
from parlour.input_file import read_text
from runtime.file_errors import describe_file_error
from runtime.printable import print_line, print_lines

NODES = 300_000
EASIEST_SHARE = 0.25  # at most this share of the puzzles is solved by the lowest level


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", nargs="?", help=f"one of {', '.join(GAMES.names())}")
    add_options(parser)
    parser.add_argument("--count", type=count, default=20, metavar="N", help="stop after N puzzles (default: 20)")
    parser.add_argument(
        "--seconds", type=seconds, default=300.0, metavar="S", help="stop after S seconds (default: 300)"
    )
    parser.add_argument("--nodes", type=count, default=NODES, metavar="N", help=f"per proof (default: {NODES:,})")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the games that are played (default: 1)")
    parser.add_argument("--from", dest="sources", nargs="+", default=[], metavar="FILE|ROOM", help=FILE_OR_ROOM)
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the puzzles to a file")
    parser.add_argument("--plain", action="store_true", help="do not use compiled code, even if numba is installed")
    parser.add_argument("--check", metavar="FILE", help="prove the puzzles of a file again")
    add_connection(parser)
    add_database(parser)


def run(args: Namespace) -> int:
    if args.check is not None:
        return check(args.check, args.nodes, compiled_of(args))
    if args.game is None:
        raise UserError("name a game, as in 'parlour puzzles conga', or a file with --check")
    game = create(args.game, options_of(args))
    until = time.monotonic() + args.seconds
    progress = ProgressLine()
    puzzles = collect(game, games_of(args, game), args, until, progress)
    progress.clear()
    text = write_puzzles(sorted(puzzles, key=lambda puzzle: puzzle.level))
    if args.out is None:
        print_lines(text.rstrip("\n"))
        return 0
    try:
        args.out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(describe_file_error("write", str(args.out), error)) from None
    print_line(f"{args.out}: {counted(len(puzzles), 'puzzle')}")
    return 0


def compiled_of(args: Namespace) -> bool | None:
    return False if args.plain else None


def games_of(args: Namespace, game: Game) -> Iterator[list[State]]:
    """Return the states of recorded games, or of games that the search plays. Raises UserError."""
    for source in args.sources:
        try:
            record = parse(read_source(args, source))
            found, states = replay(record)
        except GameError as error:
            raise UserError(f"{source}: {error}") from None
        if (found.name, found.constants) != (game.name, game.constants):
            raise UserError(f"{source} is a game of {found.name} with other options: leave it out")
        yield states
    rng = random.Random(args.seed)
    while not args.sources:
        yield self_play(game, rng, compiled_of(args))


def collect(
    game: Game, games: Iterator[list[State]], args: Namespace, until: float, progress: ProgressLine
) -> list[Puzzle]:
    """Return puzzles from games until there are enough of them or the time is over."""
    levels = {level: found.nodes for level, found in LEVELS.items() if found.nodes is not None}
    # without endgame tables: equal arguments give equal puzzles, whatever is in the cache
    evaluator = Evaluator(game, args.nodes, compiled=compiled_of(args), notice=tell, endgames=False)
    found: dict[str, Puzzle] = {}
    easy = 0
    for states in games:
        chosen = [one for state in candidates(game, states) for one in (state, *follow_ups(evaluator, state))]
        for state in chosen:
            if len(found) >= args.count or time.monotonic() > until:
                return list(found.values())
            progress.show("puzzles found", len(found), args.count)
            puzzle = make_puzzle(evaluator, state, levels, compiled_of(args))
            if puzzle is None or puzzle.position in found:
                continue
            if puzzle.level == min(levels) and easy >= EASIEST_SHARE * args.count:
                continue
            if not is_proved(puzzle, args.nodes, compiled_of(args)):
                continue  # the proof needed results of earlier positions: --check would not find it
            easy += puzzle.level == min(levels)
            found[puzzle.position] = puzzle
    return list(found.values())


def check(name: str, nodes: int, compiled: bool | None) -> int:
    """Prove the puzzles of a file again. Return 1 if one is not proved."""
    puzzles, wrong, progress = parse_puzzles(read_text(name)), [], ProgressLine()
    for number, puzzle in enumerate(puzzles, 1):
        progress.show("checking puzzles", number, len(puzzles))
        if not is_proved(puzzle, nodes, compiled):
            wrong.append(number)
    progress.clear()
    for number in wrong:
        print_line(f"{name}: puzzle {number} is NOT proved: more --nodes may prove it")
    if not wrong:
        print_line(f"{name}: ok, {counted(len(puzzles), 'puzzle')}")
    return 1 if wrong else 0
