"""Hints: what the engine would play. Only in casual games against bots, where nobody is cheated."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from client.sdk.note import Note
from client.sdk.room_view import RoomView
from engine.game import Game, State

if TYPE_CHECKING:
    from client.tui.screens.table_view import TableView

SECONDS = 1.0


def objection(table: RoomView, is_bot: Callable[[str], bool]) -> str:
    """Why there is no hint; nothing if there may be one."""
    if table.setup.rated:
        return "there are no hints in rated games"
    if table.opponent is None or not is_bot(table.opponent.name):
        return "hints are for games against bots"
    if not table.my_move:
        return "a hint can be had when it is your turn"
    return ""


def thought(game: Game, state: State, past: list[State]) -> tuple[int | None, Note]:
    """The engine's move with what it thinks of it. Takes its time: not for the event loop."""
    from client.bots.builtin.search import note_of  # the search is large; who never asks never loads it
    from engine.search import Limits, Thinker

    report = Thinker(game).think(state, Limits(seconds=SECONDS), past=past)
    return report.move, note_of(game, state, report)


def advise(screen: TableView, *, whole: bool) -> None:
    """A hint shows where to begin; the best move is shown whole, with its value and line."""
    table = screen.table
    if table is None or table.game is None or screen.play is None:
        return
    if wrong := objection(table, screen.house.is_bot):
        screen.notice(wrong)
        return
    screen.notice("thinking…")
    game, state, ply, past = table.game, table.state, table.ply, list(table.states[:-1])

    def tell(move: int | None, note: Note) -> None:
        play, now = screen.play, screen.table
        if move is None or play is None or now is None or now.ply != ply:
            return
        text = play.hint(move)
        if whole:
            screen.notice(f"best: {text}  ({note})")
        else:
            play.hinted = play.hinted[:1]
            screen.notice(f"hint: look at {play.hinted[0]}")
        screen.look()

    def work() -> None:
        found = thought(game, state, past)
        screen.app.call_from_thread(tell, *found)

    screen.run_worker(work, thread=True, exclusive=True, group="advice", exit_on_error=False)
