"""Which events a command leads to. Pure: `decide` looks at a room and changes nothing.

A `Decision` holds the events and the room after them, which is always what `evolve` makes of them. A command that
may not be has a `Refusal` for an answer: a code of the protocol and a sentence for its sender.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from engine.errors import GameError, InvalidNotation
from engine.game import Outcome
from engine.replay import judge
from protocol import messages as m
from protocol.messages import AnyEvent, ErrorCode, Moved, Player
from server import clock
from server.room import BOTH_GONE, Room, evolved, occurrences, state_at

NO_RESULT: m.Result = "*"
NAMES_ONLY = "a rated game is for names with a token; play a casual one, or ask whoever runs the server for a token"


class Decision(NamedTuple):
    events: tuple[AnyEvent, ...]
    room: Room


class Refusal(Exception):
    """The answer is no. `decision`: what has to be written down all the same."""

    def __init__(
        self, code: ErrorCode, text: str, *, decision: Decision | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(text)
        self.code = code
        self.decision = decision
        self.retry_after = retry_after


def decide(room: Room, who: Player, command: m.RoomCommand, now: int, lag: int = 0, next_room: str = "") -> Decision:
    """`lag` is what the sender's connection costs, `next_room` the name of a room that a rematch would make."""
    kind = type(command)
    seat = room.seat_of(who.id)
    if kind is m.Move:
        return move(room, seat, command, now, lag)  # type: ignore[arg-type]  # the common case first
    if kind is m.Join:
        return join(room, who, command, now)  # type: ignore[arg-type]
    if kind is m.Say:
        return then(room, m.Said(**head(room, now), name=who.name, seat=seat, text=command.text))  # type: ignore[attr-defined]
    if kind is m.Abort and room.setup.players is not None:
        return stop(room, who, now)
    if seat is None:
        raise Refusal("not_seated", "you have no seat in this room")
    if kind is m.Rematch:
        return rematch(room, seat, command, now, next_room)  # type: ignore[arg-type]
    if kind is m.Leave:
        return leave(room, seat, now)
    require_running(room, command)
    return ANSWERS[kind](room, seat, command, now)


def head(room: Room, now: int, ahead: int = 1) -> dict[str, Any]:
    return {"room": room.setup.room, "seq": room.seq + ahead, "at": now}


def then(room: Room, *events: AnyEvent) -> Decision:
    for event in events:
        room = evolved(room, event, None)
    return Decision(events, room)


def require_running(room: Room, command: m.RoomCommand) -> None:
    if room.status == "ended":
        raise Refusal("game_over", "the game is over")
    if room.status == "waiting" and type(command) is not m.Abort:
        raise Refusal("not_running", "the game has not begun")


# -- playing


def move(room: Room, seat: int | None, command: m.Move, now: int, lag: int) -> Decision:
    if seat is None:
        raise Refusal("not_seated", "you have no seat in this room")
    if room.status != "running":
        require_running(room, command)
    ply = room.moves.length
    if command.ply != ply:
        raise Refusal("stale", f"this answers ply {command.ply}, the game is at ply {ply}")
    game, state, setup = room.game, room.state, room.setup
    if state.turn != seat:
        raise Refusal("not_your_turn", f"it is the turn of {game.sides[state.turn]}")
    took, charged, fell = clock.charge(setup.clock, room.clocks, seat, now, lag)
    if fell:
        raise Refusal("too_late", "your time was up", decision=won(room, 1 - seat, "time", now))
    try:
        number = game.parse(state, command.move)
    except GameError as error:
        raise foul(room, seat, command.move, error, now) from None
    after = game.after(state, number)
    moved = Moved(
        room=setup.room,
        seq=room.seq + 1,
        at=now,
        ply=ply + 1,
        side=seat,
        move=game.format(state, number),
        position=game.dump(after),
        turn=after.turn,
        took=took,
        charged=charged,
        left=clock.left_after(setup.clock, room.clocks, seat, charged),
        note=command.note,
    )
    return finish(evolved(room, moved, after), moved, now)


def finish(room: Room, moved: Moved, now: int) -> Decision:
    """The move, and the end of the game where the rules see one."""
    game, state = room.game, room.state
    enough = game.spec.repetition
    times = 1 if enough is None else occurrences(room, enough)
    outcome = judge(game, state, moved.ply, times)
    if outcome is None:
        return Decision((moved,), room)
    end = by_rules(room, outcome, now)
    return Decision((moved, end), evolved(room, end, None))


def by_rules(room: Room, outcome: Outcome, now: int) -> m.Ended:
    return m.Ended(
        **head(room, now),
        result=outcome.result,  # type: ignore[arg-type]  # the engine's words are among ours; a test sees to that
        reason=outcome.reason,  # type: ignore[arg-type]
        winner=outcome.winner,
        scores=outcome.scores,
    )


