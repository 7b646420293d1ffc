"""A game of Conga between two agents, move by move: player 1 in blue, player 2 in red, empty tiles in yellow.

A player is random, greedy, minimax:DEPTH or search:DEPTH (alpha-beta), the last three with :EVALUATION behind it if
you like: hfunc0 (few moves for the opponent), hfunc1 (more moves than the opponent), neighbour, move+neighbour.

parlour course conga --players search:3:hfunc1,random --seed 7"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from random import Random

from engine.course.players import make_player
from engine.game import Game, Outcome, State
from engine.record import ending
from engine.registry import create
from parlour.cli.main import UserError
from parlour.coursework.tiles import tiles

REASONS = {"repetition": "the position occurred three times", "ply_limit": "the ply limit was reached"}


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--players", metavar="A,B", default="search:3:hfunc1,random", help="player 1 and player 2 (%(default)s)"
    )
    parser.add_argument("--seed", type=int, help="makes a random player play the same game again")
    parser.add_argument("--max-plies", metavar="N", default="400", help="moves of both until a draw (%(default)s)")
    parser.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="auto: colours on a terminal only"
    )


def run(args: Namespace) -> int:
    game = create("conga", {"max_plies": args.max_plies})
    names = args.players.split(",")
    if len(names) != 2:
        raise UserError(f"--players takes two players with a comma between, like search:3,random, not {args.players!r}")
    rng = Random(args.seed)
    players = [make_player(name.strip(), game, rng) for name in names]
    colour = args.color == "always" or (args.color == "auto" and sys.stdout.isatty() and not os.environ.get("NO_COLOR"))
    states = [game.start()]
    print(picture(game, states[-1], colour), flush=True)
    while (outcome := ending(game, states)) is None:
        state = states[-1]
        move = players[state.turn](state)
        states.append(game.after(state, move))
        name = names[state.turn].strip()
        print(f"\n{len(states) - 1}. player {state.turn + 1} ({name}) {tell(game.format(state, move))}")
        print(picture(game, states[-1], colour), flush=True)
    print("\n" + verdict(outcome, names, len(states) - 1))
    return 0


def tell(text: str) -> str:
    """A move in the course's coordinates."""
    tile = {square: f"({'abcd'.index(square[0]) + 1},{square[1]})" for square in (text[:2], text[2:])}
    return f"moves {tile[text[:2]]} towards {tile[text[2:]]}"


def picture(game: Game, state: State, colour: bool) -> str:
    rows = [
        [(-1 if cell.owner is None else cell.owner, cell.count) for cell in row if cell]
        for row in game.draw(state).rows
    ]
    return tiles(rows, colour)


def verdict(outcome: Outcome, names: list[str], plies: int) -> str:
    if outcome.winner is None:
        return f"A draw after {plies} moves: {REASONS[outcome.reason]}."
    loser = 2 - outcome.winner
    winner = f"Player {outcome.winner + 1} ({names[outcome.winner].strip()})"
    return f"{winner} wins after {plies} moves: player {loser} cannot move."
