"""The row of a room in the store's index, and when it must be written."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import lru_cache

from protocol.codec import MSGPACK, decode_event, decode_part, encode_part
from protocol.events import AnyEvent, Created, Ended, Presence, Resumed, Seated, Started, Unseated
from protocol.types import RoomInfo
from protocol.usernames import fold
from server.domain import snapshots
from server.domain.codes import without_code
from server.domain.decision import Decision
from server.domain.room import Room
from server.logs import log
from server.storage.interface import Append, RoomRow

INFOS_CACHED = 512  # rows that were decoded last: lists are read again and again, and few of their rows change
INDEXED_EVENTS = (Created, Seated, Unseated, Started, Ended, Presence, Resumed)


def changes_listing(event: AnyEvent) -> bool:
    """Return whether an event changes the entry of its room in lists. A credit for an outage changes only clocks."""
    return isinstance(event, INDEXED_EVENTS) and not (isinstance(event, Resumed) and event.outage)


def room_row(room: Room, due: int | None) -> RoomRow:
    """Return the row of a room, with this deadline."""
    first, second = room.seats
    end = room.ended
    changed_at = room.setup.at if room.started_at is None else room.started_at
    return RoomRow(
        room=room.setup.room,
        game=room.setup.game,
        status=room.status,
        result="*" if end is None else end.result,
        private=room.setup.private,
        players=("" if first is None else first.player, "" if second is None else second.player),
        names=(indexed_name(room, 0), indexed_name(room, 1)),
        deadline=due,
        changed_at=changed_at if end is None else end.at,
        info=encode_part(snapshots.room_info(room)),
    )


def read_infos(stored: Iterable[bytes]) -> list[RoomInfo]:
    """Decode the infos of rows. Log and skip those that cannot be decoded."""
    infos = []
    for data in stored:
        try:
            infos.append(decode_info(data))
        except Exception:  # damaged data can raise anything
            log("damaged", logging.ERROR, info=data[:60].hex())
    return infos


@lru_cache(INFOS_CACHED)
def decode_info(data: bytes) -> RoomInfo:
    """Decode the info of a row. Raises an exception of msgspec if it is damaged."""
    return decode_part(data, RoomInfo)


def indexed_name(room: Room, seat: int) -> str:
    """Return the folded name of the player in a seat, or in a waiting room of the player the seat is kept for."""
    setup, player = room.setup, room.seats[seat]
    if room.status != "waiting":
        return "" if player is None else fold(player.name)
    kept = setup.players[seat] if setup.players else setup.invite if player is None else ""
    return fold(kept)


def changed_row(decision: Decision, due: int | None, stored_due: int | None) -> RoomRow | None:
    """Return the new row of a room, or None if the stored one is still right."""
    events, room = decision
    if any(map(changes_listing, events)) or not deadline_covered(due, stored_due):
        return room_row(room, due)
    return None


def deadline_covered(due: int | None, stored: int | None) -> bool:
    """Return whether the indexed deadline is good enough: it may be too early, never too late."""
    return due is None or (stored is not None and stored <= due)


def creation_append(created: Decision) -> Append:
    """Return the append that stores a new room."""
    room = created.room
    first, *others = created.events
    assert isinstance(first, Created)
    payloads = tuple([MSGPACK.encode(event) for event in (without_code(first), *others)])
    return Append(room.id, 0, payloads, room_row(room, room.deadline))


def hide_code(payload: bytes) -> bytes:
    """Return the first event of a room with the hash instead of its code; a payload that is damaged stays as it is."""
    try:
        event = decode_event(payload)
        return MSGPACK.encode(without_code(event)) if isinstance(event, Created) and event.code else payload
    except Exception:  # damaged data can raise anything
        return payload
