"""Texts that describe rooms, players, clocks and results."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from math import ceil

from client.bots.builtin.names import BUILTIN_BOT
from client.sdk.events import Disconnected
from client.sdk.result_text import result_text, seat_name, side_name
from client.sdk.room_view import RoomView
from client.sdk.sides import shown_sides
from client.sdk.time_control import parse_time_control
from engine.errors import GameError
from engine.game import Outcome
from engine.registry import GAMES
from protocol.replies import Invited
from protocol.types import BotInfo, Leader, Options, RatedGame, RatingChange, RoomInfo, Seat, TimeControl
from runtime.printable import printable

MAX_BOTS_NAMED = 2
TENTHS_BELOW_S = 20  # a clock with less time left shows tenths of a second


def lost_text(lost: Disconnected, url: str) -> str:
    """Return the notice for a lost connection, without the long address of the server."""
    why = lost.reason.removeprefix(f"no connection to {url}: ").replace(f" from {url}", "")
    return f"Connection lost, reconnecting… ({printable(why)})"


def joined(*texts: str) -> str:
    """Join the texts that are not empty into one line."""
    return "   ".join(filter(None, texts))


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 game`, `2 games`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def marked_name(seat: Seat) -> str:
    """Return the name of a player, with a mark if it is a bot."""
    return f"{printable(seat.name)}{' (bot)' if seat.bot else ''}"


def program_text(seat: Seat) -> str:
    """Return which program a bot is: `search: parlour search 1.0`. Empty if it has not told."""
    program = printable(f"{seat.engine} {seat.version}".strip())
    return f"{printable(seat.name)}: {program}" if program else ""


# -- ratings


def rating_text(rating: int | None, provisional: bool) -> str:
    """Return `1620`, or `1620?` if the rating is provisional."""
    return "" if rating is None else f"{rating}{'?' if provisional else ''}"


def rating_of(seat: Seat) -> str:
    return rating_text(seat.rating, seat.provisional)


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


def leader_line(place: int, leader: Leader) -> str:
    number = "" if leader.provisional else f"{place}."
    played = counted(leader.games, "game")
    rating = f"{leader.rating}{'?' if leader.provisional else ' '}"
    return f"{number:>4} {printable(leader.name):<24} {rating:>6} {played:>10}   last {day(leader.at)}"


def rated_game_line(game: RatedGame) -> str:
    return f"{day(game.at)}  game {game.games:>4}  {game.rating:>5} ± {game.deviation:<3}  room {game.room}"


def day(milliseconds: int) -> str:
    """Return the date, or `?` for a time of another server that no calendar has."""
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d")
    except (OverflowError, ValueError, OSError):
        return "?"


# -- clocks


def clock_text(control: TimeControl) -> str:
    """Return a time control as it is written on the command line."""
    match control.kind:
        case "fischer":
            base = control.base
            whole = f"{base // 60_000}" if base % 60_000 == 0 else f"{seconds_text(base)}s"
            return f"{whole}+{seconds_text(control.increment)}"
        case "move":
            return f"{seconds_text(control.per_move)}/move"
        case "bank":
            return f"{seconds_text(control.per_move)}/move+{seconds_text(control.bank)}"
    return "none"


def recorded_clock_text(text: str) -> str:
    """Return the clock of a record, which counts in seconds (`300+3`), as it is written on the command line (`5+3`)."""
    base, plus, increment = text.partition("+")
    try:
        return clock_text(parse_time_control(f"{base}s{plus}{increment}" if base.replace(".", "").isdigit() else text))
    except GameError:  # written by hand
        return text


def seconds_text(milliseconds: int) -> str:
    return f"{milliseconds / 1000:g}"


def time_text(seconds: float | None) -> str:
    """Return the face of a clock, with tenths of a second if little time is left."""
    if seconds is None:
        return ""
    if seconds < TENTHS_BELOW_S:
        return f"{int(seconds * 10) / 10:.1f}"
    whole = int(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


# -- a room


def players(seats: tuple[Seat | None, ...] | list[Seat | None]) -> str:
    return " - ".join("?" if seat is None else marked_name(seat) for seat in seats)


def rated_players(seats: tuple[Seat | None, ...]) -> str:
    return " - ".join("?" if seat is None else f"{marked_name(seat)} {rating_of(seat)}".rstrip() for seat in seats)


def options_text(options: Options) -> list[str]:
    """Return the options worth showing: not `start`, which is long, nor the move limit, which rarely matters."""
    return [f"{name} {value}" for name, value in options.items() if name not in ("start", "max_plies")]


def title(table: RoomView) -> str:
    """Return the game, the players, the options and the clock of a room in one line."""
    setup = table.setup
    name = setup.game if table.game is None else table.game.title
    parts = [f"{name}: {players(table.seats)}", *options_text(setup.options)]
    if setup.clock.kind != "none":
        parts.append(f"clock {clock_text(setup.clock)}")
    parts.append("rated" if setup.rated else "casual")
    return ", ".join(parts)


def standing_text(table: RoomView) -> str:
    """Return the points of both sides if the board does not show them: `red 3, green 2`."""
    points = table.standing(table.ply)
    return "" if points is None else ", ".join(f"{shown_sides(table)[side]} {points[side]}" for side in (0, 1))


def outcome_text(table: RoomView, outcome: Outcome) -> str:
    """Return the result of a game in one sentence, followed by the rating changes."""
    result, ratings = result_text(table, outcome), ratings_text(table)
    if not ratings:
        return result
    return f"{result}. {'' if table.seat is None else 'Your rating: '}{ratings}"


def situation(table: RoomView) -> str:
    """Return the result of the game, whose turn it is, or which opponent the room is waiting for."""
    outcome = table.outcome()
    if outcome is not None:
        return outcome_text(table, outcome)
    if table.status == "waiting":
        awaited = [seat for seat in (0, 1) if table.seats[seat] is None]
        names = [table.setup.players[seat] for seat in awaited] if table.setup.players else [table.setup.invite]
        return f"Waiting for {printable(' and '.join(names)) or 'an opponent'}… (room {table.room})"
    if table.my_move:
        return f"Your move ({shown_sides(table)[table.turn]})"
    return f"{side_name(table, table.turn)} to move"


def absent_text(table: RoomView, bots: Sequence[BotInfo] | None) -> str:
    """Return a notice for a player who invited a house bot that is not connected, and whom to invite instead.

    Return an empty string for watchers, and if `bots` is None (every bot is started, or the lobby is not known yet).
    """
    if bots is None or table.seat is None:
        return ""
    awaited, here = table.setup.invite, [bot.name for bot in bots if table.setup.game in bot.plays]
    if table.status != "waiting" or not BUILTIN_BOT.match(awaited) or awaited in here:
        return ""
    other = printable(" or ".join(here[:MAX_BOTS_NAMED])) or "anyone"
    return f"{awaited} is not connected. Wait, or leave and use --vs {other}."


def left_text(table: RoomView) -> str:
    """Return a short description of an unfinished game."""
    name = table.setup.game if table.game is None else table.game.title
    if table.opponent is None:
        return f"{name}, waiting for an opponent"
    return f"{name} against {seat_name(table.opponent)} after {counted(table.ply, 'move')}"


def resume_text(command: str, bots_only: bool) -> str:
    """Return how to resume an unfinished game. `bots_only`: the opponent does not wait for the player."""
    return f"Your game is not over. Resume it{'' if bots_only else ' soon, or it can be claimed'}: {command}"


def replay_text(show: str, review: str) -> str:
    """Return how to replay a finished game and how to judge its moves, in two lines."""
    return f"Replay your game: {show}\nJudge its moves:  {review}"


def has_begun(info: RoomInfo) -> bool:
    """Return whether a game was played, however short. A room that was closed before that is no finished game."""
    return info.ply > 0 or info.result != "*"


def room_line(info: RoomInfo) -> str:
    """Return a room of the lobby in one line."""
    state = f"{info.status}, {counted(info.ply, 'move')}" if info.status != "waiting" else "waiting"
    if info.status == "ended":
        state = f"ended {info.result}"
    state += f", {info.watchers} watching" if info.watchers else ""
    kind = "rated" if info.rated else "casual"
    names = rated_players(info.seats)
    return f"{info.room}  {kind:<6} {info.game:<12} {names:<34} {clock_text(info.clock):<10} {state}".rstrip()


# -- offers and claims


def offer_text(table: RoomView) -> str:
    """Return the opponent's open offer, or an empty string."""
    if table.seat is None:
        return ""
    other = 1 - table.seat
    name = seat_name(table.seats[other])
    if table.offers.draw == other:
        return f"{name} offers a draw"
    if table.offers.takeback == other:
        return f"{name} asks to take back a move"
    if table.offers.rematch == other and not table.next:
        return f"{name} offers a rematch"
    return ""


def pending_text(table: RoomView) -> str:
    """Return our own open offer, or an empty string."""
    if table.seat is None:
        return ""
    offer = ""
    if table.offers.draw == table.seat:
        offer = "offered a draw"
    elif table.offers.takeback == table.seat:
        offer = "asked to take back a move"
    elif table.offers.rematch == table.seat and not table.next:
        offer = "offered a rematch"
    return f"You {offer}; waiting for {seat_name(table.opponent)}" if offer else ""


def invited_text(invited: Invited) -> str:
    """Return the notice that a room waits for us."""
    game = GAMES[invited.room.game].title if invited.room.game in GAMES else printable(invited.room.game)
    return f"{printable(invited.by)} invites you to {game} in room {invited.room.room}"


def gone_text(table: RoomView, now: float) -> str:
    """Return a notice that the opponent has left, and when the game can be claimed."""
    wait = table.claim_wait(now)
    if wait is None:
        return ""
    when = f" in {ceil(wait)} s" if wait else " after your move" if table.my_move else ""
    return f"{seat_name(table.opponent)} has left   v: claim the game{when}"
