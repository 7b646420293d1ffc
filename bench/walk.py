"""Trace one command through a live server: which functions run, in which files, in which order.

    python -m bench.walk                     all three walks
    python -m bench.walk move                from the frame with a move to the frame for a watcher
    python -m bench.walk reconnect           from the accepted connection until opponent and watcher see the player back
    python -m bench.walk rated-end           from the move that ends a rated game to the frame with the new ratings
    python -m bench.walk move --functions    one line for each call, with line numbers
    python -m bench.walk --json              for programs

The server runs in this process: real sockets, a free port, a temporary SQLite database. The clients are plain JSON over
`websockets` and use none of our code, so every traced call belongs to the server. Periodic work (sweeps, lobby updates,
pings) is off, and a walk starts when the server is idle.

What counts:

- A call is a "call" event of `sys.setprofile`, in any thread, for a function whose source file is in server/,
  protocol/, engine/ or runtime/. A coroutine counts again each time it resumes: a reader has to return to its file.
- Comprehensions and generator expressions do not count. Neither does code without a source file, nor the process that
  writes to SQLite.
- Files: the number of different files of these calls.
- Changes of file: how often a call is in another file than the call before.

To trace another checkout with this script: PYTHONPATH=CHECKOUT python -P bench/walk.py
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import sys
import threading
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, NamedTuple

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from server import app

ROOT = Path(app.__file__).parents[1]
TRACED = tuple(f"{ROOT / package}{os.sep}" for package in ("server", "protocol", "engine", "runtime"))
NOT_CALLS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})
PERIODIC = frozenset({"keep_pulse"})  # the tasks of the server that run every second, by function

REPLY_TIMEOUT_S = 10.0
IDLE_S = 0.1  # after this long without a call of our code, the server counts as idle
OFF_S = 3600.0  # longer than any walk: switches periodic work off

CLOCK = {"kind": "fischer", "base": 300_000, "increment": 3_000}
OPENING_MOVE, TRACED_MOVE = "a4b3", "d1c1"  # Conga
LOST_GAME = ("b2", "a1", "a2", "c1", "c2")  # n-k-coh-coh on 3 x 3: the last move completes a line

Message = dict[str, Any]


class Call(NamedTuple):
    file: str  # relative to the root of the checkout
    line: int
    function: str


class Walk(NamedTuple):
    calls: tuple[Call, ...]

    @property
    def visits(self) -> list[tuple[str, list[str]]]:
        """Return each file in the order of the calls, with the functions called there before the next file."""
        groups = itertools.groupby(self.calls, lambda call: call.file)
        return [(file, [call.function for call in calls]) for file, calls in groups]

    @property
    def files(self) -> int:
        return len({call.file for call in self.calls})

    @property
    def changes(self) -> int:
        return max(0, len(self.visits) - 1)

    @property
    def summary(self) -> str:
        return f"{self.files} files, {self.changes} changes of file"


# -- tracing


class Tracer:
    """Records the calls of our functions."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Trace this thread, and the threads that start inside the block."""
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    async def idle(self) -> None:
        """Wait until the server does nothing, then forget the calls so far."""
        async with asyncio.timeout(REPLY_TIMEOUT_S):
            while True:
                self.calls.clear()
                await asyncio.sleep(IDLE_S)
                if not self.calls:
                    return

    def walk(self) -> Walk:
        """Return the calls since `idle`."""
        return Walk(tuple(self.calls))

    def _profile(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(TRACED) and code.co_name not in NOT_CALLS:
            if is_periodic(frame):
                return
            file = Path(code.co_filename).relative_to(ROOT).as_posix()
            self.calls.append(Call(file, code.co_firstlineno, code.co_qualname.replace(".<locals>", "")))


def is_periodic(frame: FrameType | None) -> bool:
    """Return whether a call belongs to what the server does every second, and not to the command that is traced."""
    while frame is not None:
        if frame.f_code.co_name in PERIODIC:
            return True
        frame = frame.f_back
    return False


# -- clients and server


class Client:
    """A connection that speaks JSON. Messages that were not asked for wait in `unread`."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.session = ""
        self._ids = itertools.count(1)
        self.unread: list[Message] = []

    @classmethod
    async def open(cls, url: str, **hello: Any) -> Client:
        """Connect and say hello."""
        client = cls(await connect(url, subprotocols=[Subprotocol("parlour.v1.json")], compression=None))
        client.session = (await client.ask("hello", **hello))["session"]
        return client

    async def send(self, type: str, **fields: Any) -> int:
        """Send a command and return its id."""
        id = next(self._ids)
        await self.socket.send(json.dumps({"type": type, "id": id, **fields}))
        return id

    async def ask(self, type: str, **fields: Any) -> Message:
        """Send a command and return the reply. Raises RuntimeError if the server refuses it."""
        reply = await self.find(id=await self.send(type, **fields))
        if reply["type"] == "error":
            raise RuntimeError(f"the server refuses {type}: {reply['text']}")
        return reply

    async def find(self, **wanted: Any) -> Message:
        """Return the first message with these fields, waiting for it if needed. Raises TimeoutError."""
        at = 0
        async with asyncio.timeout(REPLY_TIMEOUT_S):
            while True:
                for message in self.unread[at:]:
                    if wanted.items() <= message.items():
                        self.unread.remove(message)
                        return message
                at = len(self.unread)
                self.unread.append(json.loads(await self.socket.recv()))

    def drop(self) -> None:
        """Lose the connection without a closing handshake."""
        self.socket.transport.abort()


def server_settings(**values: Any) -> Any:
    """Return settings, wherever their class is: this script also traces commits from before it moved."""
    module = "server.config" if find_spec("server.config") else "server.settings"
    return import_module(module).Settings(**values)


@asynccontextmanager
async def serve(db: Path) -> AsyncIterator[str]:
    """Run a server without periodic work, and yield its URL."""
    settings = server_settings(
        port=0, db=str(db), sweep=OFF_S, lobby_tick=OFF_S, ping_interval=OFF_S, log_level="error"
    )  # fmt: skip
    async with app.running(settings) as running:
        yield running.url


async def add_account(db: Path, name: str) -> str:
    """Create an account with the `parlour` command and return its token."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "parlour", "account", "add", name, "--db", str(db),
        cwd=ROOT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, problem = await process.communicate()
    if process.returncode:
        raise RuntimeError(f"cannot create the account {name}: {problem.decode().strip()}")
    return out.decode().strip()


class Table(NamedTuple):
    """A running game: the player who moves first, the opponent, and a watcher."""

    room: str
    first: Client
    second: Client
    watcher: Client


@asynccontextmanager
async def seated(url: str, first: Message, second: Message, **room: Any) -> AsyncIterator[Table]:
    """Start a game with a watcher. `first` and `second` are the fields of the players' hello."""
    ann, ben = await Client.open(url, **first), await Client.open(url, **second)
    eve = await Client.open(url, name="eve")
    name = (await ann.ask("create", seat=0, clock=CLOCK, **room))["room"]
    await ben.ask("join", room=name)
    await eve.ask("watch", room=name)
    try:
        yield Table(name, ann, ben, eve)
    finally:
        for client in (ann, ben, eve):
            client.drop()


# -- the walks


async def move(tracer: Tracer, db: Path) -> Walk:
    async with serve(db) as url, seated(url, {"name": "ann"}, {"name": "ben"}, game="conga") as table:
        await table.first.ask("move", room=table.room, ply=0, move=OPENING_MOVE)
        await tracer.idle()
        await table.second.send("move", room=table.room, ply=1, move=TRACED_MOVE)
        await table.watcher.find(type="moved", ply=2)
        return tracer.walk()


async def reconnect(tracer: Tracer, db: Path) -> Walk:
    async with serve(db) as url, seated(url, {"name": "ann"}, {"name": "ben"}, game="conga") as table:
        await table.first.ask("move", room=table.room, ply=0, move=OPENING_MOVE)
        table.first.drop()
        for client in (table.second, table.watcher):
            await client.find(type="presence", seat=0, online=False)
        await tracer.idle()
        again = await Client.open(url, resume=table.first.session)
        await again.find(type="snapshot", room=table.room)
        for client in (table.second, table.watcher):
            await client.find(type="presence", seat=0, online=True)
        walk = tracer.walk()
        again.drop()
        return walk


async def rated_end(tracer: Tracer, db: Path) -> Walk:
    players = [{"token": await add_account(db, name)} for name in ("ann", "ben")]
    async with serve(db) as url, seated(url, *players, game="cohcoh", options={"n": 3}, rated=True) as table:
        *opening, last = enumerate(LOST_GAME)
        for ply, text in opening:
            await (table.first, table.second)[ply % 2].ask("move", room=table.room, ply=ply, move=text)
        await tracer.idle()
        ply, text = last
        await table.first.send("move", room=table.room, ply=ply, move=text)
        ended = await table.watcher.find(type="ended")
        walk = tracer.walk()
        if not ended.get("ratings"):
            raise RuntimeError("the game ended without new ratings")
        return walk


WALKS: dict[str, tuple[str, Callable[[Tracer, Path], Coroutine[Any, Any, Walk]]]] = {
    "move": ("from the frame with a move to the frame for a watcher", move),
    "reconnect": ("from the accepted connection until opponent and watcher see the player back", reconnect),
    "rated-end": ("from the move that ends a rated game to the frame with the new ratings", rated_end),
}


def trace(name: str) -> Walk:
    """Start a server, trace one walk, and return it."""
    tracer = Tracer()
    _, walk = WALKS[name]
    with TemporaryDirectory() as folder, tracer.installed(), asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(walk(tracer, Path(folder) / "walk.db"))


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return what the server uses: uvloop where it is installed."""
    return import_module("uvloop").new_event_loop if find_spec("uvloop") else None


# -- output


def as_visits(walk: Walk) -> Iterator[str]:
    """Yield one line for each file visited, with its functions in the order of their calls."""
    width = max(len(call.file) for call in walk.calls)
    for number, (file, functions) in enumerate(walk.visits, 1):
        yield f"{number:4}  {file:{width}}  {', '.join(counted(functions))}"


def counted(functions: Sequence[str]) -> Iterator[str]:
    """Yield "f", or "f x3" for three calls in a row."""
    for function, calls in itertools.groupby(functions):
        times = len(list(calls))
        yield function if times == 1 else f"{function} x{times}"


def as_functions(walk: Walk) -> Iterator[str]:
    """Yield one line for each call, with a mark where the file changes."""
    places = [f"{call.file}:{call.line}" for call in walk.calls]
    width = max(map(len, places))
    before = ""
    for call, place in zip(walk.calls, places, strict=True):
        yield f"  {' ' if call.file == before else '>'} {place:{width}}  {call.function}"
        before = call.file


def as_json(walk: Walk) -> dict[str, Any]:
    return {"files": walk.files, "changes": walk.changes, "calls": [call._asdict() for call in walk.calls]}


def main() -> None:
    description, _, definition = (__doc__ or "").partition("\n\n")
    parser = ArgumentParser(
        prog="python -m bench.walk",
        description=description,
        epilog=definition,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("walks", nargs="*", metavar="WALK", help=f"{', '.join(WALKS)} (default: all)")
    parser.add_argument("--functions", action="store_true", help="print one line for each call, not for each file")
    parser.add_argument("--json", action="store_true", help="print one JSON object, with an entry for each walk")
    args = parser.parse_args()
    for name in args.walks:
        if name not in WALKS:
            parser.error(f"{name!r} is not a walk: try {', '.join(WALKS)}")
    traced = {name: trace(name) for name in args.walks or WALKS}
    if args.json:
        print(json.dumps({name: as_json(walk) for name, walk in traced.items()}, indent=1))
        return
    lines = as_functions if args.functions else as_visits
    reports = ["\n".join([f"{name}: {WALKS[name][0]}", *lines(walk), walk.summary]) for name, walk in traced.items()]
    print("\n\n".join(reports))


if __name__ == "__main__":
    main()
