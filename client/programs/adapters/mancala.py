"""The Mancala assignment: a 7-line input file, next_state.txt after the whole turn.

The program says where the turn leads, not which pits it emptied. Those are found by walking through every way the
turn can go: as long as the mover moves again, at most a few thousand lines, and equal states are met only once.
"""

from __future__ import annotations

from pathlib import Path

from client.programs.adapters.base import Adapter, Run, output_file
from client.programs.failure import Failure
from engine.course.mancala import ALPHABETA
from engine.errors import shorten
from engine.game import Game, Move, State

INPUT, OUTPUT = "input.txt", "next_state.txt"
MOST_STATES = 200_000


class MancalaAdapter(Adapter):
    game = "mancala"
    default = "-i {in}"
    output = OUTPUT

    def prepare(self, game: Game, state: State, depth: int, seconds: float) -> Run:
        rows, stores, player = game.dump(state).split(" ")
        top, bottom = (row.replace(",", " ") for row in rows.split("/"))
        second, first = stores.split(",")
        lines = [str(ALPHABETA), player, str(depth), top, bottom, second, first]
        words = {"in": INPUT, "out": OUTPUT, "depth": str(depth), "seconds": f"{seconds:.3f}", "side": player}
        return Run(words, {INPUT: "\n".join(lines) + "\n"})

    def read(self, game: Game, state: State, folder: Path, said: str) -> tuple[Move, ...]:
        text = output_file(folder, OUTPUT)
        wanted = numbers(text)
        pits = len(after(game, state)[0])
        if [len(line) for line in wanted] != [pits, pits, 1, 1]:
            expected = f"expected two lines of {pits} pits and two with a store"
            raise Failure("garbage", f"{OUTPUT} is no state, {expected}: {shorten(text, 160)!r}")
        turn = find_turn(game, state, wanted)
        if turn is None:
            raise Failure("illegal", f"no turn leads to the {OUTPUT} it wrote, {shorten(text, 160)!r}")
        return turn


def numbers(text: str) -> list[list[int]]:
    """The lines of a next state as numbers."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    try:
        return [[int(word) for word in line] for line in lines]
    except ValueError:
        raise Failure("garbage", f"{OUTPUT} holds something else than numbers: {shorten(text, 160)!r}") from None


def after(game: Game, state: State) -> list[list[int]]:
    rows, stores, _ = game.dump(state).split(" ")
    top, bottom = ([int(pit) for pit in row.split(",")] for row in rows.split("/"))
    second, first = stores.split(",")
    return [top, bottom, [int(second)], [int(first)]]


def find_turn(game: Game, state: State, wanted: list[list[int]]) -> tuple[Move, ...] | None:
    """The shortest turn that leads to a state: breadth first over the moves of one side."""
    side = game.turn(state)
    seen = {state}
    frontier: list[tuple[State, tuple[Move, ...]]] = [(state, ())]
    while frontier and len(seen) < MOST_STATES:
        following: list[tuple[State, tuple[Move, ...]]] = []
        for at, line in frontier:
            for move in game.moves(at):
                then = game.after(at, move)
                done = game.turn(then) != side or not game.moves(then)
                if done and after(game, then) == wanted:
                    return (*line, move)
                if not done and then not in seen:
                    seen.add(then)
                    following.append((then, (*line, move)))
        frontier = following
    return None
