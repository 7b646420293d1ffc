"""Ends that are not on the board: somebody gives up, is gone, or out of time. Pure."""

from __future__ import annotations

from protocol.commands import Abort, Claim, Resign
from protocol.events import Resumed
from protocol.types import Player
from server.domain import clock
from server.domain.decision import NO_RESULT, Decision, Refusal, emit, end_game, event_fields
from server.domain.room import BOTH_AWAY_TIMEOUT_MS, Room
from server.domain.seating import awaits_pairing


def resign(room: Room, seat: int, command: Resign, now: int) -> Decision:
    return end_game(room, 1 - seat, "resigned", now)


def abort(room: Room, seat: int, command: Abort, now: int) -> Decision:
    if room.ply >= 2:
        raise Refusal("too_late", "a game can be aborted before its second move, not later; resign instead")
    return end_game(room, None, "aborted", now, NO_RESULT)


def abort_by_arbiter(room: Room, who: Player, now: int) -> Decision:
    """The arbiter ends a game without a result, at any time; the players cannot."""
    if who.id != room.setup.by:
        raise Refusal("bad_request", "where there is an arbiter nobody else can abort; resign instead")
    if room.status == "ended":
        raise Refusal("game_over", "the game is over")
    return end_game(room, None, "aborted", now, NO_RESULT)


def claim(room: Room, seat: int, command: Claim, now: int) -> Decision:
    at = claim_at(room, seat)
    if at is None:
        raise Refusal("too_early", "your opponent is here")
    if now < at:
        wait = (at - now + 999) // 1000
        raise Refusal("too_early", f"your opponent may be away for {wait} s more", retry_after=wait)
    return end_game(room, seat, "abandoned", now)


def claim_at(room: Room, seat: int) -> int | None:
    """From when a seat may claim the game against an opponent who is gone."""
    away = room.away[1 - seat]
    return None if away is None or room.status != "running" else away + clock.claim_delay(room.setup.clock)


def check_deadline(room: Room, now: int, spared: int = 0) -> Decision:
    """What the time brings about; no events if it is not time yet. `spared` is time that nobody is charged for."""
    due = room.deadline
    if due is None or now < due + spared:
        return Decision((), room)
    if room.status == "waiting":
        return end_game(room, None, "aborted", now, NO_RESULT)
    first, second = room.away
    if first is not None and second is not None and now >= max(first, second) + BOTH_AWAY_TIMEOUT_MS:
        return end_game(room, None, "abandoned", now, NO_RESULT)
    return end_game(room, 1 - room.turn, "time", now)


def resume(room: Room, now: int, away_since: int) -> Decision:
    """After the house was away since then: the running clock gets that time back."""
    if room.status == "ended":
        return Decision((), room)
    if awaits_pairing(room):
        return end_game(room, None, "aborted", now, NO_RESULT)
    _, _, since = room.clocks
    credit = max(0, now - max(away_since, since)) if room.status == "running" else 0
    return emit(room, Resumed(**event_fields(room, now), credit=credit))
