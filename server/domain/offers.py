"""What needs both players: a draw, a move taken back, another game. Pure."""

from __future__ import annotations

from protocol.commands import AnswerDraw, OfferDraw, Rematch, Takeback
from protocol.events import Declined, DrawOffered, Rematched, RematchOffered, TakebackOffered, TakenBack
from server.domain.decision import Decision, Refusal, emit, end_game, event_fields
from server.domain.room import Room, state_at


def offer_draw(room: Room, seat: int, command: OfferDraw, now: int) -> Decision:
    if room.draw_offer == 1 - seat:  # both want it
        return end_game(room, None, "agreed", now)
    if room.draw_offer == seat:
        raise Refusal("bad_request", "your offer stands already")
    return emit(room, DrawOffered(**event_fields(room, now), seat=seat))


def answer_draw(room: Room, seat: int, command: AnswerDraw, now: int) -> Decision:
    if room.draw_offer != 1 - seat:
        raise Refusal("no_offer", "your opponent offers no draw")
    if command.accept:
        return end_game(room, None, "agreed", now)
    return emit(room, Declined(**event_fields(room, now), seat=seat, offer="draw"))


def takeback(room: Room, seat: int, command: Takeback, now: int) -> Decision:
    if room.setup.players is not None:
        raise Refusal("bad_request", "where there is an arbiter no move is taken back")
    if room.takeback_offer is not None and room.takeback_offer[0] == 1 - seat:
        require_ply(command, room.takeback_offer[1])
        if not command.accept:
            return emit(room, Declined(**event_fields(room, now), seat=seat, offer="takeback"))
        return taken_back(room, room.takeback_offer[1], now)
    if not command.accept:
        raise Refusal("no_offer", "your opponent does not ask to take a move back")
    if room.takeback_offer is not None:
        raise Refusal("bad_request", "you have asked already")
    own = [ply for ply, made in enumerate(room.moves) if made.side == seat]
    if not own:
        raise Refusal("too_early", "you have made no move that could be taken back")
    require_ply(command, own[-1])
    return emit(room, TakebackOffered(**event_fields(room, now), seat=seat, ply=own[-1]))


def require_ply(command: Takeback, ply: int) -> None:
    """Two who ask at once do not agree, and an answer that comes too late asks for nothing."""
    if command.ply not in (None, ply):
        raise Refusal("stale", f"this is about ply {command.ply}, what can be taken back is ply {ply}")


def taken_back(room: Room, ply: int, now: int) -> Decision:
    state = state_at(room, ply)
    left = None if room.setup.clock.kind == "none" else room.clocks[0]
    position = room.game.dump(state)
    return emit(room, TakenBack(**event_fields(room, now), ply=ply, position=position, turn=state.turn, left=left))


def rematch(room: Room, seat: int, command: Rematch, now: int, next_room: str) -> Decision:
    if room.status != "ended":
        raise Refusal("too_early", "the game is not over")
    if room.next:
        raise Refusal("too_late", f"the next game is in room {room.next}")
    if None in room.seats:
        raise Refusal("bad_request", "there was no opponent")
    if room.rematch_offer == 1 - seat:
        if command.accept:
            return emit(room, Rematched(**event_fields(room, now), next=next_room))
        return emit(room, Declined(**event_fields(room, now), seat=seat, offer="rematch"))
    if not command.accept:
        raise Refusal("no_offer", "your opponent offers no rematch")
    if room.rematch_offer == seat:
        raise Refusal("bad_request", "your offer stands already")
    return emit(room, RematchOffered(**event_fields(room, now), seat=seat))
