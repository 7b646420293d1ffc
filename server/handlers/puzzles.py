"""Puzzles: the ones that come with Parlour, with what a client needs that knows no rules."""

from __future__ import annotations

from functools import cache

from engine.puzzles import InvalidPuzzles, shipped_puzzles
from engine.puzzles import Puzzle as KnownPuzzle
from engine.registry import GAMES
from protocol.commands import Puzzle
from protocol.replies import Ok
from protocol.types import PuzzleInfo
from server.domain.boards import Position, layout
from server.domain.decision import Refusal
from server.rooms.client import Client


@cache
def puzzles_of(game: str) -> tuple[KnownPuzzle, ...]:
    """Return the puzzles of a game, easy ones first. They are read once."""
    try:
        return tuple(sorted(shipped_puzzles(game), key=lambda puzzle: puzzle.level))
    except InvalidPuzzles:  # a game of an installed package has none
        return ()


async def puzzle(client: Client, command: Puzzle) -> None:
    """Send a puzzle, or the levels of all of them. Raises Refusal."""
    if command.game not in GAMES:
        raise Refusal("unknown_game", f"there is no game {command.game[:40]!r}")
    known = puzzles_of(command.game)
    if not known:
        raise Refusal("bad_request", f"there are no puzzles of {command.game}")
    if command.number is None:
        client.send(Ok(id=command.id, levels=tuple(puzzle.level for puzzle in known)))
        return
    if command.number >= len(known):
        raise Refusal("bad_request", f"there are {len(known)} puzzles of {command.game}, numbered from 0")
    client.send(Ok(id=command.id, puzzle=puzzle_info(command.game, command.number)))


@cache
def puzzle_info(name: str, number: int) -> PuzzleInfo:
    """Return a puzzle of a game as clients get it. To compute all legal moves takes up to a millisecond."""
    puzzle = puzzles_of(name)[number]
    game = puzzle.create()
    position = Position(game, game.start())
    return PuzzleInfo(
        number=number,
        options={name: value for name, value in dict(game.spec.options).items() if name != "start"},
        sides=game.sides,
        turn=position.state.turn,
        level=puzzle.level,
        task=f"One move {puzzle.goal(game)}. Find it.",
        solution=game.format(position.state, game.parse(position.state, puzzle.move)),
        layout=layout(game),
        board=position.board,
        legal=position.legal(preview=True),
    )
