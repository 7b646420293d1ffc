"""Helpers for tests of live rooms: rooms with their logs, events as the processor would add them, and whole games."""

from __future__ import annotations

from typing import Any

from protocol.codec import MSGPACK
from protocol.commands import Create, Join
from protocol.frames import Packet
from protocol.types import Player, TimeControl
from server.domain.decision import Decision
from server.rooms.live_room import LiveRoom
from tests.server.domain.helpers import ANN, BEN, NOW, do, move, waiting
from tests.server.fakes import Harness, RecordingClient

BLITZ = TimeControl(kind="fischer", base=60_000)
ANN_ACCOUNT, BEN_ACCOUNT = (Player(id=f"p-{name}", name=name, account=True) for name in ("ann", "ben"))


def live_waiting(game: str = "cohcoh", **terms: Any) -> LiveRoom:
    """Return a live room in which ann waits in seat 0."""
    events, room = waiting(game, **terms)
    return LiveRoom(room, [MSGPACK.encode(event) for event in events])


def live_game(*moves: str, game: str = "cohcoh", **terms: Any) -> LiveRoom:
    """Return a live room, with its log, in which ann and ben have played these moves."""
    live = live_waiting(game, **terms)
    advance(live, do(live.room, BEN, Join, code=live.room.setup.code))
    for text in moves:
        play(live, text)
    live.released = live.room.horizon
    return live


def play(live: LiveRoom, text: str, now: int = NOW) -> list[Packet]:
    """Play a move of the side whose turn it is. Return its packets."""
    return advance(live, move(live.room, (ANN, BEN)[live.room.turn], text, now))


def advance(live: LiveRoom, decision: Decision) -> list[Packet]:
    """Apply a decision as if it had been stored. Return the packets to publish."""
    packets = [Packet(event) for event in decision.events]
    live.room = decision.room
    live.log += [packet.payload for packet in packets]
    return packets


async def create(server: Harness, client: RecordingClient, **terms: Any) -> LiveRoom:
    """Let a client create a room and take seat 0. A rated game has a clock."""
    if terms.get("rated"):
        terms = {"clock": BLITZ, **terms}
    return server.room((await server.ask(client, Create, **{"game": "cohcoh", "seat": 0, **terms})).room)


async def start_game(server: Harness, **terms: Any) -> tuple[LiveRoom, RecordingClient, RecordingClient]:
    """Start a game of ann and ben, both with a new connection. Their messages so far are dropped."""
    ann, ben = map(server.connect, (ANN_ACCOUNT, BEN_ACCOUNT) if terms.get("rated") else (ANN, BEN))
    live = await create(server, ann, **terms)
    await server.ask(ben, Join, room=live.room.id, code=live.room.setup.code)
    ann.messages.clear()
    ben.messages.clear()
    return live, ann, ben


def disconnect(server: Harness, client: RecordingClient) -> None:
    """Lose the connection of a client."""
    server.app.dispatcher.disconnected(client)
