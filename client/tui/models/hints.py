"""Hints from the engine. They are available only in casual games against bots, so they cheat no person."""

from __future__ import annotations

from collections.abc import Callable

from client.sdk.note import Note
from client.sdk.room_view import RoomView
from engine.game import Game, State

HINT_TIME_S = 1.0


def hints_allowed(table: RoomView, is_bot: Callable[[str], bool]) -> bool:
    """Return whether the player may ask for hints in this game, on the player's turns."""
    return not table.setup.rated and table.opponent is not None and is_bot(table.opponent.name)


def hint_refusal(table: RoomView, is_bot: Callable[[str], bool]) -> str:
    """Return why there is no hint, or an empty string if there may be one."""
    if table.setup.rated:
        return "Hints are not available in rated games."
    if table.opponent is None or not is_bot(table.opponent.name):
        return "Hints are available only against bots."
    if not table.my_move:
        return "Hints are available only on your turn."
    return ""


def think(game: Game, state: State, past: list[State]) -> tuple[int | None, Note]:
    """Return the engine's move and its note. Blocks for `HINT_TIME_S`: do not call it in the event loop."""
    from client.bots.builtin.search import note_of  # loaded on demand, because the search is large
    from engine.search import Limits, Thinker

    report = Thinker(game, endgames=True).think(state, Limits(seconds=HINT_TIME_S), past=past)
    return report.move, note_of(game, state, report)
