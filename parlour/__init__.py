"""Parlour: where board-game bots and people meet. The public names for authors of bots and tools:

import parlour
game = parlour.create("conga")
state = game.play(game.start(), game.parse(game.start(), "a4b3"))

They are imported when they are first used, so that `parlour --help` answers at once.
"""

from __future__ import annotations

import importlib
import importlib.util
import os.path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from client.bots.main import run as run
    from client.sdk.bot import Bot as Bot
    from client.sdk.bot import Budget as Budget
    from client.sdk.bot import Thought as Thought
    from client.sdk.note import Note as Note
    from engine.board import Board as Board
    from engine.errors import GameError as GameError
    from engine.errors import IllegalMove as IllegalMove
    from engine.errors import InvalidNotation as InvalidNotation
    from engine.errors import InvalidOption as InvalidOption
    from engine.errors import InvalidPosition as InvalidPosition
    from engine.errors import InvalidRecord as InvalidRecord
    from engine.game import Game as Game
    from engine.game import Outcome as Outcome
    from engine.game import State as State
    from engine.record import Played as Played
    from engine.record import Record as Record
    from engine.registry import GAMES as GAMES
    from engine.registry import create as create

HOUSE = ("runtime", "engine", "protocol", "server", "client")
PUBLIC = {
    "Board": "engine.board",
    "Bot": "client.sdk.bot",
    "Budget": "client.sdk.bot",
    "GAMES": "engine.registry",
    "Game": "engine.game",
    "GameError": "engine.errors",
    "IllegalMove": "engine.errors",
    "InvalidNotation": "engine.errors",
    "InvalidOption": "engine.errors",
    "InvalidPosition": "engine.errors",
    "InvalidRecord": "engine.errors",
    "Note": "client.sdk.note",
    "Outcome": "engine.game",
    "Played": "engine.record",
    "Record": "engine.record",
    "State": "engine.game",
    "Thought": "client.sdk.bot",
    "create": "engine.registry",
    "run": "client.bots.main",
}


def __getattr__(name: str) -> object:
    if name not in PUBLIC:
        raise AttributeError(f"module 'parlour' has no attribute {name!r}")
    check_house()
    return getattr(importlib.import_module(PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *PUBLIC])


class Shadowed(ImportError):
    """A foreign module hides one of ours."""


def _house(file: str) -> str:
    """The folder a package's folder lies in. Not by pathlib: its import alone takes a tenth of the start-up time."""
    return os.path.dirname(os.path.dirname(os.path.realpath(file)))  # noqa: PTH120


def check_house() -> None:
    """Say so in one sentence if a foreign module of the same name hides one of ours. Imports none of them."""
    home = _house(__file__)
    for name in HOUSE:
        try:
            spec = importlib.util.find_spec(name)
        except ValueError:  # a module made by hand, without a spec
            spec = None
        origin = None if spec is None else spec.origin
        if origin is None or _house(origin) != home:
            where = origin or "something else"
            raise Shadowed(
                f"parlour needs its own package {name!r}, but here that name leads to {where}; "
                "rename that, or start parlour from another folder"
            )
