"""Offers that the opponent must accept: a draw, a takeback, a rematch. Pure."""

from __future__ import annotations

from protocol.commands import AnswerDraw, OfferDraw, Rematch, Takeback
from protocol.events import Declined, DrawOffered, Rematched, RematchOffered, TakebackOffered, TakenBack
from server.domain.decision import Decision, Refusal, emit, end_game
from server.domain.room import Room, state_at

OFFER_PENDING = "you have already made this offer: wait for your opponent's answer"


def offer_draw(room: Room, seat: int, command: OfferDraw, now: int) -> Decision:
    """Offer a draw, or agree to the opponent's offer. Raises Refusal if the own offer is pending."""
    if room.draw_offer == 1 - seat:
        return end_game(room, None, "agreed", now)
    if room.draw_offer == seat:
        raise Refusal("bad_request", OFFER_PENDING)
    return emit(room, DrawOffered(**room.event_fields(now), seat=seat))


def answer_draw(room: Room, seat: int, command: AnswerDraw, now: int) -> Decision:
    """Accept or decline the opponent's draw offer. Raises Refusal if there is none."""
    if room.draw_offer != 1 - seat:
        raise Refusal("no_offer", "your opponent has not offered a draw: offer one yourself")
    if command.accept:
        return end_game(room, None, "agreed", now)
    return emit(room, Declined(**room.event_fields(now), seat=seat, offer="draw"))


def takeback(room: Room, seat: int, command: Takeback, now: int) -> Decision:
    """Ask to take back the last own move, or answer the opponent's request. Raises Refusal."""
    if room.setup.players is not None:
        raise Refusal("bad_request", "moves cannot be taken back in a game with an arbiter")
    if room.takeback_offer is not None and room.takeback_offer[0] == 1 - seat:
        require_ply(command, room.takeback_offer[1])
        if not command.accept:
            return emit(room, Declined(**room.event_fields(now), seat=seat, offer="takeback"))
        return return_to_ply(room, room.takeback_offer[1], now)
    if not command.accept:
        raise Refusal("no_offer", "your opponent has not asked to take a move back")
    if room.takeback_offer is not None:
        raise Refusal("bad_request", OFFER_PENDING)
    own = [ply for ply, moved in enumerate(room.moves) if moved.side == seat]
    if not own:
        raise Refusal("too_early", "you have not made a move yet: there is nothing to take back")
    require_ply(command, own[-1])
    return emit(room, TakebackOffered(**room.event_fields(now), seat=seat, ply=own[-1]))


def require_ply(command: Takeback, ply: int) -> None:
    """Raise Refusal if the command names another ply.

    So two requests that cross do not accept each other, and a late answer does not become a new request.
    """
    if command.ply not in (None, ply):
        raise Refusal("stale", f"you asked for ply {command.ply}, but the game can only return to ply {ply}")


def return_to_ply(room: Room, ply: int, now: int) -> Decision:
    state = state_at(room, ply)
    left = None if room.setup.clock.kind == "none" else room.clocks[0]
    position = room.game.dump(state)
    return emit(room, TakenBack(**room.event_fields(now), ply=ply, position=position, turn=state.turn, left=left))


def rematch(room: Room, seat: int, command: Rematch, now: int, next_room: str) -> Decision:
    """Offer a rematch, or answer the opponent's offer. Raises Refusal."""
    if room.status != "ended":
        raise Refusal("too_early", "the game is not over: offer a rematch afterwards")
    if room.next:
        raise Refusal("too_late", f"the rematch has been agreed: join room {room.next}")
    if None in room.seats:
        raise Refusal("bad_request", "a rematch needs an opponent, and this room had none")
    if room.rematch_offer == 1 - seat:
        if command.accept:
            return emit(room, Rematched(**room.event_fields(now), next=next_room))
        return emit(room, Declined(**room.event_fields(now), seat=seat, offer="rematch"))
    if not command.accept:
        raise Refusal("no_offer", "your opponent has not offered a rematch")
    if room.rematch_offer == seat:
        raise Refusal("bad_request", OFFER_PENDING)
    return emit(room, RematchOffered(**room.event_fields(now), seat=seat))
