"""A player that survives every fault: it reconnects to any node, reads the state of the game and plays on."""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress
from typing import Any

from websockets.exceptions import WebSocketException

from engine.registry import create
from tests.e2e.guest import Guest, Message, Refused

Think = tuple[float, float]  # the shortest and the longest time for a move, in seconds
NO_TIME = 0.0, 0.0
MAX_RETRIES_PER_S = 20  # of commands that a node has refused for now
FOR_NOW = "unavailable", "draining"
LONG_CLOCK = {"kind": "fischer", "base": 600_000}
LOST = (WebSocketException, OSError, TimeoutError, EOFError)


class Player:
    """One side of a game."""

    def __init__(self, url: str, name: str, think: Think = NO_TIME) -> None:
        self.url, self.name, self.think = url, name, think
        self.session = ""
        self.room = ""
        self.moves: list[str] = []  # as far as this player knows
        self.acknowledged: dict[int, str] = {}  # by ply
        self.ended: Message | None = None
        self.silent = False  # from now on it does not move
        self.times_back = -1
        self.rng = random.Random(name)

    async def connect(self) -> Guest:
        """Connect, and retry until it works."""
        while True:
            with suppress(*LOST):
                guest = await Guest.open(self.url)
                self.times_back += 1
                try:
                    await (guest.hello(resume=self.session) if self.session else guest.hello(self.name))
                    self.session = guest.session
                    return guest
                except Refused as refused:
                    guest.socket.transport.abort()
                    if refused.error["code"] not in FOR_NOW:
                        raise
            await asyncio.sleep(1 / MAX_RETRIES_PER_S)

    async def play(self, game: str, options: dict[str, Any]) -> None:
        self.rules = create(game, options)
        while self.ended is None:
            guest = await self.connect()
            try:
                await self.follow(guest)
            except Refused as refused:
                if refused.error["code"] not in FOR_NOW:
                    raise
                await asyncio.sleep(1 / MAX_RETRIES_PER_S)
            except LOST:
                pass
            finally:
                guest.socket.transport.abort()

    async def follow(self, guest: Guest) -> None:
        """Play until the connection or the game ends."""
        self.pending: tuple[int, int, str] | None = None  # id, ply and text of a move without a reply
        await guest.ask("watch", room=self.room)
        await self.handle(guest, await guest.find(type="snapshot", room=self.room))
        while self.ended is None:
            await self.handle(guest, guest.seen.pop(0) if guest.seen else await guest.receive())

    async def handle(self, guest: Guest, message: Message) -> None:
        kind = message["type"]
        if kind == "snapshot":
            self.seat = message["your_seat"]
            self.moves = [played["move"] for played in message["moves"]]
            self.ended = message if message["status"] == "ended" else None
        elif kind == "moved":
            assert message["ply"] == len(self.moves) + 1, (message, self.moves)
            self.moves.append(message["move"])
            self.pending = None
        elif kind == "ended":
            self.ended = message
        elif kind == "ok" and self.pending and message["id"] == self.pending[0]:
            self.acknowledged[self.pending[1]] = self.pending[2]  # then wait for the event
        elif kind == "error":
            assert message["code"] in (*FOR_NOW, "stale", "too_late"), message
            self.pending = None
            if "snapshot" in message:
                await self.handle(guest, message["snapshot"])
            await asyncio.sleep(1 / MAX_RETRIES_PER_S)
        await self.move(guest)

    async def move(self, guest: Guest) -> None:
        state = self.rules.start()
        for text in self.moves:
            state = self.rules.play(state, self.rules.parse(state, text))
        if self.ended is not None or self.pending or self.silent or self.rules.turn(state) != self.seat:
            return
        choices = self.rules.moves(state)
        if choices:
            if self.think != NO_TIME:
                await asyncio.sleep(self.rng.uniform(*self.think))
            text = self.rules.format(state, self.rng.choice(choices))
            id = await guest.send("move", room=self.room, ply=len(self.moves), move=text)
            self.pending = (id, len(self.moves), text)


class Match:
    """A game of two players."""

    GAME, OPTIONS = "cohcoh", {"n": 6, "k": 6}

    def __init__(
        self, urls: tuple[str, str], number: int, think: Think = NO_TIME, clock: dict[str, Any] = LONG_CLOCK
    ) -> None:
        self.clock = clock
        self.players = [Player(url, f"c{number}-{seat}", think) for seat, url in enumerate(urls)]
        self.task: asyncio.Future[Any] | None = None

    async def open(self) -> None:
        first, second = [await player.connect() for player in self.players]
        room = (await first.ask("create", game=self.GAME, options=self.OPTIONS, seat=0, clock=self.clock))["room"]
        await second.ask("join", room=room)
        for player, guest in zip(self.players, (first, second), strict=True):
            player.room = room
            guest.socket.transport.abort()

    def start(self) -> None:
        self.task = asyncio.ensure_future(
            asyncio.gather(*(player.play(self.GAME, self.OPTIONS) for player in self.players))
        )

    @property
    def over(self) -> bool:
        """Whether both players know the end. Raises what has stopped one of them."""
        if self.task is not None and self.task.done():
            self.task.result()
        return all(player.ended is not None for player in self.players)

    def check(self, moves: list[str]) -> None:
        """Assert that the stored moves are those of both players and include every acknowledged move."""
        for player in self.players:
            assert player.ended is not None
            assert player.moves == moves
            for ply, text in player.acknowledged.items():
                assert moves[ply] == text
