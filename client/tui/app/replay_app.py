"""The application of `parlour show`: one recorded game on the table screen, without a session."""

from __future__ import annotations

import asyncio
import signal

from textual import events
from textual.binding import Binding

from client.presentation.launch_plan import LaunchPlan
from client.presentation.recorded_room import view_of
from client.sdk.room_view import RoomView
from client.tui.app.app import ParlourApp
from client.tui.app.run import exit_on_hangup
from client.tui.render.appearance import Appearance
from client.tui.screens.replay import RecordTexts, ReplayScreen
from engine.record import Record
from runtime.signals import calls_on_exit_signal

SIGNAL_EXIT_CODE = 128  # plus the number of the signal


class ReplayApp(ParlourApp):
    """Shows a record. It never opens a session, so commands of the screen are ignored."""

    BINDINGS = [Binding("ctrl+z", "suspend_process", show=False, priority=True)]

    def __init__(self, record: Record, texts: RecordTexts, appearance: Appearance) -> None:
        super().__init__(LaunchPlan(), appearance)
        self._view, self._texts = view_of(record), texts

    def on_mount(self, event: events.Mount) -> None:  # type: ignore[override]
        event.prevent_default()  # not the handler of ParlourApp, which opens a session
        self.apply_appearance()
        self.push_screen(ReplayScreen(self._texts))

    def table(self, room: str) -> RoomView | None:
        return self._view

    async def action_quit(self) -> None:
        self.stop(signal.SIGINT)

    def stop(self, number: int) -> None:
        """Exit as if a signal had ended the process, but with the terminal restored."""
        self.exit(return_code=SIGNAL_EXIT_CODE + number)


def run_replay(record: Record, texts: RecordTexts, appearance: Appearance) -> int:
    """Show a record until the user quits. Return 0, or the exit code if Ctrl-C or a signal ended it."""
    return asyncio.run(run_app(ReplayApp(record, texts, appearance)))


async def run_app(app: ReplayApp) -> int:
    with calls_on_exit_signal(app.stop):
        watching = asyncio.create_task(exit_on_hangup(app))
        try:
            await app.run_async()
        finally:
            watching.cancel()
    return app.return_code or 0
