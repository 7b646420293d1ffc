"""Entry points for the commands: run the application and clean up after it."""

from __future__ import annotations

import asyncio
import os
import select
import sys
from typing import TYPE_CHECKING

from client.presentation.launch_plan import LaunchPlan
from client.tui.app.app import ParlourApp
from client.tui.render.appearance import Appearance
from runtime.printable import print_lines
from runtime.signals import calls_on_exit_signal

if TYPE_CHECKING:
    from client.tui.app.demo_app import Demo

HANGUP_POLL_S = 1


def has_terminal() -> bool:
    """Return whether input and output are a terminal that can do more than print."""
    if sys.stdin is None or sys.stdout is None or os.environ.get("TERM", "dumb") == "dumb":
        return False
    return sys.stdin.isatty() and sys.stdout.isatty()


def run(plan: LaunchPlan, appearance: Appearance) -> str:
    """Run the application. Return an error message, or an empty string."""
    return asyncio.run(run_app(ParlourApp(plan, appearance)))


def run_hotseat(plan: LaunchPlan, appearance: Appearance) -> str:
    """Run the application for two people at one terminal. Return an error message, or an empty string."""
    from client.tui.app.hotseat_app import HotseatApp

    return asyncio.run(run_app(HotseatApp(plan, appearance)))


def run_demo(demo: Demo, appearance: Appearance) -> str:
    """Run the application that shows a match of two bots. Return an error message, or an empty string."""
    from client.tui.app.demo_app import DemoApp

    return asyncio.run(run_app(DemoApp(demo, appearance)))


async def run_app(app: ParlourApp) -> str:
    with calls_on_exit_signal(lambda number: app.exit()):  # so that Textual restores the terminal
        watching = asyncio.create_task(exit_on_hangup(app))
        try:
            error = await app.run_async() or ""
        finally:
            watching.cancel()
            await app.close()
    if farewell := app.farewell():
        print_lines(farewell)
    if app.return_code == 1:  # a crash, which Textual has reported
        sys.exit(1)
    return error


async def exit_on_hangup(app: ParlourApp) -> None:
    """Exit when the terminal is closed. SIGHUP reaches only the processes of its own session, so poll as well."""
    if not hasattr(select, "poll"):
        return
    poller = select.poll()
    poller.register(sys.stdin.fileno(), 0)  # hang-ups and errors are always reported
    while True:
        await asyncio.sleep(HANGUP_POLL_S)
        if poller.poll(0):
            app.exit()
            return
