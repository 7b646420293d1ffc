"""One worker: a server among several on one port. It drains and exits when its parent process does, or asks it to."""

from __future__ import annotations

import asyncio
import os
import select
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from runtime.event_loop import run_loop
from runtime.printable import print_lines
from runtime.signals import calls_on_exit_signal
from server.app import running, tune_interpreter
from server.cluster.bus import BusError
from server.cluster.unix import descriptors
from server.cluster.unix.bus import address_of
from server.config import BadSetting
from server.logs import configure_logging, log
from server.storage.interface import StoreError
from server.transport.website import Website
from server.workers.spec import WorkerSpec, stopping_mark

READY = "ready"
FAILED = "failed "  # followed by a sentence for the operator


def main(website: Website | None = None) -> int:
    """Read the spec from standard input, and serve until the input ends. Return the exit code."""
    stdin, parent = sys.stdin.fileno(), os.getppid()
    try:
        spec = WorkerSpec.read(stdin)
    except EOFError:
        return 0
    settings = spec.settings
    configure_logging(settings.log_level, settings.log, worker=spec.index)
    tune_interpreter()
    served = False
    try:
        run_loop(serve(spec, website, stdin))
        served = True
    except (BadSetting, BusError, StoreError, OSError) as error:
        print_lines(f"{FAILED}{error}", flush=True)
        return 1
    finally:
        if os.getppid() != parent or (served and parent_was_killed(spec, stdin)):
            remove_socket(spec)
    return 0


def parent_was_killed(spec: WorkerSpec, stdin: int) -> bool:
    """Return whether the pipe of the parent process has ended although it stops no workers.

    The pipe of a process that is killed ends a moment before the system gives its children another parent.
    """
    ready, _, _ = select.select([stdin], [], [], 0)
    return bool(ready) and not stopping_mark(spec.folder).exists()


def remove_socket(spec: WorkerSpec) -> None:
    """Remove the socket of this worker, and with the last one the folder, after the parent process was killed."""
    Path(address_of(spec.folder, spec.index)).unlink(missing_ok=True)
    Path(descriptors.address_of(spec.folder, spec.index)).unlink(missing_ok=True)
    if not any(Path(address_of(spec.folder, index)).exists() for index in range(spec.count)):
        shutil.rmtree(spec.folder, ignore_errors=True)


async def serve(spec: WorkerSpec, website: Website | None, stdin: int) -> None:
    """Serve until a signal, or until the parent process closes the pipe or dies."""
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    loop.add_reader(stdin, read_end, stdin, stopped.set)
    with calls_on_exit_signal(lambda number: stopped.set()):
        async with running(spec.settings, website=website, worker=spec.worker()):
            print_lines(READY, flush=True)
            log("worker_ready", pid=os.getpid())
            await stopped.wait()
            loop.remove_reader(stdin)
    log("worker_stopped")


def read_end(descriptor: int, ended: Callable[[], None]) -> None:
    """Call `ended` when a pipe has ended."""
    if not os.read(descriptor, 4096):
        ended()
