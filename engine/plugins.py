"""Load the games that other packages bring. What is broken, slow or made for another Parlour is refused by name.

The module of a game is code like any other that is installed: it runs with the rights of the process.
"""

from __future__ import annotations

import importlib
from types import ModuleType

from engine.contract.sentences import ContractError, sentence_of
from engine.contract.time_limit import Stopped, within
from engine.contract.trial import try_out
from engine.entry_points import Plugin, refusal
from engine.game import Game

LOAD_CPU_S, LOAD_TIMEOUT_S = 5.0, 15.0  # a busy machine takes longer, and so does a module that waits


class Refused(Exception):
    """A game of a package that cannot be played. The message is one sentence for the operator."""


def load_plugin(plugin: Plugin) -> type[Game]:
    """Import a game and try it out. Raises Refused."""
    try:
        return within(LOAD_CPU_S, LOAD_TIMEOUT_S, lambda: import_and_try(plugin))
    except ContractError as error:
        why = str(error)
    except TimeoutError:
        why = f"importing and trying it takes longer than {LOAD_CPU_S:.0f} s; a game must answer at once"
    raise Refused(refusal(plugin, why))


def import_and_try(plugin: Plugin) -> type[Game]:
    game = game_class(import_game(plugin.module), plugin.attribute)
    if game.name != plugin.name:
        raise ContractError(f"its entry point is {plugin.name!r}, but the class has the name {game.name!r}")
    try_out(game)
    return game


def import_game(name: str) -> ModuleType:
    """Import a module. Raises ContractError whatever goes wrong in it."""
    try:
        return importlib.import_module(name)
    except Stopped:
        raise
    except BaseException as error:  # also SystemExit: a module must not end the process
        raise ContractError(f"its module {name!r} cannot be imported: {sentence_of(error)}") from error


def game_class(module: ModuleType, attribute: str = "") -> type[Game]:
    """Return the named class of a module, or its only game. Raises ContractError."""
    if attribute:
        found = getattr(module, attribute, None)
        if isinstance(found, type) and issubclass(found, Game):
            return found
        raise ContractError(f"{module.__name__}:{attribute} is not a subclass of engine.game.Game")
    own = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Game) and value.__module__ == module.__name__
    ]
    if len(own) != 1:
        raise ContractError(f"the module {module.__name__!r} has {len(own)} subclasses of engine.game.Game; name one")
    return own[0]
