"""The result of a game in one sentence, as bots and people read it."""

from __future__ import annotations

from client.sdk.room_view import RoomView
from client.sdk.sides import shown_sides
from engine.game import Outcome
from protocol.types import Seat
from runtime.printable import printable

LOSS_TEXTS = {
    "no_moves": "{loser} {has} no moves left",
    "score": "",
    "line": "{last} completed a line{length}",
    "resigned": "{loser} resigned",
    "time": "{loser} ran out of time",
    "abandoned": "{loser} left the game",
    "illegal_moves": "{loser} made too many illegal moves",
}
DRAW_TEXTS = {
    "no_moves": "Draw: no moves left",
    "score": "Draw",
    "repetition": "Draw by repetition",
    "ply_limit": "Draw: move limit reached",
    "agreed": "Draw by agreement",
}


def seat_name(seat: Seat | None) -> str:
    return "(empty)" if seat is None else printable(seat.name)


def side_name(table: RoomView, side: int) -> str:
    """Return the name and the side of a player: `search (red)`."""
    return f"{seat_name(table.seats[side])} ({shown_sides(table)[side]})"


def player_name(table: RoomView, side: int) -> str:
    """Return the name of a player, with the side if both players have the same name."""
    names = [seat_name(seat) for seat in table.seats]
    return side_name(table, side) if names[0] == names[1] else names[side]


def told_name(table: RoomView, side: int) -> str:
    return "you" if side == table.seat else player_name(table, side)


def last_mover(table: RoomView, loser: int) -> int:
    """Return the side that made the last move. A line wins in some games and loses in others, but is always its own."""
    return table.moves[-1].side if table.moves else loser


def result_text(table: RoomView, outcome: Outcome) -> str:
    """Return who won and why: `You win: random completed a line of 3`, `search@5 wins 8–6`."""
    if table.result == "*":
        return "Game aborted: it does not count"
    if outcome.winner is None:
        score = f" {outcome.scores[0]}–{outcome.scores[1]}" if outcome.scores else ""
        return DRAW_TEXTS.get(outcome.reason, f"Draw: {printable(outcome.reason)}") + score
    winner, loser = outcome.winner, 1 - outcome.winner
    score = f" {outcome.scores[winner]}–{outcome.scores[loser]}" if outcome.scores else ""
    head = "You win" if winner == table.seat else f"{player_name(table, winner)} wins"
    length = table.setup.options.get("k")
    if outcome.reason in LOSS_TEXTS:
        why = LOSS_TEXTS[outcome.reason].format(
            loser=told_name(table, loser),
            last=told_name(table, last_mover(table, loser)),
            has="have" if loser == table.seat else "has",
            length=f" of {length}" if length else "",
        )
    else:  # of a newer server, or of a record written by hand
        why = printable(outcome.reason)
    return f"{head}{score}{f': {why}' if why else ''}"
