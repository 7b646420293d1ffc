"""Hints: what the engine would model. Only in casual games against bots, where nobody is cheated."""

from __future__ import annotations

from collections.abc import Callable

from client.sdk.note import Note
from client.sdk.room_view import RoomView
from engine.game import Game, State

SECONDS = 1.0


def hint_refusal(table: RoomView, is_bot: Callable[[str], bool]) -> str:
    """Why there is no hint; nothing if there may be one."""
    if table.setup.rated:
        return "there are no hints in rated games"
    if table.opponent is None or not is_bot(table.opponent.name):
        return "hints are for games against bots"
    if not table.my_move:
        return "a hint can be had when it is your turn"
    return ""


def think(game: Game, state: State, past: list[State]) -> tuple[int | None, Note]:
    """The engine's move with what it thinks of it. Takes its time: not for the event loop."""
    from client.bots.builtin.search import note_of  # the search is large; who never asks never loads it
    from engine.search import Limits, Thinker

    report = Thinker(game).think(state, Limits(seconds=SECONDS), past=past)
    return report.move, note_of(game, state, report)
