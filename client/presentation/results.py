"""The result of a game for people: who won, why, the rating and the length."""

from __future__ import annotations

from typing import NamedTuple

from client.presentation.texts import counted, ratings_text
from client.sdk.result_text import last_mover, player_name
from client.sdk.room_view import RoomView
from engine.board import Board

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
LINE_STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))  # right, down, and both diagonals
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
        return score_reason(table, sides)
    if outcome.winner is None:
        return drawn_reason(table, outcome.reason)
    loser = 1 - outcome.winner
    name = named(table, loser, sides)
    if outcome.reason == "line":
        last = last_mover(table, loser)
        line = longest_line(table)
        where = f"{number(len(line))} in a row on {line[0]} to {line[-1]}" if line else "a line"
        verb = "lose" if last == loser else "win"
        return f"{named(table, last, sides)} completed {where} and {verb if last == table.seat else f'{verb}s'}."
    if outcome.reason == "no_moves":
        return f"{name} cannot move{shut_in(table, loser)}."
    return WHY_LOST.get(outcome.reason, "").format(loser=name)


def number(count: int) -> str:
    """Return a small number as a word, a larger one in digits."""
    return NUMBERS[count] if count < len(NUMBERS) else str(count)


def drawn_reason(table: RoomView, reason: str) -> str:
    """Return why a game that is not decided by points is a draw."""
    limit = None if table.game is None else table.game.spec.max_plies
    if reason == "ply_limit" and limit is not None:
        return f"The game reached its limit of {limit} moves."
    if reason == "no_moves" and table.game is not None and table.game.kind == "marbles":
        return "The board is full, and no line was completed."
    return WHY_DRAWN.get(reason, "")


def shut_in(table: RoomView, side: int) -> str:
    """Return that the stones of a side are shut in; an empty text if the game has no stones."""
    if table.game is None or table.game.kind != "stacks":
        return ""
    stones = sum(cell.count for cell in table.game.draw(table.state).cells() if cell.owner == side)
    whose = "your" if side == table.seat else "its"
    return f": {whose} {'stone is' if stones == 1 else f'{stones} stones are'} shut in"


def longest_line(table: RoomView) -> list[str]:
    """Return the longest straight line of the cells that decided the game, in order; [] if there is none."""
    if table.game is None:
        return []
    board = table.game.draw(table.state)
    decisive = set(table.game.decisive(table.state))
    names = {
        (row, column): cell.name
        for row, cells in enumerate(board.rows)
        for column, cell in enumerate(cells)
        if cell is not None and cell.name in decisive
    }
    lines = [run(names, place, step) for place in names for step in LINE_STEPS]
    longest = max(lines, key=len, default=[])
    return longest if longest[:1] < longest[-1:] else longest[::-1]


def run(names: dict[tuple[int, int], str], place: tuple[int, int], step: tuple[int, int]) -> list[str]:
    """Return the names of neighbouring places in a direction."""
    found = []
    while place in names:
        found.append(names[place])
        place = place[0] + step[0], place[1] + step[1]
    return found


def score_reason(table: RoomView, sides: tuple[str, str]) -> str:
    """Return why a game ended that is decided by points."""
    kind = "" if table.game is None else table.game.kind
    if kind == "pits" and table.ply:
        return empty_side_text(table, sides)
    points = points_text(table, sides)
    return f"The board is full: {points[:1].lower()}{points[1:]}" if kind == "discs" else points


def empty_side_text(table: RoomView, sides: tuple[str, str]) -> str:
    """Return which row is empty, and which player gets the stones of the other row.

    The last move puts no stone into the opponent's store, so what that store gained is what the opponent's row held.
    """
    assert table.game is not None
    before, after = (table.game.draw(state) for state in table.states[-2:])
    mover = table.moves[-1].side
    other = 1 - mover
    empty = mover if store_of(after, other) > store_of(before, other) else other
    whose = "Your side" if empty == table.seat else f"The side of {one(table, empty, sides)}"
    return f"{whose} is empty: the stones of the other side go to {one(table, 1 - empty, sides)}."


def store_of(board: Board, side: int) -> int:
    """Return the stones in the store of a side: its cell in a column without a label."""
    stores = (row[at] for row in board.rows for at, label in enumerate(board.files) if not label)
    return sum(cell.count for cell in stores if cell is not None and cell.owner == side)


def points_text(table: RoomView, sides: tuple[str, str]) -> str:
    """Return the points of a game that is decided by points."""
    if table.scores is None:
        return ""
    noun = {"discs": ("four", "fours")}.get("" if table.game is None else table.game.kind, ("stone", "stones"))
    parts = [
        f"{number(points)} {noun[points != 1]} for {one(table, side, sides)}"
        for side, points in enumerate(table.scores)
    ]
    return f"{parts[0].capitalize()}, {parts[1]}."


def one(table: RoomView, side: int, sides: tuple[str, str]) -> str:
    name = named(table, side, sides)
    return f"you{name[3:]}" if name.startswith("You (") else name


def length_text(table: RoomView) -> str:
    """Return how many moves the game had and how long it took until its end: `41 moves, 6 min 12 s`."""
    spent = sum(played.took for played in table.moves)  # of a record, which has no other times
    if table.started_at is not None and table.ended_at is not None:
        spent = table.ended_at - table.started_at
    seconds = round(spent / 1000)
    minutes = f"{seconds // 60} min " if seconds >= 60 else ""
    return f"{counted(table.ply, 'move')}, {minutes}{seconds % 60} s"
