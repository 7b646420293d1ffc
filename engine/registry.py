"""The list of games. A new game is one file in engine/games, one entry here and one file of perft counts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from engine.errors import InvalidOption, shorten
from engine.game import Game
from engine.games.cohcoh import CohCoh
from engine.games.conga import Conga
from engine.games.mancala import Mancala
from engine.games.maxconnect4 import MaxConnect4
from engine.options import OptionValue

GAMES: Mapping[str, type[Game]] = {game.name: game for game in (Conga, Mancala, MaxConnect4, CohCoh)}


def create(name: str, options: Mapping[str, object] | None = None) -> Game:
    """Return the game with these options; equal options give the same object. Raises GameError."""
    if name not in GAMES:
        raise InvalidOption(f"there is no game {shorten(name)!r}; choose one of {', '.join(GAMES)}")
    game = GAMES[name]
    given = {key: value for key, value in (options or {}).items() if isinstance(value, int | str)}
    if len(given) != len(options or {}) or any(isinstance(value, bool) for value in given.values()):
        return game(options)  # raises InvalidOption
    return _shared(game, tuple(sorted(given.items())))


@lru_cache(maxsize=256)
def _shared(game: type[Game], options: tuple[tuple[str, OptionValue], ...]) -> Game:
    return game(dict(options))
