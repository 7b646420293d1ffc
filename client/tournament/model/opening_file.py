"""Files with openings, one per line: a position, or the moves from the start. Text after # is a comment."""

from __future__ import annotations

from pathlib import Path

from client.tournament.model.errors import TournamentError
from engine.errors import GameError
from engine.game import Game
from engine.registry import create
from runtime.file_errors import describe_file_error
from runtime.untrusted_files import MAX_PLAN_BYTES, UnsafeFile, read_file

MAX_OPENINGS = 10_000


def load(path: Path, game: Game) -> tuple[str, ...]:
    """Return the positions of a file. Raises TournamentError."""
    try:
        lines = read_file(path, MAX_PLAN_BYTES).decode().splitlines()
    except OSError as error:
        raise TournamentError(describe_file_error("read", path, error)) from None
    except (UnsafeFile, UnicodeDecodeError) as error:
        raise TournamentError(f"cannot read {path}: {error}") from None
    openings = []
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        if text:
            openings.append(position_of(text, game, f"{path}: line {number}"))
    if not openings:
        raise TournamentError(f"{path} has no openings: write one per line, as a position or as moves")
    if len(openings) > MAX_OPENINGS:
        raise TournamentError(f"{path} has {len(openings)} openings, more than {MAX_OPENINGS}: split it")
    return tuple(openings)


def position_of(text: str, game: Game, where: str) -> str:
    """Return the position of a line: itself, or where its moves lead. Raises TournamentError."""
    try:
        start = create(game.name, {**game.spec.options, "start": text})
        return start.dump(start.start())
    except GameError as error:
        problem = error
    state = game.start()
    try:
        for move in text.replace(",", " ").split():
            state = game.play(state, game.parse(state, move))
    except GameError as error:
        sentence = f"this is neither a position ({problem}) nor moves from the start ({error})"
        raise TournamentError(f"{where}: {sentence}") from None
    return game.dump(state)
