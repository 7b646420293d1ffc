"""What others see of a room: a snapshot, a line in a list, a record. Pure."""

from __future__ import annotations

from bisect import bisect_right
from datetime import UTC, datetime
from functools import cache

from engine.record import Played, Record
from engine.registry import GAMES
from protocol.events import Moved
from protocol.replies import Snapshot
from protocol.types import GameInfo, Offers, OptionInfo, PlayedMove, RoomInfo, Seat
from server.domain import clock
from server.domain.endings import claim_at
from server.domain.room import Room

Seats = tuple[Seat | None, Seat | None]


def snapshot(room: Room, seat: int | None, now: int, spared: int = 0) -> Snapshot:
    """The room as one of its players (or, seat None, a watcher) may see it; `spared` is time that costs nobody."""
    setup, end = room.setup, room.ended
    timed = setup.clock.kind != "none"
    running = room.status == "running"
    _, _, since = room.clocks
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
        start=room.game.dump(room.game.start()),
        position=room.game.dump(room.state),
        ply=room.ply,
        turn=room.turn,
        moves=tuple(played_move(ply, made) for ply, made in enumerate(room.moves, 1)),
        left=times_left(room, now - spared) if timed else None,
        running=room.turn if running and timed else None,
        elapsed=max(0, now - spared - since) if running and timed else 0,
        your_seat=seat,
        your_move=running and seat == room.turn,
        offers=Offers(
            draw=room.draw_offer,
            takeback=None if room.takeback_offer is None else room.takeback_offer[0],
            rematch=room.rematch_offer,
        ),
        created_at=setup.at,
        started_at=room.started_at,
        private=setup.private,
        code=setup.code if seat is not None else "",
        invite=setup.invite,
        rated=setup.rated,
        delay=setup.delay,
        illegal=setup.illegal,
        players=setup.players,
        arbiter=setup.arbiter,
        fouls=room.fouls,
        claim_at=(claim_at(room, 0), claim_at(room, 1)),
        chat=room.chat,
        result="*" if end is None else end.result,
        reason=None if end is None else end.reason,
        winner=None if end is None else end.winner,
        scores=None if end is None else end.scores,
        ratings=None if end is None else end.ratings,
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
        )
        for side, seat in enumerate(room.seats)
    )
    return first, second


def times_left(room: Room, now: int) -> tuple[int, int]:
    """What the clocks show at this moment: the running one less than at the last move."""
    left, _, since = room.clocks
    if room.status != "running":
        return left
    used = max(0, now - since - room.setup.clock.per_move)
    mine = max(0, left[room.turn] - used)
    return (mine, left[1]) if room.turn == 0 else (left[0], mine)


def played_move(ply: int, made: Moved) -> PlayedMove:
    return PlayedMove(
        ply=ply, side=made.side, move=made.move, took=made.took, charged=made.charged, left=made.left, note=made.note
    )


def visible_ply(room: Room) -> int:
    """How far a game is for those who do not play it: only so far as its delay lets them see."""
    if room.horizon == room.seq:
        return room.ply
    return bisect_right(room.move_log, room.horizon, hi=room.ply, key=lambda made: made.seq)


def room_info(room: Room, watchers: int = 0) -> RoomInfo:
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
    """A game as the engine writes records; both times of every move."""
    end = room.ended
    timed = room.setup.clock.kind != "none"
    moves = tuple(
        Played(
            made.move,
            left=made.left[made.side] if timed and made.left is not None else None,
            took=made.took,
            charged=made.charged if made.charged != made.took else None,
            note=made.note,
        )
        for made in room.moves
    )
    names = tuple("" if seat is None else seat.name for seat in room.seats)
    return Record(
        game=room.setup.game,
        options=room.setup.options,
        seats=(names[0], names[1]),
        clock=clock.format_control(room.setup.clock),
        date=datetime.fromtimestamp(room.setup.at / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        result="*" if end is None else end.result,
        reason="" if end is None else end.reason,
        moves=moves,
    )


@cache
def game_list() -> tuple[GameInfo, ...]:
    """What can be played here, for the welcome."""
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
