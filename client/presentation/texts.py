"""What the screens say about a room, in words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from math import ceil

from client.bots.builtin.names import BUILTIN_BOT
from client.sdk.events import Disconnected
from client.sdk.room_view import RoomView
from engine.game import Outcome
from protocol.types import BotInfo, Leader, Options, RatedGame, RatingChange, RoomInfo, Seat, TimeControl

REASONS = {
    "no_moves": "no moves left",
    "score": "by points",
    "line": "a line was made",
    "repetition": "the third repetition",
    "ply_limit": "the limit of moves",
    "resigned": "resignation",
    "agreed": "agreed",
    "time": "time is up",
    "abandoned": "abandoned",
    "illegal_moves": "too many illegal moves",
    "aborted": "aborted",
}


def printable(text: str) -> str:
    """A stranger's text without characters that could steer a terminal."""
    return "".join(char if char.isprintable() else "?" for char in text)


def lost_text(lost: Disconnected, url: str) -> str:
    """Without the address, which is known and long."""
    why = lost.reason.replace(f" to {url}", "").replace(f" from {url}", "")
    return f"reconnecting… nothing is lost ({printable(why)})"


def together(*sentences: str) -> str:
    """Those that there are, in one line."""
    return "   ".join(filter(None, sentences))


def counted(number: int, noun: str) -> str:
    """`1 game`, `2 games`"""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def seat_name(seat: Seat | None) -> str:
    return "nobody" if seat is None else printable(seat.name)


def rating_text(rating: int | None, provisional: bool) -> str:
    """`1620`, or `1620?` as long as it is not certain."""
    return "" if rating is None else f"{rating}{'?' if provisional else ''}"


def leader_line(place: int, leader: Leader) -> str:
    number = "" if leader.provisional else f"{place}."
    played = counted(leader.games, "game")
    rating = f"{leader.rating}{'?' if leader.provisional else ' '}"
    return f"{number:>4} {printable(leader.name):<24} {rating:>6} {played:>10}   last {day(leader.at)}"


def rated_game_line(game: RatedGame) -> str:
    return f"{day(game.at)}  game {game.games:>4}  {game.rating:>5} ± {game.deviation:<3}  room {game.room}"


