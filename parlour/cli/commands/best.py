"""Find the best move in a position, with its value, the depth of the search and the expected line.

parlour best conga --seconds 2
parlour best mancala --position "0,2,4,4/0,3,5,0 9,5 1" --depth 12
parlour best cohcoh --option n=5 --option k=4 --json
parlour best maxconnect4 --seconds 10 --threads 2 --table 512
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from engine.search import Limits, Thinker
from engine.search.endgames import prepare_endgames
from parlour.cli.args import add_game, game_of
from parlour.cli.search_output import add_search, as_json, as_text, count, seconds, tell
from runtime.printable import print_lines


def arguments(parser: ArgumentParser) -> None:
    add_game(parser)
    parser.add_argument(
        "--seconds", type=seconds, metavar="S", help="think for S seconds (default: 1, unless another limit is given)"
    )
    parser.add_argument("--depth", type=count, metavar="N", help="search N plies deep")
    parser.add_argument("--nodes", type=count, metavar="N", help="search N positions")
    add_search(parser)


def run(args: Namespace) -> int:
    game = game_of(args)
    unlimited = args.seconds is None and args.depth is None and args.nodes is None
    limits = Limits(1.0 if unlimited else args.seconds, args.nodes, args.depth)
    compiled = False if args.plain else None
    if not args.plain:
        prepare_endgames(game, tell)
    thinker = Thinker(game, args.table, compiled, tell, args.threads, endgames=True)
    report = thinker.think(game.start(), limits)
    print_lines(as_json(game, report) if args.json else as_text(game, report))
    return 0
