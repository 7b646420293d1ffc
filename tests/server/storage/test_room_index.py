"""The row of a room in the index: its contents, and when it is written."""

from __future__ import annotations

import pytest

from protocol.codec import encode_part
from protocol.commands import OfferDraw, Resign
from protocol.types import Names, TimeControl
from server.domain import snapshots
from server.storage.room_index import changed_row, creation_append, deadline_covered, read_infos, room_row
from tests.server.domain.helpers import ANN, do, running, waiting


@pytest.mark.parametrize(
    ("due", "stored", "covered"),
    [(None, None, True), (None, 5, True), (5, None, False), (5, 4, True), (5, 5, True), (5, 6, False)],
)
def test_indexed_deadline_may_be_early_but_never_late(due: int | None, stored: int | None, covered: bool) -> None:
    assert deadline_covered(due, stored) is covered


def test_only_events_that_change_the_row_write_it() -> None:
    room = running()
    assert changed_row(do(room, ANN, OfferDraw), None, None) is None
    row = changed_row(do(room, ANN, Resign), None, None)
    assert row is not None
    assert (row.status, row.result) == ("ended", "0-1")


def test_new_room_is_stored_with_its_row() -> None:
    created = waiting(clock=TimeControl(kind="fischer", base=60_000))
    append = creation_append(created)
    assert (append.room, append.after, len(append.payloads)) == ("r1", 0, len(created.events))
    assert append.row == room_row(created.room, created.room.deadline)


@pytest.mark.parametrize(
    ("invite", "players", "names"),
    [("", None, ("", "")), ("BEN", None, ("", "ben")), ("", ("Ann", "Ben"), ("ann", "ben"))],
)
def test_waiting_room_is_indexed_by_the_names_it_waits_for(invite: str, players: Names | None, names: Names) -> None:
    room = waiting(invite=invite, players=players).room
    assert room.status == "waiting"
    assert room_row(room, None).names == names


def test_running_room_is_indexed_by_its_players() -> None:
    row = room_row(running(), None)
    assert (row.names, row.players) == (("ann", "ben"), ("p-ann", "p-ben"))


def test_damaged_info_is_skipped() -> None:
    info = snapshots.room_info(running())
    assert read_infos([b"\xc1", encode_part(info), b""]) == [info]
