"""Child processes that end with their parent: they read standard input and exit when the pipe closes."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
from pathlib import Path
from typing import Protocol

CACHE_VARIABLE = "PARLOUR_CACHE_DIR"


class Closable(Protocol):
    """The write end of a pipe."""

    def close(self) -> None: ...


class Child(Protocol):
    """A child process: asyncio's Process, or a class with the same methods."""

    @property
    def stdin(self) -> Closable | None: ...

    @property
    def returncode(self) -> int | None: ...

    def kill(self) -> None: ...

    async def wait(self) -> object: ...


def environment() -> dict[str, str]:
    """Return the environment for a child: ours without PARLOUR_ variables, which may hold a token."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PARLOUR_")}


async def start(
    module: str,
    *args: str,
    capture_output: bool = False,
    token: str = "",
    inherited_fds: tuple[int, ...] = (),
    folder: Path | None = None,
) -> Process:
    """Run a Python module as a child process. Raises OSError if it cannot be started.

    With `capture_output`, its output can be read. `token` is the bot token of its account. `inherited_fds` are file
    descriptors that stay open in the child. `folder`: its working folder, if not ours. The child shares our cache of
    compiled searches.
    """
    output = PIPE if capture_output else DEVNULL
    cache = {name: os.environ[name] for name in (CACHE_VARIABLE,) if name in os.environ}
    secret = {"PARLOUR_TOKEN": token} if token else {}  # not an argument: other users can read those
    return await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", module, *args,
        env={**environment(), **cache, **secret},
        cwd=folder,
        stdin=PIPE,
        stdout=output,
        stderr=output,
        pass_fds=inherited_fds,
        start_new_session=True,  # Ctrl-C reaches only the parent, which then ends the child
    )  # fmt: skip


async def end(child: Child, grace_s: float, kill_timeout_s: float | None = None) -> None:
    """Close the child's standard input, wait `grace_s` for it to exit, then kill it.

    With `kill_timeout_s`, wait no longer than that after the kill: a process that waits for a broken disk may not die.
    """
    if child.returncode is not None:
        return
    assert child.stdin is not None
    child.stdin.close()
    with suppress(TimeoutError):
        async with asyncio.timeout(grace_s):
            await child.wait()
            return
    with suppress(ProcessLookupError):
        child.kill()
    with suppress(TimeoutError):
        async with asyncio.timeout(kill_timeout_s):
            await child.wait()


def wait_for_stdin_end() -> None:
    """Block, in a child, until the parent closes the pipe or dies."""
    while os.read(0, 4096):
        pass
