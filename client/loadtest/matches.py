"""Matches that put load on a server: each move is sent as soon as the opponent has received the last one."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from client.loadtest.sockets import Client, connect, masked
from engine.record import ending
from engine.registry import create
from protocol.codec import MSGPACK
from protocol.commands import Create, Hello, Join, Move, Rematch
from protocol.replies import Error, Ok, Snapshot, Welcome
from protocol.types import Options, TimeControl

MOVED, ENDED, OFFERED = (
    b"\xa4type" + bytes((0xA0 + len(tag),)) + tag for tag in (b"moved", b"ended", b"rematch_offered")
)
MAP_16 = 0xDE  # first byte of a map that may have more than 15 entries, and whose header has three bytes
STARTED = b"\xa4type\xa7started"
SNAPSHOT, ERROR = b"\xa4type\xa8snapshot", b"\xa4type\xa5error"
GAME_MIX: tuple[tuple[str, Options], ...] = (
    ("mancala", {}),
    ("maxconnect4", {}),
    ("conga", {"max_plies": 100}),
    ("cohcoh", {"n": 8, "k": 6}),
)
FISCHER = TimeControl(kind="fischer", base=600_000, increment=1000)
REPLY_TIMEOUT_S = 30
WARM_UP_S = 0.7


def random_moves(game: str, options: Options, rng: random.Random) -> list[tuple[int, str]]:
    """Return the moves of a random game, each with its seat."""
    rules = create(game, options)
    states, moves = [rules.start()], []
    while ending(rules, states) is None:
        state = states[-1]
        move = rng.choice(rules.moves(state))
        moves.append((state.turn, rules.format(state, move)))
        states.append(rules.after(state, move))
    return moves


@dataclass
class Tally:
    """What several matches have measured."""

    moves: int = 0
    errors: list[bytes] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)  # seconds from sending a move until the opponent receives it


class Match:
    """Two connections that repeat a game with seats swapped. `think`: mean seconds before each move."""

    def __init__(self, game: str, options: Options, seed: int, tally: Tally, think: float = 0.0) -> None:
        self.game, self.options, self.tally, self.think = game, options, tally, think
        self.moves = random_moves(game, options, random.Random(seed))
        self.players: list[Client] = []
        self.room = ""
        self.ply = 0
        self.sent_at = 0.0
        self.waiting = False  # for the opponent to receive a move
        self.playing = False
        self.frames: list[bytes] = []
        self.swapped = 0  # the connection that has seat 0
        self.snapshots = 0
        self.next_match: Match | None = None  # where the next move is played instead, see bench/server.py

    async def open(self, url: str, other: str = "") -> None:
        """Connect both players and start a game. `other`: the server of the second player, if it is another node."""
        for name, where in (("a", url), ("b", other or url)):
            client = await self.connect(where)
            self.players.append(client)
            await ask(client, Hello(id=1, name=name))
        first, second = self.players
        answer = await ask(first, Create(id=2, game=self.game, options=self.options, clock=FISCHER, seat=0))
        assert isinstance(answer, Ok)
        started = asyncio.get_running_loop().create_future()
        first.on_message = lambda payload: (
            None if STARTED not in payload[:20] or started.done() else started.set_result(None)
        )
        await ask(second, Join(id=2, room=answer.room))
        await asyncio.wait_for(started, REPLY_TIMEOUT_S)  # later on another node
        self.room = answer.room
        self.prepare()
        for index, client in enumerate(self.players):
            client.on_message = self.reader(index)

    async def connect(self, url: str) -> Client:
        """Connect the next player."""
        return await connect(url)

    def prepare(self) -> None:
        """Encode the frames of a game in advance."""
        moves = [Move(id=ply + 3, room=self.room, ply=ply, move=text) for ply, (_, text) in enumerate(self.moves)]
        self.frames = [masked(MSGPACK.encode(move)) for move in moves]
        self.ply = 0

    @property
    def settled(self) -> bool:
        """Whether the match waits for nothing but its next move."""
        return not self.waiting and self.ply < len(self.moves)

    def start(self) -> None:
        """Send the first move."""
        self.playing = True
        self.move()

    def move(self) -> None:
        """Send the next move, after the thinking time."""
        if self.think:
            asyncio.get_running_loop().call_later(random.uniform(0, 2 * self.think), self.move_now)
        else:
            self.move_now()

    def move_now(self) -> None:
        """Send the next move, unless one is under way or the rematch has yet to start."""
        if not self.playing or not self.settled:
            return
        side, _ = self.moves[self.ply]
        self.sent_at, self.waiting = time.perf_counter(), True
        self.players[side ^ self.swapped].send(self.frames[self.ply])

    def reader(self, index: int) -> Callable[[bytes], None]:
        """Return the message handler of a player: a closure, for speed."""

        def read(payload: bytes) -> None:
            kind = payload[3:20] if payload[0] == MAP_16 else payload[1:18]
            if kind.startswith(MOVED):
                at = payload.find(b"\xa3ply") + 4
                ply = payload[at] if payload[at] < 128 else payload[at + 1]
                # the opponent has received the current move
                if ply == self.ply + 1 and self.moves[self.ply][0] ^ self.swapped != index:
                    self.tally.delays.append(time.perf_counter() - self.sent_at)
                    self.tally.moves += 1
                    self.waiting = False
                    self.ply += 1
                    if self.ply < len(self.moves):
                        (self.next_match or self).move()
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
        """Start the rematch when both players have its snapshot."""
        self.snapshots += 1
        if self.snapshots % 2 == 0:
            snapshot = MSGPACK.decode_server_message(payload)
            assert isinstance(snapshot, Snapshot)
            self.room = snapshot.room
            self.swapped ^= 1
            self.prepare()
            (self.next_match or self).move()

    def close(self) -> None:
        """Close both connections."""
        self.playing = False
        for client in self.players:
            client.transport.close()


async def ask(client: Client, command: object) -> Ok | Welcome:
    """Send a command, again after each rate limit, and return its reply. Raises RuntimeError if it is rejected."""
    async with asyncio.timeout(REPLY_TIMEOUT_S):
        while True:
            reply = await ask_once(client, command)
            if not isinstance(reply, Error):
                return reply
            if reply.code != "rate_limited" or not reply.retry_after:
                raise RuntimeError(str(reply))
            await asyncio.sleep(reply.retry_after)


async def ask_once(client: Client, command: object) -> Ok | Welcome | Error:
    """Send a command and return its reply."""
    answer: asyncio.Future[Ok | Welcome | Error] = asyncio.get_running_loop().create_future()

    def read(payload: bytes) -> None:
        message = MSGPACK.decode_server_message(payload)
        if isinstance(message, Ok | Welcome | Error):
            answer.set_result(message)

    client.on_message = read
    client.send(masked(MSGPACK.encode(command)))  # type: ignore[arg-type]
    return await answer


async def open_matches(url: str, count: int, tally: Tally, think: float = 0.0, other: str = "") -> list[Match]:
    """Return matches that are ready to start, with a mix of games."""
    matches = [Match(*GAME_MIX[number % len(GAME_MIX)], number, tally, think) for number in range(count)]
    for match in matches:
        await match.open(url, other)
    return matches


async def play(matches: list[Match], tally: Tally, seconds: float) -> tuple[float, list[float]]:
    """Play for a time. Return moves per second and the sorted delays until the opponent received them, in ms."""
    for match in matches:
        match.start()
    rate, delays = await measure(tally, seconds)
    for match in matches:
        match.close()
    return rate, delays


async def measure(tally: Tally, seconds: float) -> tuple[float, list[float]]:
    """Measure matches that are being played. Return the same as `play`."""
    await asyncio.sleep(WARM_UP_S)
    tally.delays.clear()
    before, began = tally.moves, time.perf_counter()
    await asyncio.sleep(seconds)
    rate = (tally.moves - before) / (time.perf_counter() - began)
    return rate, sorted(delay * 1000 for delay in tally.delays)


def percentile(delays: list[float], percent: float) -> float:
    """Return a percentile of sorted delays, or NaN if there are none."""
    return delays[min(len(delays) - 1, int(len(delays) * percent / 100))] if delays else float("nan")
