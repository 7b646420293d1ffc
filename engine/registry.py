"""The list of games: those of Parlour, and those that installed packages bring (see engine/entry_points.py)."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from functools import lru_cache

from engine.entry_points import Plugin, installed_plugins, sort_out
from engine.errors import UnknownGame, shorten
from engine.game import Game
from engine.games.cohcoh import CohCoh
from engine.games.conga import Conga
from engine.games.mancala import Mancala
from engine.games.maxconnect4 import MaxConnect4
from engine.options import OptionValue


class Games(Mapping[str, type[Game]]):
    """The games by name: Parlour's own, then those of other packages.

    A game of another package is imported and tried out when it is first looked up or counted. If that fails, the game
    is left out, and `refused` says why.
    """

    def __init__(self, own: tuple[type[Game], ...]) -> None:
        self.own = tuple(game.name for game in own)
        self._loaded = {game.name: game for game in own}
        self._waiting: dict[str, Plugin] | None = None  # plugins that are not loaded; None: nothing was read yet
        self._refused: dict[str, str] = {}
        self._order: tuple[str, ...] = self.own
        self._lock = threading.RLock()

    def __getitem__(self, name: str) -> type[Game]:
        game = self._loaded.get(name)
        if game is None:
            game = self._load(name)
        return game

    def __contains__(self, name: object) -> bool:
        return name in self._loaded or (isinstance(name, str) and self.get(name) is not None)

    def __iter__(self) -> Iterator[str]:
        yield from self.own
        for name in self.names()[len(self.own) :]:
            if name in self:
                yield name

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def names(self) -> tuple[str, ...]:
        """Return the names of all games without importing any of other packages: some may turn out to be broken."""
        self._read()
        return self._order

    @property
    def refused(self) -> Mapping[str, str]:
        """Say of every game that cannot be played why not. Loads all games."""
        len(self)
        return dict(self._refused)

    def _read(self) -> dict[str, Plugin]:
        """Read the entry points once, and return the plugins that are not loaded yet."""
        with self._lock:
            if self._waiting is None:
                accepted, self._refused = sort_out(installed_plugins(), self.own)
                self._waiting = dict(accepted)
                self._order = (*self.own, *sorted(accepted))
            return self._waiting

    def _load(self, name: str) -> type[Game]:
        """Load the plugin of this name. Raises KeyError if there is none or if it is refused."""
        with self._lock:
            waiting = self._read()
            if name in self._loaded:  # another thread has loaded it
                return self._loaded[name]
            plugin = waiting.pop(name)
            from engine.plugins import (  # not before a game is loaded: it imports the tests of games
                Refused,
                load_plugin,
            )

            try:
                self._loaded[name] = load_plugin(plugin)
            except Refused as error:
                self._refused[name] = str(error)
                raise KeyError(name) from None
            return self._loaded[name]

    def missing(self, name: str) -> str:
        """Return why there is no game of this name, as one sentence."""
        if name in self._refused:
            return f"{self._refused[name]}; 'parlour game check {name}' says more"
        return f"there is no game {shorten(name)!r}; choose one of {', '.join(self)}"


GAMES = Games((Conga, Mancala, MaxConnect4, CohCoh))


def create(name: str, options: Mapping[str, object] | None = None) -> Game:
    """Return the game with these options; equal options give the same object. Raises GameError."""
    game = GAMES.get(name)
    if game is None:
        raise UnknownGame(GAMES.missing(name), name)
    given = {key: value for key, value in (options or {}).items() if isinstance(value, int | str)}
    if len(given) != len(options or {}) or any(isinstance(value, bool) for value in given.values()):
        return game(options)  # raises InvalidOption
    return _shared(game, tuple(sorted(given.items())))


@lru_cache(maxsize=256)
def _shared(game: type[Game], options: tuple[tuple[str, OptionValue], ...]) -> Game:
    return game(dict(options))