def foul(room: Room, seat: int, text: str, error: GameError, now: int) -> Refusal:
    """An illegal move is refused; where they are counted it is written down, and one too many loses."""
    code: ErrorCode = "invalid_notation" if isinstance(error, InvalidNotation) else "illegal_move"
    if not room.setup.illegal:
        return Refusal(code, str(error))
    fouls = room.fouls[seat] + 1
    counted = then(room, m.Fouled(**head(room, now), seat=seat, move=text[:40], fouls=fouls))
    if fouls >= room.setup.illegal:
        lost = won(counted.room, 1 - seat, "illegal_moves", now)
        counted = Decision(counted.events + lost.events, lost.room)
    return Refusal(code, f"{error} (illegal move {fouls} of {room.setup.illegal})", decision=counted)


def won(room: Room, winner: int | None, reason: m.EndReason, now: int, result: m.Result | None = None) -> Decision:
    if result is None:
        result = "1/2-1/2" if winner is None else "1-0" if winner == 0 else "0-1"
    return then(room, m.Ended(**head(room, now), result=result, reason=reason, winner=winner))


def resign(room: Room, seat: int, command: m.Resign, now: int) -> Decision:
    return won(room, 1 - seat, "resigned", now)


def offer_draw(room: Room, seat: int, command: m.OfferDraw, now: int) -> Decision:
    if room.draw == 1 - seat:  # both want it
        return won(room, None, "agreed", now)
    if room.draw == seat:
        raise Refusal("bad_request", "your offer stands already")
    return then(room, m.DrawOffered(**head(room, now), seat=seat))


def answer_draw(room: Room, seat: int, command: m.AnswerDraw, now: int) -> Decision:
    if room.draw != 1 - seat:
        raise Refusal("no_offer", "your opponent offers no draw")
    if command.accept:
        return won(room, None, "agreed", now)
    return then(room, m.Declined(**head(room, now), seat=seat, offer="draw"))


def takeback(room: Room, seat: int, command: m.Takeback, now: int) -> Decision:
    if room.setup.players is not None:
        raise Refusal("bad_request", "where there is an arbiter no move is taken back")
    if room.takeback is not None and room.takeback[0] == 1 - seat:
        if not command.accept:
            return then(room, m.Declined(**head(room, now), seat=seat, offer="takeback"))
        return taken_back(room, room.takeback[1], now)
    if not command.accept:
        raise Refusal("no_offer", "your opponent does not ask to take a move back")
    if room.takeback is not None:
        raise Refusal("bad_request", "you have asked already")
    own = [ply for ply, made in enumerate(room.moves) if made.side == seat]
    if not own:
        raise Refusal("too_early", "you have made no move that could be taken back")
    return then(room, m.TakebackOffered(**head(room, now), seat=seat, ply=own[-1]))


def taken_back(room: Room, ply: int, now: int) -> Decision:
    state = state_at(room, ply)
    left = None if room.setup.clock.kind == "none" else room.clocks.left
    position = room.game.dump(state)
    return then(room, m.TakenBack(**head(room, now), ply=ply, position=position, turn=state.turn, left=left))


def abort(room: Room, seat: int, command: m.Abort, now: int) -> Decision:
    if room.ply >= 2:
        raise Refusal("too_late", "a game can be aborted before its second move, not later; resign instead")
    return won(room, None, "aborted", now, NO_RESULT)


def stop(room: Room, who: Player, now: int) -> Decision:
    """The arbiter ends a game without a result, at any time; the players cannot."""
    if who.id != room.setup.by:
        raise Refusal("bad_request", "where there is an arbiter nobody else can abort; resign instead")
    if room.status == "ended":
        raise Refusal("game_over", "the game is over")
    return won(room, None, "aborted", now, NO_RESULT)


def claim(room: Room, seat: int, command: m.Claim, now: int) -> Decision:
    at = claim_at(room, seat)
    if at is None:
        raise Refusal("too_early", "your opponent is here")
    if now < at:
        wait = (at - now + 999) // 1000
        raise Refusal("too_early", f"your opponent may be away for {wait} s more", retry_after=wait)
    return won(room, seat, "abandoned", now)


def claim_at(room: Room, seat: int) -> int | None:
    """From when a seat may claim the game against an opponent who is gone."""
    away = room.away[1 - seat]
    return None if away is None or room.status != "running" else away + clock.grace(room.setup.clock)


def rematch(room: Room, seat: int, command: m.Rematch, now: int, next_room: str) -> Decision:
    if room.status != "ended":
        raise Refusal("too_early", "the game is not over")
    if room.next:
        raise Refusal("too_late", f"the next game is in room {room.next}")
    if None in room.seats:
        raise Refusal("bad_request", "there was no opponent")
    if room.rematch == 1 - seat:
        if command.accept:
            return then(room, m.Rematched(**head(room, now), next=next_room))
        return then(room, m.Declined(**head(room, now), seat=seat, offer="rematch"))
    if not command.accept:
        raise Refusal("no_offer", "your opponent offers no rematch")
    if room.rematch == seat:
        raise Refusal("bad_request", "your offer stands already")
    return then(room, m.RematchOffered(**head(room, now), seat=seat))


