"""What clients see of a room: a snapshot, an entry in a list, a record. Pure."""

from __future__ import annotations

from bisect import bisect_right
from datetime import UTC, datetime
from functools import cache

from engine.record import Played, Program, Record
from engine.registry import GAMES
from protocol.events import Moved
from protocol.replies import Snapshot
from protocol.types import GameInfo, Offers, OptionInfo, PlayedMove, RoomInfo, Seat
from server.domain import clock
from server.domain.room import Room

Seats = tuple[Seat | None, Seat | None]


def snapshot(room: Room, seat: int | None, now: int, uncharged: int = 0) -> Snapshot:
    """Return the room as the player of a seat sees it, or, if `seat` is None, a watcher.

    `uncharged` is the time, in milliseconds, that is not charged to the side to move.
    """
    setup, end, turn = room.setup, room.ended, room.state.turn
    timed = setup.clock.kind != "none"
    running = room.status == "running"
    _, _, since = room.clocks
    moves = tuple(played_move(ply, moved) for ply, moved in enumerate(room.move_log[: room.ply], 1))
    left = times_left(room, now - uncharged) if timed else None
    return Snapshot(
        room=setup.room,
        seq=room.seq,
        at=now,
        game=setup.game,
        options=setup.options,
        sides=room.game.sides,
        clock=setup.clock,
        status=room.status,
        seats=seats_with_presence(room),
        start=room.game.start_position,
        position=room.position,
        ply=room.ply,
        turn=turn,
        moves=moves,
        left=left,
        running=turn if running and timed else None,
        elapsed=max(0, now - uncharged - since) if running and timed else 0,
        your_seat=seat,
        your_move=running and seat == turn,
        offers=Offers(
            draw=room.draw_offer,
            takeback=None if room.takeback_offer is None else room.takeback_offer[0],
            rematch=room.rematch_offer,
        ),
        created_at=setup.at,
        started_at=room.started_at,
        ended_at=None if end is None else end.at,
        private=setup.private,
        code=setup.code if seat is not None else "",
        invite=setup.invite,
        rated=setup.rated,
        delay=setup.delay,
        illegal=setup.illegal,
        players=setup.players,
        arbiter=setup.arbiter,
        fouls=room.fouls,
        claim_at=(room.claim_at(0), room.claim_at(1)),
        chat=room.chat,
        result="*" if end is None else end.result,
        reason=None if end is None else end.reason,
        winner=None if end is None else end.winner,
        scores=None if end is None else end.scores,
        ratings=None if end is None else end.ratings,
        decisive=() if end is None else end.decisive,
        next=room.next,
        previous=setup.previous,
    )


def seats_with_presence(room: Room) -> Seats:
    first, second = (
        None
        if seat is None
        else Seat(
            player=seat.player,
            name=seat.name,
            account=seat.account,
            online=room.away[side] is None,
            rating=seat.rating,
            provisional=seat.provisional,
            bot=seat.bot,
            engine=seat.engine,
            version=seat.version,
        )
        for side, seat in enumerate(room.seats)
    )
    return first, second


def times_left(room: Room, now: int) -> tuple[int, int]:
    """Return the times that the clocks show now."""
    left, _, since = room.clocks
    if room.status != "running":
        return left
    turn = room.state.turn
    mine = max(0, left[turn] - max(0, now - since - room.setup.clock.per_move))
    return (mine, left[1]) if turn == 0 else (left[0], mine)


def played_move(ply: int, moved: Moved) -> PlayedMove:
    return PlayedMove(
        ply=ply,
        side=moved.side,
        move=moved.move,
        took=moved.took,
        charged=moved.charged,
        left=moved.left,
        note=moved.note,
    )


def visible_ply(room: Room) -> int:
    """Return the ply that watchers may see. It lags behind the game if the room has a delay."""
    if room.horizon == room.seq:
        return room.ply
    return bisect_right(room.move_log, room.horizon, hi=room.ply, key=lambda moved: moved.seq)


def room_info(room: Room, watchers: int = 0) -> RoomInfo:
    """Return the entry of a room for lists and the lobby."""
    setup, end = room.setup, room.ended
    return RoomInfo(
        room=setup.room,
        game=setup.game,
        options=setup.options,
        clock=setup.clock,
        status=room.status,
        seats=seats_with_presence(room),
        created_at=setup.at,
        ply=visible_ply(room),
        private=setup.private,
        paired=setup.paired,
        invite=setup.invite,
        rated=setup.rated,
        delay=setup.delay,
        illegal=setup.illegal,
        players=setup.players,
        arbiter=setup.arbiter,
        result="*" if end is None else end.result,
        reason=None if end is None else end.reason,
        ended_at=None if end is None else end.at,
        met=setup.met if room.status == "waiting" else "",
        watchers=watchers,
    )


def record(room: Room) -> Record:
    """Return the record of a game, in the form of the engine."""
    end = room.ended
    timed = room.setup.clock.kind != "none"
    moves = tuple(
        Played(
            moved.move,
            left=moved.left[moved.side] if timed and moved.left is not None else None,
            took=moved.took,
            charged=moved.charged if moved.charged != moved.took else None,
            note=moved.note,
        )
        for moved in room.moves
    )
    names = tuple("" if seat is None else seat.name for seat in room.seats)
    bots = tuple(Program(seat.engine, seat.version) if seat is not None and seat.bot else None for seat in room.seats)
    return Record(
        game=room.setup.game,
        options=room.setup.options,
        seats=(names[0], names[1]),
        clock=clock.format_control(room.setup.clock),
        date=datetime.fromtimestamp(room.setup.at / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        result="*" if end is None else end.result,
        reason="" if end is None else end.reason,
        moves=moves,
        bots=(bots[0], bots[1]),
    )


@cache
def game_list() -> tuple[GameInfo, ...]:
    """Return the games of this server, for the welcome message."""
    return tuple(
        GameInfo(
            name=game.name,
            title=game.title,
            sides=game.sides,
            options=tuple(
                OptionInfo(
                    name=option.name,
                    default=option.default,
                    help=option.help,
                    low=option.low,
                    high=option.high,
                    choices=option.choices,
                )
                for option in game.options
            ),
            move_form=game.move_form,
            position_form=game.position_form,
        )
        for game in GAMES.values()
    )
