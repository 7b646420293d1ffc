"""All checks of a game, in an order in which the first finding is the most helpful one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from engine.contract.checks import CHECKS
from engine.contract.perft_file import cases_are_complete, counts_agree, read_cases
from engine.contract.positions import extremes, positions
from engine.contract.sentences import ContractError, sentence_of
from engine.contract.time_limit import within
from engine.contract.trial import declaration_is_complete, try_out
from engine.game import Game
from engine.options import OptionValue

CHECK_CPU_S, CHECK_TIMEOUT_S = 90.0, 600.0  # compiling takes seconds, on a busy machine a minute


TOO_SLOW = (" ms in ", "takes longer than")  # in the sentences about slow rules


class Finding(NamedTuple):
    """The result of a check: its name, and a sentence for each mistake. `note`: why it was left out."""

    check: str
    mistakes: tuple[str, ...] = ()
    note: str = ""


def all_findings(game: type[Game], perft_file: Path) -> Iterator[Finding]:
    """Yield the result of every check. Stops early if the game cannot even be created and played, or is too slow."""
    first = one("declaration", lambda: declaration_is_complete(game))
    yield first
    if first.mistakes:
        return
    first = one("quick self-test", lambda: void(try_out(game)))
    yield first
    if not first.mistakes:
        for found in contract_findings(game):
            yield found
            if is_too_slow(found):  # each of the other checks would take as long
                return
    if not is_too_slow(first):
        yield one("perft", lambda: check_perft(game, perft_file))
    if not first.mistakes:
        yield from search_findings(game)


def contract_findings(game: type[Game]) -> Iterator[Finding]:
    """Yield the result of each check of the contract, with the default options and with extreme ones."""
    variants: list[dict[str, OptionValue]] = [{}, *extremes(game)]
    for check in CHECKS:
        mistakes = []
        for options in variants:
            instance = game(options)
            found = one(check.name, lambda: check.run(instance, list(positions(instance, check.games))))  # noqa: B023
            shown = " ".join(f"{name}={value}" for name, value in options.items())
            mistakes += [f"{f'with {shown}: ' if shown else ''}{mistake}" for mistake in found.mistakes]
            if is_too_slow(found):
                break
        yield Finding(check.name, tuple(mistakes))


def check_perft(game: type[Game], file: Path) -> None:
    cases = read_cases(file)
    cases_are_complete(game, cases)
    for case in cases:
        counts_agree(game, case)


def search_findings(game: type[Game]) -> Iterator[Finding]:
    from engine.contract.searches import can_compile, compiled_search_equals_plain, late_values_equal_minimax

    instance = game({})
    yield one("search", lambda: late_values_equal_minimax(instance))
    if can_compile(instance):
        yield one("compiled search", lambda: compiled_search_equals_plain(instance))
    elif int(instance.rules.WIDTH) > 63:
        yield Finding("compiled search", note="left out: words have more than 63 bits, so the search is slow")
    else:
        yield Finding("compiled search", note="left out: numba is missing, pip install numba")


def one(name: str, check: Callable[[], None]) -> Finding:
    """Return the result of a check. Whatever it raises is a mistake of the game."""
    try:
        within(CHECK_CPU_S, CHECK_TIMEOUT_S, check)
    except TimeoutError:
        return Finding(
            name, (f"the check takes longer than {CHECK_CPU_S:.0f} s: the rules are too slow, or never end",)
        )
    except ContractError as error:
        return Finding(name, (str(error),))
    except Exception as error:
        return Finding(name, (f"it raises {sentence_of(error)}",))
    return Finding(name)


def is_too_slow(finding: Finding) -> bool:
    """Return whether a check found the rules to be too slow."""
    return any(limit in mistake for mistake in finding.mistakes for limit in TOO_SLOW)


def void(result: object) -> None:
    """Drop a result."""
