"""Supervise one game of a ladder, from its room to its result."""

from __future__ import annotations

from typing import NamedTuple

from client.ladder.state import LadderGame, LadderResult
from client.sdk.room_view import RoomView
from client.tournament.play.arbiter import Arbiter
from client.tournament.play.outcome import forfeit_reason

SILENT_ROOM_REFRESH_S = 20.0
LONGEST_GAME_S = 4 * 3600.0  # a game with a clock ends by itself, unless the clock is very long


class Void(NamedTuple):
    """A game without a result. `culprits`: the players to blame, who are not paired for a while."""

    why: str
    culprits: tuple[str, ...] = ()


async def supervise(arbiter: Arbiter, game: LadderGame, room: str, wait_s: float) -> LadderResult | Void:
    """Return how a game ended.

    It is void if a player does not join within `wait_s` seconds, or if a version takes a seat that was not paired. A
    bot that dies in a game loses on time, unless it returns before.
    """
    began = arbiter.now()
    started = False
    try:
        while True:
            view = await arbiter.watch(room)
            if view is None:
                return Void("the server no longer knows the room")
            if view.status != "waiting" and not started:
                started, began = True, arbiter.now()
            others = changed_versions(game, view)
            if others:
                await arbiter.abort(room)
                return Void("another version took the seat", others)
            if view.status == "ended":
                return result_of(view)
            limit = LONGEST_GAME_S if started else wait_s
            left = limit - (arbiter.now() - began)
            absent = () if started else absent_players(game, view)
            if left > 0 or (not started and not absent):
                timeout_s = min(SILENT_ROOM_REFRESH_S, left) if left > 0 else SILENT_ROOM_REFRESH_S
                if not await arbiter.wait(room, timeout_s):
                    await arbiter.refresh(room)  # an event may have been lost with a connection
            else:
                await arbiter.abort(room)
                view = await arbiter.watch(room)
                if view is None or view.result == "*":
                    return Void("not finished within hours" if started else "did not join", absent)
    finally:
        arbiter.unwatch(room)


def changed_versions(game: LadderGame, view: RoomView) -> tuple[str, ...]:
    """Return the players in whose seat there is another version than the one that was paired."""
    seats = zip(game.players, view.seats, strict=True)
    return tuple(player.name for player, seat in seats if seat is not None and seat.version != player.version)


def absent_players(game: LadderGame, view: RoomView) -> tuple[str, ...]:
    seats = zip(game.players, view.seats, strict=True)
    return tuple(player.name for player, seat in seats if seat is None or not seat.online)


def result_of(view: RoomView) -> LadderResult | Void:
    if view.result == "*":
        return Void("aborted")
    return LadderResult(view.result, view.reason or "", view.room, forfeit_reason(view), view.ply)
