"""The terminal client without a server. Tests give it rooms and check the commands that it would send."""

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
from protocol.events import Event, Moved
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
    """Return a room after some moves. It is ended if the moves end the game."""
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


def moved(game: str, moves: tuple[str, ...], room: str = "room") -> Moved:
    """Return the event of the last of some moves."""
    after, before = snapshot_of(game, moves), snapshot_of(game, moves[:-1])
    return Moved(
        room=room, seq=after.seq, at=AT, ply=after.ply, side=before.turn, move=moves[-1], position=after.position,
        turn=after.turn, took=1, charged=1,
    )  # fmt: skip


MONO = Appearance("mono")  # boards of characters, which tests can read


class OfflineSession(Session):
    """A session that is never opened. It records all commands and answers them."""

    def __init__(self, orders: list[Command]) -> None:
        super().__init__("ws://127.0.0.1:1/ws")
        self._sent = orders

    async def ask(self, command: Command, within: float | None = None) -> Ok:
        self._sent.append(command)
        return Ok(id=command.id)


class OfflineApp(ParlourApp):
    """The client with a session that is never opened."""

    def __init__(self, *snapshots: Snapshot, appearance: Appearance = MONO) -> None:
        super().__init__(LaunchPlan(url="nowhere"), appearance)
        self.sent: list[Command] = []
        self.session = OfflineSession(self.sent)
        for snapshot in snapshots:
            self.session.rooms.apply_snapshot(snapshot, time.monotonic())

    async def _run_session(self) -> None:
        """Connect to no server."""

    def send(
        self,
        command: Command,
        then: Callable[[Ok], None] | None = None,
        failed: Callable[[str], None] | None = None,
    ) -> None:
        self.sent.append(command)

    def deliver(self, event: SessionEvent) -> None:
        """Handle an event as if the server had sent it."""
        assert self.session is not None
        if isinstance(event, Snapshot):
            self.session.rooms.apply_snapshot(event, time.monotonic())
        elif isinstance(event, Event):
            assert self.session.rooms.apply_event(event, time.monotonic())
        self._handle(event)

    async def show(self, screen: BaseScreen) -> None:
        await self.push_screen(screen)


def picture_of(app: ParlourApp) -> str:
    """Return the text on the screen."""
    strips = app.screen._compositor.render_strips()
    return "\n".join(strip.text.rstrip() for strip in strips) + "\n"


def as_client(app: ParlourApp) -> Client:
    """Let mypy check that the application has everything that screens use."""
    return app
