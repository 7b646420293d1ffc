"""The client without a server: rooms are put before it, and what it would ask for is written down."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from client.presentation.launch_plan import LaunchPlan
from client.sdk.events import SessionEvent
from client.sdk.session import Session
from client.tui.app.app import ParlourApp
from client.tui.models.client import Client
from client.tui.render.appearance import Appearance
from client.tui.screens.base import BaseScreen
from engine.registry import create
from engine.replay import Replay
from protocol.commands import Command
from protocol.events import Event
from protocol.replies import Ok, Snapshot
from protocol.types import Offers, Options, PlayedMove, Seat, TimeControl

AT = 1_794_800_000_000


def snapshot_of(
    game: str,
    moves: Sequence[str] = (),
    *,
    room: str = "room",
    options: Options | None = None,
    seat: int | None = 0,
    names: tuple[str, str] = ("alice", "search"),
    notes: dict[int, str] | None = None,
    **more: Any,
) -> Snapshot:
    """A room in which these moves were played; ended if they end the game."""
    rules = create(game, options)
    through = Replay.of(rules, moves)
    assert not through.error, through.error
    states, end = through.states, through.ended
    played = tuple(
        PlayedMove(
            ply=ply, side=states[ply - 1].turn, move=move, took=900, charged=900, note=(notes or {}).get(ply, "")
        )
        for ply, move in enumerate(moves, 1)
    )
    values: dict[str, Any] = {
        "room": room, "seq": len(moves) + 4, "at": AT, "game": game, "options": dict(rules.spec.options),
        "sides": rules.sides, "clock": TimeControl(), "status": "running" if end is None else "ended",
        "seats": tuple(Seat(player=f"p-{name}", name=name) for name in names),
        "start": rules.dump(states[0]), "position": rules.dump(states[-1]), "ply": len(moves),
        "turn": states[-1].turn, "moves": played, "left": None, "running": None, "your_seat": seat,
        "your_move": end is None and states[-1].turn == seat, "offers": Offers(), "created_at": AT,
        "result": "*" if end is None else end.result, "reason": None if end is None else end.reason,
        "winner": None if end is None else end.winner, "scores": None if end is None else end.scores,
    }  # fmt: skip
    return Snapshot(**{**values, **more})


class OfflineSession(Session):
    """Never opened: what it is asked for is written down, and is done."""

    def __init__(self, orders: list[Command]) -> None:
        super().__init__("ws://127.0.0.1:1/ws")
        self._sent = orders

    async def ask(self, command: Command, within: float | None = None) -> Ok:
        self._sent.append(command)
        return Ok(id=command.id)


class OfflineApp(ParlourApp):
    """A client whose session is never opened."""

    def __init__(self, *snapshots: Snapshot, appearance: Appearance = Appearance()) -> None:  # noqa: B008  (it cannot change)
        super().__init__(LaunchPlan(url="nowhere"), appearance)
        self.sent: list[Command] = []
        self.session = OfflineSession(self.sent)
        for snapshot in snapshots:
            self.session.rooms.apply_snapshot(snapshot, time.monotonic())

    async def _run_session(self) -> None:
        """There is nobody to talk to."""

    def send(self, command: Command, then: Callable[[Ok], None] | None = None) -> None:
        self.sent.append(command)

    def deliver(self, happening: SessionEvent) -> None:
        """As if the server had said it."""
        assert self.session is not None
        if isinstance(happening, Snapshot):
            self.session.rooms.apply_snapshot(happening, time.monotonic())
        elif isinstance(happening, Event):
            assert self.session.rooms.apply_event(happening, time.monotonic())
        self._handle(happening)

    async def show(self, screen: BaseScreen) -> None:
        await self.push_screen(screen)


def picture_of(app: ParlourApp) -> str:
    """What is on the screen, without colours."""
    strips = app.screen._compositor.render_strips()
    return "\n".join(strip.text.rstrip() for strip in strips) + "\n"


def as_client(app: ParlourApp) -> Client:
    """Let mypy check that the application has everything that screens use."""
    return app
