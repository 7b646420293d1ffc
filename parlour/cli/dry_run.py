"""`parlour bot --try CMD`: ask a program for its move in ten positions, and report, before anything counts."""

from __future__ import annotations

import time
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path
from random import Random

from client.bots.factory import BotFactory
from client.bots.move_request import BotSource, request_move
from client.programs.failure import Failure
from client.sdk.bot import Budget
from engine.game import Game, State
from engine.registry import create
from parlour.cli.args import options_of
from parlour.errors import UserError
from runtime.printable import print_line

POSITIONS = 10
GAME_SEED = 7  # the same positions every time
MAX_PLIES_APART = 6
ADVICE = {
    "start": "The program does not start. Run the command by hand in its folder.",
    "timeout": "The program is too slow, or waits for input that does not come.",
    "exited": "The program crashed. The last line of its error output is quoted above.",
    "no_output": "The program wrote no answer. Check the name of its output file, and that it closes the file.",
    "garbage": "The program answered, but not in the form of the assignment.",
    "illegal": "The program made a move that the rules do not allow.",
    "flood": "The program prints without end.",
    "error": "The program raised an exception.",
}


@dataclass(frozen=True, slots=True)
class Position:
    """A position that random play has reached, with the moves that led to it."""

    state: State
    history: tuple[str, ...]


def positions(game: Game) -> list[Position]:
    """Return the positions: the start, and others on the way through random games."""
    rng, found = Random(GAME_SEED), [Position(game.start(), ())]
    state, history = game.start(), ()  # type: State, tuple[str, ...]
    while len(found) < POSITIONS:
        for _ in range(rng.randint(1, MAX_PLIES_APART)):
            moves = game.moves(state)
            if not moves:
                state, history = game.start(), ()
                moves = game.moves(state)
            move = rng.choice(moves)
            state, history = game.after(state, move), (*history, game.format(state, move))
        if game.moves(state):
            found.append(Position(state, history))
    return found


def game_of(args: Namespace, factory: BotFactory) -> Game:
    """Return the game to try. Raises UserError if the program plays several and none is named."""
    names = [name.strip() for name in args.games.split(",") if name.strip()] or list(factory.games)
    if len(names) != 1 or names[0] not in factory.games:
        raise UserError(f"name the game with --games: {factory.name} plays {', '.join(factory.games)}")
    return create(names[0], options_of(args))


async def try_program(args: Namespace, factory: BotFactory, source: BotSource) -> int:
    """Ask for a move in each position, and report. Return 0 if all are legal, else 1."""
    game, failures, slowest = game_of(args, factory), [], 0.0  # type: Game, list[Failure], float
    print_line(f"{factory.name}: {game.name}, {POSITIONS} positions, at most {args.deadline:g} s a move")
    try:
        for number, position in enumerate(positions(game), 1):
            began = time.monotonic()
            where = f"{number:2} of {POSITIONS}, after {len(position.history)} moves"
            try:
                answer = await ask(args, factory, game, position, source)
                print_line(f"{where}: {answer}, {time.monotonic() - began:.2f} s")
            except Failure as failure:
                failures.append(failure)
                print_line(f"{where}: FAILED ({failure.kind}): {failure}")
            slowest = max(slowest, time.monotonic() - began)
    finally:
        factory.close()
    report(failures, slowest)
    return 1 if failures else 0


async def ask(args: Namespace, factory: BotFactory, game: Game, position: Position, source: BotSource) -> str:
    bot, state = factory.make(), position.state
    budget = Budget(
        args.seconds or 2.0,
        time.monotonic() + args.deadline,
        ply=len(position.history),
        side=game.turn(state),
        history=position.history,
    )
    try:
        bot.started(game, game.turn(state), "")
        thought = await request_move(bot, game, state, budget, source)
    finally:
        bot.close()
    note = str(thought.note)
    return f"{thought.move}, but {note.partition('lenient: ')[2]}" if "lenient: " in note else str(thought.move)


def report(failures: list[Failure], slowest: float) -> None:
    """Print the summary: how many moves were right, and for each kind of failure what to do and where to look."""
    right = POSITIONS - len(failures)
    print_line(f"{right} of {POSITIONS} moves are legal; the slowest took {slowest:.2f} s")
    kinds = list(dict.fromkeys(failure.kind for failure in failures))
    for failure in (next(failure for failure in failures if failure.kind == kind) for kind in kinds):
        print_line(f"{failure.kind}: {ADVICE.get(failure.kind, 'The program failed.')}")
        if failure.evidence:
            print_line(f"  repeat it with: {Path(failure.evidence) / 'reproduce.sh'}")