ANSWERS: dict[type[Any], Callable[[Room, int, Any, int], Decision]] = {
    m.Resign: resign,
    m.OfferDraw: offer_draw,
    m.AnswerDraw: answer_draw,
    m.Takeback: takeback,
    m.Abort: abort,
    m.Claim: claim,
}


# -- coming and going


def join(room: Room, who: Player, command: m.Join, now: int) -> Decision:
    if room.seat_of(who.id) is not None:
        raise Refusal("already_seated", "you have a seat in this room")
    if room.status != "waiting":
        raise Refusal("seat_taken", "the game has begun without you; you can watch it")
    setup = room.setup
    if setup.rated and not who.account:
        raise Refusal("account_needed", NAMES_ONLY)
    if setup.invite and who.id != setup.by and who.name.casefold() != setup.invite.casefold():
        raise Refusal("not_invited", f"this room waits for {setup.invite}")
    if setup.players is not None:
        return take_own_seat(room, who, now)
    if setup.private and setup.code != command.code and not setup.invite:
        raise Refusal("bad_code", "this room is private and that is not its code")
    open_seats = [seat for seat in (0, 1) if room.seats[seat] is None]
    seat = command.seat if command.seat is not None else open_seats[0] if open_seats else 0
    if seat not in open_seats:
        raise Refusal("seat_taken", f"seat {seat} is taken")
    return sit(room, who, seat, now)


def take_own_seat(room: Room, who: Player, now: int) -> Decision:
    """In a room that was made for two by their names each has one seat."""
    names = [name.casefold() for name in room.setup.players or ()]
    if who.name.casefold() not in names:
        raise Refusal("not_invited", f"this room waits for {' and '.join(room.setup.players or ())}")
    seat = names.index(who.name.casefold())
    if room.seats[seat] is not None and room.away[seat] is None:
        raise Refusal("seat_taken", f"seat {seat} is taken")
    return sit(room, who, seat, now)


def sit(room: Room, who: Player, seat: int, now: int) -> Decision:
    return start(then(room, seated(room, now, seat, who)), now)


def seated(room: Room, now: int, seat: int, who: Player) -> m.Seated:
    return m.Seated(
        **head(room, now),
        seat=seat,
        player=who.id,
        name=who.name,
        account=who.account,
        rating=who.rating,
        provisional=who.provisional,
    )


def start(decision: Decision, now: int) -> Decision:
    """A game begins as soon as both players are here."""
    room = decision.room
    if room.status != "waiting" or None in room.seats or room.away != (None, None):
        return decision
    state = room.state
    left = None if room.setup.clock.kind == "none" else clock.wound(room.setup.clock, now).left
    begun = m.Started(**head(room, now), position=room.game.dump(state), turn=state.turn, left=left)
    return Decision((*decision.events, begun), evolved(room, begun, None))


def leave(room: Room, seat: int, now: int) -> Decision:
    """Before the start a seat is given back; the last one out ends the room, unless it has an arbiter."""
    if room.status != "waiting":
        return presence(room, seat, False, now)
    gone = then(room, m.Unseated(**head(room, now), seat=seat))
    if gone.room.seats != (None, None) or room.setup.players is not None:
        return gone
    end = won(gone.room, None, "aborted", now, NO_RESULT)
    return Decision(gone.events + end.events, end.room)


def presence(room: Room, seat: int, online: bool, now: int) -> Decision:
    """A player comes or goes; no events where that is known already or of no consequence any more."""
    if room.status == "ended" or (room.away[seat] is None) == online:
        return Decision((), room)
    if not online and waits_to_be_paired(room):
        return won(room, None, "aborted", now, NO_RESULT)
    return start(then(room, m.Presence(**head(room, now), seat=seat, online=online)), now)


def waits_to_be_paired(room: Room) -> bool:
    """Such a wait ends with the connection of who waits: nobody is to be paired with who is not there."""
    return room.setup.paired and room.status == "waiting"


def go_over(room: Room, next_room: str, now: int) -> Decision:
    """Who waits here has found an opponent in another room."""
    over = then(room, m.Rematched(**head(room, now), next=next_room))
    gone = won(over.room, None, "aborted", now, NO_RESULT)
    return Decision(over.events + gone.events, gone.room)


# -- time


def overdue(room: Room, now: int) -> Decision:
    """What the time brings about; no events if it is not time yet."""
    due = room.deadline
    if due is None or now < due:
        return Decision((), room)
    if room.status == "waiting":
        return won(room, None, "aborted", now, NO_RESULT)
    first, second = room.away
    if first is not None and second is not None and now >= max(first, second) + BOTH_GONE:
        return won(room, None, "abandoned", now, NO_RESULT)
    return won(room, 1 - room.turn, "time", now)


def resume(room: Room, now: int, away_since: int) -> Decision:
    """After the house was away since then: the running clock gets that time back."""
    if room.status == "ended" or now <= away_since:
        return Decision((), room)
    if waits_to_be_paired(room):
        return won(room, None, "aborted", now, NO_RESULT)
    credit = max(0, now - max(away_since, room.clocks.since)) if room.status == "running" else 0
    return then(room, m.Resumed(**head(room, now), credit=credit))
