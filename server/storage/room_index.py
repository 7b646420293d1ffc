"""The line of a room in the store's index, and when it has to be written."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from protocol.codec import MSGPACK, decode_part, encode_part
from protocol.events import Created, Ended, Presence, Resumed, Seated, Started, Unseated
from protocol.types import RoomInfo
from protocol.usernames import fold
from server.domain import snapshots
from server.domain.decision import Decision
from server.domain.room import Room
from server.logs import log
from server.storage.interface import Append, RoomRow

INDEXED = (Created, Seated, Unseated, Started, Ended, Presence, Resumed)


def room_row(room: Room, due: int | None) -> RoomRow:
    first, second = room.seats
    end = room.ended
    return RoomRow(
        room=room.setup.room,
        game=room.setup.game,
        status=room.status,
        result="*" if end is None else end.result,
        private=room.setup.private,
        players=("" if first is None else first.player, "" if second is None else second.player),
        names=(name(room, 0), name(room, 1)),
        deadline=due,
        changed_at=room.setup.at if end is None else end.at,
        info=encode_part(snapshots.info(room)),
    )


def read_infos(stored: Iterable[bytes]) -> list[RoomInfo]:
    """What lines tell of their rooms. One that cannot be read is left out: it is not to hide the others."""
    infos = []
    for data in stored:
        try:
            infos.append(decode_part(data, RoomInfo))
        except Exception:  # it may be anything
            log("damaged", logging.ERROR, info=data[:60].hex())
    return infos


def name(room: Room, seat: int) -> str:
    """Of who sits there; while the room waits, of whom the seat is kept for; folded."""
    setup, there = room.setup, room.seats[seat]
    if room.status != "waiting":
        return "" if there is None else fold(there.name)
    kept = setup.players[seat] if setup.players else setup.invite if there is None else ""
    return fold(kept)


def changed_row(decision: Decision, due: int | None, stored_due: int | None) -> RoomRow | None:
    """The new line, if events change it."""
    events, room = decision
    if any(isinstance(event, INDEXED) for event in events) or not deadline_covered(due, stored_due):
        return room_row(room, due)
    return None


def deadline_covered(due: int | None, stored: int | None) -> bool:
    """Whether the deadline in the index will do: it may be too early, never too late."""
    return due is None or (stored is not None and stored <= due)


def creation_append(founded: Decision) -> Append:
    """A new room as one append."""
    room = founded.room
    payloads = tuple([MSGPACK.encode(event) for event in founded.events])
    return Append(room.id, 0, payloads, room_row(room, room.deadline))
