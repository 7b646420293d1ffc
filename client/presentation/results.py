"""The result of a game for people: who won, why, the rating and the length."""

from __future__ import annotations

from typing import NamedTuple

from client.presentation.moves import listed
from client.presentation.texts import counted, rating_text
from client.sdk.result_text import player_name, seat_name
from client.sdk.room_view import RoomView
from protocol.types import RatingChange

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
WHY_LOST = {
    "resigned": "{loser} resigned.",
    "time": "{loser} ran out of time.",
    "abandoned": "{loser} left the game.",
    "illegal_moves": "{loser} made too many illegal moves.",
}
WHY_DRAWN = {
    "no_moves": "No move is left.",
    "repetition": "The same position came up three times.",
    "ply_limit": "The game reached its limit of moves.",
    "agreed": "Both players agreed.",
}


class ResultCard(NamedTuple):
    """The parts of a result card. `tone`: good, bad, or plain for draws and watchers."""

    title: str
    why: str
    rating: str
    length: str
    tone: str


def result_card(table: RoomView, sides: tuple[str, str]) -> ResultCard:
    """Return the result of a finished game. `sides`: the names of the sides on this screen."""
    outcome = table.outcome()
    if outcome is None:
        raise ValueError(f"room {table.room} has not ended")
    tone = "plain"
    if table.result != "*" and outcome.winner is not None and table.seat is not None:
        tone = "good" if outcome.winner == table.seat else "bad"
    title = "".join(title_parts(table))
    return ResultCard(title, why_text(table, sides), ratings_text(table), length_text(table), tone)


def title_parts(table: RoomView) -> tuple[str, str]:
    """Return the result of a finished game as a name, which may be empty, and a verdict: `bob`, ` wins 3 to 1`."""
    if table.result == "*":
        return "", "Not counted"
    if table.winner is None:
        return "", f"A draw{score_text(table, 0, ', ')}"
    score = score_text(table, table.winner)
    if table.seat is not None:
        return "", f"You {'win' if table.winner == table.seat else 'lose'}{score}"
    return player_name(table, table.winner), f" wins{score}"


def score_text(table: RoomView, first: int, before: str = " ") -> str:
    """Return the points, those of the winner first."""
    return "" if table.scores is None else f"{before}{table.scores[first]} to {table.scores[1 - first]}"


def named(table: RoomView, side: int, sides: tuple[str, str]) -> str:
    """Return a player with the side: `search@5 (blue)`, `You (red)`."""
    name = "You" if side == table.seat else player_name(table, side)
    return f"{name} ({sides[side]})" if name != sides[side] else name


def why_text(table: RoomView, sides: tuple[str, str]) -> str:
    """Return why the game ended, in one sentence."""
    outcome = table.outcome()
    assert outcome is not None
    if table.result == "*":
        return "The game was aborted. It has no result."
    if outcome.reason == "score":
        return points_text(table, sides)
    if outcome.winner is None:
        return WHY_DRAWN.get(outcome.reason, "")
    loser = 1 - outcome.winner
    name = named(table, loser, sides)
    if outcome.reason == "line":
        length = table.setup.options.get("k")
        many = NUMBERS[length] if isinstance(length, int) and length < len(NUMBERS) else length
        where = f" on {listed(line_ends(table), 'to')}" if line_ends(table) else ""
        return f"{name} completed {many} in a row{where} and {'lose' if loser == table.seat else 'loses'}."
    if outcome.reason == "no_moves":
        return f"{name} cannot move."
    return WHY_LOST.get(outcome.reason, "").format(loser=name)


def line_ends(table: RoomView) -> list[str]:
    """Return the first and the last cell of the line that decided the game."""
    cells = () if table.game is None else table.game.decisive(table.state)
    return [cells[0], cells[-1]] if len(cells) > 1 else []


def points_text(table: RoomView, sides: tuple[str, str]) -> str:
    """Return the points of a game that is decided by points."""
    if table.scores is None:
        return ""
    noun = {"discs": ("four", "fours")}.get("" if table.game is None else table.game.kind, ("stone", "stones"))
    parts = [
        f"{NUMBERS[points] if points < len(NUMBERS) else points} {noun[points != 1]} for {one(table, side, sides)}"
        for side, points in enumerate(table.scores)
    ]
    return f"{parts[0].capitalize()}, {parts[1]}."


def one(table: RoomView, side: int, sides: tuple[str, str]) -> str:
    name = named(table, side, sides)
    return f"you{name[3:]}" if name.startswith("You (") else name


def ratings_text(table: RoomView) -> str:
    """Return our rating change, or those of both players for a watcher; "" if the game was not rated."""
    if table.ratings is None:
        return ""
    if table.seat is not None:
        return change_text(table.ratings[table.seat])
    return ", ".join(f"{seat_name(table.seats[side])} {change_text(table.ratings[side])}" for side in (0, 1))


def change_text(change: RatingChange) -> str:
    """Return a rating change: `1498 → 1511 (+13)`."""
    difference = change.after - change.before
    sign = f"+{difference}" if difference >= 0 else f"−{-difference}"
    return f"{change.before} → {rating_text(change.after, change.provisional)} ({sign})"


def length_text(table: RoomView) -> str:
    """Return how many moves the game had and how long it took: `41 moves, 6 min 12 s`."""
    seconds = round(sum(played.took for played in table.moves) / 1000)
    minutes = f"{seconds // 60} min " if seconds >= 60 else ""
    return f"{counted(table.ply, 'move')}, {minutes}{seconds % 60} s"
