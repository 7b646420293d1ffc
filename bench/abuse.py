"""Delay of honest players' moves while a stranger sends legal requests, beside the same without, in turns.

    python -m bench.abuse                        all attacks, some minutes
    python -m bench.abuse chat leaderboard       some of them
    python -m bench.abuse --tree /tmp/old        the server of another checkout

The server runs with its default limits. Honest players play matches in this process, from 127.0.0.1. The stranger is
another process with many connections from 127.0.0.2, each of which sends as many messages per second as a connection
may. In the attack `connect` it opens as many connections instead. The database has 300,000 aborted rooms, 300 waiting
ones, and two games with logs of 9,500 events: one is running, and one has ended.

Each attack is measured in short rounds between rounds without it, because the speed of a shared machine changes from
second to second. In as many rounds the stranger attacks another server on the same machine: the delays of these rounds
show what the processes cost each other, and the ratio to them is what the attacked server allows. A figure is the
median over the rounds of a kind, so a round in which the machine was busy elsewhere hardly counts. Behind each ratio
stands its range: 95 % of the ratios of rounds drawn again and again from the same ones are within it. The noise (A/A)
compares quiet rounds with each other: they are split in two halves at random, again and again, and 95 % of the ratios
of the two p99 are below the figure.
Linux only: other systems have no second loopback address.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import shutil
import socket
import sqlite3
import struct
import subprocess
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple
from urllib.parse import urlsplit

import uvloop

from bench.processes import NO_LIMITS
from bench.server import flush_ms
from client.loadtest.matches import Tally, ask, ask_once, open_matches, percentile
from client.loadtest.sockets import Client, connect, masked
from protocol.codec import MSGPACK, pack
from protocol.commands import (
    Abort,
    Command,
    Create,
    Hello,
    History,
    Join,
    Leaderboard,
    Leave,
    List,
    Move,
    Pair,
    Rematch,
    Resign,
    Say,
    Watch,
)
from protocol.events import Said
from protocol.replies import Error, Ok

HERE = Path(__file__).resolve().parents[1]
STRANGER = "127.0.0.2"
WAITING_ROOMS, ABORTED_ROOMS, LONG_LOG_EVENTS = 300, 300_000, 9500
MATCHES = 20
THINK_S = 0.04  # mean time before a move: each player stays far below the rate limit
SETTLE_S = 0.3  # between rounds
DRAWS = 1000  # of rounds, to estimate the range of a ratio and the noise
SHORT_REPLY_BYTES = 500  # longer ones are counted and not decoded: the stranger's CPU time is not the server's


# -- the stranger: a process of its own


class Stranger:
    """One connection of the stranger, and the room it has created."""

    def __init__(self, number: int, long: str, ended: str) -> None:
        self.number, self.long, self.ended = number, long, ended
        self.played = ""  # a room of honest players
        self.client: Client | None = None
        self.room = ""
        self.welcome_at = 0.0  # when the server may accept the next hello
        self.replies: Counter[str] = Counter()

    async def connect(self, url: str) -> None:
        """Connect and say hello, unless the connection is still open, or a hello was refused a moment ago."""
        if (self.client is None or self.client.closed) and time.perf_counter() >= self.welcome_at:
            client, self.room = await connect(url, STRANGER), ""
            answer = await ask_once(client, Hello(id=1, name=f"stranger{self.number}"))
            if isinstance(answer, Error):
                self.welcome_at = time.perf_counter() + (answer.retry_after or 1.0)
                self.replies[f"hello {answer.code}"] += 1
                client.transport.abort()
            else:
                client.on_message, self.client = self.read, client

    def disconnect(self) -> None:
        """Abort the connection: the next quiet round must not pay for commands that still wait."""
        if self.client is not None:
            self.client.transport.abort()
            self.client = None

    def read(self, payload: bytes) -> None:
        """Count a reply by its type or code."""
        if b"\xa4type\xa2ok" in payload[:10]:
            self.replies["ok"] += 1
            if len(payload) < SHORT_REPLY_BYTES:
                reply = MSGPACK.decode_server_message(payload)
                assert isinstance(reply, Ok)
                self.room = reply.room or self.room
        elif b"\xa4type\xa5error" in payload[:14]:
            error = MSGPACK.decode_server_message(payload)
            assert isinstance(error, Error)
            self.replies[error.code] += 1

    def send(self, command: Command | bytes) -> None:
        """Send a command, if the connection is open."""
        if self.client is not None and not self.client.closed:
            self.client.send(masked(command if isinstance(command, bytes) else MSGPACK.encode(command)))


Attack = Callable[[Stranger, int], Command | bytes]  # the command with this number


def chat(stranger: Stranger, id: int) -> Command:
    """Watch a match and talk there."""
    if not stranger.room:
        stranger.room = stranger.played
        return Watch(id=id, room=stranger.room)
    return Say(id=id, room=stranger.room, text="spam " * 100)


def distinct_options(stranger: Stranger, id: int) -> Command:
    """Ask for a leaderboard with options that have not been asked for before."""
    number = stranger.number * 500 + id
    return Leaderboard(id=id, game="conga", options={"stones": 1 + number % 15, "max_plies": 50 + number % 9000})


def create_rooms(stranger: Stranger, id: int) -> Command:
    """Create a room, then leave it."""
    if id % 2 or not stranger.room:
        return Create(id=id, game="maxconnect4")
    return Leave(id=id, room=stranger.room)


def burst(stranger: Stranger, id: int) -> Command:
    """Ask for a snapshot of a game. Once a second, all connections do so at the same moment: see BURSTS."""
    return Watch(id=id, room=stranger.long)


def nested(stranger: Stranger, id: int) -> bytes:
    """Send as many nested lists as a message can have. The server ignores the field, but it has to read it."""
    return pack({"type": "resign", "id": id, "room": stranger.long, "ignored": [[]] * 16_000})


def reload(stranger: Stranger, id: int) -> Command:
    """Enter a room that no other client is in, and leave it: its log is read and replayed each time."""
    return Watch(id=id, room=stranger.ended) if id % 2 else Leave(id=id, room=stranger.ended)


def mixed(stranger: Stranger, id: int) -> Command:
    """Send what costs most after what costs little."""
    room = stranger.long
    turns: tuple[Command, ...] = (
        List(id=id),
        Watch(id=id, room=room),
        Leave(id=id, room=room),
        Pair(id=id, game="mancala"),
        Abort(id=id, room=room),
        Rematch(id=id, room=room),
        Join(id=id, room=room),
        Move(id=id, room=room, ply=0, move="a1"),
    )
    return turns[id % len(turns)]


ATTACKS: dict[str, Attack] = {
    "chat": chat,
    "mixed": mixed,
    "watch": lambda stranger, id: Watch(id=id, room=stranger.long, after=1),
    "reload": reload,
    "burst": burst,
    "nested": nested,
    "history": lambda stranger, id: History(id=id),
    "leaderboard": distinct_options,
    "list": lambda stranger, id: List(id=id),
    "rooms": create_rooms,
    "house": lambda stranger, id: Create(id=id, game="maxconnect4", invite=("random", "greedy")[id % 2]),
}
BURSTS = {"burst"}  # attacks that send the messages of a second at once
CONNECT = "connect"  # an attack without commands: each of its messages opens a connection


class Visitor:
    """A stranger that asks for a page, a WebSocket or nothing on a new connection each time."""

    REQUESTS = (
        b"GET / HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n\r\n",
        b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        b"",
    )
    OPEN = 50  # connections, of which the oldest is closed for the next one

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._address = (parts.hostname, parts.port)
        self._sockets: deque[socket.socket] = deque()
        self._opened = count()

    def connect(self) -> None:
        """Open a connection, and close the oldest one."""
        visit = socket.socket()
        visit.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # no port stays in TIME_WAIT
        visit.bind((STRANGER, 0))
        with suppress(OSError):  # the server may drop it
            visit.connect(self._address)
            visit.sendall(self.REQUESTS[next(self._opened) % len(self.REQUESTS)])
        self._sockets.append(visit)
        if len(self._sockets) > self.OPEN:
            self._sockets.popleft().close()

    def disconnect(self) -> None:
        """Close all connections."""
        while self._sockets:
            self._sockets.pop().close()


async def attack(name: str, url: str, long: str, ended: str, connections: int, rate: float) -> None:
    """Attack for as many seconds, and in the room, that each line of standard input says. Print what came back."""
    os.nice(10)  # the stranger has a machine of its own, which must not look like load on the server
    strangers = [Stranger(number, long, ended) for number in range(connections)]
    visitor = Visitor(url)
    ids = [count(2) for _ in strangers]
    for line in sys.stdin:
        replies: Counter[str] = Counter()
        began = time.perf_counter()
        seconds, sent = float(line.split()[0]), 0
        for stranger in strangers:
            stranger.played = line.split()[1]
        while (elapsed := time.perf_counter() - began) < seconds:
            due_s = int(elapsed) if name in BURSTS else elapsed
            while sent < due_s * rate * connections:
                if name == CONNECT:
                    visitor.connect()
                    sent += 1
                    continue
                stranger, id = strangers[sent % connections], ids[sent % connections]
                await stranger.connect(url)
                stranger.send(ATTACKS[name](stranger, next(id)))
                sent += 1
            await asyncio.sleep(0.005)
        visitor.disconnect()
        for stranger in strangers:
            replies += stranger.replies
            stranger.replies.clear()
            stranger.disconnect()
        print(f"{sent / seconds:.0f}/s sent:", *(f"{code} {n}" for code, n in replies.most_common()), flush=True)


# -- the server


def start(tree: Path, db: str, *flags: str) -> tuple[subprocess.Popen[bytes], str]:
    """Start the server of a checkout. Return it and its URL."""
    command = [sys.executable, "-m", "parlour", "serve", "--port", "0", "--db", db, "--log-level", "error", *flags]
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    process = subprocess.Popen(command, cwd=tree, env=environment, stdout=subprocess.PIPE)
    assert process.stdout is not None
    return process, process.stdout.readline().decode().split()[-1]


def stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    process.communicate()


class Target(NamedTuple):
    """What the stranger attacks: a server, its long rooms, and another server with the same rooms."""

    url: str
    long: str
    ended: str
    elsewhere: str


@contextmanager
def prepared_servers(tree: Path, folder: str, house: str) -> Iterator[Target]:
    """Run two servers with default limits, each with a database that has seen much."""
    with TemporaryDirectory(dir=folder) as place:
        db = f"{place}/abuse.db"
        process, url = start(tree, db, *NO_LIMITS, "--rooms-per-player", "1000")
        try:
            long, ended, aborted = uvloop.run(fill(url))
        finally:
            stop(process)
        age(db, (long, ended), aborted)
        copy = shutil.copyfile(db, f"{place}/elsewhere.db")
        process, url = start(tree, db, "--house", house)
        other, elsewhere = start(tree, copy, "--house", house)
        try:
            yield Target(url, long, ended, elsewhere)
        finally:
            stop(process)
            stop(other)


async def fill(url: str) -> tuple[str, str, str]:
    """Create a running game, one that has ended, an aborted room, and rooms that wait. Return the first three."""
    ann, ben = await connect(url), await connect(url)
    for client, name in ((ann, "ann"), (ben, "ben")):
        await ask(client, Hello(id=1, name=name))
    rooms = [await ask(ann, Create(id=2, game="conga")) for _ in range(WAITING_ROOMS + 3)]
    long, ended, aborted = (room.room for room in rooms[:3] if isinstance(room, Ok))
    for room in (long, ended):
        await ask(ben, Join(id=2, room=room))
    await ask(ben, Resign(id=2, room=ended))
    await ask(ann, Leave(id=2, room=aborted))
    return long, ended, aborted


def age(db: str, long: tuple[str, ...], aborted: str) -> None:
    """Make logs long, and copy an aborted room many times: no server would accept that many requests."""
    connection = sqlite3.connect(db)
    at = int(time.time() * 1000)
    for room in long:
        (last,) = connection.execute("SELECT max(seq) FROM events WHERE room = ?", (room,)).fetchone()
        for seq in range(last + 1, LONG_LOG_EVENTS + 1):
            said = MSGPACK.encode(Said(room=room, seq=seq, at=at, name="ann", seat=0, text="a line of chat"))
            connection.execute("INSERT INTO events (room, seq, payload) VALUES (?,?,?)", (room, seq, said))
    columns = [name for _, name, *_ in connection.execute("PRAGMA table_info(rooms)") if name != "room"]
    names = ", ".join(columns)
    connection.execute(
        f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ABORTED_ROOMS}) "
        f"INSERT INTO rooms (room, {names}) SELECT printf('0%010d', i), {names} FROM n, rooms WHERE room = ?",
        (aborted,),
    )
    connection.commit()
    connection.close()


# -- measuring


class Delays(NamedTuple):
    """Delays of honest players' moves in ms, sorted, for each round of each kind."""

    quiet: list[list[float]]  # two for each round of the other kinds
    attacked: list[list[float]]
    elsewhere: list[list[float]]

    def compare(self, percent: float) -> str:
        """Return a percentile without an attack, with one, and the ratio to that with an attack elsewhere."""
        quiet, attacked, elsewhere = ([percentile(delays, percent) for delays in rounds] for rounds in self)
        drawn = sorted(
            median(attacked[at] for at in rounds) / median(elsewhere[at] for at in rounds)
            for rounds in (random.choices(range(len(attacked)), k=len(attacked)) for _ in range(DRAWS))
        )
        medians = median(quiet), median(elsewhere), median(attacked)
        low, high = percentile(drawn, 2.5), percentile(drawn, 97.5)
        figures = "{:6.2f} quiet, {:6.2f} elsewhere, {:6.2f} ms".format(*medians)
        return f"p{percent:.0f} {figures} ({medians[2] / medians[1]:.2f} x, {low:.2f} to {high:.2f})"

    def noise(self, percent: float) -> float:
        """Return the ratio that two halves of the quiet rounds stay below in 95 % of all splits."""
        rounds = [percentile(delays, percent) for delays in self.quiet]
        ratios = []
        for _ in range(DRAWS):
            random.shuffle(rounds)
            ratios.append(median(rounds[::2]) / median(rounds[1::2]))
        return percentile(sorted(ratios), 95)


