"""Players that answer at once, all in one process: `python -m bench.instant URL COUNT [GAMES AT_A_TIME]`.

Without GAMES they wait for invitations. With GAMES they play that many games against each other, AT_A_TIME at once, and
print the seconds it took. This is the rate of the server without a tournament runner.
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


class InstantPlayer:
    """Accepts every invitation, and answers every position at once."""

    def __init__(self, number: int, games: Games) -> None:
        self.name, self._games = name(number), games
        self._seats: dict[str, int] = {}
        self._client: Client | None = None
        self.welcomed = asyncio.get_running_loop().create_future()

    async def connect(self, url: str) -> None:
        self._client = await connect(url)
        self._client.on_message = self._receive
        self.send(Hello(id=1, name=self.name, plays=(GAME,)))
        await self.welcomed

    def send(self, command: Command) -> None:
        assert self._client is not None
        self._client.send(masked(MSGPACK.encode(command)))

    def _receive(self, payload: bytes) -> None:
        message = MSGPACK.decode_server_message(payload)
        match message:
            case Moved() | Started():
                if message.turn == self._seats[message.room]:
                    self._move(message.room, message.position, message.ply if isinstance(message, Moved) else 0)
            case Invited():
                self.send(Join(id=2, room=message.room.room))
            case Snapshot():
                if message.your_seat is not None:
                    self._seats[message.room] = message.your_seat
                    if message.your_move:
                        self._move(message.room, message.position, message.ply)
            case Ended():
                if self._seats.pop(message.room) == 0:
                    self._games.ended()
            case Welcome():
                self.welcomed.set_result(None)

    def _move(self, room: str, position: str, ply: int) -> None:
        state = RULES.load(position)
        moves = RULES.moves(state)
        if moves:
            self.send(Move(id=3, room=room, ply=ply, move=RULES.format(state, moves[hash((room, ply)) % len(moves)])))


class Games:
    """The players, and the games they play against each other."""

    def __init__(self) -> None:
        self.players: list[InstantPlayer] = []
        self.left = self.open = 0
        self.done = asyncio.Event()

    def ended(self) -> None:
        if self.open:
            self.open -= 1
            self.start_next()

    def start_next(self) -> None:
        if not self.left:
            if not self.open:
                self.done.set()
            return
        self.left -= 1
        self.open += 1
        count = len(self.players)
        first, second = self.left % count, (self.left + 1 + self.left // count % (count - 1)) % count
        self.players[first].send(Create(id=4, game=GAME, seat=0, invite=self.players[second].name))


async def main(url: str, count: int, games: int = 0, at_a_time: int = 0) -> None:
    all_games = Games()
    all_games.players = [InstantPlayer(number, all_games) for number in range(count)]
    for player in all_games.players:
        await player.connect(url)
    print("ready", flush=True)
    if not games:
        await asyncio.Event().wait()
    all_games.left, began = games, time.perf_counter()
    for _ in range(at_a_time):
        all_games.start_next()
    await all_games.done.wait()
    print(time.perf_counter() - began, flush=True)


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1], *map(int, sys.argv[2:])))