def day(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d")


def players(seats: tuple[Seat | None, ...] | list[Seat | None]) -> str:
    return " - ".join("?" if seat is None else printable(seat.name) for seat in seats)


def rated_players(seats: tuple[Seat | None, ...]) -> str:
    return " - ".join("?" if seat is None else f"{printable(seat.name)} {rating_of(seat)}".rstrip() for seat in seats)


def rating_of(seat: Seat) -> str:
    return rating_text(seat.rating, seat.provisional)


def change_text(change: RatingChange) -> str:
    """`1662? (+162)`"""
    return f"{rating_text(change.after, change.provisional)} ({change.after - change.before:+})"


def changes_text(table: RoomView) -> str:
    """What a game has done to the ratings: one's own, or for a watcher both."""
    if table.ratings is None:
        return ""
    if table.seat is not None:
        return f"; your rating is {change_text(table.ratings[table.seat])}"
    both = (f"{seat_name(table.seats[side])} {change_text(table.ratings[side])}" for side in (0, 1))
    return f"; {', '.join(both)}"


def clock_text(control: TimeControl) -> str:
    """As it is written on the command line."""
    match control.kind:
        case "fischer":
            base = control.base
            whole = f"{base // 60_000}" if base % 60_000 == 0 else f"{number(base)}s"
            return f"{whole}+{number(control.increment)}"
        case "move":
            return f"{number(control.per_move)}/move"
        case "bank":
            return f"{number(control.per_move)}/move+{number(control.bank)}"
    return "none"


def number(milliseconds: int) -> str:
    return f"{milliseconds / 1000:g}"


def time_text(seconds: float | None) -> str:
    """What a clock shows; tenths when there is little left."""
    if seconds is None:
        return ""
    if seconds < 20:
        return f"{int(seconds * 10) / 10:.1f}"
    whole = int(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def outcome_text(table: RoomView, outcome: Outcome) -> str:
    why = REASONS.get(outcome.reason, outcome.reason)
    points = f", {outcome.scores[0]} to {outcome.scores[1]}" if outcome.scores else ""
    points += changes_text(table)
    if table.result == "*":
        return f"the game does not count: {why}"
    if outcome.winner is None:
        return f"a draw: {why}{points}"
    who = "you win" if outcome.winner == table.seat else f"{side_name(table, outcome.winner)} wins"
    return f"{who}: {why}{points}"


def standing_text(table: RoomView) -> str:
    """`red 3, green 2`, where the board does not show it."""
    points = table.standing(table.ply)
    return "" if points is None else ", ".join(f"{table.setup.sides[side]} {points[side]}" for side in (0, 1))


def side_name(table: RoomView, side: int) -> str:
    """Who plays a side: "search (white)"."""
    return f"{seat_name(table.seats[side])} ({table.setup.sides[side]})"


def title(table: RoomView) -> str:
    setup = table.setup
    name = setup.game if table.game is None else table.game.title
    parts = [f"{name}: {players(table.seats)}", *options_text(setup.options)]
    if setup.clock.kind != "none":
        parts.append(f"clock {clock_text(setup.clock)}")
    parts.append("rated" if setup.rated else "casual")
    return ", ".join(parts)


def options_text(options: Options) -> list[str]:
    """Without `start`, which is long, and the limit, which rarely matters."""
    return [f"{name} {value}" for name, value in options.items() if name not in ("start", "max_plies")]


def absent_text(table: RoomView, bots: Sequence[BotInfo] | None) -> str:
    """For who waits for a bot that is not there: those that are. None: all will come, or nobody knows."""
    if bots is None or table.seat is None:
        return ""
    awaited, here = table.setup.invite, [bot.name for bot in bots if table.setup.game in bot.plays]
    if table.status != "waiting" or not BUILTIN_BOT.match(awaited) or awaited in here:
        return ""
    return f"there is no {awaited} here" + (f", but {printable(', '.join(here))}" if here else "")


def situation(table: RoomView) -> str:
    """What there is to do or to wait for."""
    outcome = table.outcome()
    if outcome is not None:
        return outcome_text(table, outcome)
    if table.status == "waiting":
        awaited = [seat for seat in (0, 1) if table.seats[seat] is None]
        names = [table.setup.players[seat] for seat in awaited] if table.setup.players else [table.setup.invite]
        return f"waiting for {printable(' and '.join(names)) or 'an opponent'}… (room {table.room})"
    if table.my_move:
        return f"your move ({table.setup.sides[table.turn]})"
    return f"{side_name(table, table.turn)} to move"


def left_text(table: RoomView) -> str:
    """A game that somebody has left in the middle."""
    name = table.setup.game if table.game is None else table.game.title
    return f"{name} against {seat_name(table.opponent)} after {counted(table.ply, 'move')}"


def room_line(info: RoomInfo) -> str:
    """A room in a line of text."""
    state = f"{info.status}, {counted(info.ply, 'move')}" if info.status != "waiting" else "waiting"
    if info.status == "ended":
        state = f"ended {info.result}"
    state += f", {info.watchers} watching" if info.watchers else ""
    kind = "rated" if info.rated else "casual"
    names = rated_players(info.seats)
    return f"{info.room}  {kind:<6} {info.game:<12} {names:<34} {clock_text(info.clock):<10} {state}".rstrip()


def offer_text(table: RoomView) -> str:
    """The opponent's offer that waits for an answer, if there is one."""
    if table.seat is None:
        return ""
    other = 1 - table.seat
    who = seat_name(table.seats[other])
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
    choose_opening = ""
    if table.offers.draw == table.seat:
        choose_opening = "offered a draw"
    elif table.offers.takeback == table.seat:
        choose_opening = "asked to take a move back"
    elif table.offers.rematch == table.seat and not table.next:
        choose_opening = "offered a rematch"
    return f"you have {choose_opening}, {seat_name(table.opponent)} has not answered yet" if choose_opening else ""


def gone_text(table: RoomView, now: float) -> str:
    """That the opponent has left, and from when on the game may be claimed."""
    wait = table.claim_wait(now)
    if wait is None:
        return ""
    return f"{seat_name(table.opponent)} is gone   v: claim the game{f', in {ceil(wait)} s' if wait else ''}"
