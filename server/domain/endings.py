"""Ends that the rules of the game do not decide: resignation, abort, claim, flag, timeout. Pure."""

from __future__ import annotations

from protocol.commands import Abort, Claim, Resign
from protocol.events import Ended
from protocol.types import Player
from server.domain.decision import NO_RESULT, Decision, Refusal, emit, end_game
from server.domain.room import BOTH_AWAY_TIMEOUT_MS, Room


def resign(room: Room, seat: int, command: Resign, now: int) -> Decision:
    return end_game(room, 1 - seat, "resigned", now)


def abort(room: Room, seat: int, command: Abort, now: int) -> Decision:
    """End a game without a result. Raises Refusal after the second move."""
    if room.ply >= 2:
        raise Refusal("too_late", "a game can only be aborted before its second move: resign instead")
    return emit(room, Ended(**room.event_fields(now), result=NO_RESULT, reason="aborted", seat=seat))


def abort_by_arbiter(room: Room, player: Player, now: int) -> Decision:
    """End a game without a result, at any time. Raises Refusal if the sender is not the arbiter."""
    if player.id != room.setup.by:
        raise Refusal("bad_request", "only the arbiter can abort this game: resign instead")
    if room.status == "ended":
        raise Refusal("game_over", "the game is over")
    return end_game(room, None, "aborted", now, NO_RESULT)


def claim(room: Room, seat: int, command: Claim, now: int) -> Decision:
    """Win against an opponent who has been away too long. Raises Refusal before that.

    It must be the opponent's turn: a player who lets the time pass cannot win by it.
    """
    at = room.claim_at(seat)
    if at is None:
        raise Refusal("too_early", "your opponent is online: only a game against an absent opponent can be claimed")
    if now < at:
        wait = (at - now + 999) // 1000
        raise Refusal("too_early", f"your opponent may be away for {wait} s more: claim again then", retry_after=wait)
    if room.turn == seat:
        raise Refusal("too_early", "it is your turn: make your move, then claim the game")
    return end_game(room, seat, "abandoned", now)


def check_deadline(room: Room, now: int, uncharged: int = 0) -> Decision:
    """Return the end of a room whose deadline has passed, or no events.

    `uncharged` is the time, in milliseconds, that is not charged to the side to move.
    """
    due = room.deadline
    if due is None or now < due + uncharged:
        return Decision((), room)
    if room.status == "waiting":
        return end_game(room, None, "aborted", now, NO_RESULT)
    first, second = room.away
    if first is not None and second is not None and now >= max(first, second) + BOTH_AWAY_TIMEOUT_MS:
        return end_game(room, None, "abandoned", now, NO_RESULT)
    return end_game(room, 1 - room.turn, "time", now)
