"""A recorded game as the view of a finished room, so that the table screen can show it."""

from __future__ import annotations

from typing import cast

from client.sdk.room_view import RoomView
from engine.record import Record, play_through
from protocol.replies import Snapshot
from protocol.types import EndReason, Offers, PlayedMove, Result, Seat, TimeControl

ROOM = "record"
WINNERS = {"1-0": 0, "0-1": 1}
UNNAMED = "unnamed"


def view_of(record: Record) -> RoomView:
    """Return the view of a record, up to the first move that cannot be played."""
    replay = play_through(record)
    game, states = replay.game, replay.states
    moves = tuple(
        PlayedMove(
            ply=ply,
            side=game.turn(states[ply - 1]),
            move=played.move,
            took=played.took or 0,
            charged=played.charged or 0,
            note=played.note,
        )
        for ply, played in enumerate(record.moves[: len(states) - 1], 1)
    )
    first, second = (Seat(player=str(side), name=name or UNNAMED) for side, name in enumerate(record.seats))
    snapshot = Snapshot(
        room=ROOM,
        seq=0,
        at=0,
        game=record.game,
        options=dict(record.options),
        sides=game.sides,
        clock=TimeControl(),
        status="ended",
        seats=(first, second),
        start=game.dump(states[0]),
        position=game.dump(states[-1]),
        ply=len(moves),
        turn=states[-1].turn,
        moves=moves,
        left=None,
        running=None,
        your_seat=None,
        your_move=False,
        offers=Offers(),
        created_at=0,
        result=cast(Result, record.result),
        reason=cast(EndReason, record.reason),
        winner=WINNERS.get(record.result),
        scores=None if replay.ended is None else replay.ended.scores,
    )
    return RoomView(snapshot, now=0.0)
