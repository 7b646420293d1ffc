"""The pure parts of the client: clocks, budgets, policies, addresses, waiting times."""

from __future__ import annotations

from random import Random

import pytest

from client.bots.policy import Policy
from client.bots.time_management import allot_time, human_delay
from client.sdk.errors import NoServer
from client.sdk.room_view import RoomView
from client.sdk.time_control import parse_time_control
from client.sdk.url import websocket_url
from engine.errors import GameError
from protocol.types import RoomInfo, Seat, TimeControl
from tests.client.test_table import Log


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("localhost:8765", "ws://localhost:8765/ws"),
        ("example.org", "ws://example.org/ws"),
        ("http://example.org:80/", "ws://example.org:80/ws"),
        ("https://example.org/parlour/ws", "wss://example.org/parlour/ws"),
        (" ws://[::1]:9/ws ", "ws://[::1]:9/ws"),
    ],
)
def test_addresses(text: str, url: str) -> None:
    assert websocket_url(text) == url


@pytest.mark.parametrize("text", ["", "ftp://x", "ws://", "host:port", "host:99999", "a b", "ws://[::1"])
def test_no_addresses(text: str) -> None:
    with pytest.raises(NoServer, match="is not a server address"):
        websocket_url(text)


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("none", TimeControl()),
        ("5+3", TimeControl(kind="fischer", base=300_000, increment=3000)),
        ("90s+1.5", TimeControl(kind="fischer", base=90_000, increment=1500)),
        ("1", TimeControl(kind="fischer", base=60_000)),
        ("10/move", TimeControl(kind="move", per_move=10_000)),
        ("0.5/MOVE+60", TimeControl(kind="bank", per_move=500, bank=60_000)),
    ],
)
def test_clocks_as_people_write_them(text: str, control: TimeControl) -> None:
    assert parse_time_control(text) == control


@pytest.mark.parametrize("text", ["", "5+", "+3", "-5+3", "5+3+1", "ten", "5/turn", "999999+0", "nan", "1e5"])
def test_no_clocks(text: str) -> None:
    with pytest.raises(GameError, match="is not a valid clock"):
        parse_time_control(text)


def table(clock: TimeControl) -> RoomView:
    return RoomView(Log(clock=clock).snapshot(-1), now=0.0)


@pytest.mark.parametrize(
    ("clock", "low", "high"),
    [
        (TimeControl(kind="fischer", base=300_000, increment=3000), 5.0, 20.0),
        (TimeControl(kind="fischer", base=10_000), 0.2, 0.6),
        (TimeControl(kind="fischer", base=200), 0.01, 0.1),
        (TimeControl(kind="move", per_move=2000), 1.2, 1.8),
        (TimeControl(kind="bank", per_move=1000, bank=10_000), 0.9, 1.5),
        (TimeControl(), 1.0, 3.0),
    ],
)
def test_budgets(clock: TimeControl, low: float, high: float) -> None:
    allowed = allot_time(table(clock), 0.0, latency=0.02, move_timeout=60.0)
    assert low <= allowed.seconds <= high
    assert allowed.seconds < allowed.most
    assert allowed.by_clock == (clock.kind != "none" and allowed.left is not None and allowed.left <= 60)


def test_budgets_within_what_the_owner_wants() -> None:
    rich = table(TimeControl(kind="fischer", base=3_600_000))
    allowed = allot_time(rich, 0.0, 0.0, move_timeout=4.0)
    assert (allowed.most, allowed.by_clock) == (4.0, False)
    assert allowed.seconds < 4.0
    assert allot_time(rich, 0.0, 0.0, move_timeout=60.0, wanted=0.5).seconds == 0.5
    assert allot_time(rich, 3599.99, 0.3, move_timeout=60.0, wanted=5.0).seconds <= 0.01
    assert allot_time(rich, 9999.0, 0.3, move_timeout=60.0).seconds > 0


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
def test_policies(policy: dict[str, object], info: dict[str, object], objection: str) -> None:
    chosen = Policy(**{"games": ("cohcoh",), **policy})  # type: ignore[arg-type]
    found = chosen.objection(room(**info), "me")
    assert found.startswith(objection)
    assert bool(found) == bool(objection)


def test_a_human_pace() -> None:
    rng = Random(1)
    delays = [human_delay(12, None, 0.0, rng) for _ in range(200)]
    assert 0.5 < min(delays) < max(delays) <= 9.0
    assert max(human_delay(1, None, 0.0, rng) for _ in range(50)) < 1.0
    assert max(human_delay(12, 3.0, 0.0, rng) for _ in range(50)) <= 0.1
