"""Processes of ours that end when we do, however we end: they read from a pipe of ours, and leave when it closes."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress

from client.bridges.limits import environment


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
    """It may leave by itself within so many seconds."""
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
