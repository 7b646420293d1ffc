"""The Mancala assignment: an input file of 7 lines; the program writes next_state.txt after its whole turn.

The file has the state after the turn, not the pits that were emptied. A breadth-first search over the turns, at most a
few thousand, finds them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from client.programs.adapters.base import Adapter, ProgramInput, read_output_file, time_placeholders
from client.programs.failure import Failure
from engine.course.mancala import ALPHABETA
from engine.errors import shorten
from engine.game import Game, Move, State

INPUT, OUTPUT = "input.txt", "next_state.txt"
MAX_STATES = 200_000


class MancalaAdapter(Adapter):
    """Mancala: input.txt and next_state.txt."""

    game = "mancala"
    default_args = "-i {in}"
    output = OUTPUT

    def prepare(self, game: Game, state: State, depth: int, seconds: float) -> ProgramInput:
        """Return the input file: task, player, depth, pits, stores."""
        rows, stores, player = game.dump(state).split(" ")
        top, bottom = (row.replace(",", " ") for row in rows.split("/"))
        second, first = stores.split(",")
        lines = [str(ALPHABETA), player, str(depth), top, bottom, second, first]
        placeholders = {"in": INPUT, "out": OUTPUT, "depth": str(depth), "side": player, **time_placeholders(seconds)}
        return ProgramInput(placeholders, {INPUT: "\n".join(lines) + "\n"})

    def read(self, game: Game, state: State, folder: Path, output: str) -> tuple[Move, ...]:
        """Return the turn that leads to next_state.txt."""
        text = read_output_file(folder, OUTPUT)
        wanted = parse_rows(text)
        pits = len(state_rows(game, state)[0])
        if [len(line) for line in wanted] != [pits, pits, 1, 1]:
            expected = f"expected two lines of {pits} pits and two with a store"
            raise Failure("garbage", f"{OUTPUT} is not a state, {expected}: {shorten(text, 160)!r}")
        turn = find_turn(game, state, wanted)
        if turn is None:
            raise Failure("illegal", f"no turn leads to the {OUTPUT} it wrote, {shorten(text, 160)!r}")
        return turn

    def read_leniently(self, game: Game, state: State, folder: Path, output: str) -> tuple[Move, ...]:
        """Return the only turn that leads to the pits in the first two lines, whatever the stores are."""
        lines = read_output_file(folder, OUTPUT).splitlines()
        pits = [[int(word) for word in line.split() if word.isdecimal()] for line in lines if line.strip()][:2]
        found = {game.dump(then): turn for then, turn in turns(game, state) if state_rows(game, then)[:2] == pits}
        if len(found) != 1:
            raise Failure("garbage", f"{OUTPUT} does not show which turn it is")
        return next(iter(found.values()))


def parse_rows(text: str) -> list[list[int]]:
    """Return the lines of a next state as numbers. Raises Failure if it contains anything else."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    try:
        return [[int(word) for word in line] for line in lines]
    except ValueError:
        raise Failure("garbage", f"{OUTPUT} contains something other than numbers: {shorten(text, 160)!r}") from None


def state_rows(game: Game, state: State) -> list[list[int]]:
    """Return a state as the program writes it: two rows of pits, the second store, the first store."""
    rows, stores, _ = game.dump(state).split(" ")
    top, bottom = ([int(pit) for pit in row.split(",")] for row in rows.split("/"))
    second, first = stores.split(",")
    return [top, bottom, [int(second)], [int(first)]]


def find_turn(game: Game, state: State, wanted: list[list[int]]) -> tuple[Move, ...] | None:
    """Return the shortest turn that leads to a state, or None."""
    return next((turn for then, turn in turns(game, state) if state_rows(game, then) == wanted), None)


def turns(game: Game, state: State) -> Iterator[tuple[State, tuple[Move, ...]]]:
    """Yield the states after each whole turn, with the shortest turns first."""
    side = game.turn(state)
    seen = {state}
    frontier: list[tuple[State, tuple[Move, ...]]] = [(state, ())]
    while frontier and len(seen) < MAX_STATES:
        following: list[tuple[State, tuple[Move, ...]]] = []
        for at, line in frontier:
            for move in game.moves(at):
                then = game.after(at, move)
                done = game.turn(then) != side or not game.moves(then)
                if done:
                    yield then, (*line, move)
                elif then not in seen:
                    seen.add(then)
                    following.append((then, (*line, move)))
        frontier = following
