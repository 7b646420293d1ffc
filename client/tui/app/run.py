"""The terminal client, from its plan to its end: everything that was started ends with it."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sys
from contextlib import suppress

from client.presentation.launch_plan import LaunchPlan
from client.tui.app.app import ParlourApp
from client.tui.render.appearance import Appearance


def has_terminal() -> bool:
    """Whether there are a keyboard and a screen that can do more than print."""
    if sys.stdin is None or sys.stdout is None or os.environ.get("TERM", "dumb") == "dumb":
        return False
    return sys.stdin.isatty() and sys.stdout.isatty()


def run(plan: LaunchPlan, appearance: Appearance) -> str:
    """A sentence if something went wrong."""
    return asyncio.run(use(plan, appearance))


async def use(plan: LaunchPlan, appearance: Appearance) -> str:
    app = ParlourApp(plan, appearance)
    for number in (signal.SIGTERM, signal.SIGHUP):  # the terminal is to be as it was, however we are told to leave
        with suppress(NotImplementedError, AttributeError):
            asyncio.get_running_loop().add_signal_handler(number, app.exit)
    watching = asyncio.create_task(exit_on_hangup(app))
    try:
        complaint = await app.run_async() or ""
    finally:
        watching.cancel()
        await app.close()
    if app.return_code == 1:  # a mistake of ours, which Textual has told about
        sys.exit(1)
    return complaint


async def exit_on_hangup(app: ParlourApp) -> None:
    """A terminal that is closed tells its own processes by SIGHUP; whoever only borrowed it has to look."""
    if not hasattr(select, "poll"):
        return
    poller = select.poll()
    poller.register(sys.stdin.fileno(), 0)  # hang-ups and errors are told in any case
    while True:
        await asyncio.sleep(1)
        if poller.poll(0):
            app.exit()
            return
