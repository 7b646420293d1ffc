"""Games that were left in the middle, offered again to whoever comes back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from client.presentation.texts import left_text
from client.sdk.room_view import RoomView
from client.tui.dialogs.choice import Choice
from client.tui.dialogs.confirm import Confirm

if TYPE_CHECKING:
    from client.tui.app.app import Parlour


def offer(house: Parlour, tables: Sequence[RoomView], otherwise: Callable[[], None]) -> None:
    """Go on with one of them? `otherwise`: what somebody came for who does not want to."""
    session, giving_up = house.session, house.plan.gives_up(house.plays_alone)

    def chosen(number: int | None) -> None:
        if number is None:
            house.exit()
        elif number < len(tables):
            house.open_table(tables[number].room)
        else:
            house.run_worker(anew())

    async def anew() -> None:
        if giving_up and session is not None:
            await session.abandon(tables)
        otherwise()

    def answered(yes: bool | None) -> None:
        chosen(None if yes is None else 0 if yes else 1)

    if len(tables) == 1:
        question = "Go on with it? No gives it up." if giving_up else "Go on with it?"
        house.push_screen(Confirm(f"You left a game of {left_text(tables[0])}. {question}"), answered)
    else:
        other = "a new game, and these are given up" if giving_up else "none of them now"
        question = f"You left {len(tables)} games. Go on with one?"
        house.push_screen(Choice(question, [*map(left_text, tables), other]), chosen)
