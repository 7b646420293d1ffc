"""The prompt that offers to resume unfinished games."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.app import App

from client.presentation.texts import left_text
from client.sdk.room_view import RoomView
from client.tui.dialogs.choice import Choice
from client.tui.dialogs.confirm import Confirm


def ask_to_resume(
    app: App[str], tables: Sequence[RoomView], resigning: bool, answered: Callable[[int | None], None]
) -> None:
    """Ask which unfinished game to resume.

    Call `answered` with the index of a table, with `len(tables)` to start a new game, or with None to go on and keep
    the unfinished games for later. `resigning`: a new game resigns the unfinished ones.
    """

    def confirmed(yes: bool | None) -> None:
        answered(None if yes is None else 0 if yes else 1)

    if len(tables) == 1:
        question = "Resume it? Answering no resigns it." if resigning else "Resume it?"
        text = ["You have an unfinished game:", f"{left_text(tables[0])}.", question]
        app.push_screen(Confirm(text, "keep it for later"), confirmed)
    else:
        other = "Start a new game and resign these" if resigning else "None of these"
        question = f"You have {len(tables)} unfinished games. Resume one?"
        app.push_screen(Choice(question, [*map(left_text, tables), other], "keep them for later"), answered)
