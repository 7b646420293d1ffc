"""Run a program once in a jail, to its end, without blocking the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from client.programs.child import NOTICES, Child
from client.programs.failure import Failure
from client.programs.jail.base import Jail
from client.programs.jail.choice import JailSettings, choose
from client.programs.limits import Limits
from runtime.threads import in_thread

MAX_OUTPUT_CHARS = 20_000  # kept for people


@cache
def writable_jail(settings: JailSettings) -> Jail:
    """Return the jail for programs that write to their folder. Raises Failure if it does not work here."""
    return choose(settings, "writable")


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """How a run ended. `problem`: why it failed, or empty. `stdout`: None if there was too much. `text`: for people."""

    problem: str
    stdout: bytes | None
    text: str


async def run_confined(
    argv: Sequence[str], folder: Path, limits: Limits, jail: Jail, seconds: float, stdin: bytes = b""
) -> RunOutcome:
    """Run a program. If this is cancelled, the program is killed first."""
    started: list[Child] = []
    work = in_thread(lambda: run(argv, folder, limits, jail, seconds, stdin, started))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        for child in started:
            child.kill()
        with suppress(Failure):
            await work
        raise


def run(
    argv: Sequence[str], folder: Path, limits: Limits, jail: Jail, seconds: float, stdin: bytes, started: list[Child]
) -> RunOutcome:
    try:
        child = Child(argv, folder, limits, jail)
    except Failure as failure:
        return RunOutcome(str(failure), None, "")
    started.append(child)
    try:
        child.finish(stdin, seconds)
        exit = child.close()
        problem = child.describe_end(exit) if exit.status != 0 else ""
    except Failure as failure:
        limit = child.limit_met(child.stop())
        problem = f"{failure} ({limit})" if limit else str(failure)
    whole = child.said.count == len(child.said.kept())
    return RunOutcome(problem, child.said.kept() if whole else None, output_text(child))


def output_text(child: Child) -> str:
    """Return what the program printed, for people: output, then errors."""
    lines = [*child.said.text().splitlines(), *child.errors.text().splitlines()]
    return "\n".join(line for line in lines if not line.startswith(NOTICES))[-MAX_OUTPUT_CHARS:]
