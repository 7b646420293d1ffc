"""The quick self-test of a game that is about to be registered: what it declares, its speed, a few positions."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from inspect import isabstract, signature
from typing import TypeVar

from engine.contract.checks import (
    every_position_can_be_drawn,
    listed,
    moves_are_sorted,
    moves_round_trip,
    positions_round_trip,
    words_and_move_lists_fit,
)
from engine.contract.positions import walk
from engine.contract.sentences import ContractError, expect, sentence_of
from engine.errors import GameError
from engine.game import API, COLOUR_NAMES, KINDS, Game, State
from engine.options import Option

Result = TypeVar("Result")
RULE_FUNCTIONS = {  # the number of arguments of each
    "gen": 4,
    "candidates": 4,
    "play": 3,
    "over": 2,
    "score": 2,
    "bounds": 2,
    "base": 2,
    "key": 2,
    "tactics": 3,
    "guess": 2,
}
CONSTANTS = ("MAX_MOVES", "UNIT", "WIDTH", "CYCLIC")
COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
MAX_TITLE_CHARS = 40
MAX_CALL_CPU_S = 0.05  # the server does nothing else meanwhile
MAX_CALL_S = 1.0  # a call that waits; a busy machine makes others wait too
TRIES = 3
TRIAL_PLIES = 40
TRIAL_POSITIONS = 3  # for the checks that take longer


def try_out(game: type[Game]) -> Game:
    """Return the game with its default options after a quick test. Raises ContractError."""
    declaration_is_complete(game)
    instance = guarded(lambda: default_game(game))
    guarded(lambda: calls_are_quick(instance, instance.start()))
    guarded(lambda: words_and_move_lists_fit(instance, (), TRIAL_PLIES))
    states = guarded(lambda: list(walk(instance, 1, TRIAL_PLIES)))
    some = [*states[:: max(1, len(states) // TRIAL_POSITIONS)], states[-1]]
    for state in some:
        guarded(lambda: calls_are_quick(instance, state))  # noqa: B023  # called at once
    checks = (moves_are_sorted, positions_round_trip, moves_round_trip, every_position_can_be_drawn)
    for check in checks:
        guarded(lambda: check(instance, some))  # noqa: B023
    return instance


def guarded(work: Callable[[], Result]) -> Result:
    """Return the result of a function of a game. Raises ContractError whatever it raises."""
    try:
        return work()
    except ContractError:
        raise
    except Exception as error:
        raise ContractError(f"it raises {sentence_of(error)}") from error


def default_game(game: type[Game]) -> Game:
    try:
        return game({})
    except GameError as error:
        raise ContractError(f"it cannot be created with its default options: {error}") from error


def declaration_is_complete(game: type[Game]) -> None:
    """Check the attributes of the class and the functions of its module. Raises ContractError."""
    label = game.__name__
    version_is_ours(game)
    expect(not isabstract(game), f"{label} must define {listed(sorted(game.__abstractmethods__))}")
    for name in ("name", "title", "sides", "options", "evaluations", "move_form", "position_form"):
        expect(hasattr(game, name), f"{label} must define `{name}`: see docs/adding-a-game.md")
    for name in ("name", "title", "move_form", "position_form"):
        text = getattr(game, name)
        expect(
            isinstance(text, str) and text.isprintable() and text.strip() == text != "",
            f"{label}.{name} is {text!r}: it must be one line of printable text",
        )
    expect(len(game.title) <= MAX_TITLE_CHARS, f"{label}.title has more than {MAX_TITLE_CHARS} characters")
    two_texts(label, "sides", game.sides)
    two_texts(label, "colour_names", game.colour_names)
    unknown = [name for name in game.colour_names if name not in COLOUR_NAMES]
    expect(not unknown, f"{label}.colour_names has {unknown[:1]}: browsers know {', '.join(COLOUR_NAMES)}")
    expect(game.kind in ("", *KINDS), f"{label}.kind is {game.kind!r}: use one of {', '.join(KINDS)}, or leave it out")
    expect(
        len(game.colours) == 3 and all(isinstance(one, str) and COLOUR.fullmatch(one) for one in game.colours),
        f"{label}.colours is {game.colours!r}: it must be three colours like '#1d4ed8'",
    )
    expect(game.near in (None, 0, 1), f"{label}.near is {game.near!r}: it must be 0, 1 or None")
    expect(
        isinstance(game.options, tuple) and all(isinstance(option, Option) for option in game.options),
        f"{label}.options must be a tuple of engine.options.Option",
    )
    expect(
        any(option.name == "start" for option in game.options),
        f"{label}.options must end with START, so that a game can start from any position",
    )
    expect(bool(game.evaluations), f"{label}.evaluations is empty: `greedy` needs one, like {{'guess': 'guess'}}")
    rule_functions_exist(game)


def version_is_ours(game: type[Game]) -> None:
    """Check the version of the contract that a game is made for."""
    own = game.__module__.startswith("engine.games.")
    made_for = API if own else vars(game).get("api")  # what the base class says is no statement of the game
    expect(
        made_for is not None,
        f"{game.__name__} does not say for which version of the contract it is made: add the line `api = {API}`",
    )
    newer = isinstance(made_for, int) and made_for > API
    expect(
        made_for == API,
        f"{game.__name__} is made for version {made_for!r} of the contract, and this Parlour has version {API}: "
        + ("install a newer Parlour" if newer else "install a newer release of the package"),
    )


def rule_functions_exist(game: type[Game]) -> None:
    module = game.module()
    for name, count in RULE_FUNCTIONS.items():
        function = getattr(module, name, None)
        expect(callable(function), f"the module {module.__name__} has no function {name}(): see engine/rules.py")
        if callable(function):
            given = len(signature(function).parameters)
            expect(given == count, f"{name}() takes {given} arguments, not {count}: see engine/rules.py")
    for name in CONSTANTS:
        expect(isinstance(getattr(module, name, None), int), f"the module {module.__name__} has no constant {name}")
    for name in game.evaluations.values():
        expect(
            callable(getattr(module, name, None)), f"evaluations names {name!r}, but the module has no such function"
        )


def two_texts(label: str, name: str, value: Sequence[str]) -> None:
    expect(
        isinstance(value, tuple)
        and len(value) == 2
        and value[0] != value[1]
        and all(isinstance(one, str) and one.strip() == one != "" and one.isprintable() for one in value),
        f"{label}.{name} is {value!r}: it must be a pair of two different words",
    )


# -- speed


def calls_are_quick(game: Game, state: State) -> None:
    """Check the time of every call that a server makes for a move. Raises ContractError."""
    moves: tuple[int, ...] = ()

    def measure(name: str, call: Callable[[], object]) -> None:
        try:
            seconds = min_time(call)
        except GameError:  # other checks say what is wrong
            return
        expect(
            seconds is None,
            f"{name} takes {(seconds or 0) * 1000:.0f} ms in {game.dump(state)!r}: the limit is "
            f"{MAX_CALL_CPU_S * 1000:.0f} ms, because the server plays all games in one thread",
        )

    measure("gen()", lambda: game.moves(state))
    moves = game.moves(state)
    measure("outcome()", lambda: game.outcome(state))
    measure("dump()", lambda: game.dump(state))
    measure("draw()", lambda: game.draw(state))
    text = game.dump(state)
    measure("load()", lambda: game.load(text))
    if moves:
        middle = moves[len(moves) // 2]
        word = game.format(state, middle)
        measure("play()", lambda: game.after(state, middle))
        measure("format()", lambda: game.format(state, middle))
        measure("read()", lambda: game.read(state, word))
        measure("path()", lambda: game.path(state, middle))


def min_time(call: Callable[[], object]) -> float | None:
    """Return how long a call takes if it is too slow in every try, else None."""
    least = None
    for _ in range(TRIES):
        cpu, wall = time.thread_time(), time.perf_counter()
        call()
        cpu, wall = time.thread_time() - cpu, time.perf_counter() - wall
        if cpu <= MAX_CALL_CPU_S and wall <= MAX_CALL_S:
            return None
        least = wall if least is None else min(least, wall)
    return least