class StrangerProcess:
    """The process of a stranger that attacks one server."""

    def __init__(self, name: str, url: str, target: Target, args: argparse.Namespace) -> None:
        words = [name, url, target.long, target.ended, str(args.connections), str(args.rate)]
        command = [sys.executable, "-m", "bench.abuse", "--stranger", *words]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._seconds = args.seconds
        self.said = ""  # what the last round got

    async def attack(self, tally: Tally, room: str) -> list[float]:
        """Attack for a round. Return the delays of honest moves."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{self._seconds + 2 * SETTLE_S} {room}\n".encode())
        self._process.stdin.flush()
        delays = await round_of(tally, self._seconds)
        self.said = (await asyncio.to_thread(self._process.stdout.readline)).decode().strip()
        return delays

    def stop(self) -> None:
        """End the process."""
        self._process.communicate()


async def measure(target: Target, name: str, args: argparse.Namespace) -> tuple[Delays, str]:
    """Return the delays of all kinds of rounds, and what the stranger's last round got."""
    tally, played_elsewhere = Tally(), Tally()
    matches = await open_matches(target.url, MATCHES, tally, THINK_S)
    others = await open_matches(target.elsewhere, 1, played_elsewhere, THINK_S)  # a room to talk in
    here, elsewhere = (StrangerProcess(name, url, target, args) for url in (target.url, target.elsewhere))
    for match in matches:
        match.start()
    delays = Delays([], [], [])
    try:
        await asyncio.sleep(1)
        for _ in range(args.rounds):
            delays.quiet.append(await round_of(tally, args.seconds))
            delays.attacked.append(await here.attack(tally, matches[0].room))
            delays.quiet.append(await round_of(tally, args.seconds))
            delays.elsewhere.append(await elsewhere.attack(tally, others[0].room))
    finally:
        here.stop()
        elsewhere.stop()
        for match in matches + others:
            match.close()
    return delays, here.said


