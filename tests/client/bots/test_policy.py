from __future__ import annotations

from typing import Any

import pytest

from client.bots.policy import Policy, Seek
from protocol.replies import Snapshot
from protocol.types import RoomInfo, Seat, TimeControl
from tests.client.sdk.room_log import FISCHER, RoomLog


def room(**more: object) -> RoomInfo:
    fields: dict[str, object] = {
        "room": "r", "game": "cohcoh", "options": {"n": 4, "k": 3}, "clock": TimeControl(), "status": "waiting",
        "seats": (Seat(player="a", name="Alice"), None), "created_at": 0,
    }  # fmt: skip
    return RoomInfo(**{**fields, **more})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("policy", "info", "objection"),
    [
        ({}, {}, ""),
        ({"games": ("conga",)}, {}, "cohcoh is not one of its games"),
        ({}, {"status": "running"}, "there is no free seat"),
        ({}, {"seats": (Seat(player="m", name="me"), None)}, "there is no free seat"),
        ({}, {"invite": "ME"}, ""),
        ({}, {"invite": "carol"}, "another player is invited"),
        ({"stakes": "rated"}, {}, "only rated games"),
        ({"stakes": "casual"}, {"rated": True}, "only casual games"),
        ({"opponents": frozenset({"bob"})}, {}, "not against this opponent"),
        ({"opponents": frozenset({"alice"})}, {}, ""),
        ({"avoid": frozenset({"alice"})}, {}, "not against this opponent"),
        ({"options": {"n": "4"}}, {}, ""),
        ({"options": {"n": "5"}}, {}, "only with n=5"),
        ({"options": {"pits": "5"}}, {}, ""),
        ({}, {"options": {"n": 99}}, "option n of cohcoh must be"),
    ],
)
def test_policy_says_why_a_room_is_not_joined(
    policy: dict[str, object], info: dict[str, object], objection: str
) -> None:
    chosen = Policy(**{"games": ("cohcoh",), **policy})  # type: ignore[arg-type]
    found = chosen.objection(room(**info), "me")
    assert found.startswith(objection)
    assert bool(found) == bool(objection)


@pytest.mark.parametrize(
    ("change", "matches"),
    [({}, True), ({"game": "mancala"}, False), ({"clock": TimeControl()}, False), ({"rated": True}, False),
     ({"opponent": "carol"}, False), ({"options": {"max_plies": 40}}, False)],
)  # fmt: skip
def test_seek_matches_the_rooms_it_created(change: dict[str, Any], matches: bool) -> None:
    snapshot: Snapshot = RoomLog("conga", FISCHER).snapshot(-1)
    seek = Seek(**{"game": "conga", "options": {}, "clock": FISCHER, **change})
    assert seek.matches(snapshot) is matches
