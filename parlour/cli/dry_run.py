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
from client.sdk.bot import Bot, Budget, Thought
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
    "timeout": "The program is too slow, or waits for input that it never gets.",
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
    trial = Trial(args, factory, game_of(args, factory), source)
    print_line(f"{factory.name}: {trial.game.name}, {POSITIONS} positions, at most {args.deadline:g} s a move")
    try:
        if factory.whole_games:
            await trial.play_along()
        else:
            for position in positions(trial.game):
                await trial.ask(factory.make(), position, last=True)
    finally:
        factory.close()
    trial.report()
    return 1 if trial.failures else 0


class Trial:
    """The questions to a program, and their results."""

    def __init__(self, args: Namespace, factory: BotFactory, game: Game, source: BotSource) -> None:
        self.args, self.factory, self.game, self.source = args, factory, game, source
        self.failures: list[Failure] = []
        self.asked, self.slowest = 0, 0.0

    async def play_along(self) -> None:
        """Play games against random moves. The program can be asked only in positions of its own games."""
        rng, game = Random(GAME_SEED), self.game
        while self.asked < POSITIONS:
            bot, side = self.factory.make(), self.asked % 2
            state, history = game.start(), ()  # type: State, tuple[str, ...]
            while self.asked < POSITIONS and game.moves(state):
                text: str | None = game.format(state, rng.choice(game.moves(state)))
                if game.turn(state) == side:
                    text = await self.ask(bot, Position(state, history), last=False)
                if text is None:
                    break
                state, history = game.after(state, game.parse(state, text)), (*history, text)
            bot.close()

    async def ask(self, bot: Bot, position: Position, last: bool) -> str | None:
        """Ask for a move, print a line, and return the move or None. `last`: the bot is asked no more."""
        self.asked += 1
        began = time.monotonic()
        where = f"{self.asked:2} of {POSITIONS}, after {len(position.history)} moves"
        move: str | None = None
        try:
            thought = await ask(self.args, bot, self.game, position, self.source)
            move, mistake = str(thought.move), str(thought.note).partition("lenient: ")[2]
            print_line(f"{where}: {move}{f', but {mistake}' if mistake else ''}, {time.monotonic() - began:.2f} s")
        except Failure as failure:
            self.failures.append(failure)
            print_line(f"{where}: FAILED ({failure.kind}): {failure}")
        finally:
            if last:
                bot.close()
        self.slowest = max(self.slowest, time.monotonic() - began)
        return move

    def report(self) -> None:
        """Print the summary: how many moves were right, and for each kind of failure what to do and where to look."""
        right = POSITIONS - len(self.failures)
        print_line(f"{right} of {POSITIONS} moves are legal; the slowest took {self.slowest:.2f} s")
        kinds = list(dict.fromkeys(failure.kind for failure in self.failures))
        for failure in (next(failure for failure in self.failures if failure.kind == kind) for kind in kinds):
            print_line(f"{failure.kind}: {ADVICE.get(failure.kind, 'The program failed.')}")
            if failure.evidence:
                print_line(f"  repeat it with: {Path(failure.evidence) / 'reproduce.sh'}")


async def ask(args: Namespace, bot: Bot, game: Game, position: Position, source: BotSource) -> Thought:
    """Return the bot's move with its note. Raises Failure."""
    state = position.state
    budget = Budget(
        args.seconds or 2.0,
        time.monotonic() + args.deadline,
        ply=len(position.history),
        side=game.turn(state),
        history=position.history,
    )
    bot.started(game, game.turn(state), "")
    return await request_move(bot, game, state, budget, source)