async def round_of(tally: Tally, seconds: float) -> list[float]:
    """Return the delays of the moves in the next seconds, sorted."""
    await asyncio.sleep(SETTLE_S)
    tally.delays.clear()
    await asyncio.sleep(seconds)
    return sorted(delay * 1000 for delay in tally.delays)


def main() -> None:
    """Run the benchmark."""
    if sys.argv[1:2] == ["--stranger"]:
        name, url, long, ended, connections, rate = sys.argv[2:]
        uvloop.run(attack(name, url, long, ended, int(connections), float(rate)))
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, prog="python -m bench.abuse"
    )
    names = (*ATTACKS, CONNECT)
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help=f"{', '.join(names)} (default: all)")
    parser.add_argument("--tree", type=Path, default=HERE, help="the checkout whose server runs; default: this one")
    parser.add_argument("--rounds", type=int, default=5, help="with each attack, and twice as many without; default: 5")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each round; default: 2")
    parser.add_argument("--connections", type=int, default=20, help="of the stranger; default: 20")
    parser.add_argument("--rate", type=float, default=29.0, help="messages per second on each of them; default: 29")
    parser.add_argument("--dir", default=None, help="folder for the database; default: that for temporary files")
    args = parser.parse_args()
    if unknown := [name for name in args.attacks if name not in names]:
        parser.error(f"{unknown[0]!r} is not an attack: try {', '.join(names)}")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, disk {flush_ms(args.dir or '/tmp'):.1f} ms a flush")
    for name in args.attacks or names:
        with prepared_servers(args.tree.resolve(), args.dir, "random,greedy" if name == "house" else "none") as target:
            delays, said = uvloop.run(measure(target, name, args))
        figures = f"{delays.compare(50)}   {delays.compare(99)}, A/A {delays.noise(99):.2f} x"
        print(f"{name:12} {figures}   {said}", flush=True)


if __name__ == "__main__":
    main()
