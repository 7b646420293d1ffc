"""A sample lobby."""

from __future__ import annotations

from typing import Any

from protocol.replies import LobbyUpdate
from protocol.types import BotInfo, RoomInfo, Seat, TimeControl
from tests.tui.offline_app import AT

RATINGS: dict[str, dict[str, Any]] = {"bob": {"rating": 1640}, "carol": {"rating": 1512, "provisional": True}}


def room(name: str, game: str, first: str, second: str, **more: Any) -> RoomInfo:
    seats = tuple(Seat(player=f"p-{who}", name=who, **RATINGS.get(who, {})) if who else None for who in (first, second))
    values: dict[str, Any] = {"options": {}, "clock": TimeControl(), "status": "waiting", "created_at": AT, **more}
    return RoomInfo(room=name, game=game, seats=seats, **values)  # type: ignore[arg-type]


def lobby_update() -> LobbyUpdate:
    fischer = TimeControl(kind="fischer", base=300_000, increment=3000)
    return LobbyUpdate(
        full=True,
        rooms=(
            room("r1", "conga", "alice", "", clock=fischer),
            room("r2", "mancala", "", "bob", rated=True, created_at=AT + 1),
            room(
                "r3",
                "cohcoh",
                "carol",
                "search",
                status="running",
                ply=7,
                watchers=3,
                clock=TimeControl(kind="move", per_move=10_000),
            ),
            room("r4", "maxconnect4", "dave", "greedy", status="ended", ply=42, result="1-0"),
            room("r5", "conga", "erin", "", invite="frank", created_at=AT - 1),
        ),
        bots=(
            BotInfo(name="search", plays=("conga", "mancala", "maxconnect4", "cohcoh"), account=True),
            BotInfo(name="greedy", plays=("mancala", "conga")),
        ),
    )
