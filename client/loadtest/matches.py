"""Matches as load: both players of each are ours, and each move is sent as soon as the one before is seen."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass, field

from client.loadtest.sockets import Client, connect, masked
from engine.record import ending
from engine.registry import create
from protocol.codec import MSGPACK
from protocol.commands import Create, Hello, Join, Move, Rematch
from protocol.replies import Ok, Snapshot, Welcome
from protocol.types import Options, TimeControl

MOVED, ENDED, OFFERED = (
    b"\xa4type" + bytes((0xA0 + len(tag),)) + tag for tag in (b"moved", b"ended", b"rematch_offered")
)
STARTED = b"\xa4type\xa7started"
SNAPSHOT, ERROR = b"\xa4type\xa8snapshot", b"\xa4type\xa5error"
MIX: tuple[tuple[str, Options], ...] = (
    ("mancala", {}),
    ("maxconnect4", {}),
    ("conga", {"max_plies": 100}),
    ("cohcoh", {"n": 8, "k": 6}),
)
FISCHER = TimeControl(kind="fischer", base=600_000, increment=1000)


def script(game: str, options: Options, chance: random.Random) -> list[tuple[int, str]]:
    """A random game: who moves, and what."""
    rules = create(game, options)
    states, moves = [rules.start()], []
    while ending(rules, states) is None:
        state = states[-1]
        move = chance.choice(rules.moves(state))
        moves.append((state.turn, rules.format(state, move)))
        states.append(rules.after(state, move))
    return moves


@dataclass
class Tally:
    moves: int = 0
    errors: list[bytes] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)  # send → the opponent sees


class Match:
    """Two connections and a game they repeat with seats swapped. `think` seconds before each move."""

    def __init__(self, game: str, options: Options, seed: int, tally: Tally, think: float = 0.0) -> None:
        self.game, self.options, self.tally, self.think = game, options, tally, think
        self.script = script(game, options, random.Random(seed))
        self.players: list[Client] = []
        self.room = ""
        self.ply = 0
        self.sent_at = 0.0
        self.playing = False
        self.frames: list[bytes] = []
        self.swapped = 0  # which connection has seat 0
        self.snapshots = 0
        self.baton: Match | None = None  # where to go on instead of here, see bench/server.py

    async def open(self, url: str, other: str = "") -> None:
        """`other`: where the second player goes, if not to the same server."""
        for name, where in (("a", url), ("b", other or url)):
            client = await connect(where)
            self.players.append(client)
            await ask(client, Hello(id=1, name=name))
        first, second = self.players
        answer = await ask(first, Create(id=2, game=self.game, options=self.options, clock=FISCHER, seat=0))
        assert isinstance(answer, Ok)
        begun = asyncio.get_running_loop().create_future()
        first.on_message = lambda payload: (
            None if STARTED not in payload[:20] or begun.done() else begun.set_result(None)
        )
        await ask(second, Join(id=2, room=answer.room))
        await asyncio.wait_for(begun, 30)  # the first player may be on another node, which hears of it later
        self.room = answer.room
        self.prepare()
        for index, client in enumerate(self.players):
            client.on_message = self.reader(index)

    def prepare(self) -> None:
        moves = [Move(id=ply + 3, room=self.room, ply=ply, move=text) for ply, (_, text) in enumerate(self.script)]
        self.frames = [masked(MSGPACK.encode(move)) for move in moves]
        self.ply = 0

    def start(self) -> None:
        self.playing = True
        self.move()

    def move(self) -> None:
        if self.think:
            asyncio.get_running_loop().call_later(random.uniform(0, 2 * self.think), self.move_now)
        else:
            self.move_now()

    def move_now(self) -> None:
        if not self.playing:
            return
        side, _ = self.script[self.ply]
        self.sent_at = time.perf_counter()
        self.players[side ^ self.swapped].send(self.frames[self.ply])

    def reader(self, index: int):  # type: ignore[no-untyped-def]  # a closure, for speed
        def read(payload: bytes) -> None:
            kind = payload[1:18]
            if kind.startswith(MOVED):
                at = payload.find(b"\xa3ply") + 4
                ply = payload[at] if payload[at] < 128 else payload[at + 1]
                # the opponent of the move under way sees it: it is done
                if ply == self.ply + 1 and self.script[self.ply][0] ^ self.swapped != index:
                    self.tally.delays.append(time.perf_counter() - self.sent_at)
                    self.tally.moves += 1
                    self.ply += 1
                    if self.ply < len(self.script):
                        (self.baton or self).move()
            elif kind.startswith(ENDED):
                if index == 0:
                    self.players[0].send(masked(MSGPACK.encode(Rematch(id=9000, room=self.room))))
            elif kind.startswith(OFFERED[:16]):
                if index == 1:
                    self.players[1].send(masked(MSGPACK.encode(Rematch(id=9001, room=self.room))))
            elif SNAPSHOT in payload[:20]:
                self.next_game(payload)
            elif kind.startswith(ERROR):
                self.tally.errors.append(payload)

        return read

    def next_game(self, payload: bytes) -> None:
        self.snapshots += 1
        if self.snapshots % 2 == 0:  # both players have seen the new room
            snapshot = MSGPACK.decode_server_message(payload)
            assert isinstance(snapshot, Snapshot)
            self.room = snapshot.room
            self.swapped ^= 1
            self.prepare()
            (self.baton or self).move()

    def close(self) -> None:
        self.playing = False
        for client in self.players:
            client.transport.close()


async def ask(client: Client, command: object) -> Ok | Welcome:
    """Send a command and wait for its answer."""
    answer: asyncio.Future[Ok | Welcome] = asyncio.get_running_loop().create_future()

    def read(payload: bytes) -> None:
        message = MSGPACK.decode_server_message(payload)
        if isinstance(message, Ok | Welcome):
            answer.set_result(message)
        elif type(message).__name__ == "Error":
            answer.set_exception(RuntimeError(str(message)))

    client.on_message = read
    client.send(masked(MSGPACK.encode(command)))  # type: ignore[arg-type]
    return await asyncio.wait_for(answer, 30)


async def seat(url: str, count: int, tally: Tally, think: float = 0.0, other: str = "") -> list[Match]:
    matches = [Match(*MIX[number % len(MIX)], number, tally, think) for number in range(count)]
    for match in matches:
        await match.open(url, other)
    return matches


async def play(matches: list[Match], tally: Tally, seconds: float) -> tuple[float, list[float]]:
    """Moves a second, and the delays until the opponent saw them, in ms and sorted."""
    for match in matches:
        match.start()
    rate, delays = await measure(tally, seconds)
    for match in matches:
        match.close()
    return rate, delays


async def measure(tally: Tally, seconds: float) -> tuple[float, list[float]]:
    """The same of matches that have just begun, or have gone on."""
    await asyncio.sleep(0.7)
    tally.delays.clear()
    before, began = tally.moves, time.perf_counter()
    await asyncio.sleep(seconds)
    rate = (tally.moves - before) / (time.perf_counter() - began)
    return rate, sorted(delay * 1000 for delay in tally.delays)


def at(delays: list[float], percent: float) -> float:
    return delays[min(len(delays) - 1, int(len(delays) * percent / 100))] if delays else float("nan")
