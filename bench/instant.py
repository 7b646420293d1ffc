"""Players that answer at once, all of them in one process: `python -m bench.instant URL COUNT [GAMES AT_A_TIME]`.

Without GAMES they wait to be invited. With it they play so many among themselves, so many at a time, and print how
many seconds that took: what a server can do when nobody looks after its games.
"""

from __future__ import annotations

import asyncio
import sys
import time

import uvloop

from client.loadtest.sockets import Client, connect, masked
from engine.registry import create
from protocol.codec import MSGPACK
from protocol.commands import Command, Create, Hello, Join, Move
from protocol.events import Ended, Moved, Started
from protocol.replies import Invited, Snapshot, Welcome

GAME = "maxconnect4"
RULES = create(GAME)


def name(number: int) -> str:
    return f"instant{number}"


class Instant:
    def __init__(self, number: int, hall: Hall) -> None:
        self.name, self._hall = name(number), hall
        self._seats: dict[str, int] = {}
        self._client: Client | None = None
        self.here = asyncio.get_running_loop().create_future()

    async def come(self, url: str) -> None:
        self._client = await connect(url)
        self._client.on_message = self._hear
        self.say(Hello(id=1, name=self.name, plays=(GAME,)))
        await self.here

    def say(self, command: Command) -> None:
        assert self._client is not None
        self._client.send(masked(MSGPACK.encode(command)))

    def _hear(self, payload: bytes) -> None:
        message = MSGPACK.decode_server_message(payload)
        match message:
            case Moved() | Started():
                if message.turn == self._seats[message.room]:
                    self._move(message.room, message.position, message.ply if isinstance(message, Moved) else 0)
            case Invited():
                self.say(Join(id=2, room=message.room.room))
            case Snapshot():
                if message.your_seat is not None:
                    self._seats[message.room] = message.your_seat
                    if message.your_move:
                        self._move(message.room, message.position, message.ply)
            case Ended():
                if self._seats.pop(message.room) == 0:
                    self._hall.ended()
            case Welcome():
                self.here.set_result(None)

    def _move(self, room: str, position: str, ply: int) -> None:
        state = RULES.load(position)
        moves = RULES.moves(state)
        if moves:
            self.say(Move(id=3, room=room, ply=ply, move=RULES.format(state, moves[hash((room, ply)) % len(moves)])))


class Hall:
    """Everybody, and the games they play among themselves."""

    def __init__(self) -> None:
        self.players: list[Instant] = []
        self.left = self.open = 0
        self.done = asyncio.Event()

    def ended(self) -> None:
        if self.open:
            self.open -= 1
            self.begin()

    def begin(self) -> None:
        if not self.left:
            if not self.open:
                self.done.set()
            return
        self.left -= 1
        self.open += 1
        count = len(self.players)
        first, second = self.left % count, (self.left + 1 + self.left // count % (count - 1)) % count
        self.players[first].say(Create(id=4, game=GAME, seat=0, invite=self.players[second].name))


async def main(url: str, count: int, games: int = 0, at_a_time: int = 0) -> None:
    hall = Hall()
    hall.players = [Instant(number, hall) for number in range(count)]
    for player in hall.players:
        await player.come(url)
    print("here", flush=True)
    if not games:
        await asyncio.Event().wait()
    hall.left, began = games, time.perf_counter()
    for _ in range(at_a_time):
        hall.begin()
    await hall.done.wait()
    print(time.perf_counter() - began, flush=True)


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1], *map(int, sys.argv[2:])))
