"""Child processes of ours that end when their parent does: they read a pipe and exit when it closes."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress


def environment() -> dict[str, str]:
    """Return the environment for a child: ours without PARLOUR_ variables, which may hold a token."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PARLOUR_")}


async def start(module: str, *words: str, heard: bool = False, token: str = "", held: tuple[int, ...] = ()) -> Process:
    """Run a module that watches its standard input. `heard`: what it says can be read. `token`: of its account.

    `held`: open files that it holds too, for as long as it lives.
    """
    output = PIPE if heard else DEVNULL
    secret = {"PARLOUR_TOKEN": token} if token else {}  # not an argument: everybody can read those
    return await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", module, *words,
        env={**environment(), **secret},
        stdin=PIPE,
        stdout=output,
        stderr=output,
        pass_fds=held,
        start_new_session=True,  # Ctrl-C is for us, who end it ourselves
    )  # fmt: skip


async def end(process: Process, grace: float) -> None:
    """Close the pipe, wait `grace` seconds for the process to exit, then kill it."""
    if process.returncode is not None:
        return
    assert process.stdin is not None
    process.stdin.close()
    with suppress(TimeoutError):
        async with asyncio.timeout(grace):
            await process.wait()
            return
    with suppress(ProcessLookupError):
        process.kill()
    await process.wait()


def until_end_of_input() -> None:
    """For such a process: whoever started it has closed the pipe, or is no more."""
    while os.read(0, 4096):
        pass
