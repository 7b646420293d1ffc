"""What the players of a table want of each other, and what may be done about one who is gone, in words."""

from __future__ import annotations

from math import ceil

from client.presentation.texts import name_of
from client.sdk.room_view import RoomView


def offer_text(table: RoomView) -> str:
    """The opponent's offer that waits for an answer, if there is one."""
    if table.seat is None:
        return ""
    other = 1 - table.seat
    who = name_of(table.seats[other])
    if table.offers.draw == other:
        return f"{who} offers a draw"
    if table.offers.takeback == other:
        return f"{who} would like to take a move back"
    if table.offers.rematch == other and not table.next:
        return f"{who} would like a rematch"
    return ""


def pending_text(table: RoomView) -> str:
    """Our own offer that waits for an answer."""
    if table.seat is None:
        return ""
    wanted = ""
    if table.offers.draw == table.seat:
        wanted = "offered a draw"
    elif table.offers.takeback == table.seat:
        wanted = "asked to take a move back"
    elif table.offers.rematch == table.seat and not table.next:
        wanted = "offered a rematch"
    return f"you have {wanted}, {name_of(table.opponent)} has not answered yet" if wanted else ""


def gone_text(table: RoomView, now: float) -> str:
    """That the opponent has left, and from when on the game may be claimed."""
    wait = table.claim_wait(now)
    if wait is None:
        return ""
    return f"{name_of(table.opponent)} is gone   v: claim the game{f', in {ceil(wait)} s' if wait else ''}"
