"""Play a game of Conga between two agents and print every position.

parlour course conga --players search:3:hfunc1,random --seed 7

Player 1 is blue, player 2 red, empty tiles are yellow. A player is random, greedy, minimax:DEPTH or
search:DEPTH (alpha-beta). The last three take an evaluation, as in search:3:hfunc1:

  hfunc0          few moves for the opponent
  hfunc1          more moves than the opponent
  neighbour       own squares next to the opponent's
  move+neighbour  the sum of hfunc1 and neighbour
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from random import Random

from engine.course.players import make_player
from engine.game import Game, Outcome, State
from engine.record import ending
from engine.registry import create
from parlour.coursework.tiles import tiles
from parlour.errors import UserError

REASONS = {"repetition": "the position occurred three times", "ply_limit": "the ply limit was reached"}


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--players",
        metavar="A,B",
        default="search:3:hfunc1,random",
        help="player 1 and player 2 (default: %(default)s)",
    )
    parser.add_argument("--seed", type=int, help="make random players repeatable")
    parser.add_argument(
        "--max-plies", metavar="N", default="400", help="plies after which the game is a draw (default: %(default)s)"
    )
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="auto: colours only on a terminal (default)",
    )


def run(args: Namespace) -> int:
    game = create("conga", {"max_plies": args.max_plies})
    names = args.players.split(",")
    if len(names) != 2:
        raise UserError(f"--players needs two players, for example search:3,random, not {args.players!r}")
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
        print(f"\n{len(states) - 1}. player {state.turn + 1} ({name}) {describe(game.format(state, move))}")
        print(picture(game, states[-1], colour), flush=True)
    print("\n" + verdict(outcome, names, len(states) - 1))
    return 0


def describe(text: str) -> str:
    """Return a move in the coordinates of the course."""
    tile = {square: f"({'abcd'.index(square[0]) + 1},{square[1]})" for square in (text[:2], text[2:])}
    return f"moves {tile[text[:2]]} towards {tile[text[2:]]}"


def picture(game: Game, state: State, colour: bool) -> str:
    rows = [
        [(-1 if cell.owner is None else cell.owner, cell.count) for cell in row if cell]
        for row in game.draw(state).rows
    ]
    return tiles(rows, colour)


def verdict(outcome: Outcome, names: list[str], plies: int) -> str:
    moves = "1 move" if plies == 1 else f"{plies} moves"
    if outcome.winner is None:
        return f"A draw after {moves}: {REASONS[outcome.reason]}."
    loser = 2 - outcome.winner
    winner = f"Player {outcome.winner + 1} ({names[outcome.winner].strip()})"
    return f"{winner} wins after {moves}: player {loser} cannot move."
