"""Moves: check, charge the clock, play, and end the game if the rules say so. Pure."""

from __future__ import annotations

from engine.errors import GameError, InvalidNotation
from engine.game import Outcome
from protocol.commands import Abort, Move, RoomCommand
from protocol.events import Ended, Fouled, Moved
from protocol.types import ErrorCode
from server.domain import clock
from server.domain.decision import Decision, Refusal, emit, end_game
from server.domain.room import Room, apply, count_occurrences

MAX_FOUL_TEXT = 40  # characters of an illegal move that the log keeps
NOT_SEATED = "you have no seat in this room: join it first"


def require_running(room: Room, command: RoomCommand) -> None:
    """Raise Refusal if the game is over, or has not started. A waiting room can be aborted."""
    if room.status == "ended":
        raise Refusal("game_over", "the game is over")
    if room.status == "waiting" and type(command) is not Abort:
        raise Refusal("not_running", "the game has not started: wait for your opponent")


def require_time(room: Room, seat: int, now: int, lag: int, waited: int) -> None:
    """Raise Refusal, with the end of the game, if the flag of a seat has fallen."""
    if clock.charge(room.setup.clock, room.clocks, seat, now - waited, lag)[3]:
        raise out_of_time(room, seat, now)


def out_of_time(room: Room, seat: int, now: int) -> Refusal:
    return Refusal("too_late", "your time ran out", decision=end_game(room, 1 - seat, "time", now))


def move(room: Room, seat: int | None, command: Move, now: int, lag: int, waited: int) -> Decision:
    """Return the decision for a move. Raises Refusal."""
    if seat is None:
        raise Refusal("not_seated", NOT_SEATED)
    if room.status != "running":
        require_running(room, command)
    ply = room.ply
    if command.ply != ply:
        raise Refusal("stale", f"your move is for ply {command.ply}, but the game is at ply {ply}")
    game, state, setup = room.game, room.state, room.setup
    if state.turn != seat:
        raise Refusal("not_your_turn", f"it is {game.sides[state.turn]}'s turn: wait for your opponent's move")
    took, charged, left, flag_fell = clock.charge(setup.clock, room.clocks, seat, now - waited, lag)
    if flag_fell:
        raise out_of_time(room, seat, now)
    try:
        number, after, over = game.advance(state, command.move)
    except GameError as error:
        raise illegal_move(room, seat, command.move, error, now) from None
    before = room.move_log[ply - 1].position if ply else game.start_position  # room.position, without a call
    moved = Moved(
        room=setup.room,
        seq=room.seq + 1,
        at=now,
        ply=ply + 1,
        side=seat,
        move=game.format(state, number),
        position=game.dump_after(before, state, number, after),
        turn=after.turn,
        took=took,
        charged=charged,
        left=left,
        note=command.note,
    )
    room = apply(room, moved, after)
    repetition = game.spec.repetition
    occurrences = 1 if repetition is None else count_occurrences(room, repetition)
    outcome = game.judge(after, ply + 1, occurrences, over)
    if outcome is None:
        return Decision((moved,), room)
    end = ended_by_rules(room, outcome, now)
    return Decision((moved, end), apply(room, end))


def ended_by_rules(room: Room, outcome: Outcome, now: int) -> Ended:
    return Ended(
        **room.event_fields(now),
        result=outcome.result,  # type: ignore[arg-type]  # a test checks that the protocol has the engine's values
        reason=outcome.reason,  # type: ignore[arg-type]
        winner=outcome.winner,
        scores=outcome.scores,
        decisive=room.game.decisive(room.state),
    )


def illegal_move(room: Room, seat: int, text: str, error: GameError, now: int) -> Refusal:
    """Return the refusal of an illegal move. If the room has a limit, the move is counted, and the last one loses."""
    code: ErrorCode = "invalid_notation" if isinstance(error, InvalidNotation) else "illegal_move"
    limit = room.setup.illegal
    if not limit:
        return Refusal(code, str(error))
    fouls = room.fouls[seat] + 1
    printable = "".join(character if character.isprintable() else "?" for character in text[:MAX_FOUL_TEXT])
    counted = emit(room, Fouled(**room.event_fields(now), seat=seat, move=printable, fouls=fouls))
    if fouls >= limit:
        lost = end_game(counted.room, 1 - seat, "illegal_moves", now)
        counted = Decision(counted.events + lost.events, lost.room)
    return Refusal(code, f"{error} (illegal move {fouls} of {limit})", decision=counted)
