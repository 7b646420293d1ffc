"""Public names of Parlour, for authors of bots and tools.

import parlour
game = parlour.create("conga")
state = game.play(game.start(), game.parse(game.start(), "a4b3"))

A name is imported when it is first used, so `parlour --help` starts quickly. docs/api.md describes all of them.
"""

from __future__ import annotations

import os.path

TYPE_CHECKING = False  # true for type checkers; importing `typing` would double the time of this import
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

PACKAGES = (
    "runtime",
    "engine",
    "protocol",
    "server",
    "client",
)  # the top-level packages that are installed with this one
PUBLIC = {  # a public name -> the module that defines it
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
    import importlib

    check_packages()
    return getattr(importlib.import_module(PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *PUBLIC])


class Shadowed(ImportError):
    """Raised if a foreign module has the name of one of Parlour's packages and hides it."""


def package_root(file: str) -> str:
    """Return the folder that contains the package of an `__init__.py`."""
    # not with pathlib: importing it takes a tenth of the start-up time
    return os.path.dirname(os.path.dirname(os.path.realpath(file)))  # noqa: PTH120


def check_packages() -> None:
    """Check, without importing them, that the names of our packages lead to our packages.

    Raises Shadowed if a foreign module hides one of them.
    """
    import importlib.util

    root = package_root(__file__)
    for name in PACKAGES:
        try:
            spec = importlib.util.find_spec(name)
        except ValueError:  # a module without a spec
            spec = None
        origin = None if spec is None else spec.origin
        if origin is None or package_root(origin) != root:
            raise Shadowed(
                f"parlour needs its own package {name!r}, but Python finds {origin or 'another one'} under that name; "
                "rename it, or start parlour from another folder"
            )
